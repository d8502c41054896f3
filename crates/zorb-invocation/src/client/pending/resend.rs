//! Sending a pending call again: after a forward, or if its connection ended before the server took it. The arguments
//! were encoded once, and are copied.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use zorb_base::callback::call_back;
use zorb_base::interceptor::{RequestOutcome, serve_with};
use zorb_cdr::{CdrErrorKind, CdrWriter};
use zorb_giop::ReplyStatus;
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};

use super::super::jobs::{Job, Run};
use super::super::multiplexed::PendingReply;
use super::super::needed_thread::on_needed_thread;
use super::super::outcome::{Unfinished, evaluate, not_understood};
use super::super::reply::{NO_REPLY, ReadReply};
use super::arguments::{Arguments, KeptArguments};
use super::call::PendingCall;
use super::interception::end_attempt;
use super::operation_call::Attempted;
use super::send::{finish, proceed};
use super::sending::Sending;
use super::state::{Answer, SendState};

/// Why a call is sent again.
#[derive(Debug)]
pub(super) enum Cause {
    /// This reply.
    Reply(PendingReply),
    /// There was no reply, with this exception.
    NoReply(SystemException),
}

impl PendingCall {
    /// Sends it again, on a thread for that.
    #[cold]
    pub(super) fn resume_later(self: Arc<Self>, cause: Cause) {
        let core = Arc::clone(self.of.object.core());
        let deadline = self.latest_begin();
        let resume = move |run| {
            let call = Arc::clone(&self);
            on_needed_thread(|| call.guarded(|| self.resume(cause, run)));
        };
        core.resends().add(core.threads(), Job::new(deadline, resume));
    }

    /// Calls `run`, which calls interceptors, with the slots of the caller. If one panics, the call has failed.
    fn guarded(self: &Arc<Self>, run: impl FnOnce()) {
        let run = || serve_with(self.of.slots.clone().unwrap_or_default(), run);
        if call_back("an interceptor of a call", run).is_none() {
            let code = minor::unknown::SERVANT_PANICKED;
            let exception = SystemException::unknown(code, CompletionStatus::Maybe);
            finish(self, Answer::Failed(exception));
        }
    }

    /// Makes the upcall of a call that is sent again to an object of this ORB, on a thread for that: it may wait for other
    /// pending calls.
    fn call_later(self: Arc<Self>, arguments: Arguments, sending: Sending) {
        let core = Arc::clone(self.of.object.core());
        let deadline = self.latest_begin();
        let run = move |run| {
            let call = Arc::clone(&self);
            let make = || match not_sent_again(run) {
                Some(exception) => {
                    on_needed_thread(|| finish(&self, Answer::Failed(exception)));
                }
                None if self.state.lock().is_cancelled => {}
                None => {
                    let sending = Sending { makes_upcalls: true, ..sending };
                    self.send_again(arguments, sending, None);
                }
            };
            call.guarded(make);
        };
        core.upcalls().add(core.threads(), Job::new(deadline, run));
    }

    /// When a further attempt is too late; `None` without a limit.
    fn latest_begin(&self) -> Option<Instant> {
        let first = self.state.lock().first;
        let limits = [self.of.sending_limit().deadline(), self.latest_end(first)];
        limits.into_iter().flatten().min()
    }

    fn resume(self: Arc<Self>, cause: Cause, run: Run) {
        let (attempt, arguments, redirections) = {
            let mut state = self.state.lock();
            let attempt = state.attempt.clone();
            state.attempt.is_intercepted = false;
            let redirections = std::mem::take(&mut state.redirections);
            (attempt, std::mem::take(&mut state.arguments), redirections)
        };
        let unfinished = self.unfinished(&attempt, cause);
        if let Some(exception) = not_sent_again(run) {
            let exception = match unfinished {
                Unfinished::Failed(exception) => exception,
                _ => exception,
            };
            return finish(&self, Answer::Failed(exception));
        }
        let arguments = match (arguments, unfinished) {
            (KeptArguments::Encoded(arguments), unfinished) => Ok((arguments, unfinished)),
            (KeptArguments::Empty, unfinished) => Ok((Arguments::default(), unfinished)),
            (_, Unfinished::Failed(exception)) => Err(exception),
            // They had not been encoded when the connection ended.
            (KeptArguments::None, Unfinished::Resend(exception)) => Err(exception),
            (KeptArguments::None | KeptArguments::OutOfMemory, _) => Err(not_kept()),
        };
        let (arguments, unfinished) = match arguments {
            Ok(kept) => kept,
            Err(exception) => return finish(&self, Answer::Failed(exception)),
        };
        {
            let mut state = self.state.lock();
            if state.is_cancelled {
                return;
            }
            state.sending = SendState::Sending;
        }
        let sending = Sending { forwarded: attempt.forwarded, redirections, makes_upcalls: false };
        self.send_again(arguments, sending, Some(unfinished));
    }

