//! One call whose caller does not wait.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

use zorb_base::callback::call_back;
use zorb_base::gather::WriteBody;
use zorb_base::policy::Rebind;
use zorb_base::upcall_thread::about_to_block;
use zorb_cdr::TextCoding;
use zorb_giop::{ReplyStatus, ResponseFlags};
use zorb_os::lock::{Condition, Lock};
use zorb_types::SystemException;

use super::super::call::Call;
use super::super::connect_time::ConnectTime;
use super::super::connection::CallReply;
use super::super::level_policies::CallParameters;
use super::super::multiplexed::{Ended, MultiplexedConnection, PendingReply};
use super::super::redirections::Redirections;
use super::super::reply::{ReadReply, Reply};
use super::super::route::Route;
use super::super::time_limit::TimeLimit;
use super::arguments::Arguments;
use super::count::CountedCall;
use crate::object::{Binding, ObjectRef};

/// A function for a call that has ended.
pub(super) type CallBack = Box<dyn FnOnce(&PendingCall) + Send>;

/// A call whose caller does not wait. It is the place of its reply, which arrives undecoded.
pub(super) struct PendingCall {
    pub(super) object: ObjectRef,
    pub(super) operation: Cow<'static, str>,
    pub(super) parameters: CallParameters,
    pub(super) time_limit: TimeLimit,
    pub(super) sending: TimeLimit,
    /// `None` if it was refused.
    pub(super) counted: Option<CountedCall>,
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
    /// The connection and the id of its request, while it may be cancelled.
    pub(super) over: Option<(Arc<MultiplexedConnection>, u32)>,
    pub(super) arguments: Option<Arguments>,
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

/// What to notify when a call has ended.
#[derive(Default)]
enum Then {
    #[default]
    Nobody,
    Wake(Waker),
    CallBack(CallBack),
}

impl PendingCall {
    /// A call that has not been sent.
    pub(super) fn new(
        object: ObjectRef,
        operation: Cow<'static, str>,
        parameters: CallParameters,
        [time_limit, sending]: [TimeLimit; 2],
        counted: Option<CountedCall>,
    ) -> Arc<Self> {
        Arc::new(Self {
            object,
            operation,
            parameters,
            time_limit,
            sending,
            counted,
            state: Lock::default(),
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
            parameters: &self.parameters,
            connect_time,
            info: None,
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state.lock().answer.is_some()
    }

    /// Waits until it has ended, or until the deadline.
    pub(super) fn wait(&self, deadline: Option<Instant>) {
        let mut state = self.state.lock();
        if state.answer.is_some() {
            return;
        }
        drop(state);
        about_to_block();
        state = self.state.lock();
        while state.answer.is_none() {
            state = match deadline {
                None => self.ended.wait(state),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return;
                    }
                    self.ended.wait_for(state, left)
                }
            };
        }
    }

    /// Whether it has ended; if not, wakes the task when it does.
    pub(super) fn wakes(&self, waker: &Waker) -> bool {
        let mut state = self.state.lock();
        if state.answer.is_some() {
            return true;
        }
        let known = matches!(&state.then, Then::Wake(known) if known.will_wake(waker));
        let before =
            (!known).then(|| std::mem::replace(&mut state.then, Then::Wake(waker.clone())));
        drop(state);
        drop(before);
        false
    }

    /// Calls `function` when it has ended.
    pub(super) fn call_back_with(&self, function: CallBack) {
        let has_ended = {
            let mut state = self.state.lock();
            state.then = Then::CallBack(function);
            state.answer.is_some()
        };
        if has_ended {
            self.run_call_back();
        }
    }

    /// Ends it. Returns it if a function of the program is to be called.
    pub(super) fn complete(self: Arc<Self>, answer: Answer) -> Option<Arc<Self>> {
        if let Answer::Reply(reply) = &answer
            && self.parameters.rebind != Rebind::Transparent
            && matches!(reply.start.status, ReplyStatus::NoException | ReplyStatus::UserException)
        {
            self.object.bind();
        }
        let then = {
            let mut state = self.state.lock();
            state.answer = Some(answer);
            state.over = None;
            state.arguments = None;
            match &state.then {
                Then::CallBack(_) => None,
                _ => Some(std::mem::take(&mut state.then)),
            }
        };
        if let Some(counted) = &self.counted {
            counted.release();
        }
        self.ended.notify_all();
        match then {
            None => Some(self),
            Some(Then::Wake(waker)) => {
                call_back("the waker of a task", || waker.wake());
                None
            }
            Some(_) => None,
        }
    }

    /// Calls the function of the program.
    pub(super) fn run_call_back(&self) {
        let then = std::mem::take(&mut self.state.lock().then);
        if let Then::CallBack(function) = then {
            call_back("a function for the reply to a call", || function(self));
        }
    }

    /// Takes how it has ended, and its last attempt.
    pub(super) fn take_answer(&self) -> (Option<Answer>, Attempted) {
        let mut state = self.state.lock();
        (state.answer.take(), std::mem::take(&mut state.attempt))
    }

    /// The route of its last attempt.
    pub(super) fn route<'a>(&'a self, attempt: &'a Attempted) -> Option<&'a Route> {
        let binding = attempt.forwarded.as_deref().unwrap_or_else(|| self.object.binding());
        binding.routes(self.object.core()).by_number(attempt.route?)
    }

    /// A reply to its last attempt, over `route`.
    pub(super) fn reply<'a>(
        &'a self,
        attempt: &Attempted,
        route: Option<&'a Route>,
        reply: &'a PendingReply,
    ) -> Reply<'a> {
        let received = CallReply {
            message: reply.octets.message(),
            seams: &reply.octets.seams,
            #[cfg(feature = "buffers")]
            tail: reply.tail.as_ref().map(|it| zorb_cdr::Tail::new(it).owned_by(it)),
            order: reply.order,
            start: reply.start,
        };
        let core = self.object.core();
        Reply { core, operation: &self.operation, route, received, text: attempt.text }
    }

    /// Whether a reply ends the call, whose request is not to be sent again.
    pub(super) fn is_final(&self, reply: &PendingReply) -> bool {
        match reply.start.status {
            ReplyStatus::NoException | ReplyStatus::UserException => true,
            ReplyStatus::SystemException => {
                let state = self.state.lock();
                state.attempt.forwarded.is_none() || !state.redirections.may_fall_back()
            }
            _ => false,
        }
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
