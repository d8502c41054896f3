//! The selection of a route, and a connection by it.

use std::io;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use zorb_base::interceptor::ClientRequestInfo;
use zorb_transport::{ConnectError, ConnectPhase};
use zorb_types::{CompletionStatus, ErrorContext, Phase, SystemException, minor};

use super::any_connection::AnyConnection;
use super::endpoint_cache::{
    ExclusiveCall, NoConnection, Wanted, is_out_of_descriptors, is_system_out_of_descriptors,
};
use super::route::{Route, Routes};
use crate::object::ObjectRef;

/// The maximum time to connect to an earlier address of a reference while a later one works.
const MAX_PROBE: Duration = Duration::from_secs(1);

/// The requirements of a call on its connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection<'a> {
    pub(super) wanted: Wanted<'a>,
    pub(super) expects_reply: bool,
    /// What interceptors require of the endpoint.
    pub(super) info: Option<&'a ClientRequestInfo<'a>>,
}

/// A connection by the first suitable route that connects, beginning with the last successful one. Routes without
/// replies are tried only if none is expected.
#[inline]
pub(super) fn select_connection<'t>(
    object: &ObjectRef,
    routes: &'t Routes,
    selection: &Selection<'_>,
) -> Result<(&'t Route, AnyConnection<'t>), SystemException> {
    select_route(object, routes, selection, |route, wanted| route.cache.connection(wanted))
}

/// The first suitable route by which `connect` succeeds, and what that returns.
#[inline]
pub(super) fn select_route<'t, T>(
    object: &ObjectRef,
    routes: &'t Routes,
    selection: &Selection<'_>,
    connect: impl FnMut(&'t Route, Wanted<'_>) -> Result<T, NoConnection>,
) -> Result<(&'t Route, T), SystemException> {
    if routes.by_priority {
        return select_by_priority(object, routes, selection, connect);
    }
    try_routes(object, routes, routes.to_try(), selection, connect)
}

/// The preferred route with the calling thread's idle connection; `None` if there is none.
#[inline]
pub(super) fn select_idle<'t>(
    routes: &'t Routes,
    expects_reply: bool,
    info: Option<&ClientRequestInfo<'_>>,
) -> Option<(&'t Route, ExclusiveCall<'t>)> {
    let route = match routes.by_priority {
        false => routes.preferred()?,
        true => first_by_priority(routes, info)?,
    };
    if expects_reply && !route.replies {
        return None;
    }
    Some((route, route.cache.acquire_idle()?))
}

#[inline(never)]
fn first_by_priority<'t>(
    routes: &'t Routes,
    info: Option<&ClientRequestInfo<'_>>,
) -> Option<&'t Route> {
    let priorities = Priorities::of(routes, info).ok()?;
    let mut all = routes.in_order().map(|(_, route)| route);
    all.find(|route| priorities.are_served_by(route) && route.carries_contexts_of(info))
}

/// The priorities for which a request needs a connection.
struct Priorities<'a> {
    band: Option<&'a RangeInclusive<i16>>,
    /// The priorities of which an endpoint must serve one; `None` for any.
    endpoints: Option<&'a RangeInclusive<i16>>,
}

impl<'a> Priorities<'a> {
    fn of(
        routes: &'a Routes,
        info: Option<&'a ClientRequestInfo<'_>>,
    ) -> Result<Self, SystemException> {
        let band = routes.band(info)?;
        let endpoints = band.or_else(|| info.and_then(ClientRequestInfo::endpoint_priorities));
        Ok(Self { band, endpoints })
    }

    fn are_served_by(&self, route: &Route) -> bool {
        route.band.as_ref() == self.band
            && match (self.endpoints, route.priority) {
                (Some(priorities), Some(priority)) => priorities.contains(&priority),
                _ => true,
            }
    }
}

/// [`select_route`] where endpoints serve different priorities.
#[inline(never)]
fn select_by_priority<'t, T>(
    object: &ObjectRef,
    routes: &'t Routes,
    selection: &Selection<'_>,
    connect: impl FnMut(&'t Route, Wanted<'_>) -> Result<T, NoConnection>,
) -> Result<(&'t Route, T), SystemException> {
    let info = selection.info;
    let priorities = Priorities::of(routes, info)?;
    let fits = |(_, route): &(usize, &Route)| {
        priorities.are_served_by(route) && route.carries_contexts_of(info)
    };
    let mut fitting = routes.in_order().filter(fits).peekable();
    if routes.conflicts.is_empty() && fitting.peek().is_none() {
        if routes.in_order().any(|(_, route)| priorities.are_served_by(route)) {
            return Err(no_contexts());
        }
        if priorities.endpoints.is_some() {
            let no = CompletionStatus::No;
            return Err(SystemException::inv_policy(minor::inv_policy::NO_LANE, no));
        }
    }
    try_routes(object, routes, fitting, selection, connect)
}

