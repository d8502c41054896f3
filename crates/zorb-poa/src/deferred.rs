//! Requests that are answered after their upcalls have returned (asynchronous method handling).

use std::any::Any;
use std::fmt;
use std::io::IoSlice;
use std::sync::Arc;

use zorb_base::callback::call_back;
use zorb_base::raises::Raises;
use zorb_cdr::{ByteOrder, CdrResult, CdrWriter, Gathered, TextCoding};
use zorb_giop::{MessageFormat, OperationName, ResponseFlags, ServedRequest};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::call::ServerCall;
use crate::dispatch::fail;
use crate::flow_stack::SuspendedFlow;
use crate::reply::{ReplyTo, RequestSource, Served};

/// The reply of a request whose upcall need not wait for it: it is sent later, from any thread.
///
/// Until it is sent, the request counts as running: its connection, its object, its adapter and its ORB wait for it when
/// they end. The message of the request and the thread of its upcall are free as soon as the upcall returns. Sending
/// never waits for the client, and a reply to a client that has gone, or has cancelled the request, is discarded.
///
/// If it is dropped, the client gets `TRANSIENT`, minor `REPLY_DROPPED`, completed MAYBE; or `UNKNOWN`, minor
/// `SERVANT_PANICKED`, if the thread that drops it panics.
pub struct DeferredReply {
    /// `None` once it is sent.
    pending: Option<Pending>,
}

impl fmt::Debug for DeferredReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let request = self.pending.as_ref().map(|pending| pending.request);
        f.debug_struct("DeferredReply").field("request", &request).finish_non_exhaustive()
    }
}

impl ServerCall<'_> {
    /// Takes the request over from its upcall, to answer it later: the upcall writes no reply. Call it after the
    /// arguments have been decoded.
    ///
    /// # Errors
    /// `TRANSIENT`, minor `TOO_MANY_DEFERRED`, if as many requests wait for their replies as the option
    /// `MaxDeferredRequests` permits; `NO_MEMORY`.
    #[inline(never)]
    pub fn defer(&mut self) -> Result<DeferredReply, SystemException> {
        let reply = &mut self.reply;
        let source = reply.source.defer()?;
        let flow = reply.flow.as_mut().filter(|flow| !flow.has_ended);
        let flow = flow.map(|flow| flow.suspend(&self.request.operation));
        let flow = flow.transpose()?.map(Box::new);
        let pending = Pending {
            form: MessageFormat::new(reply.source.messaging(), reply.form.version()),
            request: reply.request,
            request_id: self.request.request_id,
            response: self.request.response,
            text: reply.text,
            threshold: reply.threshold,
            most: reply.most,
            is_expected: std::mem::take(&mut reply.is_expected),
            flow,
            object: self.object.and_then(|object| object.keep()),
            source,
        };
        Ok(DeferredReply { pending: Some(pending) })
    }
}

impl DeferredReply {
    /// Replies with the results, which `write` writes, or with the exception. A value without an encoding is answered
    /// with its system exception, completed YES.
    pub fn send<T, E: Raises>(
        mut self,
        outcome: Result<T, E>,
        write: impl Fn(&mut CdrWriter<'_>, &T) -> CdrResult<()>,
    ) {
        self.answer(|call| call.reply(outcome, write));
    }

    /// Replies to an operation without results.
    pub fn send_without_results<E: Raises>(mut self, outcome: Result<(), E>) {
        self.answer(|call| call.reply_without_results(outcome));
    }

    fn answer(&mut self, write: impl FnOnce(&mut ServerCall<'_>) -> Served) {
        if let Some(pending) = self.pending.take() {
            let mut write = Some(write);
            pending.answer(&mut |call| write.take().map_or(Ok(()), |write| write(call)));
        }
    }
}

impl Drop for DeferredReply {
    fn drop(&mut self) {
        if self.pending.is_some() {
            self.answer(|_| Err(dropped()));
        }
    }
}

#[cold]
fn dropped() -> SystemException {
    match std::thread::panicking() {
        true => panicked(),
        false => {
            let code = minor::transient::REPLY_DROPPED;
            SystemException::transient(code, CompletionStatus::Maybe)
        }
    }
}

fn panicked() -> SystemException {
    SystemException::unknown(minor::unknown::SERVANT_PANICKED, CompletionStatus::Maybe)
}

/// A request that is not answered yet.
struct Pending {
    form: MessageFormat<'static>,
    request: ServedRequest,
    request_id: u32,
    response: ResponseFlags,
    text: TextCoding,
    /// See [`ReplyTo::copy_threshold`].
    threshold: usize,
    /// The size in octets beyond which the reply is sent in fragments of this size.
    most: usize,
    /// Whether the client expects a reply.
    is_expected: bool,
    /// The interceptors whose last points have to run.
    flow: Option<Box<SuspendedFlow>>,
    /// The object, which does not end before the request.
    object: Option<Arc<dyn Any + Send + Sync>>,
    source: Box<dyn RequestSource + Send + Sync>,
}

impl Pending {
    /// Writes the reply with `write`, and sends it.
    fn answer(self, write: &mut dyn FnMut(&mut ServerCall<'_>) -> Served) {
        let Self { form, request, text, source, object, mut flow, .. } = self;
        let mut buffer = Vec::new();
        let reply =
            ReplyTo { buffer: &mut buffer, copy_threshold: self.threshold, source: &*source };
        let operation = flow.as_ref().map(|flow| flow.operation.clone()).unwrap_or_default();
        let mut call = ServerCall::new(&[], ByteOrder::NATIVE, form, reply);
        call.request.request_id = self.request_id;
        call.request.response = self.response;
        call.request.operation = OperationName::from(operation.as_str());
        call.set_request(request);
        call.set_text(text);
        (call.reply.is_expected, call.reply.most) = (self.is_expected, self.most);
        if let Some(flow) = &mut flow {
            call.reply.begin_flow(flow.resume());
        }
        let served = call_back("a deferred reply", || write(&mut call));
        if let Err(exception) = served.unwrap_or_else(|| Err(panicked())) {
            fail(&mut call, exception);
        }
        call.send_in_fragments();
        let is_written = call.reply.is_expected;
        drop(call);
        // The servant may end with this request, which the client learns afterwards.
        call_back("the drop of a servant", || drop(object));
        if is_written {
            source.send_parts(request, &mut [IoSlice::new(&buffer)], Gathered::Value);
        }
    }
}
