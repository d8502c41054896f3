//! The end of a call's request: a result, or another request.

use std::sync::Arc;

use super::super::failing::no_reply;
use super::super::multiplexed::{Ended, PendingRequest};
use super::super::reply::NO_REPLY;
use super::call::{Answer, PendingCall};
use super::resend::Cause;

impl PendingCall {
    /// Ends the request that was sent last. Returns the call if a function of the program is to be called.
    pub(super) fn end_request(self: Arc<Self>, ended: Ended) -> Option<Arc<Self>> {
        let (cause, again) = match ended {
            Ended::Reply(reply) if self.is_final(&reply) => {
                return self.complete(Answer::Reply(reply));
            }
            Ended::Reply(reply) => (Cause::Reply(reply), true),
            Ended::NoReply { reason, again } => {
                let attempt = self.state.lock().attempt.clone();
                let exception = match self.route(&attempt) {
                    Some(route) => no_reply(route, self.time_limit.timeout(), reason),
                    None => NO_REPLY,
                };
                (Cause::NoReply(exception), again)
            }
        };
        match cause {
            Cause::NoReply(exception) if !again => self.complete(Answer::Failed(exception)),
            cause => {
                self.resume_later(cause);
                None
            }
        }
    }
}

impl PendingRequest for PendingCall {
    fn end(self: Arc<Self>, ended: Ended) -> Option<Arc<dyn PendingRequest>> {
        {
            let mut state = self.state.lock();
            if state.is_sending {
                state.ended_while_sent = Some(ended);
                return None;
            }
        }
        let calls_back: Arc<dyn PendingRequest> = self.end_request(ended)?;
        Some(calls_back)
    }

    fn call_back(&self) {
        self.run_call_back();
    }
}
