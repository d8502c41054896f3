//! Getting a connection to an object.

use std::io;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use zorb_transport::{ConnectError, ConnectPhase};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::line::AnyLine;
use super::pool::NoConnection;
use super::route::{Route, Routes};
use crate::error::{Error, Phase};
use crate::object::ObjectRef;

/// Tries the routes, beginning with the one that worked last, until one connects; those on
/// which no replies come back only when none is expected.
#[inline]
pub(super) fn reach<'t>(
    object: &ObjectRef,
    routes: &'t Routes,
    connect_timeout: Duration,
    expects_reply: bool,
    deadline: Option<Instant>,
) -> Result<(&'t Route, AnyLine<'t>), SystemException> {
    if routes.by_priority {
        return reach_lane(object, routes, expects_reply, connect_timeout, deadline);
    }
    reach_one(object, routes, routes.in_order(), expects_reply, connect_timeout, deadline)
}

/// The ways that are for a call of the calling thread.
pub(super) fn fitting<'r>(
    object: &ObjectRef,
    routes: &'r Routes,
) -> Result<Vec<&'r Route>, SystemException> {
    let (band, lanes) = match routes.by_priority {
        true => wanted(object, routes)?,
        false => (None, None),
    };
    let serves = |route: &&Route| {
        !routes.by_priority
            || (serves(route, band, lanes.as_ref()) && routes.can_say(object, route))
    };
    Ok(routes.in_order().map(|(_, route)| route).filter(serves).collect())
}

/// The exception when none of the ways connects.
pub(super) fn unreachable(
    object: &ObjectRef,
    routes: &Routes,
    failure: Option<ConnectError>,
) -> SystemException {
    match failure {
        Some(error) => not_connected(error, false),
        None if !routes.conflicts.is_empty() => ruled_out(object, routes),
        None => no_usable_profile(object),
    }
}

type Wanted<'r> = (Option<&'r RangeInclusive<i16>>, Option<RangeInclusive<i16>>);

/// The band of the calling thread's next call, and the priorities that lanes for it have.
fn wanted<'r>(object: &ObjectRef, routes: &'r Routes) -> Result<Wanted<'r>, SystemException> {
    let band = routes.band(object)?;
    let lanes = match band {
        Some(band) => Some(band.clone()),
        None => routes.lanes(object)?,
    };
    Ok((band, lanes))
}

fn serves(
    route: &Route,
    band: Option<&RangeInclusive<i16>>,
    lanes: Option<&RangeInclusive<i16>>,
) -> bool {
    route.band.as_ref() == band
        && match (lanes, route.priority) {
            (Some(lanes), Some(priority)) => lanes.contains(&priority),
            _ => true,
        }
}

/// The same where endpoints serve different priorities.
#[inline(never)]
fn reach_lane<'t>(
    object: &ObjectRef,
    routes: &'t Routes,
    expects_reply: bool,
    connect_timeout: Duration,
    deadline: Option<Instant>,
) -> Result<(&'t Route, AnyLine<'t>), SystemException> {
    let (band, lanes) = wanted(object, routes)?;
    let fits = |(_, route): &(usize, &Route)| {
        serves(route, band, lanes.as_ref()) && routes.can_say(object, route)
    };
    let mut fitting = routes.in_order().filter(fits).peekable();
    if routes.conflicts.is_empty() && fitting.peek().is_none() {
        if routes.in_order().any(|(_, route)| serves(route, band, lanes.as_ref())) {
            return Err(nothing_said());
        }
        if lanes.is_some() {
            let no = CompletionStatus::No;
            return Err(SystemException::inv_policy(minor::inv_policy::NO_LANE, no));
        }
    }
    reach_one(object, routes, fitting, expects_reply, connect_timeout, deadline)
}

