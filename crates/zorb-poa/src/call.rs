//! One request as generated skeletons see it.

use std::fmt;
use std::io::IoSlice;

use zorb_base::gather::{Gather, Tail, WriteBody};
use zorb_base::object_id::ObjectId;
use zorb_base::raises::{AnyUserException, Raises};
use zorb_cdr::{
    ByteOrder, CdrError, CdrReader, CdrResult, CdrWriter, ReadContext, TextCoding, Wire,
};
use zorb_giop::{
    Form, MessageHeader, MessageWriter, ProfileTag, ProtocolError, ReplyStatus, RequestHeader,
    ServedRequest, ServiceId, fragments,
};
use zorb_os::probe;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use crate::connection_setup::ConnectionSetup;
use crate::operations::{OperationCache, Operations};

/// A request during its upcall: its operation, its arguments, and its reply.
pub struct ServerCall<'a> {
    pub(super) request: RequestHeader<'a>,
    /// The id of the object, once the object is found.
    pub(super) object_id: Option<&'a ObjectId>,
    /// What the thread remembers of the last one.
    pub(super) known: Option<&'a OperationCache>,
    pub(super) arguments: CdrReader<'a>,
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

/// Where a request has come from, and its reply goes.
pub trait RequestSource {
    /// Sends the reply to a request, which lies in `parts`: before the upcall has ended, or in fragments.
    fn send_parts(&self, request: ServedRequest, parts: &mut [IoSlice<'_>]);

    /// The priority of the lane whose connection the request came over, if it has one.
    fn lane_priority(&self) -> Option<i16> {
        None
    }

    /// Applies the priority band that the client declares for the connection (`RTCorbaPriorityRange`).
    fn declare_band(&self, data: &[u8]) {
        let _ = data;
    }

    /// Sets the connection up as the policies of an adapter say; the tag of the profiles that lead to its
    /// endpoint. `None` for a request that came over no connection.
    fn set_up(&self, setup: &ConnectionSetup) -> Option<ProfileTag> {
        let _ = setup;
        None
    }
}

/// How an upcall ends: the reply is written, or a system exception is to be.
pub type Served = Result<(), SystemException>;

/// How the reply to a request is written and sent.
pub struct ReplyTo<'a> {
    /// The reply is written here.
    pub buffer: &'a mut Vec<u8>,
    /// Runs of octets at the end of a reply that are at least this long are sent from where they lie.
    pub copy_threshold: usize,
    /// Where the request came from.
    pub source: &'a dyn RequestSource,
}

impl fmt::Debug for ReplyTo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyTo")
            .field("copy_threshold", &self.copy_threshold)
            .finish_non_exhaustive()
    }
}

impl<'a> ServerCall<'a> {
    /// A call whose request header is still to be [read](Self::read_header).
    #[inline]
    pub fn new(message: &'a [u8], order: ByteOrder, form: Form<'a>, reply: ReplyTo<'a>) -> Self {
        Self {
            request: RequestHeader::EMPTY,
            object_id: None,
            known: None,
            arguments: CdrReader::new(message, order),
            reply: ReplyWriter {
                buffer: reply.buffer,
                form,
                request: ServedRequest::default(),
                text: TextCoding::default(),
                is_expected: false,
                threshold: reply.copy_threshold,
                source: reply.source,
            },
        }
    }

    /// Reads the request's header; the reader of the arguments stands behind it then.
    ///
    /// # Errors
    /// When the octets are not a request header.
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

    /// Sets what arguments of types that need an ORB are decoded against.
    #[inline]
    pub fn set_context(&mut self, context: &'a dyn ReadContext) {
        self.arguments.set_context(context);
    }

    /// Sets which request of its connection it is.
    #[inline]
    pub fn set_request(&mut self, request: ServedRequest) {
        self.reply.request = request;
    }

    /// Sets how text is encoded, in the arguments and in the reply.
    #[inline]
    pub fn set_text(&mut self, text: TextCoding) {
        self.reply.text = text;
    }

    /// How text is encoded.
    #[inline]
    pub fn text(&self) -> TextCoding {
        self.reply.text
    }

    /// Has the operation be looked up beside the thread's last one.
    #[inline]
    pub fn remember_in(&mut self, known: &'a OperationCache) {
        self.known = Some(known);
    }

    /// The name of the operation, in the IDL's spelling.
    #[inline]
    pub fn operation(&self) -> &[u8] {
        self.request.operation.as_bytes()
    }

    /// The same as text.
    pub fn operation_name(&self) -> &str {
        &self.request.operation
    }

    /// The position of the operation among those of an interface: that of the thread's last request if its
    /// name is this one, else by its name, or where an earlier request for it left it.
    #[doc(hidden)]
    #[inline]
    pub fn find<const N: usize>(&self, operations: &'static Operations<N>) -> Option<usize> {
        // A static lies at its address for good, so that stands for the table.
        let table = std::ptr::from_ref(operations).addr();
        let destination = self.request.operation.destination();
        if let Some(destination) = destination
            && let Some(position) = destination.operation_in(table)
        {
            return Some(position);
        }
        if let Some(known) = self.known
            && let Some(position) = known.in_table(table)
            && operations.is_at(position, self.operation())
        {
            return Some(position);
        }
        let found = operations.find(self.operation());
        if let (Some(known), Some(position)) = (self.known, found) {
            known.is_at(table, position);
        }
        if let (Some(destination), Some(position)) = (destination, found) {
            destination.set_operation_in(table, position);
        }
        found
    }

