//! A request, as skeletons use it.

mod interpretive;
mod results;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use zorb_base::object_id::ObjectId;
use zorb_cdr::{ByteOrder, CdrError, CdrReader, ReadContext, TextCoding, Wire};
use zorb_giop::{
    Ior, MessageFormat, MessageHeader, ProfileTag, ProtocolError, RequestHeader, ServedRequest,
    ServiceId,
};
use zorb_interp::{List, Space};
use zorb_types::{CompletionStatus, OperationTable, Operations, SystemException, Transfer, minor};

use crate::connection_setup::ConnectionSetup;
use crate::operation_cache::OperationCache;
use crate::reply::{ReplyTo, ReplyWriter, RequestSource, Served};

/// A request during its upcall: its operation, its arguments, and its reply.
pub struct ServerCall<'a> {
    pub(super) request: RequestHeader<'a>,
    /// Finds the definitions of interfaces, for the operations that every object has.
    pub(super) interfaces: Option<&'a dyn Interfaces>,
    /// The object, after it has been found.
    pub(super) object: Option<&'a dyn Target>,
    /// The operation of the thread's last request.
    pub(super) known: Option<&'a OperationCache>,
    pub(super) arguments: CdrReader<'a>,
    /// Whether arguments could not be decoded, or octets are left behind them.
    pub(super) undecodable: bool,
    pub(super) reply: ReplyWriter<'a>,
}

impl fmt::Debug for ServerCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerCall")
            .field("operation", &self.request.operation)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}

/// The object of a request: [`Found`](crate::slots::Found) implements it.
///
/// Objects have skeletons, which serve calls. The trait is the way back, for servants that ask for their object, for
/// deferred replies and for interceptors, which take 8 instructions of a request for it.
pub(crate) trait Target {
    /// Its id.
    fn id(&self) -> Option<&ObjectId>;

    /// The object.
    fn object(&self) -> Option<&dyn Any>;

    /// The object with a reference count of its own: its end waits until that is dropped.
    fn keep(&self) -> Option<Arc<dyn Any + Send + Sync>>;
}

/// Finds the definitions of interfaces: [`Adapters`](crate::adapters::Adapters) implements it.
///
/// Adapters have objects, whose skeletons serve calls. The trait is the way back: a call with the function that finds
/// interfaces in its place takes 23 instructions more, for a pointer beside that to the adapters.
pub(crate) trait Interfaces {
    /// The definition of the interface `type_id`.
    ///
    /// # Errors
    /// `INTF_REPOS` if there is no interface repository, or it does not contain the interface.
    fn interface(&self, type_id: &str) -> Result<Ior, SystemException>;
}

impl<'a> ServerCall<'a> {
    /// Creates a call. Its request header must be [read](Self::read_header) next.
    #[inline]
    pub fn new(
        message: &'a [u8],
        order: ByteOrder,
        form: MessageFormat<'a>,
        reply: ReplyTo<'a>,
    ) -> Self {
        Self {
            request: RequestHeader::EMPTY,
            interfaces: None,
            object: None,
            known: None,
            arguments: CdrReader::new(message, order),
            undecodable: false,
            reply: ReplyWriter {
                buffer: reply.buffer,
                form,
                request: ServedRequest::default(),
                text: TextCoding::default(),
                is_expected: false,
                threshold: reply.copy_threshold,
                most: usize::MAX,
                source: reply.source,
                flow: None,
            },
        }
    }

    /// Reads the request's header, which precedes the arguments.
    ///
    /// # Errors
    /// The octets are not a request header.
    #[inline(always)] // 4 % of a request
    pub fn read_header(&mut self, header: &MessageHeader) -> Result<(), ProtocolError> {
        self.reply.form.read_request_with(&mut self.request, &mut self.arguments, header)?;
        self.reply.is_expected = self.request.response.expects_reply();
        Ok(())
    }

