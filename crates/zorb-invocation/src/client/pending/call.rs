//! One call whose caller does not wait.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

use zorb_base::callback::call_back;
use zorb_base::gather::WriteBody;
use zorb_base::interceptor::{SlotTable, copied_thread_slots};
use zorb_base::policy::Rebind;
use zorb_base::upcall_thread::{about_to_block, would_deadlock};
use zorb_cdr::TextCoding;
use zorb_giop::{ReplyStatus, ResponseFlags};
use zorb_os::lock::{Condition, Lock, Locked};
use zorb_types::{ErrorContext, Phase, SystemException};

use super::super::call::Call;
use super::super::connect_time::ConnectTime;
use super::super::level_policies::CallParameters;
use super::super::multiplexed::{Ended, MultiplexedConnection, PendingReply};
use super::super::needed_thread::{is_needed_thread, on_needed_thread};
use super::super::redirections::Redirections;
use super::super::reply::{ReadReply, Reply};
use super::super::route::Route;
use super::super::time_limit::TimeLimit;
use super::arguments::KeptArguments;
use super::count::CountedCall;
use crate::object::{Binding, ObjectRef};

/// A function for a call that has ended.
pub(super) type CallBack = Box<dyn FnOnce(&PendingCall, Taken) + Send>;

/// A call whose caller does not wait. Its reply is stored in it, undecoded.
pub(super) struct PendingCall {
    pub(super) object: ObjectRef,
    pub(super) operation: Cow<'static, str>,
    /// `None` for those of its ORB.
    own_parameters: Option<CallParameters>,
    pub(super) time_limit: TimeLimit,
    pub(super) sending: TimeLimit,
    /// `None` if it was refused.
    pub(super) counted: Option<CountedCall>,
    /// The slots of the thread that has made it.
    pub(super) slots: Option<SlotTable>,
    pub(super) state: Lock<State>,
    ended: Condition,
}

/// The state of a call.
#[derive(Default)]
pub(super) struct State {
    /// The reference and the route of its last attempt.
    pub(super) attempt: Attempted,
    /// Whether a thread is sending it; what ends it meanwhile waits for that thread.
    pub(super) is_sending: bool,
    pub(super) ended_while_sent: Option<Ended>,
    /// Whether the connection's reader has left its failure to that thread.
    pub(super) is_left: bool,
    /// The connection and the id of its request, while it may be cancelled.
    pub(super) over: Option<(Arc<MultiplexedConnection>, u32)>,
    pub(super) arguments: KeptArguments,
    pub(super) redirections: Redirections,
    answer: Option<Answer>,
    then: Then,
    /// Whether nobody will take the result.
    pub(super) is_cancelled: bool,
}

/// The last attempt of a call.
#[derive(Clone, Default)]
pub(super) struct Attempted {
    /// The reference that its server has forwarded to; `None` for the original one.
    pub(super) forwarded: Option<Arc<Binding>>,
    /// The number of its route; `None` for an object of this ORB.
    pub(super) route: Option<usize>,
    pub(super) text: TextCoding,
    /// Whether interceptors have seen the request, and are to see how it ends.
    pub(super) is_intercepted: bool,
}

/// How a call has ended.
pub(super) enum Answer {
    Reply(PendingReply),
    Failed(SystemException),
}

/// How a call has ended, taken by who reads its result.
pub(super) struct Taken {
    pub(super) answer: Answer,
    pub(super) attempt: Attempted,
}

impl State {
    /// Whether a reply ends the call, whose request is not to be sent again.
    #[inline]
    pub(super) fn is_ended_by(&self, reply: &PendingReply) -> bool {
        reply.has_result()
            || (reply.start.status == ReplyStatus::SystemException
                && (self.attempt.forwarded.is_none() || !self.redirections.may_fall_back()))
    }

    #[inline]
    fn take(&mut self) -> Option<Taken> {
        let answer = self.answer.take()?;
        Some(Taken { answer, attempt: std::mem::take(&mut self.attempt) })
    }
}