    /// Takes the next argument, borrowing from the request where its type allows.
    ///
    /// # Errors
    /// `MARSHAL` and its kin, completed NO.
    #[inline]
    pub fn argument<M: Wire>(&mut self) -> Result<M::Borrowed<'a>, SystemException> {
        M::read_borrowed(&mut self.arguments).map_err(undecodable)
    }

    /// Writes the reply: the results by `write`, or the exception.
    ///
    /// # Errors
    /// The system exception that the servant raised, or that of a result without an encoding.
    #[inline]
    pub fn reply<T, E: Raises>(
        &mut self,
        outcome: Result<T, E>,
        write: impl Fn(&mut CdrWriter<'_>, &T) -> CdrResult<()>,
    ) -> Served {
        probe!(Upcall);
        match outcome {
            Ok(results) => {
                self.reply.write_results(&|writer: &mut CdrWriter<'_>| write(writer, &results))
            }
            Err(raised) => self.reply_raised(raised),
        }
    }

    /// Writes the reply of an operation without results.
    ///
    /// # Errors
    /// The system exception that the servant raised.
    #[inline]
    pub fn reply_without_results<E: Raises>(&mut self, outcome: Result<(), E>) -> Served {
        match outcome {
            Ok(()) => self.done(),
            Err(raised) => self.reply_raised(raised),
        }
    }

    fn reply_raised<E: Raises>(&mut self, raised: E) -> Served {
        match raised.into_system() {
            Ok(exception) => Err(exception),
            Err(raised) => match raised.user() {
                Ok(exception) => self.reply.write_user_exception(exception),
                Err(exception) => Err(exception.clone()),
            },
        }
    }

    /// The id of the object that the request is for, under which its adapter knows the servant.
    pub fn object_id(&self) -> Option<&'a ObjectId> {
        self.object_id
    }

    /// What a service sent along with the request: the data of the first context of service `id`,
    /// mostly an encapsulation.
    pub fn service_context(&self, id: ServiceId) -> Option<&'a [u8]> {
        self.request.service_contexts.find(id)
    }

    /// Applies the priority band that this request declares for its connection, if it does.
    pub(crate) fn apply_declared_band(&self) {
        if let Some(data) = self.service_context(ServiceId::RT_CORBA_PRIORITY_RANGE) {
            self.reply.source.declare_band(data);
        }
    }

    /// The priority of the lane that received the request; `None` if none did.
    pub fn lane(&self) -> Option<i16> {
        self.reply.source.lane_priority()
    }

    /// A second reader of the arguments that were not taken yet.
    pub(super) fn remaining_arguments(&self) -> CdrReader<'a> {
        let reader = &self.arguments;
        CdrReader::new(reader.rest(), reader.order()).with_origin(reader.offset())
    }

    /// A reader at the arguments that were not taken yet, for types known at run time only.
    pub fn arguments(&mut self) -> &mut CdrReader<'a> {
        &mut self.arguments
    }

    /// Writes a reply of types known at run time only: the results, or a user exception, which is
    /// its repository id and its members.
    ///
    /// # Errors
    /// That of a result without an encoding.
    pub fn reply_dynamic(
        &mut self,
        is_exception: bool,
        write: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Served {
        probe!(Upcall);
        let exception = ReplyStatus::UserException;
        let status = if is_exception { exception } else { ReplyStatus::NoException };
        self.reply.write(status, write)
    }

    /// Sets the connection of the request up; the tag of the profiles that lead to its endpoint. `None` for
    /// a call within the ORB.
    pub(super) fn set_up_connection(&self, setup: &ConnectionSetup) -> Option<ProfileTag> {
        self.reply.source.set_up(setup)
    }

    /// Has the reply be written with this copy threshold and so much memory from the start, and whole if
    /// it is to go in fragments.
    pub(crate) fn write_reply_as(
        &mut self,
        threshold: Option<usize>,
        preallocate: Option<usize>,
        fragments: Option<usize>,
    ) {
        self.reply.threshold = match fragments {
            Some(_) => usize::MAX,
            None => threshold.unwrap_or(self.reply.threshold),
        };
        if let Some(octets) = preallocate {
            self.reply.buffer.reserve(octets);
        }
    }

    /// Sends the reply in fragments of at most so many octets, if it is larger and can be.
    pub(crate) fn send_in_fragments(&mut self, most: usize) {
        self.reply.send_in_fragments(most);
    }

    /// Ends a request without results: the reply of a one-way operation, if one is expected.
    ///
    /// # Errors
    /// None in practice.
    pub fn done(&mut self) -> Served {
        probe!(Upcall);
        self.reply.write_empty()
    }

    /// Ends a request for an operation that the interface does not have.
    ///
    /// # Errors
    /// Always `BAD_OPERATION` (OMG 2).
    #[cold]
    pub fn unknown_operation(&mut self) -> Served {
        Err(SystemException::bad_operation(
            minor::bad_operation::OPERATION_UNKNOWN,
            CompletionStatus::No,
        ))
    }
}

