//! The end of a call's request: a result, or another request.

use std::sync::Arc;

use zorb_os::lock::Locked;

use super::super::failing::no_reply;
use super::super::multiplexed::{Ended, PendingRequest};
use super::super::reply::NO_REPLY;
use super::call::{Answer, PendingCall, State};
use super::resend::Cause;

impl PendingCall {
    /// Ends the request that was sent last. Returns whether a function of the program is to be called.
    #[inline]
    pub(super) fn end_request(self: &Arc<Self>, state: Locked<'_, State>, ended: Ended) -> bool {
        match ended {
            Ended::Reply(reply) if state.is_ended_by(&reply) => {
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
                let longest = self.object.core().options().max_reply_wait;
                let exception = match self.route(&attempt) {
                    Some(route) => no_reply(route, self.time_limit.timeout().or(longest), reason),
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
    fn end(self: Arc<Self>, ended: Ended) -> Option<Arc<dyn PendingRequest>> {
        let mut state = self.state.lock();
        if state.is_sending {
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
        state.is_left |= state.is_sending;
        state.is_sending
    }
}
