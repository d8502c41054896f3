//! Interceptors of pending calls.
//!
//! `send_request` runs on the thread that sends. How the attempt has ended they see on the thread that takes the
//! result, or that sends the request again; with a [`ClientRequestInfo`] of its own, which has the same request and
//! slots, and the policies of that thread.

use std::borrow::Cow;

use zorb_base::interceptor::{ClientRequest, ClientRequestInfo, RequestOutcome};
use zorb_cdr::CdrWriter;
use zorb_types::SystemException;

use super::super::connect_time::ConnectTime;
use super::super::effective::with_policies;
use super::super::outcome::{Attempt, Unfinished, evaluate};
use super::super::reply::{NO_REPLY, ReadReply, Reply};
use super::super::route::Routes;
use super::operation_call::{Attempted, OperationCall};
use crate::object::Binding;

/// Calls `run` with the information about a request for interceptors.
fn with_info<T>(
    call: &OperationCall,
    target: &Binding,
    run: impl FnOnce(ClientRequestInfo<'_>) -> T,
) -> T {
    let connect_time = ConnectTime::default();
    let end_times = call.as_call(&|_: &mut CdrWriter<'_>| Ok(()), &connect_time).end_times();
    with_policies(&call.object, |policies| {
        let info = ClientRequestInfo::new(ClientRequest {
            operation: &call.operation,
            target: target.ior(),
            response_expected: true,
            end_times,
            policies,
        });
        run(info.with_slots(call.slots.as_ref()))
    })
}

/// Makes an attempt by `send` after interceptors have seen the request. If it is not sent, they see that, too.
#[cold]
pub(super) fn intercept_sending(
    call: &OperationCall,
    target: &Binding,
    routes: &Routes,
    send: impl FnOnce(&ClientRequestInfo<'_>) -> Attempt,
) -> Attempt {
    with_info(call, target, |mut info| {
        let mut started = 0;
        let intercepted = routes.interceptors.iter().try_for_each(|interceptor| {
            interceptor.send_request(&mut info)?;
            started += 1;
            Ok(())
        });
        let outcome = match intercepted {
            Ok(()) => send(&info),
            Err(exception) => Err(Unfinished::Failed(exception)),
        };
        let Err(unfinished) = outcome else { return Ok(()) };
        let started = routes.interceptors.get(..started).unwrap_or_default();
        Err(match unfinished {
            Unfinished::Failed(exception) => {
                let outcome = info.end(RequestOutcome::SystemException(exception), started);
                Unfinished::Failed(exception_of(outcome))
            }
            again => match info.end(RequestOutcome::TransportRetry, started) {
                RequestOutcome::SystemException(exception) => Unfinished::Failed(exception),
                _ => again,
            },
        })
    })
}

/// Lets interceptors see how an attempt has ended, and returns that.
#[cold]
pub(super) fn end_attempt(
    call: &OperationCall,
    attempt: &Attempted,
    reply: Option<&Reply<'_>>,
    outcome: Result<RequestOutcome, SystemException>,
) -> RequestOutcome {
    let target = attempt.forwarded.as_deref().unwrap_or_else(|| call.object.binding());
    // They were resolved for the attempt.
    let routes = target.routes(call.object.core());
    let interceptors = routes.map_or(&[][..], |routes| &routes.interceptors[..]);
    with_info(call, target, |mut info| {
        if let Some(reply) = reply {
            reply.copy_contexts_to(&info);
        }
        let outcome = outcome.unwrap_or_else(RequestOutcome::SystemException);
        info.end(outcome, interceptors)
    })
}

/// Reads the result of a call whose request interceptors have seen.
#[cold]
pub(super) fn read_intercepted(
    call: &OperationCall,
    attempt: &Attempted,
    reply: Result<Reply<'_>, &SystemException>,
    results: &ReadReply<'_>,
) -> Result<(), SystemException> {
    let outcome = match &reply {
        Ok(reply) => match evaluate(reply, results, None) {
            Ok(()) => reply.user_exception_id().map(|id| match id {
                Some(id) => RequestOutcome::UserException(Cow::Owned(id)),
                None => RequestOutcome::Successful,
            }),
            Err(Unfinished::Failed(exception)) => Err(exception),
            Err(_) => Err(NO_REPLY),
        },
        Err(exception) => Err((*exception).clone()),
    };
    match end_attempt(call, attempt, reply.as_ref().ok(), outcome) {
        RequestOutcome::Successful | RequestOutcome::UserException(_) => Ok(()),
        other => Err(exception_of(other)),
    }
}

fn exception_of(outcome: RequestOutcome) -> SystemException {
    match outcome {
        RequestOutcome::SystemException(exception) => exception,
        _ => NO_REPLY,
    }
}
