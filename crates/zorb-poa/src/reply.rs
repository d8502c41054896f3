//! The reply of a request: where it goes, and what writes it.

use std::fmt;
use std::io::IoSlice;

use zorb_base::caller::Caller;
use zorb_base::gather::{Gather, Tail, WriteBody, is_out_of_memory};
use zorb_cdr::{ByteOrder, CdrError, CdrResult, CdrWriter, Gathered, TextCoding};
use zorb_giop::{
    MessageFormat, MessageWriter, Messaging, ProfileTag, ReplyStatus, ServedRequest, fragments,
};
use zorb_os::probe;
use zorb_types::{CompletionStatus, SystemException, Transfer, minor};

use crate::connection_setup::ConnectionSetup;
use crate::flow_stack::FlowStack;

/// The origin of a request, to which its reply is sent.
pub trait RequestSource {
    /// Sends the reply to a request, which consists of `parts`. It is called for replies that are sent during the
    /// upcall or in fragments. What they are is that of the last part.
    fn send_parts(&self, request: ServedRequest, parts: &mut [IoSlice<'_>], last: Gathered);

    /// The client, if the request came over a connection.
    fn caller(&self) -> Option<Caller> {
        None
    }

    /// The priority of the lane that received the request, if it has one.
    fn lane_priority(&self) -> Option<i16> {
        None
    }

    /// Applies the priority band that the client declares for the connection (`RTCorbaPriorityRange`).
    fn declare_band(&self, data: &[u8]) {
        let _ = data;
    }

    /// Applies the connection properties of an adapter to the connection. Returns the tag of the profiles of its
    /// endpoint; `None` for a request without a connection.
    fn set_up(&self, setup: &ConnectionSetup) -> Option<ProfileTag> {
        let _ = setup;
        None
    }

    /// Takes a request over from its upcall. The result sends its reply later, from any thread and without waiting for
    /// the client, and the request counts as running until it is dropped. Default: refuses, for requests that have been
    /// taken over already.
    ///
    /// # Errors
    /// `TRANSIENT`, minor `TOO_MANY_DEFERRED`, if the maximum number of requests wait for their replies.
    fn defer(&self) -> Result<Box<dyn RequestSource + Send + Sync>, SystemException> {
        let code = minor::internal::BROKEN_INVARIANT;
        Err(SystemException::internal(code, CompletionStatus::No))
    }

    /// The messaging protocol of its replies; `None` for GIOP.
    fn messaging(&self) -> Option<&'static dyn Messaging> {
        None
    }
}

/// The result of an upcall: the reply has been written, or this system exception is the reply.
pub type Served = Result<(), SystemException>;

/// The destination of a reply.
pub struct ReplyTo<'a> {
    /// The buffer into which the reply is written.
    pub buffer: &'a mut Vec<u8>,
    /// The minimum size in octets of a sequence at the end of a reply that is sent without a copy.
    pub copy_threshold: usize,
    /// The origin of the request.
    pub source: &'a dyn RequestSource,
}

impl fmt::Debug for ReplyTo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyTo")
            .field("copy_threshold", &self.copy_threshold)
            .finish_non_exhaustive()
    }
}

/// Writes the reply of one request into the connection's buffer.
pub(crate) struct ReplyWriter<'a> {
    pub(crate) buffer: &'a mut Vec<u8>,
    /// The messaging protocol of the request.
    pub(crate) form: MessageFormat<'a>,
    pub(crate) request: ServedRequest,
    pub(crate) text: TextCoding,
    /// Whether the client expects a reply; otherwise nothing is written.
    pub(crate) is_expected: bool,
    /// See [`ReplyTo::copy_threshold`].
    pub(crate) threshold: usize,
    /// The size in octets beyond which it is sent in fragments of this size.
    pub(crate) most: usize,
    pub(crate) source: &'a dyn RequestSource,
    /// The interceptors of the request, if they have points other than around the upcall.
    pub(crate) flow: Option<Box<FlowStack<'a>>>,
}

impl fmt::Debug for ReplyWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyWriter")
            .field("request", &self.request)
            .field("is_expected", &self.is_expected)
            .finish_non_exhaustive()
    }
}

