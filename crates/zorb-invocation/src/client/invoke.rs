//! One call, from its arguments to its reply: attempts, forwards and retries.

use zorb_base::gather::WriteBody;
use zorb_base::policy::{Rebind, SyncScope};
use zorb_giop::ResponseFlags;
use zorb_types::{
    CompletionStatus, ErrorContext, Phase, SystemException, SystemExceptionKind, minor,
};

use super::attempt::{Attempt, call_remote};
use super::call::Call;
use super::effective::{parameters, plain_parameters, policy_of};
use super::inside::call_here;
use super::interception::intercept;
use super::oneway_queue::OnewayQueue;
use super::queued::enqueue;
use super::reply::ReadReply;
use super::route::Routes;
use crate::object::{Binding, ObjectRef};

/// How often one call is sent again over a fresh connection because its server closed the old one.
pub(super) const MAX_RESENDS: u32 = 3;

/// Sends a request, waits for its reply and has it read; one-way operations have none.
pub fn invoke(
    object: &ObjectRef,
    operation: &str,
    response: ResponseFlags,
    arguments: WriteBody<'_>,
    read: ReadReply<'_>,
) -> Result<(), SystemException> {
    invoke_unnamed(object, operation, response, arguments, read)
        .map_err(|exception| exception.in_operation(operation))
}

/// The call, whose exceptions do not all name the operation.
#[inline]
fn invoke_unnamed(
    object: &ObjectRef,
    operation: &str,
    response: ResponseFlags,
    arguments: WriteBody<'_>,
    read: ReadReply<'_>,
) -> Result<(), SystemException> {
    let core = object.core();
    core.check_running()?;
    let own_parameters;
    let parameters = match plain_parameters(object) {
        Some(parameters) => parameters,
        None => {
            own_parameters = parameters(object);
            &own_parameters
        }
    };
    let call = Call::new(operation, response, arguments, parameters);
    if parameters.is_redirected {
        return invoke_redirected(object, response, &call, read);
    }
    let first = if object.was_forwarded() {
        None
    } else {
        match attempt(object, object.binding(), &call, read) {
            Attempt::Done if parameters.rebind == Rebind::Transparent => return Ok(()),
            other => Some(other),
        }
    };
    go_on(object, &call, first, read)
}

/// One attempt, with the ways of one reference.
#[inline]
fn attempt(object: &ObjectRef, target: &Binding, call: &Call<'_>, read: ReadReply<'_>) -> Attempt {
    let routes = target.routes(object.core());
    if !routes.interceptors.is_empty() {
        return intercept(object, target, routes, call, read, &|call, read| {
            call_by(object, routes, call, read)
        });
    }
    call_by(object, routes, call, read)
}

/// One attempt, after interceptors.
#[inline]
fn call_by(object: &ObjectRef, routes: &Routes, call: &Call<'_>, read: ReadReply<'_>) -> Attempt {
    match &routes.local {
        Some(key) => call_here(object, key, call, read),
        None => call_remote(object, routes, call, read),
    }
}

/// Goes on after what the first attempt came to, or from the reference where a server has forwarded
/// calls to.
#[inline(never)]
fn go_on(
    object: &ObjectRef,
    call: &Call<'_>,
    mut first: Option<Attempt>,
    read: ReadReply<'_>,
) -> Result<(), SystemException> {
    let core = object.core();
    let forwarded = object.forwarded();
    let forwarded = if first.is_none() { forwarded.binding() } else { None };
    let mut target = forwarded.unwrap_or_else(|| object.binding());
    let mut next;
    let mut hops = 0;
    let mut fell_back = forwarded.is_none();
    let mut resends = 0;
    loop {
        let came_to = match first.take() {
            Some(came_to) => came_to,
            None => attempt(object, target, call, read),
        };
        match came_to {
            Attempt::Done => {
                if call.parameters.rebind != Rebind::Transparent {
                    object.bind();
                }
                return Ok(());
            }
            Attempt::Forward(_)
                if call.parameters.rebind != Rebind::Transparent && object.is_bound() =>
            {
                return Err(call.no_rebind(minor::rebind::FORWARDED));
            }
            Attempt::Forward(ior) => {
                hops += 1;
                if hops > core.options().max_forwards {
                    let exception = SystemException::imp_limit(
                        minor::imp_limit::TOO_MANY_FORWARDS,
                        CompletionStatus::No,
                    );
                    let context = ErrorContext::new(Phase::Resolve)
                        .with_source(format!("the call was forwarded {hops} times"))
                        .with_hint("do the servers forward to each other in a circle?");
                    return Err(exception.with_context(context));
                }
                next = object.forward_to(ior);
                target = &next;
            }
            Attempt::Resend(_)
                if call.parameters.rebind == Rebind::NoReconnect && object.is_bound() =>
            {
                return Err(call.no_rebind(minor::rebind::CONNECTION_CLOSED));
            }
            Attempt::Resend(exception) => {
                resends += 1;
                if resends > MAX_RESENDS {
                    return Err(exception);
                }
            }
            // The place that a forward once named may be gone while the original knows a new one.
            Attempt::Failed(exception) if !fell_back && is_stale_forward(&exception) => {
                if call.parameters.rebind != Rebind::Transparent && object.is_bound() {
                    return Err(call.no_rebind(minor::rebind::FORWARDED));
                }
                fell_back = true;
                object.forget_forward();
                target = object.binding();
            }
            Attempt::Failed(exception) => return Err(exception),
        }
    }
}

/// Makes a call for which policies may select other connections than the reference has, or that may be
/// queued.
#[cold]
#[inline(never)]
fn invoke_redirected(
    object: &ObjectRef,
    response: ResponseFlags,
    call: &Call<'_>,
    read: ReadReply<'_>,
) -> Result<(), SystemException> {
    let object = object.as_wanted()?;
    if !response.expects_reply()
        && call.parameters.sync_scope == SyncScope::None
        && let Some(policy) = policy_of::<OnewayQueue>(&object)
        && let Some(queued) = enqueue(&policy, &object, call, read)
    {
        return queued;
    }
    go_on(&object, call, None, read)
}

fn is_stale_forward(exception: &SystemException) -> bool {
    use SystemExceptionKind::{CommFailure, ObjectNotExist, Transient};
    exception.completed == CompletionStatus::No
        && matches!(exception.kind, CommFailure | ObjectNotExist | Transient)
}
