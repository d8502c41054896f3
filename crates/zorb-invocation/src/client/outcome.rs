//! The outcome of one attempt at a call, and what a reply says about it.

use zorb_base::error::{ErrorContext, Phase};
use zorb_base::interceptor::ClientRequestInfo;
use zorb_cdr::Wire;
use zorb_giop::{AddressingDisposition, Ior, ReplyStatus};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::reply::{ReadReply, Reply};
use super::route::Route;

/// The outcome of an attempt: the reply has been read, or there is none; or why the call is not complete.
pub(super) type Attempt = Result<(), Unfinished>;

/// Why an attempt did not complete its call.
pub(super) enum Unfinished {
    /// The server forwards the client.
    Forward(Ior),
    /// The request was not processed and may be sent again.
    Resend(SystemException),
    /// The server wants requests to refer to the object like this.
    Readdress(AddressingDisposition),
    Failed(SystemException),
}

/// Evaluates the status of a reply; `read` reads results and user exceptions.
#[inline]
pub(super) fn evaluate(
    reply: &Reply<'_>,
    read: &ReadReply<'_>,
    info: Option<&ClientRequestInfo<'_>>,
) -> Attempt {
    match reply.received.start.status {
        ReplyStatus::NoException | ReplyStatus::UserException => {
            read.read(reply).map_err(Unfinished::Failed)
        }
        _ => Err(evaluate_other(reply, info)),
    }
}

#[cold]
fn evaluate_other(reply: &Reply<'_>, info: Option<&ClientRequestInfo<'_>>) -> Unfinished {
    if let Some(info) = info {
        reply.copy_contexts_to(info);
    }
    match reply.received.start.status {
        ReplyStatus::LocationForward | ReplyStatus::LocationForwardPerm => {
            match Ior::read(&mut reply.body()) {
                Ok(ior) => Unfinished::Forward(ior),
                Err(error) => Unfinished::Failed(reply.undecodable_forward(error)),
            }
        }
        ReplyStatus::NeedsAddressingMode => readdress(false, None),
        // The others have been evaluated.
        ReplyStatus::SystemException | ReplyStatus::NoException | ReplyStatus::UserException => {
            let context = match reply.route {
                Some(route) => ErrorContext::remote(route.cache.endpoint.to_string()),
                None => ErrorContext::new(Phase::Upcall),
            };
            Unfinished::Failed(match SystemException::read(&mut reply.body()) {
                Ok(exception) => match advice(&exception, reply.route) {
                    Some(hint) => exception.with_context(context.with_hint(hint)),
                    None => exception.with_context(context),
                },
                Err(error) => reply.undecodable(error),
            })
        }
    }
}

/// The maximum length of an object key that a hint contains, in octets.
const MAX_SHOWN: usize = 256;

/// What to try after an exception that the server's ORB raised.
#[cold]
fn advice(exception: &SystemException, route: Option<&Route>) -> Option<String> {
    use SystemExceptionKind::{BadOperation, Marshal, ObjectNotExist};
    match exception.kind {
        ObjectNotExist if exception.minor == minor::object_not_exist::UNKNOWN_KEY => {
            let key = Some(&route?.key[..]).filter(|key| key.len() <= MAX_SHOWN);
            let key = key.and_then(|key| std::str::from_utf8(key).ok());
            let key = key.filter(|key| !key.chars().any(char::is_control));
            Some(match key {
                Some(key) => format!("has the server published an object as {key:?}?"),
                None => "has the server restarted since it made the reference?".to_owned(),
            })
        }
        BadOperation | Marshal => Some("do both sides use the same IDL?".to_owned()),
        _ => None,
    }
}

/// What to do after a server has not understood the target of a request, from which parts may have been `omitted`.
#[cold]
pub(super) fn not_understood(omitted: bool, reply: &Reply<'_>) -> Unfinished {
    readdress(omitted, wanted_address(reply))
}

/// How the server of a reply wants requests to refer to their objects.
#[cold]
pub(super) fn wanted_address(reply: &Reply<'_>) -> Option<AddressingDisposition> {
    AddressingDisposition::from_short(reply.body().read_i16().ok()?)
}

/// The outcome of a request whose target the server does not understand. If parts were `omitted` that the server
/// does not remember, it is sent again in full, otherwise with the address that the server wants.
#[cold]
pub(super) fn readdress(omitted: bool, wanted: Option<AddressingDisposition>) -> Unfinished {
    match wanted {
        _ if omitted => Unfinished::Resend(not_addressed()),
        Some(wanted) => Unfinished::Readdress(wanted),
        None => Unfinished::Failed(not_addressed()),
    }
}

/// The exception for a server that accepts none of the addresses of its object.
#[cold]
pub(super) fn not_addressed() -> SystemException {
    let code = minor::no_implement::UNSUPPORTED_OPERATION;
    let context = ErrorContext::new(Phase::Decode)
        .with_source("the server rejected every form of the object's address");
    SystemException::no_implement(code, CompletionStatus::No).with_context(context)
}