impl<'a> ReplyWriter<'a> {
    /// Sets the interceptors of the request.
    pub(crate) fn begin_flow(&mut self, flow: FlowStack<'a>) {
        self.flow = Some(Box::new(flow));
    }

    /// Writes a reply with `status` and the body that `write` writes, replacing a previous one.
    #[inline]
    pub(crate) fn write(
        &mut self,
        status: ReplyStatus,
        write: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Served {
        if !self.is_expected {
            return Ok(());
        }
        let text = self.text;
        let written = self.begin(status).and_then(|mut message| {
            probe!(MessagingSend);
            write(&mut message.body(text))?;
            probe!(Marshal);
            message.finish()
        });
        written.map_err(unwritable)
    }

    /// Writes a reply without results, replacing a previous one.
    pub(crate) fn write_empty(&mut self) -> Served {
        if !self.is_expected {
            return Ok(());
        }
        let begun = self.begin(ReplyStatus::NoException);
        begun.and_then(MessageWriter::finish).map_err(unwritable)
    }

    /// Begins a reply, replacing a previous one.
    #[inline]
    fn begin(&mut self, status: ReplyStatus) -> CdrResult<MessageWriter<'_>> {
        if let Some(flow) = &self.flow {
            return flow.begin_reply(self.buffer, self.form, self.request.request_id, status);
        }
        self.form.reply(self.buffer, ByteOrder::NATIVE, self.request.request_id, status, &[])
    }

    /// Writes the reply with its results. If they end in a long run of octets, also sends it, since the run is
    /// borrowed from them.
    #[inline(always)] // into the only caller
    pub(crate) fn write_results(&mut self, results: WriteBody<'_>) -> Served {
        if !self.is_expected {
            return Ok(());
        }
        let mut gather = Gather::runs_from(self.threshold);
        let text = self.text;
        let begun = self.begin(ReplyStatus::NoException);
        let written = begun.and_then(|message| {
            probe!(MessagingSend);
            let written = gather.write_body(message, text, results);
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
        let sent = tail.send(self.buffer, self.text, write, &mut |parts, what| {
            source.send_parts(request, parts, what);
            Ok(())
        });
        match sent {
            Ok(()) => {
                self.is_expected = false;
                Ok(())
            }
            Err(error) if is_out_of_memory(&error) => Err(SystemException::no_memory(
                minor::no_memory::OUT_OF_MEMORY,
                CompletionStatus::Yes,
            )),
            // The results changed between the two passes; nothing has been sent.
            Err(_) => Err(SystemException::internal(
                minor::internal::BROKEN_INVARIANT,
                CompletionStatus::Yes,
            )),
        }
    }

    /// Sends a reply that is larger than permitted in fragments. Without memory for their list, it is sent whole.
    pub(crate) fn send_in_fragments(&mut self) {
        let most = self.most;
        if !self.is_expected || self.buffer.len() <= most {
            return;
        }
        let Some(pieces) = list_of(fragments(self.buffer, most)) else { return };
        if pieces.len() > 1 {
            let parts = pieces.iter().flat_map(|piece| [piece.header(), piece.payload]);
            let Some(mut parts) = list_of(parts.map(IoSlice::new)) else { return };
            self.source.send_parts(self.request, &mut parts, Gathered::Value);
            self.is_expected = false;
        }
    }

    /// Writes a system exception as the reply, replacing a previous one.
    #[cold]
    pub(crate) fn write_exception(&mut self, exception: SystemException) {
        // The encoding cannot fail: repository ids are short and ASCII.
        let _ = self.write(ReplyStatus::SystemException, |writer| exception.write(writer));
    }
}

/// The items; `None` without memory for them.
fn list_of<T>(items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let mut list = Vec::new();
    for item in items {
        list.try_reserve(1).ok()?;
        list.push(item);
    }
    Some(list)
}

/// The exception for results without an encoding.
#[cold]
fn unwritable(error: CdrError) -> SystemException {
    SystemException::from_cdr(error, CompletionStatus::Yes, Transfer::SendReply)
}
