//! Calls of objects of this ORB with a request and a reply in memory.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use arc_swap::Guard;
use zorb_base::buffers::trim;
use zorb_base::gather::Gather;
use zorb_base::threads::RunningUpcall;
use zorb_base::upcall_thread::{CollocatedUpcall, about_to_block};
use zorb_cdr::ByteOrder;
use zorb_giop::{MessageHeader, ReplyStart, TargetAddress};
use zorb_poa::{
    Access, Answer, HoldQueue, IncomingRequest, MessageLayout, NotServed, ReplyTo, RequestOrigin,
    ServerCall, serve,
};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};

use super::attempt::OutgoingRequest;
use super::call::Call;
use super::connection::CallReply;
use super::contexts::Contexts;
use super::in_memory::{LOCAL_FORM, LOCAL_TEXT};
use super::late_reply::{LateReply, LocalSource};
use super::main_thread::hand_over;
use super::outcome::{Attempt, Unfinished, evaluate};
use super::reply::Reply;
use crate::collocation::{LocalTarget, hold};
use crate::object::ObjectRef;

thread_local! {
    /// The buffers of calls within this ORB, for request and reply: 13 % of a call, without what the allocator
    /// takes. A nested call allocates its own.
    static LOCAL_BUFFERS: Cell<(Vec<u8>, Vec<u8>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// Makes a call to an object of this ORB: no connection, the upcall on the calling thread.
pub(super) fn call_here(call: &Call<'_>, key: &[u8]) -> Attempt {
    let core = call.object.core();
    let mut guard = Guarded {
        object: call.object,
        operation: call.operation,
        target: hold(call.object),
        running: None,
        has_begun: false,
        has_waited: false,
    };
    guard.count().map_err(Unfinished::Failed)?;
    let _upcall = CollocatedUpcall::begin(core);
    let (form, text) = (LOCAL_FORM, LOCAL_TEXT);
    let (mut request, mut buffer) = take_buffers();
    let mut copy = Gather::runs_from(usize::MAX);
    let contexts = Contexts { info: call.info, announcing: None };
    let message =
        OutgoingRequest { form, request_id: 0, target: TargetAddress::Key(key), text, call };
    let written = contexts.write(None, |contexts| message.write(contexts, &mut request, &mut copy));
    if let Err(exception) = written {
        put_buffers((request, buffer));
        return Err(Unfinished::Failed(exception));
    }
    let Ok(Some(header)) = MessageHeader::parse_prefix(&request) else {
        return Err(Unfinished::Failed(broken()));
    };
    let deadline = call.time_limit.deadline();
    let is_awaited = call.response.expects_reply();
    let answer = answer_here(&mut guard, &request, &header, (is_awaited, deadline), &mut buffer);
    // From now on, dropping the reply returns its buffer.
    trim(&mut request);
    put_buffers((request, Vec::new()));
    let reply = LocalReply(buffer);
    match answer {
        Ok(Answer::Nothing) => Ok(()),
        Ok(Answer::Reply) => match read_start(&reply.0) {
            Some((order, start)) => {
                let received = CallReply {
                    message: &reply.0,
                    fragment_starts: &[],
                    #[cfg(feature = "buffers")]
                    tail: None,
                    order,
                    start,
                };
                let operation = call.operation;
                let reply = Reply { core, operation, route: None, received, text };
                let ended = evaluate(&reply, &call.read, call.info);
                match guard.has_begun {
                    true => ended,
                    false => ended.map_err(|unfinished| refused(unfinished, guard.has_waited)),
                }
            }
            None => Err(Unfinished::Failed(broken())),
        },
        Err(exception) => {
            // A one-way call reports nothing that happens after sending.
            if !call.response.expects_reply() {
                return Ok(());
            }
            Err(Unfinished::Failed(exception))
        }
    }
}

/// The target of a call, which cannot end while it is guarded.
struct Guarded<'a> {
    object: &'a ObjectRef,
    operation: &'a str,
    target: Option<Guard<Option<Arc<LocalTarget>>>>,
    /// What a shutdown waits for if there is no target: the object is not active.
    running: Option<RunningUpcall>,
    /// Whether the upcall has begun: otherwise the adapter has refused the request.
    has_begun: bool,
    /// Whether the request has waited for the main thread, and was admitted there or refused.
    has_waited: bool,
}

impl Guarded<'_> {
    /// Makes a shutdown wait for the call, if it has no target.
    ///
    /// # Errors
    /// The ORB has been shut down.
    #[inline]
    fn count(&mut self) -> Result<(), SystemException> {
        if self.target.is_some() { Ok(()) } else { self.count_without_target() }
    }

    #[cold]
    fn count_without_target(&mut self) -> Result<(), SystemException> {
        let core = self.object.core();
        self.running = core.threads().enter_upcall(self.operation.as_bytes());
        // A shutdown that runs now may have missed it.
        core.check_running()
    }

    /// The request waits, and runs no more.
    #[cold]
    fn release(&mut self) {
        self.target = None;
        self.running = None;
    }
}