/// Writes the reply of one request into the connection's buffer.
pub(crate) struct ReplyWriter<'a> {
    pub(super) buffer: &'a mut Vec<u8>,
    /// That of the request.
    pub(super) form: Form<'a>,
    pub(super) request: ServedRequest,
    pub(super) text: TextCoding,
    /// Whether the client waits; otherwise nothing is written.
    pub(super) is_expected: bool,
    /// From how many octets on a run at the end of the reply is sent from where it lies.
    pub(super) threshold: usize,
    pub(super) source: &'a dyn RequestSource,
}

impl fmt::Debug for ReplyWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyWriter")
            .field("request", &self.request)
            .field("is_expected", &self.is_expected)
            .finish_non_exhaustive()
    }
}

impl ReplyWriter<'_> {
    /// Replaces the reply by one of `status` whose body `write` writes.
    #[inline]
    pub(super) fn write(
        &mut self,
        status: ReplyStatus,
        write: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Served {
        if !self.is_expected {
            return Ok(());
        }
        let begun =
            self.form.reply(self.buffer, ByteOrder::NATIVE, self.request.request_id, status, &[]);
        let written = begun.and_then(|mut message| {
            probe!(MessagingSend);
            write(&mut message.body(self.text))?;
            probe!(Marshal);
            message.finish()
        });
        written.map_err(unwritable)
    }

    /// Replaces the reply by one without results.
    pub(super) fn write_empty(&mut self) -> Served {
        if !self.is_expected {
            return Ok(());
        }
        let (order, status) = (ByteOrder::NATIVE, ReplyStatus::NoException);
        let begun = self.form.reply(self.buffer, order, self.request.request_id, status, &[]);
        begun.and_then(MessageWriter::finish).map_err(unwritable)
    }

    /// Replaces the reply by a user exception.
    #[inline(never)]
    fn write_user_exception(&mut self, exception: &dyn AnyUserException) -> Served {
        self.write(ReplyStatus::UserException, |writer| exception.write(writer))
    }

    /// Writes the reply with its results; when they end in a long run of octets, sends it as well,
    /// while the results are there.
    fn write_results(&mut self, results: WriteBody<'_>) -> Served {
        if !self.is_expected {
            return Ok(());
        }
        let mut gather = Gather::runs_from(self.threshold);
        let (form, order, id) = (self.form, ByteOrder::NATIVE, self.request.request_id);
        let status = ReplyStatus::NoException;
        let begun = form.reply(self.buffer, order, id, status, &[]);
        let written = begun.and_then(|message| {
            probe!(MessagingSend);
            let written = gather.write_body(message, self.text, results);
            probe!(Marshal);
            written
        });
        written.map_err(unwritable)?;
        match gather.tail() {
            None => Ok(()),
            Some(tail) => self.send_with(tail, results),
        }
    }

    #[inline(never)]
    fn send_with(&mut self, tail: Tail, write: WriteBody<'_>) -> Served {
        let (source, request) = (self.source, self.request);
        let sent = tail.send(self.buffer, self.text, write, &mut |parts| {
            source.send_parts(request, parts);
            Ok(())
        });
        match sent {
            Ok(()) => {
                self.is_expected = false;
                Ok(())
            }
            // Results that were other ones the second time: nothing has been sent.
            Err(_) => Err(SystemException::internal(
                minor::internal::BROKEN_INVARIANT,
                CompletionStatus::Yes,
            )),
        }
    }

    fn send_in_fragments(&mut self, most: usize) {
        if !self.is_expected || self.buffer.len() <= most {
            return;
        }
        let pieces: Vec<_> = fragments(self.buffer, most).collect();
        if pieces.len() > 1 {
            let parts = pieces.iter().flat_map(|piece| [piece.header(), piece.payload]);
            let mut parts = parts.map(IoSlice::new).collect::<Vec<_>>();
            self.source.send_parts(self.request, &mut parts);
            self.is_expected = false;
        }
    }

    /// Replaces the reply by a system exception.
    #[cold]
    pub(super) fn write_exception(&mut self, exception: SystemException) {
        // Its encoding cannot fail: ids are short and ASCII.
        let _ = self.write(ReplyStatus::SystemException, |writer| exception.write(writer));
    }
}

/// The exception for arguments that cannot be decoded.
#[cold]
fn undecodable(error: CdrError) -> SystemException {
    SystemException::from_cdr(error, CompletionStatus::No, Transfer::ReceiveRequest)
}

/// The exception for results without an encoding.
#[cold]
fn unwritable(error: CdrError) -> SystemException {
    SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::SendReply)
}