/// What to notify when a call has ended.
#[derive(Default)]
enum Then {
    #[default]
    Nobody,
    Wake(Waker),
    CallBack(CallBack),
}

impl PendingCall {
    /// A call that the calling thread is about to send.
    pub(super) fn new(
        object: ObjectRef,
        operation: Cow<'static, str>,
        own_parameters: Option<CallParameters>,
        [time_limit, sending]: [TimeLimit; 2],
        counted: Option<CountedCall>,
    ) -> Arc<Self> {
        let state = State { is_sending: true, ..State::default() };
        Arc::new(Self {
            object,
            operation,
            own_parameters,
            time_limit,
            sending,
            counted,
            slots: copied_thread_slots(),
            state: Lock::new(state),
            ended: Condition::new(),
        })
    }

    /// Its parameters as a call with these `arguments`.
    pub(super) fn as_call<'a>(
        &'a self,
        arguments: WriteBody<'a>,
        connect_time: &'a ConnectTime,
    ) -> Call<'a> {
        Call {
            object: &self.object,
            operation: &self.operation,
            response: ResponseFlags::SyncWithTarget,
            arguments,
            read: ReadReply::Nobody,
            time_limit: self.time_limit,
            sending: self.sending,
            parameters: self.parameters(),
            connect_time,
            info: None,
        }
    }

    #[inline]
    fn parameters(&self) -> &CallParameters {
        match &self.own_parameters {
            Some(own) => own,
            None => self.object.core().plain_parameters(),
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state.lock().answer.is_some()
    }

    /// The exception if it is not counted, as the limit of pending calls has refused it: then it has ended.
    pub(super) fn refused(&self) -> Option<SystemException> {
        if self.counted.is_some() {
            return None;
        }
        match self.try_take()?.answer {
            Answer::Failed(exception) => Some(exception.in_operation(&self.operation)),
            Answer::Reply(_) => None,
        }
    }

    /// Waits until it has ended, or until the deadline, and takes how it has ended. The thread receives for the whole
    /// connection meanwhile, unless another one does.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` if it has not ended, and may need the calling thread for that.
    #[inline]
    pub(super) fn wait(&self, deadline: Option<Instant>) -> Result<Option<Taken>, SystemException> {
        match self.try_take() {
            Some(taken) => Ok(Some(taken)),
            None => self.wait_for_end(deadline),
        }
    }

    #[inline(never)]
    fn wait_for_end(&self, deadline: Option<Instant>) -> Result<Option<Taken>, SystemException> {
        about_to_wait()?;
        let mut state = self.state.lock();
        while state.answer.is_none() {
            let over = state.over.clone();
            drop(state);
            let has_received = over.is_some_and(|(connection, id)| {
                let itself = std::ptr::from_ref(self).cast();
                connection.receive_for_pending(id, itself, self.time_limit, deadline)
            });
            state = self.state.lock();
            if has_received || state.answer.is_some() {
                continue;
            }
            match wait_once(&self.ended, state, deadline) {
                Some(notified) => state = notified,
                None => return Ok(None),
            }
        }
        Ok(state.take())
    }

    /// Takes how it has ended, if it has.
    #[inline]
    pub(super) fn try_take(&self) -> Option<Taken> {
        self.state.lock().take()
    }

    /// Takes how it has ended; if it has not, wakes the task when it does. The waker's own code runs without the lock.
    pub(super) fn take_or_wake(&self, waker: &Waker) -> Option<Taken> {
        let mut state = self.state.lock();
        let is_known = matches!(&state.then, Then::Wake(known) if known.will_wake(waker));
        if state.answer.is_none() && !is_known {
            drop(state);
            let then = Then::Wake(waker.clone());
            let before = std::mem::replace(&mut self.state.lock().then, then);
            drop(before);
            state = self.state.lock();
        }
        state.take()
    }

    /// Wakes `waker` when it ends, or now if it has ended.
    pub(super) fn wake_at_end(&self, waker: Waker) {
        let mut state = self.state.lock();
        if state.answer.is_some() {
            drop(state);
            return waker.wake();
        }
        let before = std::mem::replace(&mut state.then, Then::Wake(waker));
        drop(state);
        // The code of another waker.
        drop(before);
    }

    /// Calls `function` when it has ended.
    pub(super) fn call_back_with(&self, function: CallBack) {
        let mut state = self.state.lock();
        let before = std::mem::replace(&mut state.then, Then::CallBack(function));
        let has_ended = state.answer.is_some();
        drop(state);
        // The code of a waker.
        drop(before);
        if has_ended {
            self.run_call_back();
        }
    }

    /// Ends it. Returns whether a function of the program is to be called.
    #[inline]
    pub(super) fn complete(&self, mut state: Locked<'_, State>, answer: Answer) -> bool {
        if self.parameters().rebind != Rebind::Transparent
            && matches!(&answer, Answer::Reply(reply) if reply.has_result())
        {
            self.object.bind();
        }
        state.answer = Some(answer);
        state.over = None;
        state.arguments = KeptArguments::None;
        let then = match &state.then {
            Then::Nobody => None,
            Then::Wake(_) => Some(std::mem::take(&mut state.then)),
            Then::CallBack(_) => None,
        };
        let calls_back = matches!(state.then, Then::CallBack(_));
        drop(state);
        if let Some(counted) = &self.counted {
            counted.release();
        }
        self.ended.notify_all();
        if let Some(Then::Wake(waker)) = then {
            on_needed_thread(|| call_back("the waker of a task", || waker.wake()));
        }
        calls_back
    }

    /// Calls the function of the program.
    pub(super) fn run_call_back(&self) {
        let (then, taken) = {
            let mut state = self.state.lock();
            (std::mem::take(&mut state.then), state.take())
        };
        if let (Then::CallBack(function), Some(taken)) = (then, taken) {
            call_back("a function for the reply to a call", || function(self, taken));
        }
    }

    /// The route of its last attempt.
    pub(super) fn route<'a>(&'a self, attempt: &'a Attempted) -> Option<&'a Route> {
        let binding = attempt.forwarded.as_deref().unwrap_or_else(|| self.object.binding());
        // They were resolved for the attempt.
        binding.routes(self.object.core()).ok()?.by_number(attempt.route?)
    }

    /// A reply to its last attempt, over `route`.
    pub(super) fn reply<'a>(
        &'a self,
        attempt: &Attempted,
        route: Option<&'a Route>,
        reply: &'a PendingReply,
    ) -> Reply<'a> {
        let received = reply.received();
        let core = self.object.core();
        Reply { core, operation: &self.operation, route, received, text: attempt.text }
    }
}

