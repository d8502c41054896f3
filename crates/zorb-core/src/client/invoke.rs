//! One call, from its arguments to its reply: attempts, forwards and retries.

use zorb_giop::ResponseFlags;
use zorb_types::{
    CompletionStatus, ErrorContext, Phase, SystemException, SystemExceptionKind, minor,
};

use super::attempt::{Attempt, call_there};
use super::call::Call;
use super::inside::call_here;
use super::reply::ReadReply;
use crate::gather::WriteBody;
use crate::object::{Binding, ObjectRef};
use crate::policy::{Asked, Detour, Rebind, Terms, plain_terms, terms};

/// How often one call is sent again over a fresh connection because its server closed the old one.
pub(super) const MAX_RESENDS: u32 = 3;

/// Sends a request, waits for its reply and has it read; one-way operations have none.
pub(crate) fn invoke(
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
#[inline(always)] // it is called in one place
fn invoke_unnamed(
    object: &ObjectRef,
    operation: &str,
    response: ResponseFlags,
    arguments: WriteBody<'_>,
    read: ReadReply<'_>,
) -> Result<(), SystemException> {
    let core = object.core();
    core.check_running()?;
    let other_terms;
    let terms = match plain_terms(object) {
        Some(terms) => terms,
        None => {
            other_terms = terms(object);
            &other_terms
        }
    };
    if let Some(detour) = terms.elsewhere {
        return go_around(object, (operation, response), arguments, (detour, terms), read);
    }
    let call = Call::new(operation, response, arguments, terms);
    let first = if object.was_forwarded() {
        None
    } else {
        match attempt(object, object.binding(), &call, read) {
            Attempt::Done if terms.asides.is_none() => return Ok(()),
            other => Some(other),
        }
    };
    go_on(object, &call, first, read)
}

/// One attempt, with the ways of one reference.
#[inline]
fn attempt(object: &ObjectRef, target: &Binding, call: &Call<'_>, read: ReadReply<'_>) -> Attempt {
    let routes = target.routes(object.core());
    match &routes.local {
        Some(key) => call_here(object, routes, key, call, read),
        None => call_there(object, routes, call, read),
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
                return if call.terms.asides.is_none() { Ok(()) } else { settle(object, call) };
            }
            Attempt::Forward(_)
                if call.terms.asides.rebind() != Rebind::Transparent && object.is_bound() =>
            {
                return Err(give_up(object, call, call.no_rebind(minor::rebind::FORWARDED)));
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
                    let exception = exception.with_context(context);
                    return Err(give_up(object, call, exception));
                }
                next = object.forward_to(ior);
                target = &next;
            }
            Attempt::Resend(_)
                if call.terms.asides.rebind() == Rebind::NoReconnect && object.is_bound() =>
            {
                let exception = call.no_rebind(minor::rebind::CONNECTION_CLOSED);
                return Err(give_up(object, call, exception));
            }
            Attempt::Resend(exception) => {
                resends += 1;
                if resends > MAX_RESENDS {
                    return Err(give_up(object, call, exception));
                }
            }
            // The place that a forward once named may be gone while the original knows a new one.
            Attempt::Failed(exception) if !fell_back && is_stale_forward(&exception) => {
                if call.terms.asides.rebind() != Rebind::Transparent && object.is_bound() {
                    return Err(give_up(object, call, call.no_rebind(minor::rebind::FORWARDED)));
                }
                fell_back = true;
                object.forget_forward();
                target = object.binding();
            }
            Attempt::Failed(exception) => return Err(give_up(object, call, exception)),
        }
    }
}

/// Makes a call that policies see to first.
#[cold]
#[inline(never)]
fn go_around(
    object: &ObjectRef,
    (operation, response): (&str, ResponseFlags),
    arguments: WriteBody<'_>,
    (detour, terms): (Detour, &Terms),
    read: ReadReply<'_>,
) -> Result<(), SystemException> {
    let is_one_way = !response.expects_reply();
    let asked = Asked { operation, response, is_one_way, arguments, terms: *terms };
    let Some(object) = detour(object, Some(&asked))? else { return Ok(()) };
    go_on(&object, &Call::new(operation, response, arguments, terms), None, read)
}

/// What is left to do when a call has succeeded.
#[cold]
pub(super) fn settle(object: &ObjectRef, call: &Call<'_>) -> Result<(), SystemException> {
    if call.terms.asides.rebind() != Rebind::Transparent {
        object.bind();
    }
    tell_ended(object, call)
}

/// The exception of a call that has failed.
#[cold]
fn give_up(object: &ObjectRef, call: &Call<'_>, exception: SystemException) -> SystemException {
    tell_ended(object, call).err().unwrap_or(exception)
}

/// Tells those that accompany requests that a call has ended; the first exception of them.
fn tell_ended(object: &ObjectRef, call: &Call<'_>) -> Result<(), SystemException> {
    if !call.terms.asides.is_accompanied() {
        return Ok(());
    }
    let mut first = Ok(());
    for context in &object.core().overrides().load().accompanying {
        // All of them are told.
        let told = context.ended(object);
        first = first.and(told);
    }
    first
}

fn is_stale_forward(exception: &SystemException) -> bool {
    use SystemExceptionKind::{CommFailure, ObjectNotExist, Transient};
    exception.completed == CompletionStatus::No
        && matches!(exception.kind, CommFailure | ObjectNotExist | Transient)
}
