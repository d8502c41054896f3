//! The end of a call's request: a result, or another request.

use std::sync::Arc;

use zorb_base::callback::call_back;
use zorb_base::policy::Rebind;
use zorb_os::lock::Locked;

use super::super::failing::no_reply;
use super::super::multiplexed::{
    Ended, PendingReply, PendingRequest, SmallReply, Stored, has_result,
};
use super::super::needed_thread::on_needed_thread;
use super::super::reply::NO_REPLY;
use super::super::request_octets::UNCOUNTED;
use super::arguments::KeptArguments;
use super::call::PendingCall;
use super::resend::Cause;
use super::state::{Answer, SendState, State, Then};

impl PendingCall {
    /// Ends it. Returns whether a function of the program is to be called.
    #[inline]
    pub(super) fn complete(&self, mut state: Locked<'_, State>, answer: Answer) -> bool {
        if matches!(&answer, Answer::Reply(reply) if reply.has_result()) {
            self.note_binding();
        }
        state.answer = Some(answer);
        let over = state.over.take();
        self.forget_request(&mut state);
        drop(state);
        drop(over);
        self.tell()
    }

    /// A reply with a result has arrived.
    #[inline]
    fn note_binding(&self) {
        if self.of.parameters().rebind != Rebind::Transparent {
            self.of.object.bind();
        }
    }

    /// Forgets what its end does not need.
    #[inline]
    fn forget_request(&self, state: &mut State) {
        state.arguments = KeptArguments::None;
        if let Some(counted) = &self.counted {
            counted.release();
        }
    }

    /// Tells who waits for its end. Returns whether a function of the program is to be called.
    fn tell(&self) -> bool {
        let mut state = self.state.lock();
        let then = match &state.then {
            Then::Nobody => None,
            Then::Wake(_) => Some(std::mem::take(&mut state.then)),
            Then::CallBack(_) => None,
        };
        let calls_back = matches!(state.then, Then::CallBack(_));
        drop(state);
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
            call_back("a function for the reply to a call", || function(&self.of, taken));
        }
    }

    /// Ends the request that was sent last. Returns whether a function of the program is to be called.
    #[inline]
    pub(super) fn end_request(self: &Arc<Self>, state: Locked<'_, State>, ended: Ended) -> bool {
        match ended {
            Ended::Reply(reply) if state.is_ended_by(reply.start.status) => {
                self.complete(state, Answer::Reply(reply))
            }
            ended => self.end_without_result(state, ended),
        }
    }

    #[cold]
    fn end_without_result(self: &Arc<Self>, state: Locked<'_, State>, ended: Ended) -> bool {
        let cause = match ended {
            Ended::Reply(reply) => {
                drop(state);
                Cause::Reply(reply)
            }
            Ended::NoReply { reason, again } => {
                let attempt = state.attempt.clone();
                drop(state);
                let longest = self.of.object.core().options().max_reply_wait;
                let exception = match self.of.route(&attempt) {
                    Some(route) => {
                        no_reply(route, self.of.time_limit().timeout().or(longest), reason)
                    }
                    None => NO_REPLY,
                };
                if !again {
                    return self.complete(self.state.lock(), Answer::Failed(exception));
                }
                Cause::NoReply(exception)
            }
        };
        Arc::clone(self).resume_later(cause);
        false
    }
}

impl PendingRequest for PendingCall {
    fn store(&self, reply: SmallReply<'_>) -> Stored {
        let mut state = self.state.lock();
        let status = reply.start.status;
        // It takes long to free large arguments: not under the lock of the connection.
        let is_large = state.arguments.len() > UNCOUNTED;
        if state.sending == SendState::Sending
            || !state.is_ended_by(status)
            || is_large
            || !reply.fits_in_place()
        {
            return Stored::Nothing;
        }
        if has_result(status) {
            self.note_binding();
        }
        // Filled where it is: it is large.
        let empty = PendingReply::in_place(&reply);
        if let Answer::Reply(stored) = state.answer.insert(Answer::Reply(empty)) {
            stored.fill(reply.message);
        }
        // The thread that receives has the connection, too.
        state.over = None;
        self.forget_request(&mut state);
        let is_awaited = self.ended.is_awaited() || !matches!(state.then, Then::Nobody);
        match is_awaited {
            true => Stored::Awaited,
            false => Stored::Reply,
        }
    }

    #[cold]
    fn tell(self: Arc<Self>) -> Option<Arc<dyn PendingRequest>> {
        let calls_back = Self::tell(&self);
        calls_back.then_some(self as Arc<dyn PendingRequest>)
    }

    fn end(self: Arc<Self>, ended: Ended) -> Option<Arc<dyn PendingRequest>> {
        let mut state = self.state.lock();
        if state.sending != SendState::Sent {
            state.ended_while_sent = Some(ended);
            return None;
        }
        let calls_back = self.end_request(state, ended);
        calls_back.then_some(self as Arc<dyn PendingRequest>)
    }

    fn call_back(&self) {
        self.run_call_back();
    }

    #[cold]
    fn leave(&self) -> bool {
        let mut state = self.state.lock();
        let is_sending = state.sending != SendState::Sent;
        state.is_left |= is_sending;
        is_sending
    }
}