/// Tries these routes until one connects.
fn reach_one<'t>(
    object: &ObjectRef,
    routes: &'t Routes,
    fitting: impl Iterator<Item = (usize, &'t Route)>,
    expects_reply: bool,
    connect_timeout: Duration,
    deadline: Option<Instant>,
) -> Result<(&'t Route, AnyLine<'t>), SystemException> {
    let core = object.core();
    let mut failure = None;
    let mut late = false;
    let mut one_way = false;
    for (number, route) in fitting {
        if expects_reply && !route.replies {
            one_way = true;
            continue;
        }
        match route.pool.line(connect_timeout, deadline) {
            Ok(line) => {
                // One that was passed over for want of replies stays the first for one-way calls.
                if !one_way {
                    routes.prefer(number);
                }
                return Ok((route, line));
            }
            Err(NoConnection::Closed) => return Err(core.shut_down()),
            Err(NoConnection::Busy) => {
                return Err(SystemException::timeout(
                    minor::timeout::CONNECT,
                    CompletionStatus::No,
                ));
            }
            Err(NoConnection::Unreachable(error)) => {
                failure = Some(error);
                if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                    late = true;
                    break;
                }
            }
        }
    }
    Err(match failure {
        Some(error) => not_connected(error, late),
        None if !routes.conflicts.is_empty() => ruled_out(object, routes),
        None if one_way => no_way_back(),
        None => no_usable_profile(object),
    })
}

/// The exception for an endpoint that could not be reached, in time or at all.
#[cold]
fn not_connected(error: ConnectError, late: bool) -> SystemException {
    let no = CompletionStatus::No;
    let exception = match late {
        true => SystemException::timeout(minor::timeout::CONNECT, no),
        false
            if error.kind() == io::ErrorKind::PermissionDenied
                && error.phase() == ConnectPhase::Setup =>
        {
            SystemException::no_permission(minor::no_permission::PEER_REFUSED, no)
        }
        false => SystemException::transient(minor::transient::CONNECT_FAILED, no),
    };
    let hint = error.hint().map(str::to_owned);
    let story = Error::new(Phase::Connect, String::new()).because(error);
    match hint {
        Some(hint) => story.hint(hint),
        None => story,
    }
    .remember(exception)
}

/// The exception where a call has to say what no way that is left can.
#[cold]
fn nothing_said() -> SystemException {
    let code = minor::inv_policy::CANNOT_RECONCILE;
    Error::new(Phase::Connect, "what a call has to say, by protocols without service contexts")
        .hint("have the server listen with GIOP too; priorities are told by lanes as well")
        .remember(SystemException::inv_policy(code, CompletionStatus::No))
}

#[cold]
fn no_way_back() -> SystemException {
    let code = minor::no_implement::UNSUPPORTED_OPERATION;
    Error::new(Phase::Connect, "a call that has a reply")
        .hint(
            "the reference tells of one-way protocols alone: have its server listen otherwise too",
        )
        .remember(SystemException::no_implement(code, CompletionStatus::No))
}

#[cold]
fn ruled_out(object: &ObjectRef, routes: &Routes) -> SystemException {
    let exception =
        SystemException::inv_policy(minor::inv_policy::CANNOT_RECONCILE, CompletionStatus::No);
    let names: Vec<_> = routes.conflicts.iter().map(ToString::to_string).collect();
    Error::new(Phase::Connect, object.ior().type_id.clone())
        .hint(format!("no profile of the reference is left by {}", names.join(", ")))
        .remember(exception)
}

#[cold]
fn no_usable_profile(object: &ObjectRef) -> SystemException {
    let tags: Vec<_> =
        object.ior().profiles.iter().map(|profile| profile.tag.to_string()).collect();
    let exception =
        SystemException::transient(minor::transient::NO_USABLE_PROFILE, CompletionStatus::No);
    Error::new(Phase::Connect, format!("profiles of kind {}", tags.join(", ")))
        .hint("no protocol of this ORB understands a profile of the reference")
        .remember(exception)
}
