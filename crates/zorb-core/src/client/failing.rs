//! The exceptions of attempts that fail.

use std::io;
use std::time::Duration;

use zorb_types::{CompletionStatus, SystemException, minor};

use super::connection::NoReply;
use super::route::Route;
use crate::error::{Error, Phase};

/// The exception for a request that could not be sent, and whether it is to be sent again.
#[cold]
pub(super) fn not_sent(route: &Route, again: bool, error: io::Error) -> (bool, SystemException) {
    if error.kind() == io::ErrorKind::TimedOut {
        // Part of a request is not processed.
        let exception = SystemException::timeout(minor::timeout::SEND, CompletionStatus::No);
        return (false, story(Phase::Send, route, Some(error)).remember(exception));
    }
    if error.kind() == io::ErrorKind::PermissionDenied {
        return (false, refused(Phase::Send, route, error));
    }
    if error.kind() == io::ErrorKind::FileTooLarge {
        let code = minor::imp_limit::MESSAGE_TOO_LARGE;
        let exception = SystemException::imp_limit(code, CompletionStatus::No);
        return (false, story(Phase::Send, route, Some(error)).remember(exception));
    }
    // The server had closed the connection while it lay idle, so it cannot have seen the request.
    let exception =
        SystemException::comm_failure(minor::comm_failure::SEND_FAILED, CompletionStatus::No);
    let exception = story(Phase::Send, route, Some(error)).remember(exception);
    if again {
        route.pool.drop_idle();
    }
    (again, exception)
}

/// The exception for a connection that the server ended because of who calls: it has not looked at any
/// request.
#[cold]
fn refused(phase: Phase, route: &Route, error: io::Error) -> SystemException {
    let exception =
        SystemException::no_permission(minor::no_permission::PEER_REFUSED, CompletionStatus::No);
    story(phase, route, Some(error)).remember(exception)
}

/// The exception for a wait that ended without a reply.
#[cold]
pub(super) fn no_reply(
    route: &Route,
    operation: &str,
    timeout: Option<Duration>,
    reason: NoReply,
) -> SystemException {
    let maybe = CompletionStatus::Maybe;
    let (exception, story) = match reason {
        NoReply::Closed => {
            route.pool.drop_idle();
            let no = CompletionStatus::No;
            (
                SystemException::transient(minor::transient::CLOSED_BY_PEER, no),
                story(Phase::Wait, route, None),
            )
        }
        NoReply::TimedOut => {
            let waited = timeout.unwrap_or_default();
            let what = format!("{operation} at {} for {waited:?}", route.pool.endpoint);
            (
                SystemException::timeout(minor::timeout::ROUND_TRIP, maybe),
                Error::new(Phase::Wait, what),
            )
        }
        NoReply::Lost(Some(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            return refused(Phase::Wait, route, error);
        }
        NoReply::Lost(error) => (
            SystemException::comm_failure(minor::comm_failure::CONNECTION_LOST, maybe),
            story(Phase::Wait, route, error),
        ),
        NoReply::MessageError => (
            SystemException::comm_failure(minor::comm_failure::MESSAGE_ERROR, maybe),
            story(Phase::Wait, route, None),
        ),
        NoReply::Broken(error) => (
            SystemException::comm_failure(minor::comm_failure::PROTOCOL_ERROR, maybe),
            story(Phase::Decode, route, None).because(error.to_string()),
        ),
    };
    story.remember(exception)
}

pub(super) fn story(phase: Phase, route: &Route, error: Option<io::Error>) -> Error {
    let story = Error::new(phase, route.pool.endpoint.to_string());
    match error {
        Some(error) => story.because(error),
        None => story,
    }
}
