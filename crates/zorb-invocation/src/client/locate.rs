//! LocateRequests, which ask a server for an object without calling it.

use std::borrow::Cow;

use zorb_base::error::{ErrorContext, Phase};
use zorb_base::upcall_thread::about_to_block;
use zorb_cdr::{ByteOrder, CdrError, Wire};
use zorb_giop::{
    AddressingDisposition, ConnectionEnd, Ior, LocateStatus, MessageWriter, RequestKind,
};
use zorb_poa::NotAdmitted;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::any_connection::AnyConnection;
use super::attempt::{give_up, not_begun, unwritten};
use super::connect_time::ConnectTime;
use super::connection::{Connection, NoReply, machine_time};
use super::effective::parameters;
use super::endpoint_cache::Wanted;
use super::failing::{Failure, forwarded_to_nil, no_reply, not_sent};
use super::interception::select_endpoint;
use super::outcome::not_addressed;
use super::redirections::MAX_RESENDS;
use super::reply::{decoding, not_processed};
use super::route::Route;
use super::selection::{Selection, select_connection};
use super::time_limit::TimeLimit;
use crate::client::core::ClientCore;
use crate::object::{Binding, ObjectRef};

/// The answer to a LocateRequest.
enum Location {
    Here,
    Unknown,
    Forward(Ior),
    /// The server wants requests to refer to the object like this.
    Readdress(AddressingDisposition),
}

/// Why there is no answer.
enum Unanswered {
    /// The connection ended; the request may be sent again.
    Resend(SystemException),
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
    let parameters = parameters(object)?;
    let object = match parameters.is_redirected {
        true => object.as_wanted()?,
        false => Cow::Borrowed(object),
    };
    let object = &*object;
    let time_limit = TimeLimit::new(parameters.round_trip);
    let connect_time = ConnectTime::default();
    let deadline = time_limit.deadline();
    let wanted = Wanted::new(parameters.connect, core.options(), &connect_time, deadline);
    let mut limits = LocateLimits { wanted, time_limit };
    let mut next;
    let mut target = object.binding();
    let mut hops = 0;
    let mut resends = 0;
    while hops <= parameters.max_hops {
        match locate_at(object, target, limits) {
            Ok(Location::Here) => return Ok(true),
            Ok(Location::Unknown) => return Ok(false),
            Ok(Location::Forward(ior)) => {
                hops += 1;
                if ior.is_nil() {
                    return Err(forwarded_to_nil());
                }
                next = object.forward_to(ior);
                target = &next;
            }
            Ok(Location::Readdress(wanted)) => {
                resends += 1;
                let changed = target.routes(core)?.readdress(target.ior(), wanted)?;
                if resends > MAX_RESENDS || !changed {
                    return Err(not_addressed());
                }
            }
            Err(Unanswered::Resend(_)) if resends < MAX_RESENDS => resends += 1,
            Err(Unanswered::Resend(exception) | Unanswered::Failed(exception)) => {
                return Err(exception);
            }
        }
        limits = limits.for_next(core);
    }
    let exception =
        SystemException::imp_limit(minor::imp_limit::TOO_MANY_FORWARDS, CompletionStatus::No);
    Err(exception.with_context(ErrorContext::new(Phase::Resolve)))
}

/// How long asking may take.
#[derive(Clone, Copy)]
struct LocateLimits<'a> {
    wanted: Wanted<'a>,
    time_limit: TimeLimit,
}

impl LocateLimits<'_> {
    /// Those of a further request, which without other limits has what the first one has left of the longest wait.
    fn for_next(self, core: &ClientCore) -> Self {
        if self.time_limit.deadline().is_some() {
            return self;
        }
        let time_limit = self.wanted.connect_time.first.rest(core.options().max_reply_wait);
        let wanted = Wanted { deadline: time_limit.deadline(), ..self.wanted };
        Self { wanted, time_limit }
    }
}

