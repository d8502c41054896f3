//! Asking a server where an object is, without calling it.

use std::borrow::Cow;
use std::time::Duration;

use zorb_base::error::{ErrorContext, Phase};
use zorb_base::upcall_thread::about_to_block;
use zorb_cdr::{ByteOrder, CdrError, Wire};
use zorb_giop::{ConnectionEnd, Ior, LocateStatus, MessageWriter, RequestKind, TargetAddress};
use zorb_poa::NotAdmitted;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::any_connection::AnyConnection;
use super::connection::{Connection, NewCall, NoReply};
use super::effective::parameters;
use super::failing::{Failure, no_reply, not_sent};
use super::interception::select_endpoint;
use super::invoke::MAX_RESENDS;
use super::pool::Wanted;
use super::reply::decoding;
use super::route::Route;
use super::selection::{Selection, select_connection};
use super::time_limit::TimeLimit;
use crate::client::core::ClientCore;
use crate::object::{Binding, ObjectRef};

enum Whereabouts {
    Here,
    Unknown,
    Forward(Ior),
}

/// Why a question has no answer.
enum Unanswered {
    /// The connection ended; asking again does no harm.
    AskAgain(SystemException),
    Failed(SystemException),
}

impl From<SystemException> for Unanswered {
    fn from(exception: SystemException) -> Self {
        Self::Failed(exception)
    }
}

/// Sends a LocateRequest, following forwards; whether the object was found.
pub(crate) fn locate(object: &ObjectRef) -> Result<bool, SystemException> {
    locate_unnamed(object).map_err(|exception| exception.in_operation("LocateRequest"))
}

fn locate_unnamed(object: &ObjectRef) -> Result<bool, SystemException> {
    let core = object.core();
    core.check_running()?;
    let parameters = parameters(object);
    let object = match parameters.is_redirected {
        true => object.as_wanted()?,
        false => Cow::Borrowed(object),
    };
    let object = &*object;
    let time_limit = TimeLimit::new(parameters.round_trip);
    let mut next;
    let mut target = object.binding();
    let mut hops = 0;
    let mut resends = 0;
    while hops <= core.options().max_forwards {
        match ask(object, target, parameters.connect, time_limit) {
            Ok(Whereabouts::Here) => return Ok(true),
            Ok(Whereabouts::Unknown) => return Ok(false),
            Ok(Whereabouts::Forward(ior)) => {
                hops += 1;
                next = object.forward_to(ior);
                target = &next;
            }
            Err(Unanswered::AskAgain(_)) if resends < MAX_RESENDS => resends += 1,
            Err(Unanswered::AskAgain(exception) | Unanswered::Failed(exception)) => {
                return Err(exception);
            }
        }
    }
    let exception =
        SystemException::imp_limit(minor::imp_limit::TOO_MANY_FORWARDS, CompletionStatus::No);
    Err(exception.with_context(ErrorContext::new(Phase::Resolve)))
}

fn ask(
    object: &ObjectRef,
    target: &Binding,
    connect: Duration,
    time_limit: TimeLimit,
) -> Result<Whereabouts, Unanswered> {
    let core = object.core();
    let routes = target.routes(core);
    if let Some(key) = &routes.local {
        return Ok(match core.adapters().locate_key(key) {
            Ok(()) | Err(NotAdmitted::Held(_)) => Whereabouts::Here,
            Err(NotAdmitted::Forward(ior)) => Whereabouts::Forward(*ior),
            Err(NotAdmitted::Refused(_) | NotAdmitted::NeedsKey) => Whereabouts::Unknown,
        });
    }
    let reached = select_endpoint(object, target, routes, |info| {
        let wanted = Wanted { connect_timeout: connect, deadline: time_limit.deadline() };
        let selection = Selection { wanted, expects_reply: true, info };
        select_connection(object, routes, &selection)
    })?;
    match reached {
        (route, AnyConnection::Exclusive(mut call)) => match call.connection() {
            Some(connection) => ask_over(core, route, connection, time_limit),
            None => Err(core.shut_down().into()),
        },
        (route, AnyConnection::Shared(mut call)) => ask_over(core, route, &mut call, time_limit),
    }
}

/// Asks over one connection.
fn ask_over(
    core: &ClientCore,
    route: &Route,
    connection: &mut impl Connection,
    time_limit: TimeLimit,
) -> Result<Whereabouts, Unanswered> {
    let form = route.form;
    let deadline = time_limit.deadline();
    let begun = connection
        .begin(
            core,
            &NewCall {
                kind: RequestKind::Locate,
                form,
                key: &route.key,
                code_sets: route.code_sets.as_ref(),
                operation: "",
                send_deadline: deadline,
                reply_deadline: deadline,
            },
        )
        .map_err(|exception| exception.at(Phase::Send, &route.pool.endpoint))?;
    let id = begun.request_id;
    let address = TargetAddress::Key(&route.key);
    let order = ByteOrder::NATIVE;
    let Some(outgoing) = connection.outgoing() else { return Err(core.shut_down().into()) };
    form.locate_request(outgoing.any_octets(), order, id, &address)
        .and_then(MessageWriter::finish)
        .map_err(decoding)?;
    if let Err(error) = connection.send(&begun, &time_limit, None) {
        let again = connection.may_resend(id, ConnectionEnd::Lost);
        route.pool.discard(connection);
        return Err(unanswered(not_sent(route, again, error)));
    }
    about_to_block();
    let reason = match connection.receive_location(&time_limit) {
        Ok((header, message)) => match form.read_locate_reply(message, &header) {
            Ok((reply, mut body)) => {
                let context = || ErrorContext::remote(route.pool.endpoint.to_string());
                return Ok(judge(reply.status, &mut body)
                    .map_err(|exception| exception.with_context(context()))?
                    .map_err(|error| decoding(error).at(Phase::Decode, &route.pool.endpoint))?);
            }
            Err(error) => NoReply::Broken(error),
        },
        Err(reason) => reason,
    };
    let again = reason.end().is_some_and(|end| connection.may_resend(id, end));
    route.pool.discard(connection);
    let exception = no_reply(route, time_limit.timeout(), reason);
    Err(unanswered(Failure { exception, again }))
}

fn unanswered(failure: Failure) -> Unanswered {
    match failure.again {
        true => Unanswered::AskAgain(failure.exception),
        false => Unanswered::Failed(failure.exception),
    }
}

type Judged = Result<Result<Whereabouts, CdrError>, SystemException>;

fn judge(status: LocateStatus, body: &mut zorb_cdr::CdrReader<'_>) -> Judged {
    Ok(Ok(match status {
        LocateStatus::UnknownObject => Whereabouts::Unknown,
        LocateStatus::ObjectHere => Whereabouts::Here,
        LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm => match Ior::read(body) {
            Ok(ior) => Whereabouts::Forward(ior),
            Err(error) => return Ok(Err(error)),
        },
        LocateStatus::LocSystemException => match SystemException::read(body) {
            // JacORB says "unknown" in this way.
            Ok(SystemException { kind: SystemExceptionKind::ObjectNotExist, .. }) => {
                Whereabouts::Unknown
            }
            Ok(exception) => return Err(exception),
            Err(error) => return Ok(Err(error)),
        },
        LocateStatus::LocNeedsAddressingMode => {
            return Err(SystemException::no_implement(
                minor::no_implement::UNSUPPORTED_OPERATION,
                CompletionStatus::No,
            ));
        }
    }))
}