    /// Sends it with the same arguments. It is marked as being sent.
    fn send_again(
        self: Arc<Self>,
        arguments: Arguments,
        sending: Sending,
        unfinished: Option<Unfinished>,
    ) {
        let differs = Cell::new(false);
        let write = |writer: &mut CdrWriter<'_>| {
            if !arguments.fit(writer.offset(), writer.text()) {
                differs.set(true);
                return Err(writer.error(CdrErrorKind::Unsupported, "arguments"));
            }
            writer.put(arguments.octets());
            Ok(())
        };
        match proceed(&self, &write, sending, unfinished) {
            Ok(None) => {}
            Ok(Some(sending)) => self.call_later(arguments, sending),
            Err(exception) => {
                let exception = if differs.get() { encoded_otherwise() } else { exception };
                finish(&self, Answer::Failed(exception));
            }
        }
    }

    /// What its last attempt has led to, which interceptors see.
    fn unfinished(&self, attempt: &Attempted, cause: Cause) -> Unfinished {
        let reply = match cause {
            Cause::NoReply(exception) => {
                if attempt.is_intercepted
                    && let RequestOutcome::SystemException(exception) =
                        end_attempt(&self.of, attempt, None, Ok(RequestOutcome::TransportRetry))
                {
                    return Unfinished::Failed(exception);
                }
                return Unfinished::Resend(exception);
            }
            Cause::Reply(reply) => reply,
        };
        let route = self.of.route(attempt);
        let reply = self.of.reply(attempt, route, &reply);
        let unfinished = if reply.received.start.status == ReplyStatus::NeedsAddressingMode {
            let over = self.state.lock().over.clone();
            let omitted = over.is_some_and(|(connection, _)| connection.send_in_full());
            not_understood(omitted, &reply)
        } else {
            match evaluate(&reply, &ReadReply::Nobody, None) {
                Err(unfinished) => unfinished,
                Ok(()) => Unfinished::Failed(NO_REPLY),
            }
        };
        if !attempt.is_intercepted {
            return unfinished;
        }
        let (outcome, otherwise) = match unfinished {
            Unfinished::Forward(ior) => (Ok(RequestOutcome::LocationForward(ior)), None),
            Unfinished::Failed(exception) => (Err(exception), None),
            again => (Ok(RequestOutcome::TransportRetry), Some(again)),
        };
        match (end_attempt(&self.of, attempt, Some(&reply), outcome), otherwise) {
            (RequestOutcome::SystemException(exception), _) => Unfinished::Failed(exception),
            (RequestOutcome::LocationForward(ior), _) => Unfinished::Forward(ior),
            (_, Some(again)) => again,
            _ => Unfinished::Failed(NO_REPLY),
        }
    }
}

/// The exception of a call that cannot be sent again because of how its job runs. Its request has not been processed.
#[cold]
fn not_sent_again(run: Run) -> Option<SystemException> {
    let no = CompletionStatus::No;
    match run {
        Run::InTime => None,
        Run::Late => Some(SystemException::timeout(minor::timeout::SEND, no)),
        Run::WithoutThread => Some(SystemException::no_resources(minor::no_resources::THREADS, no)),
    }
}

/// The exception if there was no memory to keep the arguments of a call that is to be sent again.
#[cold]
fn not_kept() -> SystemException {
    let context = ErrorContext::new(Phase::Send).with_hint("make the call again");
    SystemException::no_memory(minor::no_memory::OUT_OF_MEMORY, CompletionStatus::No)
        .with_context(context)
}

/// The exception if the encoded arguments do not fit the message to another server.
#[cold]
fn encoded_otherwise() -> SystemException {
    let context = ErrorContext::new(Phase::Send)
        .with_source("the other server takes the arguments in another encoding")
        .with_hint("make the call again");
    SystemException::transient(minor::transient::OTHER_ENDPOINT, CompletionStatus::No)
        .with_context(context)
}

#[cfg(test)]
mod tests;