/// Answers the request in `message` on the calling thread, which waits while requests to the
/// object are held, and until a deferred reply that the caller awaits is sent, until the deadline at the latest. It guards
/// nothing while it waits.
///
/// # Errors
/// The exception of a wait that ended without the upcall, or without its reply.
fn answer_here(
    guard: &mut Guarded<'_>,
    message: &[u8],
    header: &MessageHeader,
    (is_awaited, deadline): (bool, Option<Instant>),
    buffer: &mut Vec<u8>,
) -> Result<Answer, SystemException> {
    let core = guard.object.core();
    let source = LocalSource::new(core);
    let mut since = None;
    loop {
        let reply = ReplyTo { buffer: &mut *buffer, copy_threshold: usize::MAX, source: &source };
        let request = IncomingRequest {
            message,
            header,
            form: LOCAL_FORM,
            layout: MessageLayout::default(),
            reply,
            context: core,
        };
        let mut origin = CollocatedRequest { has_begun: &mut guard.has_begun };
        match serve(core.adapters(), None, request, &mut origin) {
            Ok(Answer::Reply) => return Ok(Answer::Reply),
            Ok(Answer::Nothing) => match source.late().filter(|_| is_awaited) {
                None => return Ok(Answer::Nothing),
                Some(late) => return wait_for(&late, guard, deadline, buffer),
            },
            Err(NotServed::Broken(_)) => return Err(broken()),
            Err(NotServed::Held(queue)) if queue.is_for_main_thread() => {
                guard.release();
                about_to_block();
                let answered =
                    hand_over(core, &queue, (guard.operation, message), header, deadline)
                        .map_err(|exception| held(exception, &queue))?;
                *buffer = answered.message;
                guard.has_begun = answered.is_of_upcall;
                guard.has_waited = true;
                return match answered.late.filter(|_| is_awaited) {
                    None => Ok(answered.answer),
                    Some(late) => wait_for(&late, guard, deadline, buffer),
                };
            }
            Err(NotServed::Held(queue)) => {
                // The request may wait for the end of the object.
                guard.release();
                about_to_block();
                queue
                    .wait(*since.get_or_insert_with(Instant::now), deadline)
                    .map_err(|exception| held(exception, &queue))?;
                guard.target = hold(guard.object);
                guard.count()?;
            }
        }
    }
}

/// Waits for a deferred reply, which replaces the content of `buffer`: until the deadline, or for the longest wait.
#[cold]
fn wait_for(
    late: &LateReply,
    guard: &mut Guarded<'_>,
    deadline: Option<Instant>,
    buffer: &mut Vec<u8>,
) -> Result<Answer, SystemException> {
    guard.release();
    about_to_block();
    let longest = guard.object.core().options().max_reply_wait;
    // A limit beyond the range of the clock is no limit.
    let end = deadline.or_else(|| Instant::now().checked_add(longest?));
    let reply = late.wait(end);
    *buffer =
        reply.map_err(|exception| exception.with_context(ErrorContext::new(Phase::Upcall)))?;
    Ok(Answer::Reply)
}

/// The exception of a call that was held and never served, with what has held it.
#[cold]
fn held(exception: SystemException, queue: &HoldQueue) -> SystemException {
    exception.with_context(ErrorContext::new(Phase::Adapter).with_source(queue.reason()))
}

/// The failure of a call that the adapter has refused, perhaps on the main thread.
#[cold]
fn refused(unfinished: Unfinished, has_waited: bool) -> Unfinished {
    match unfinished {
        Unfinished::Failed(exception) => {
            let hint = exception.hint().map(str::to_owned).unwrap_or_default();
            let context = ErrorContext::new(Phase::Adapter).with_hint(hint);
            let context = match has_waited {
                true => {
                    context.with_source("it was refused after it had waited for the main thread")
                }
                false => context,
            };
            Unfinished::Failed(exception.with_context(context))
        }
        other => other,
    }
}

/// The request of a collocated call, on the caller's thread.
struct CollocatedRequest<'a> {
    has_begun: &'a mut bool,
}

impl RequestOrigin for CollocatedRequest<'_> {
    #[inline]
    fn begin(&mut self, call: &mut ServerCall<'_>) -> Result<(), SystemException> {
        call.set_text(LOCAL_TEXT);
        Ok(())
    }

    #[inline]
    fn access(&self) -> Access<'_> {
        Access::LOCAL
    }

    #[inline]
    fn begin_upcall(&mut self, _: bool) {
        *self.has_begun = true;
    }
}

#[cold]
fn broken() -> SystemException {
    SystemException::internal(minor::internal::BROKEN_INVARIANT, CompletionStatus::Maybe)
}

fn read_start(message: &[u8]) -> Option<(ByteOrder, ReplyStart)> {
    let header = MessageHeader::parse_prefix(message).ok()??;
    Some((header.order, ReplyStart::read(message, &header).ok()?))
}

/// The buffers of the calling thread; new ones if it ends.
fn take_buffers() -> (Vec<u8>, Vec<u8>) {
    LOCAL_BUFFERS.try_with(Cell::take).unwrap_or_default()
}

/// Retains buffers for the next call.
fn put_buffers(buffers: (Vec<u8>, Vec<u8>)) {
    // A thread that ends needs none.
    let _ = LOCAL_BUFFERS.try_with(|known| known.set(buffers));
}

/// The buffer of a reply; it goes back to its thread when dropped.
struct LocalReply(Vec<u8>);

impl Drop for LocalReply {
    fn drop(&mut self) {
        let (request, _) = take_buffers();
        trim(&mut self.0);
        put_buffers((request, std::mem::take(&mut self.0)));
    }
}
