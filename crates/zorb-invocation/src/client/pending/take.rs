//! Taking the result of a call, or cancelling the call.

use std::sync::Arc;

use zorb_cdr::CdrError;
use zorb_types::{CompletionStatus, Phase, SystemException, minor};

use super::super::multiplexed::PendingReply;
use super::super::outcome::{Unfinished, evaluate};
use super::super::reply::{NO_REPLY, ReadReply, read_plainly};
use super::call::PendingCall;
use super::interception::{end_attempt, read_intercepted};
use super::operation_call::{Attempted, OperationCall};
use super::results::ReadResults;
use super::state::{Answer, EndedCall};

impl OperationCall {
    /// Reads the result of a call that has ended.
    pub(super) fn read(
        &self,
        ended: EndedCall<'_>,
        results: &ReadReply<'_>,
    ) -> Result<(), SystemException> {
        let EndedCall { answer, attempt } = ended;
        if let Answer::Reply(reply) = answer
            && reply.has_result()
            && !attempt.is_intercepted
        {
            let read = results.read(&self.reply(attempt, None, reply));
            return read.map_err(|exception| self.named(attempt, exception));
        }
        self.read_other(ended, results)
    }

    /// Reads the result of a call that has ended with results of one part, and without interceptors; `None` for others.
    #[inline]
    pub(super) fn read_plainly<T>(
        &self,
        EndedCall { answer, attempt }: EndedCall<'_>,
        results: ReadResults<T>,
    ) -> Option<Result<T, SystemException>> {
        let Answer::Reply(reply) = answer else { return None };
        if attempt.is_intercepted {
            return None;
        }
        match read_plainly(self.object.core(), &reply.received(), attempt.text, results)? {
            Ok(read) => Some(Ok(read)),
            Err(error) => Some(Err(self.undecodable(attempt, reply, error))),
        }
    }

    #[cold]
    fn undecodable(
        &self,
        attempt: &Attempted,
        reply: &PendingReply,
        error: CdrError,
    ) -> SystemException {
        self.named(attempt, self.reply(attempt, None, reply).undecodable(error))
    }

    /// `exception` with the operation and the server in its context.
    #[cold]
    fn named(&self, attempt: &Attempted, exception: SystemException) -> SystemException {
        let exception = match self.route(attempt) {
            Some(route) => exception.at(Phase::Decode, &route.cache.endpoint),
            None => exception,
        };
        exception.in_operation(&self.operation)
    }

    #[cold]
    fn read_other(
        &self,
        EndedCall { answer, attempt }: EndedCall<'_>,
        results: &ReadReply<'_>,
    ) -> Result<(), SystemException> {
        let reply = match answer {
            Answer::Reply(reply) => Ok(self.reply(attempt, self.route(attempt), reply)),
            Answer::Failed(exception) => Err(exception),
        };
        let read = match reply {
            _ if attempt.is_intercepted => read_intercepted(self, attempt, reply, results),
            Ok(reply) => match evaluate(&reply, results, None) {
                Ok(()) => Ok(()),
                Err(Unfinished::Failed(exception)) => Err(exception),
                // Those replies have been evaluated before.
                Err(_) => Err(NO_REPLY),
            },
            Err(exception) => Err(exception.clone()),
        };
        read.map_err(|exception| exception.in_operation(&self.operation))
    }
}

impl PendingCall {
    /// Lets interceptors see the end of a request whose result nobody takes.
    fn end_cancelled(&self) {
        let attempt = std::mem::take(&mut self.state.lock().attempt);
        if attempt.is_intercepted {
            let code = minor::transient::REQUEST_CANCELLED;
            let cancelled = SystemException::transient(code, CompletionStatus::Maybe);
            let _ = end_attempt(&self.of, &attempt, None, Err(cancelled));
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