/// Tries these routes until one connects. Those that could not be reached before, and are not to be tried again yet, come
/// last, so that a call fails only after all have been tried.
fn try_routes<'t, T>(
    object: &ObjectRef,
    routes: &'t Routes,
    fitting: impl Iterator<Item = (usize, &'t Route)>,
    selection: &Selection<'_>,
    mut connect: impl FnMut(&'t Route, Wanted<'_>) -> Result<T, NoConnection>,
) -> Result<(&'t Route, T), SystemException> {
    let Selection { wanted, expects_reply, .. } = *selection;
    let core = object.core();
    let mut failures = Vec::new();
    let mut ended = NotConnected::Unreachable;
    let mut one_way = false;
    let preferred = routes.preferred_number();
    let mut fitting = fitting.map(|(number, route)| (number, route, false)).peekable();
    let fails_back = preferred != 0 && fitting.peek().is_some_and(|(first, ..)| *first == 0);
    let mut later = Vec::new();
    loop {
        let next = fitting.next().or_else(|| next_of(&mut later));
        let Some((number, route, waits)) = next else { break };
        if expects_reply && !route.replies {
            one_way = true;
            continue;
        }
        let is_probe = fails_back && number < preferred && !waits;
        let wanted = Wanted { waits, ..wanted };
        match connect(route, if is_probe { probe(wanted) } else { wanted }) {
            Ok(connection) => {
                // A route without replies that was skipped remains the preferred one of one-way calls.
                if !one_way {
                    routes.prefer(number);
                }
                return Ok((route, connection));
            }
            Err(NoConnection::Closed) => return Err(core.shut_down()),
            Err(NoConnection::TooManyOfUpcalls) => return Err(too_many_of_upcalls()),
            Err(NoConnection::TooManyPending) => return Err(too_many_pending()),
            Err(NoConnection::Busy) if !is_probe => {
                return Err(all_in_use(&wanted).at(Phase::Connect, &route.cache.endpoint));
            }
            Err(NoConnection::Busy | NoConnection::NotYet) => {
                later.push((number, route, true));
            }
            Err(NoConnection::Unreachable(error)) => {
                let is_late = wanted.is_late_after(&error);
                failures.push(error);
                if is_late {
                    ended = NotConnected::Late;
                    break;
                }
                if wanted.time_to_connect().is_zero() {
                    ended = NotConnected::TooLong;
                    break;
                }
            }
        }
    }
    Err(if !failures.is_empty() {
        not_connected(failures, ended)
    } else if !routes.conflicts.is_empty() {
        ruled_out(object, routes)
    } else if one_way {
        no_replies()
    } else {
        no_usable_profile(object, routes)
    })
}

/// The next of the routes that are tried once more.
#[cold]
fn next_of<T>(later: &mut Vec<T>) -> Option<T> {
    (!later.is_empty()).then(|| later.remove(0))
}

/// The limits of an attempt to go back to an earlier address while a later one works: the call must not wait long for
/// it, neither to connect nor for a connection in use, and there must be time left to use the other one.
#[cold]
fn probe(wanted: Wanted<'_>) -> Wanted<'_> {
    let now = Instant::now();
    let half = |deadline: Instant| deadline.saturating_duration_since(now) / 2;
    let most = wanted.deadline.map_or(MAX_PROBE, |deadline| half(deadline).min(MAX_PROBE));
    Wanted {
        connect_timeout: wanted.connect_timeout.min(MAX_PROBE),
        deadline: Some(now + most),
        ..wanted
    }
}

/// Why no connection was opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NotConnected {
    /// No endpoint could be connected to.
    Unreachable,
    /// The deadline of the call has passed.
    Late,
    /// The time for all endpoints together is over.
    TooLong,
}

/// The exception if other calls used all connections.
#[cold]
fn all_in_use(wanted: &Wanted<'_>) -> SystemException {
    let no = CompletionStatus::No;
    if wanted.is_late() {
        return SystemException::timeout(minor::timeout::CONNECT, no);
    }
    let context = ErrorContext::new(Phase::Connect).with_hint(
        "MaxConnectionsPerEndpoint, MaxClientConnections, MaxWaitingCalls and MaxConnectionWait set the limits",
    );
    SystemException::transient(minor::transient::NO_FREE_CONNECTION, no).with_context(context)
}

/// The exception if upcalls have as many connections as they may.
#[cold]
fn too_many_of_upcalls() -> SystemException {
    let context = ErrorContext::new(Phase::Connect).with_hint(
        "upcalls may open connections with a quarter of the descriptors (ulimit -n); RoundTripTimeout ends their calls",
    );
    let code = minor::no_resources::DESCRIPTORS;
    SystemException::no_resources(code, CompletionStatus::No).with_context(context)
}

