//! The exceptions of attempts that fail.

use std::io;
use std::time::Duration;

use zorb_base::gather::{is_body_changed, is_out_of_memory};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};

use super::connection::NoReply;
use super::route::Route;

/// The failure of an attempt.
pub(super) struct Failure {
    pub(super) exception: SystemException,
    /// Whether the request is to be sent again.
    pub(super) again: bool,
}

/// The failure of a request that could not be sent.
#[cold]
pub(super) fn not_sent(route: &Route, again: bool, error: io::Error) -> Failure {
    let no = CompletionStatus::No;
    let (again, exception) = match error.kind() {
        // A server does not process part of a request.
        io::ErrorKind::TimedOut => (false, SystemException::timeout(minor::timeout::SEND, no)),
        io::ErrorKind::PermissionDenied => (false, refused()),
        io::ErrorKind::FileTooLarge => {
            (false, SystemException::imp_limit(minor::imp_limit::MESSAGE_TOO_LARGE, no))
        }
        _ if is_out_of_memory(&error) => {
            (false, SystemException::no_memory(minor::no_memory::OUT_OF_MEMORY, no))
        }
        _ if is_body_changed(&error) => {
            (false, SystemException::internal(minor::internal::BROKEN_INVARIANT, no))
        }
        // The server had closed the idle connection, so it cannot have seen the request.
        _ => (again, SystemException::comm_failure(minor::comm_failure::SEND_FAILED, no)),
    };
    if again {
        route.cache.drop_idle();
    }
    let exception = exception.with_context(context(Phase::Send, route).with_source(error));
    Failure { exception, again }
}

/// The exception for a request that was not sent because others are large.
#[cold]
pub(super) fn too_many_octets(route: &Route) -> SystemException {
    let context =
        context(Phase::Send, route).with_hint("MaxRequestOctetsPerEndpoint sets the limit");
    SystemException::transient(minor::transient::TOO_MANY_OCTETS, CompletionStatus::No)
        .with_context(context)
}

/// The exception for a server that forwarded a request to a nil reference.
#[cold]
pub(super) fn forwarded_to_nil() -> SystemException {
    let context = ErrorContext::new(Phase::Resolve)
        .with_source("the server forwarded the request to a nil reference");
    SystemException::transient(minor::transient::NO_USABLE_PROFILE, CompletionStatus::No)
        .with_context(context)
}

/// The exception for a server that rejected the client. It has processed no request.
fn refused() -> SystemException {
    SystemException::no_permission(minor::no_permission::PEER_REFUSED, CompletionStatus::No)
}

/// The exception for a wait that ended without a reply.
#[cold]
pub(super) fn no_reply(
    route: &Route,
    timeout: Option<Duration>,
    reason: NoReply,
) -> SystemException {
    let maybe = CompletionStatus::Maybe;
    let waiting = context(Phase::Wait, route);
    let (exception, context) = match reason {
        NoReply::Closed => {
            route.cache.drop_idle();
            let no = CompletionStatus::No;
            (SystemException::transient(minor::transient::CLOSED_BY_PEER, no), waiting)
        }
        NoReply::TimedOut => {
            let limit = format!("the limit is {:?}", timeout.unwrap_or_default());
            let exception = SystemException::timeout(minor::timeout::ROUND_TRIP, maybe);
            (exception, waiting.with_source(limit))
        }
        NoReply::Lost(error) => {
            let exception = match error.as_ref().map(io::Error::kind) {
                Some(io::ErrorKind::PermissionDenied) => refused(),
                _ => SystemException::comm_failure(minor::comm_failure::CONNECTION_LOST, maybe),
            };
            (exception, with_cause(waiting, error))
        }
        NoReply::MessageError => {
            (SystemException::comm_failure(minor::comm_failure::MESSAGE_ERROR, maybe), waiting)
        }
        NoReply::Broken(error) => (
            SystemException::from(error),
            context(Phase::Decode, route).with_source(error.to_string()),
        ),
    };
    exception.with_context(context)
}

fn context(phase: Phase, route: &Route) -> ErrorContext {
    ErrorContext::new(phase).with_target(route.cache.endpoint.to_string())
}

fn with_cause(context: ErrorContext, error: Option<io::Error>) -> ErrorContext {
    match error {
        Some(error) => context.with_source(error),
        None => context,
    }
}
