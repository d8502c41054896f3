//! Getting a connection to an object.

use std::io;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use zorb_transport::{ConnectError, ConnectPhase};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};

use super::connection::AnyConnection;
use super::pool::NoConnection;
use super::route::{Route, Routes};
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
) -> Result<(&'t Route, AnyConnection<'t>), SystemException> {
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
        Some(error) => not_connected(vec![error], false),
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
) -> Result<(&'t Route, AnyConnection<'t>), SystemException> {
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
) -> Result<(&'t Route, AnyConnection<'t>), SystemException> {
    let core = object.core();
    let mut failures = Vec::new();
    let mut late = false;
    let mut one_way = false;
    for (number, route) in fitting {
        if expects_reply && !route.replies {
            one_way = true;
            continue;
        }
        match route.pool.connection(connect_timeout, deadline) {
            Ok(connection) => {
                // One that was passed over for want of replies stays the first for one-way calls.
                if !one_way {
                    routes.prefer(number);
                }
                return Ok((route, connection));
            }
            Err(NoConnection::Closed) => return Err(core.shut_down()),
            Err(NoConnection::Busy) => {
                let no = CompletionStatus::No;
                return Err(SystemException::timeout(minor::timeout::CONNECT, no)
                    .at(Phase::Connect, &route.pool.endpoint));
            }
            Err(NoConnection::Unreachable(error)) => {
                failures.push(error);
                if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                    late = true;
                    break;
                }
            }
        }
    }
    Err(if !failures.is_empty() {
        not_connected(failures, late)
    } else if !routes.conflicts.is_empty() {
        ruled_out(object, routes)
    } else if one_way {
        no_way_back()
    } else {
        no_usable_profile(object)
    })
}

/// The exception for endpoints none of which could be reached, in time or at all.
#[cold]
fn not_connected(mut failures: Vec<ConnectError>, late: bool) -> SystemException {
    let no = CompletionStatus::No;
    let tried: Vec<_> = failures.iter().map(|error| error.endpoint().to_string()).collect();
    let context = ErrorContext::new(Phase::Connect).with_target(tried.join(", "));
    let is_refused = failures.last().is_some_and(|last| {
        last.kind() == io::ErrorKind::PermissionDenied && last.phase() == ConnectPhase::Setup
    });
    let exception = if late {
        SystemException::timeout(minor::timeout::CONNECT, no)
    } else if is_refused {
        SystemException::no_permission(minor::no_permission::PEER_REFUSED, no)
    } else {
        SystemException::transient(minor::transient::CONNECT_FAILED, no)
    };
    let hint = failures.last().and_then(ConnectError::hint).unwrap_or_default();
    let context = context.with_hint(hint);
    exception.with_context(match failures.pop() {
        Some(only) if failures.is_empty() => context.with_source(only),
        Some(last) => {
            let all: Vec<_> = failures.iter().chain([&last]).map(ToString::to_string).collect();
            context.with_source(all.join("; "))
        }
        None => context,
    })
}

/// The exception where a call has to carry what no usable protocol can.
#[cold]
fn nothing_said() -> SystemException {
    let code = minor::inv_policy::CANNOT_RECONCILE;
    let context = ErrorContext::new(Phase::Connect)
        .with_source("the call carries service contexts, which no usable protocol can")
        .with_hint("have the server listen with GIOP too; lanes tell priorities as well");
    SystemException::inv_policy(code, CompletionStatus::No).with_context(context)
}

#[cold]
fn no_way_back() -> SystemException {
    let code = minor::no_implement::UNSUPPORTED_OPERATION;
    let context = ErrorContext::new(Phase::Connect)
        .with_source("the operation has a reply, and the reference has only one-way protocols")
        .with_hint("have the server listen with another protocol too");
    SystemException::no_implement(code, CompletionStatus::No).with_context(context)
}

#[cold]
fn ruled_out(object: &ObjectRef, routes: &Routes) -> SystemException {
    let names: Vec<_> = routes.conflicts.iter().map(ToString::to_string).collect();
    let context = ErrorContext::new(Phase::Connect)
        .with_target(object.ior().type_id.clone())
        .with_source(format!("{} rule out every profile of the reference", names.join(", ")))
        .with_hint("inconsistent_policies() of the reference lists the policies in conflict");
    SystemException::inv_policy(minor::inv_policy::CANNOT_RECONCILE, CompletionStatus::No)
        .with_context(context)
}

#[cold]
fn no_usable_profile(object: &ObjectRef) -> SystemException {
    let tags: Vec<_> =
        object.ior().profiles.iter().map(|profile| profile.tag.to_string()).collect();
    let context = ErrorContext::new(Phase::Connect)
        .with_source(format!("profiles of kind {}", tags.join(", ")))
        .with_hint("no protocol of this ORB understands a profile of the reference");
    SystemException::transient(minor::transient::NO_USABLE_PROFILE, CompletionStatus::No)
        .with_context(context)
}