/// The exception if as many calls are pending as may.
#[cold]
pub(super) fn too_many_pending() -> SystemException {
    let context = ErrorContext::new(Phase::Send).with_hint(
        "MaxPendingCalls, MaxPendingCallsPerConnection and MaxPendingOctets set the limits",
    );
    SystemException::transient(minor::transient::TOO_MANY_PENDING, CompletionStatus::No)
        .with_context(context)
}

/// The exception if no endpoint could be connected to, or not in time.
#[cold]
fn not_connected(mut failures: Vec<ConnectError>, ended: NotConnected) -> SystemException {
    let no = CompletionStatus::No;
    let tried: Vec<_> = failures.iter().map(|error| error.endpoint().to_string()).collect();
    let context = ErrorContext::new(Phase::Connect).with_target(tried.join(", "));
    let is_refused = failures.last().is_some_and(|last| {
        last.kind() == io::ErrorKind::PermissionDenied && last.phase() == ConnectPhase::Setup
    });
    let out_of_descriptors = failures.last().is_some_and(is_out_of_descriptors);
    let is_timed_out = failures.last().is_some_and(ConnectError::is_timed_out);
    let exception = if ended == NotConnected::Late {
        SystemException::timeout(minor::timeout::CONNECT, no)
    } else if ended == NotConnected::TooLong || is_timed_out {
        SystemException::transient(minor::transient::CONNECT_TIMED_OUT, no)
    } else if out_of_descriptors {
        SystemException::no_resources(minor::no_resources::DESCRIPTORS, no)
    } else if is_refused {
        SystemException::no_permission(minor::no_permission::PEER_REFUSED, no)
    } else {
        SystemException::transient(minor::transient::CONNECT_FAILED, no)
    };
    let hint = match failures.last() {
        Some(last) if is_system_out_of_descriptors(last) => {
            "raise the limit of descriptors of the system (fs.file-max)"
        }
        Some(_) if out_of_descriptors => "raise the limit of descriptors (ulimit -n)",
        last => last.and_then(ConnectError::hint).unwrap_or_default(),
    };
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

/// The exception for a call with required service contexts and only protocols without them.
#[cold]
fn no_contexts() -> SystemException {
    let code = minor::inv_policy::CANNOT_RECONCILE;
    let context = ErrorContext::new(Phase::Connect)
        .with_source("the call carries service contexts, which no usable protocol can")
        .with_hint("add a GIOP endpoint to the server, or use lanes to convey the priority");
    SystemException::inv_policy(code, CompletionStatus::No).with_context(context)
}

/// The exception for a two-way call of an object with only one-way protocols.
#[cold]
fn no_replies() -> SystemException {
    let code = minor::no_implement::UNSUPPORTED_OPERATION;
    let context = ErrorContext::new(Phase::Connect)
        .with_source("the operation has a reply, and the reference has only one-way protocols")
        .with_hint("add an endpoint of another protocol to the server");
    SystemException::no_implement(code, CompletionStatus::No).with_context(context)
}

/// The exception if policies exclude all profiles of a reference.
#[cold]
fn ruled_out(object: &ObjectRef, routes: &Routes) -> SystemException {
    let names: Vec<_> = routes.conflicts.iter().map(ToString::to_string).collect();
    let context = ErrorContext::new(Phase::Connect)
        .with_target(format!("{:.256}", object.ior().type_id))
        .with_source(format!("{} rule out every profile of the reference", names.join(", ")))
        .with_hint("inconsistent_policies() of the reference lists the policies in conflict");
    SystemException::inv_policy(minor::inv_policy::CANNOT_RECONCILE, CompletionStatus::No)
        .with_context(context)
}

#[cold]
fn no_usable_profile(object: &ObjectRef, routes: &Routes) -> SystemException {
    if let Some(socket) = &routes.refused {
        let context = ErrorContext::new(Phase::Connect)
            .with_target(socket.to_string())
            .with_source("a reference in a message leads to a local socket that is not permitted")
            .with_hint("the option LocalSocketFolders permits all sockets in a folder");
        return SystemException::no_permission(minor::no_permission::REFUSED, CompletionStatus::No)
            .with_context(context);
    }
    let tags: Vec<_> =
        object.ior().profiles.iter().map(|profile| profile.tag.to_string()).collect();
    let context = ErrorContext::new(Phase::Connect);
    let context = match tags.is_empty() {
        true => context.with_source("the reference is empty: it has no profiles"),
        false => context
            .with_source(format!("the reference has only profiles of kind {}", tags.join(", ")))
            .with_hint("this ORB has no protocol for these profiles"),
    };
    SystemException::transient(minor::transient::NO_USABLE_PROFILE, CompletionStatus::No)
        .with_context(context)
}
