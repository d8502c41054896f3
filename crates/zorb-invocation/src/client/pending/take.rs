//! Taking the result of a call, or cancelling the call.

use std::sync::Arc;

use zorb_types::{CompletionStatus, SystemException, minor};

use super::super::attempt::{Unfinished, evaluate};
use super::super::reply::{NO_REPLY, ReadReply};
use super::call::{Answer, Attempted, PendingCall, Taken};
use super::interception::{end_attempt, read_intercepted};

impl PendingCall {
    /// Reads the result from how it has ended.
    pub(super) fn read(
        &self,
        taken: &Taken,
        results: &ReadReply<'_>,
    ) -> Result<(), SystemException> {
        let Taken { answer, attempt } = taken;
        let read = match answer {
            Answer::Reply(reply) if !attempt.is_intercepted => {
                let reply = self.reply(attempt, self.route(attempt), reply);
                match evaluate(&reply, results, None) {
                    Ok(()) => return Ok(()),
                    Err(Unfinished::Failed(exception)) => Err(exception),
                    // Those replies have been evaluated before.
                    Err(_) => Err(NO_REPLY),
                }
            }
            answer => self.read_other(attempt, answer, results),
        };
        read.map_err(|exception| exception.in_operation(&self.operation))
    }

    #[cold]
    fn read_other(
        &self,
        attempt: &Attempted,
        answer: &Answer,
        results: &ReadReply<'_>,
    ) -> Result<(), SystemException> {
        let reply = match answer {
            Answer::Reply(reply) => Ok(self.reply(attempt, self.route(attempt), reply)),
            Answer::Failed(exception) => Err(exception),
        };
        match reply {
            _ if attempt.is_intercepted => read_intercepted(self, attempt, reply, results),
            Ok(_) => Err(NO_REPLY),
            Err(exception) => Err(exception.clone()),
        }
    }

    /// Lets interceptors see the end of a request whose result nobody takes.
    fn end_cancelled(&self) {
        let attempt = std::mem::take(&mut self.state.lock().attempt);
        if attempt.is_intercepted {
            let code = minor::transient::REQUEST_CANCELLED;
            let cancelled = SystemException::transient(code, CompletionStatus::Maybe);
            let _ = end_attempt(self, &attempt, None, Err(cancelled));
        }
    }

    /// Nobody will take the result.
    pub(super) fn cancel(self: &Arc<Self>) {
        let over = {
            let mut state = self.state.lock();
            state.is_cancelled = true;
            state.over.take()
        };
        if let Some((connection, id)) = over {
            connection.cancel_pending(id, Arc::as_ptr(self).cast());
        }
        self.end_cancelled();
    }
}