    /// The request's header.
    #[inline]
    pub fn request(&self) -> &RequestHeader<'a> {
        &self.request
    }

    /// Sets the context in which arguments of types that need an ORB are decoded.
    #[inline]
    pub fn set_context(&mut self, context: &'a dyn ReadContext) {
        self.arguments.set_context(context);
    }

    /// Identifies the request among those of its connection.
    #[inline]
    pub fn set_request(&mut self, request: ServedRequest) {
        self.reply.request = request;
    }

    /// Sets the encoding of text in the arguments and in the reply.
    #[inline]
    pub fn set_text(&mut self, text: TextCoding) {
        self.reply.text = text;
    }

    /// The encoding of text.
    #[inline]
    pub fn text(&self) -> TextCoding {
        self.reply.text
    }

    /// Sets the cache of the thread's last operation, which [`find`](Self::find) uses.
    #[inline]
    pub fn set_operation_cache(&mut self, known: &'a OperationCache) {
        self.known = Some(known);
    }

    /// The name of the operation, as in the IDL.
    #[inline]
    pub fn operation(&self) -> &[u8] {
        self.request.operation.as_bytes()
    }

    /// The name of the operation as text.
    pub fn operation_name(&self) -> &str {
        &self.request.operation
    }

    /// The position of the operation among those of an interface. It is cached in the request's destination and, for
    /// the thread's last request, in the [operation cache](Self::set_operation_cache).
    #[doc(hidden)]
    #[inline]
    pub fn find<const N: usize>(&self, operations: &'static Operations<N>) -> Option<usize> {
        // The address of a static identifies the table.
        let identity = std::ptr::from_ref(operations).addr();
        let name = self.operation();
        self.position(identity, |at| operations.is_at(at, name), || operations.find(name))
    }

    /// As [`find`](Self::find), by a function that the skeletons of all interfaces share.
    #[doc(hidden)]
    #[inline(never)] // at opt-level z, `find` has 370 octets for each number of operations
    pub fn find_in(&self, operations: &'static OperationTable<'static>) -> Option<usize> {
        let identity = std::ptr::from_ref(operations).addr();
        let name = self.operation();
        self.position(identity, |at| operations.is_at(at, name), || operations.find(name))
    }

    #[inline(always)] // into both
    fn position(
        &self,
        table: usize,
        is_at: impl FnOnce(usize) -> bool,
        find: impl FnOnce() -> Option<usize>,
    ) -> Option<usize> {
        let destination = self.request.operation.destination();
        if let Some(destination) = destination
            && let Some(position) = destination.operation_in(table)
        {
            if let Some(known) = self.known
                && known.position_in(table) != Some(position)
            {
                known.set(table, position, self.operation());
            }
            return Some(position);
        }
        if let Some(known) = self.known
            && let Some(position) = known.position_in(table)
            && is_at(position)
        {
            return Some(position);
        }
        let found = find();
        if let (Some(known), Some(position)) = (self.known, found) {
            known.set(table, position, self.operation());
        }
        if let (Some(destination), Some(position)) = (destination, found) {
            destination.set_operation_in(table, position);
        }
        found
    }

    /// Decodes the next argument. It borrows from the request if its type allows it.
    ///
    /// # Errors
    /// `MARSHAL` or another exception of decoding, completed NO.
    #[inline]
    pub fn argument<M: Wire>(&mut self) -> Result<M::Borrowed<'a>, SystemException> {
        M::read_borrowed(&mut self.arguments).map_err(|error| self.undecodable(error))
    }

    /// Decodes the next argument, without borrowing from the request.
    ///
    /// # Errors
    /// As [`argument`](Self::argument).
    pub fn owned_argument<M: Wire>(&mut self) -> Result<M::Value, SystemException> {
        M::read(&mut self.arguments).map_err(|error| self.undecodable(error))
    }

    /// Checks that the request has no octets behind its last argument, unless the ORB allows them
    /// (`AllowExtraOctets`).
    ///
    /// # Errors
    /// `MARSHAL`, completed NO.
    #[inline]
    pub fn end_of_arguments(&mut self) -> Served {
        self.arguments.expect_end("arguments").map_err(|error| self.undecodable(error))
    }

    /// The exception for arguments that cannot be decoded.
    #[cold]
    fn undecodable(&mut self, error: CdrError) -> SystemException {
        self.undecodable = true;
        SystemException::from_cdr(error, CompletionStatus::No, Transfer::ReceiveRequest)
    }

    /// Decodes all arguments by their layout tables. They borrow from the request where their types allow it.
    ///
    /// # Errors
    /// As [`argument`](Self::argument) and [`end_of_arguments`](Self::end_of_arguments).
    #[inline(always)] // references to both ends of the call
    pub fn interpret_arguments<'s, L: List>(
        &mut self,
        space: &'s mut Space<'a, L>,
    ) -> Result<&'s L::Borrowed<'a>, SystemException> {
        space.read(&mut self.arguments).map_err(|error| self.undecodable(error))
    }

    /// The definition of the interface `type_id`.
    pub(super) fn interface(&self, type_id: &str) -> Result<Ior, SystemException> {
        match self.interfaces {
            Some(interfaces) => interfaces.interface(type_id),
            None => Err(SystemException::intf_repos(
                minor::intf_repos::NOT_AVAILABLE,
                CompletionStatus::No,
            )),
        }
    }

    /// The id of the request's object within its adapter.
    pub fn object_id(&self) -> Option<&'a ObjectId> {
        self.object?.id()
    }

    /// The request's object, an [`ActiveObject`](crate::ActiveObject).
    pub fn object(&self) -> Option<&'a dyn Any> {
        self.object?.object()
    }

    /// The origin of the request.
    pub fn source(&self) -> &'a dyn RequestSource {
        self.reply.source
    }

    /// The data of the request's first service context with this id, usually an encapsulation.
    pub fn service_context(&self, id: ServiceId) -> Option<&'a [u8]> {
        self.request.service_contexts.find(id)
    }

    /// Applies the priority band that the request declares for its connection, if any.
    pub(crate) fn apply_declared_band(&self) {
        if let Some(data) = self.service_context(ServiceId::RT_CORBA_PRIORITY_RANGE) {
            self.reply.source.declare_band(data);
        }
    }

    /// The priority of the lane that received the request; `None` without such a lane.
    pub fn lane(&self) -> Option<i16> {
        self.reply.source.lane_priority()
    }

    /// A second reader of the arguments that have not been decoded yet.
    pub(super) fn remaining_arguments(&self) -> CdrReader<'a> {
        let reader = &self.arguments;
        CdrReader::new(reader.rest(), reader.order()).with_origin(reader.offset())
    }

    /// The reader of the arguments that have not been decoded yet, for types that are known only at run time.
    pub fn arguments(&mut self) -> &mut CdrReader<'a> {
        if let Some(known) = self.known {
            known.set_dynamic(self.operation());
        }
        &mut self.arguments
    }

    /// Applies connection properties to the connection of the request. Returns the tag of the profiles of its
    /// endpoint; `None` for a collocated call.
    pub(super) fn set_up_connection(&self, setup: &ConnectionSetup) -> Option<ProfileTag> {
        self.reply.source.set_up(setup)
    }
}
