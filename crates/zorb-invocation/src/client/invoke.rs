//! One call, from its arguments to its reply: attempts, forwards and retries.

use zorb_base::gather::WriteBody;
use zorb_base::policy::{Rebind, SyncScope};
use zorb_giop::ResponseFlags;
use zorb_os::probe;
use zorb_types::SystemException;

use super::attempt::call_remote;
use super::call::Call;
use super::connect_time::ConnectTime;
use super::effective::{parameters, plain_parameters, policy_of};
use super::inside::call_here;
use super::interception::intercept;
use super::oneway_queue::OnewayQueue;
use super::outcome::{Attempt, Unfinished};
use super::queued::enqueue;
use super::redirections::{Next, Redirections};
use super::reply::{Invocation, ReadReply};
use super::route::Routes;
use super::time_limit::TimeLimit;
use crate::object::{Binding, ObjectRef};

/// Sends a request, waits for its reply and reads it; one-way operations have none.
///
/// # Errors
/// The system exception of the failed call, with the operation in its context.
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

/// Makes a two-way call whose types `invocation` knows: [`invoke`] for most calls.
///
/// # Errors
/// As those of [`invoke`].
pub fn invoke_two_way(
    object: &ObjectRef,
    operation: &str,
    invocation: &dyn Invocation,
) -> Result<(), SystemException> {
    probe!(Begin);
    let (response, read) = (ResponseFlags::SyncWithTarget, ReadReply::Typed(invocation));
    let ended = invoke_unnamed(object, operation, response, invocation, read);
    probe!(Reference);
    ended.map_err(|exception| exception.in_operation(operation))
}

/// Makes the call. Not all of its exceptions name the operation.
#[inline(always)] // into `invoke_two_way`: 1 % of a call
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
            own_parameters = parameters(object)?;
            &own_parameters
        }
    };
    let connect_time = ConnectTime::default();
    let mut call = Call {
        object,
        operation,
        response,
        arguments,
        read,
        time_limit: TimeLimit::NONE,
        sending: TimeLimit::NONE,
        parameters,
        connect_time: &connect_time,
        info: None,
    };
    call.apply_parameters();
    if parameters.is_redirected {
        return invoke_redirected(&call);
    }
    if object.was_forwarded() {
        return continue_call(&call, None);
    }
    match attempt(&call, object.binding()) {
        Ok(()) if parameters.rebind == Rebind::Transparent => Ok(()),
        Ok(()) => continue_call(&call, Some(Ok(()))),
        Err(unfinished) => continue_call(&call, Some(Err(unfinished))),
    }
}

/// One attempt by the routes of `target`.
#[inline]
pub(super) fn attempt(call: &Call<'_>, target: &Binding) -> Attempt {
    let routes = target.routes(call.object.core()).map_err(Unfinished::Failed)?;
    if !routes.interceptors.is_empty() {
        return intercept(call, target, routes, &|call| attempt_by(call, routes));
    }
    attempt_by(call, routes)
}

/// One attempt without interceptors.
#[inline]
fn attempt_by(call: &Call<'_>, routes: &Routes) -> Attempt {
    match &routes.local {
        Some(key) => call_here(call, key),
        None => call_remote(call, routes),
    }
}

/// Continues after the `first` attempt, or at the reference to which a server has forwarded calls.
#[inline(never)]
fn continue_call(call: &Call<'_>, mut first: Option<Attempt>) -> Result<(), SystemException> {
    let object = call.object;
    let forwarded = object.forwarded();
    let forwarded = if first.is_none() { forwarded.binding() } else { None };
    let mut target = forwarded.unwrap_or_else(|| object.binding());
    let mut redirections = Redirections::new(forwarded.is_some());
    let mut call = *call;
    let mut next;
    loop {
        let outcome = match first.take() {
            Some(outcome) => outcome,
            None => attempt(&call, target),
        };
        let Err(unfinished) = outcome else {
            if call.parameters.rebind != Rebind::Transparent {
                object.bind();
            }
            return Ok(());
        };
        match redirections.next(&call, target, unfinished)? {
            Next::Again => {}
            Next::Original => target = object.binding(),
            Next::Forwarded(binding) => {
                next = binding;
                target = &next;
            }
        }
        call = call.again();
    }
}

/// Makes a call for which policies may select other connections than the reference has, or that may be
/// queued.
#[cold]
#[inline(never)]
fn invoke_redirected(call: &Call<'_>) -> Result<(), SystemException> {
    let object = call.object.as_wanted()?;
    let expects_reply = call.response.expects_reply();
    let call = Call { object: &object, ..*call };
    if !expects_reply
        && call.parameters.sync_scope == SyncScope::None
        && let Some(policy) = policy_of::<OnewayQueue>(&object)
        && let Some(queued) = enqueue(&policy, &call)
    {
        return queued;
    }
    continue_call(&call, None)
}