/// Asks the server of `target`.
fn locate_at(
    object: &ObjectRef,
    target: &Binding,
    limits: LocateLimits<'_>,
) -> Result<Location, Unanswered> {
    let core = object.core();
    let routes = target.routes(core)?;
    if let Some(key) = &routes.local {
        return Ok(match core.adapters().locate_key(key, None) {
            Ok(()) | Err(NotAdmitted::Held(_)) => Location::Here,
            Err(NotAdmitted::Forward(ior)) => Location::Forward(*ior),
            Err(NotAdmitted::Refused(_) | NotAdmitted::NeedsKey) => Location::Unknown,
        });
    }
    let selected = select_endpoint(object, target, routes, |info| {
        let selection = Selection { wanted: limits.wanted, expects_reply: true, info };
        select_connection(object, routes, &selection)
    })?;
    match selected {
        (route, AnyConnection::Exclusive(mut call)) => match call.connection() {
            Some(connection) => locate_over(core, route, connection, limits),
            None => Err(core.shut_down().into()),
        },
        (route, AnyConnection::Multiplexed(mut call)) => {
            locate_over(core, route, &mut call, limits)
        }
    }
}

/// Asks over one connection.
fn locate_over(
    core: &ClientCore,
    route: &Route,
    connection: &mut impl Connection,
    LocateLimits { wanted, time_limit }: LocateLimits<'_>,
) -> Result<Location, Unanswered> {
    wanted.connect_time.first.note(connection.begun());
    let form = route.form;
    let deadline = time_limit.deadline();
    let machine_deadline = deadline.map(|deadline| machine_time(connection.opened(), deadline));
    let request = route.request(core, RequestKind::Locate, "", machine_deadline);
    let begun = match connection.begin(&request, deadline) {
        Ok(begun) => begun,
        Err(reason) => return Err(unanswered(not_begun(route, connection, *reason))),
    };
    let id = begun.request_id;
    let address = route.target();
    let order = ByteOrder::NATIVE;
    let Some(outgoing) = connection.outgoing() else { return Err(core.shut_down().into()) };
    form.locate_request(outgoing.octets_mut(), order, id, &address)
        .and_then(MessageWriter::finish)
        .map_err(|error| unwritten(error).at(Phase::Send, &route.cache.endpoint))?;
    if let Err(error) = connection.send(&begun, &time_limit, None) {
        let again = connection.may_resend(id, ConnectionEnd::Lost);
        route.cache.discard(connection, ConnectionEnd::Lost);
        return Err(unanswered(not_sent(route, again, error)));
    }
    about_to_block();
    let reason = match connection.receive_location(&time_limit) {
        Ok((header, message)) => match form.read_locate_reply(message, &header) {
            Ok((reply, mut body)) => {
                let context = || ErrorContext::remote(route.cache.endpoint.to_string());
                return Ok(evaluate(reply.status, &mut body)
                    .map_err(|exception| exception.with_context(context()))?
                    .map_err(|error| {
                        not_processed(decoding(error)).at(Phase::Decode, &route.cache.endpoint)
                    })?);
            }
            Err(error) => NoReply::Broken(error),
        },
        Err(reason) => reason,
    };
    let end = reason.end();
    let again = end.is_some_and(|end| connection.may_resend(id, end));
    give_up(route, connection, id, &time_limit, end);
    let longest = core.options().max_reply_wait;
    let exception = no_reply(route, time_limit.timeout().or(longest), reason);
    Err(unanswered(Failure { exception, again }))
}

fn unanswered(failure: Failure) -> Unanswered {
    match failure.again {
        true => Unanswered::Resend(failure.exception),
        false => Unanswered::Failed(failure.exception),
    }
}

type Evaluated = Result<Result<Location, CdrError>, SystemException>;

fn evaluate(status: LocateStatus, body: &mut zorb_cdr::CdrReader<'_>) -> Evaluated {
    Ok(Ok(match status {
        LocateStatus::UnknownObject => Location::Unknown,
        LocateStatus::ObjectHere => Location::Here,
        LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm => match Ior::read(body) {
            Ok(ior) => Location::Forward(ior),
            Err(error) => return Ok(Err(error)),
        },
        LocateStatus::LocSystemException => match SystemException::read(body) {
            // JacORB's form of UNKNOWN_OBJECT.
            Ok(SystemException { kind: SystemExceptionKind::ObjectNotExist, .. }) => {
                Location::Unknown
            }
            Ok(exception) => return Err(exception),
            Err(error) => return Ok(Err(error)),
        },
        LocateStatus::LocNeedsAddressingMode => {
            let wanted = match body.read_i16() {
                Ok(number) => AddressingDisposition::from_short(number),
                Err(error) => return Ok(Err(error)),
            };
            Location::Readdress(wanted.ok_or_else(not_addressed)?)
        }
    }))
}