impl fmt::Debug for PendingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCall")
            .field("operation", &self.operation)
            .field("has_ended", &self.has_ended())
            .finish_non_exhaustive()
    }
}

/// Prepares the calling thread to wait until a call ends.
///
/// # Errors
/// `BAD_INV_ORDER` if the call may need it for that.
pub(super) fn about_to_wait() -> Result<(), SystemException> {
    if is_needed_thread() {
        return Err(waits_for_itself());
    }
    about_to_block();
    Ok(())
}

/// Waits for a notification, or until the deadline. `None` if that had passed before.
pub(super) fn wait_once<'l, T>(
    notified: &Condition,
    state: Locked<'l, T>,
    deadline: Option<Instant>,
) -> Option<Locked<'l, T>> {
    let Some(deadline) = deadline else { return Some(notified.wait(state)) };
    let left = deadline.saturating_duration_since(Instant::now());
    (!left.is_zero()).then(|| notified.wait_for(state, left))
}

/// The exception for a function that waits for a call on a thread that the call may need.
#[cold]
fn waits_for_itself() -> SystemException {
    let context = ErrorContext::new(Phase::Wait)
        .with_source("a function for the result of a pending call waits for another one")
        .with_hint("use `on_reply` for that, too, or wait on another thread");
    would_deadlock().with_context(context)
}
