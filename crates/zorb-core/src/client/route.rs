//! The routes to an object: the endpoints of its profiles, resolved once per reference.

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_giop::{
    CodeSetComponentInfo, ComponentBody, Form, Ior, LanePriority, Policies, PolicyValue,
    ProfileTag, TaggedProfile,
};
use zorb_transport::{Protocol, ResolvedProfile};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::connection_policies::ConnectionPolicies;
use super::connection_settings::ConnectionClass;
use super::place::Lease;
use super::pool::EndpointPool;
use crate::interceptor::{ClientRequestInfo, ClientRequestInterceptor};
use crate::orb::{OrbCore, for_calls};
use crate::policy::{PolicyType, PriorityModel, ServedPriority};

/// The most ways to an object that are looked at: a reference may come from anybody, and each way
/// may have to be tried.
const MAX_ROUTES: usize = 64;

/// One way to an object.
#[derive(Debug)]
pub(crate) struct Route {
    pub(super) pool: Arc<EndpointPool>,
    /// What requests are written in.
    pub(super) form: Form<'static>,
    /// Whether its requests have no service contexts.
    pub(super) mute: bool,
    /// Whether replies come back on it.
    pub(super) replies: bool,
    pub(super) key: Arc<[u8]>,
    /// The priority that the endpoint serves; `None` for all.
    pub(super) priority: Option<i16>,
    /// The band of priorities that its connections are for; `None` for all.
    pub(super) band: Option<RangeInclusive<i16>>,
    /// The server's code sets; `None` when the profile does not say.
    pub(super) code_sets: Option<CodeSetComponentInfo>,
}

impl Route {
    /// Whether requests by this route carry the service contexts that they require.
    pub(super) fn carries_contexts_of(&self, info: Option<&ClientRequestInfo<'_>>) -> bool {
        !self.mute || info.is_none_or(|info| info.may_omit_contexts(self.priority))
    }
}

/// All routes to an object, in the order of its profiles.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    list: Vec<Route>,
    /// The way that worked last.
    preferred: AtomicUsize,
    /// The key under which this very ORB serves the object.
    pub(crate) local: Option<Arc<[u8]>>,
    /// The policies that the first profile with any has clients know.
    pub(crate) policies: Vec<PolicyValue>,
    /// The policies that rule out all ways that there are.
    pub(super) conflicts: Vec<PolicyType>,
    /// The bands of priorities, each with connections of its own.
    bands: Vec<RangeInclusive<i16>>,
    /// The priority of all calls, if the server declares it.
    declared_priority: Option<i16>,
    /// The interceptors of requests.
    pub(super) interceptors: Vec<Arc<dyn ClientRequestInterceptor>>,
    /// Whether routes serve different priorities, or cannot carry all service contexts, so that the route
    /// depends on the call.
    pub(super) by_priority: bool,
}

/// A profile that the ORB has a protocol for.
struct Way {
    tag: ProfileTag,
    protocol: Arc<dyn Protocol>,
    resolved: ResolvedProfile,
    /// Whether the object may be one of this very ORB.
    may_be_local: bool,
}

impl Way {
    fn find(
        core: &OrbCore,
        ior: &Ior,
        profile: &TaggedProfile,
        may_be_local: bool,
    ) -> Option<Self> {
        match core.protocols().resolve(ior, profile)? {
            Ok((protocol, resolved)) => {
                Some(Self { tag: profile.tag, protocol, resolved, may_be_local })
            }
            Err(error) => {
                tracing::debug!(%error, "a profile is skipped");
                None
            }
        }
    }

    /// The first of its components that is a `C`.
    fn component<C: ComponentBody>(&self) -> Option<C> {
        self.resolved.components.iter().find_map(|component| component.body().ok().flatten())
    }
}

impl Routes {
    /// Resolves the profiles of `ior` that the ORB has a protocol for and that policies let it use, up
    /// to 64 endpoints.
    pub(crate) fn resolve(
        core: &OrbCore,
        ior: &Ior,
        own: Option<&Arc<ConnectionPolicies>>,
    ) -> Self {
        let mut routes = Self::default();
        let mut ways = Vec::new();
        for profile in &ior.profiles {
            let Some(way) = Way::find(core, ior, profile, true) else { continue };
            // What is for a group goes to all of it, wherever who takes its two-way calls is.
            let further = way.protocol.also_reached_by(&way.resolved);
            ways.push(way);
            ways.extend(further.iter().filter_map(|profile| Way::find(core, ior, profile, false)));
        }
        routes.policies = ways.iter().find_map(Way::component::<Policies>).unwrap_or_default().0;
        for way in ways.iter().filter(|way| way.may_be_local) {
            if way.resolved.endpoints.iter().any(|endpoint| core.serves(endpoint)) {
                routes.local = Some(way.resolved.object_key.as_slice().into());
            }
        }
        match routes.take_policies(core, own) {
            _ if !routes.conflicts.is_empty() => {}
            None => routes.add_by_option(core, ways, None),
            Some(policies) if !policies.choose_protocols() => {
                routes.add_by_option(core, ways, Some(&policies));
            }
            Some(policies) => {
                let tags: Vec<_> = ways.iter().map(|way| way.tag).collect();
                let order = policies.order(&tags);
                let chosen = order.iter().filter_map(|index| ways.get(*index));
                chosen.for_each(|way| routes.add(core, way, Some(&policies)));
                if order.is_empty() && !ways.is_empty() {
                    routes.conflicts.push(PolicyType::CLIENT_PROTOCOL);
                }
            }
        }
        let intercepted = !routes.interceptors.is_empty();
        let chosen = |route: &Route| route.priority.is_some() || (intercepted && route.mute);
        routes.by_priority = routes.list.iter().any(chosen) || !routes.bands.is_empty();
        routes
    }

    /// Adds the ways that no policy chooses among: those of the protocols that the ORB's option names.
    fn add_by_option(
        &mut self,
        core: &OrbCore,
        ways: Vec<Way>,
        policies: Option<&ConnectionPolicies>,
    ) {
        let there_are = !ways.is_empty();
        let ways = for_calls(ways, core.options(), |way| way.protocol.scheme());
        if there_are && ways.is_empty() {
            self.conflicts.push(PolicyType::CLIENT_PROTOCOL);
        }
        ways.iter().for_each(|way| self.add(core, way, policies));
    }

    /// Takes the interceptors of the reference, and the policies about its connections: the client's
    /// `own`, and those that the server has put into it.
    fn take_policies(
        &mut self,
        core: &OrbCore,
        own: Option<&Arc<ConnectionPolicies>>,
    ) -> Option<Arc<ConnectionPolicies>> {
        let extensions = core.extensions().load();
        let servers = extensions.readers.read(&self.policies);
        self.interceptors = extensions.interceptors.client.of(&servers);
        self.declared_priority = servers.value().and_then(PriorityModel::declared);
        let policies = match (own, ConnectionPolicies::new(&[&servers])) {
            (Some(own), Some(_)) => Some(own.with_servers(&servers, &mut self.conflicts)),
            (own, of_server) => own.cloned().or(of_server),
        };
        if let Some(policies) = &policies {
            self.bands = policies.bands().to_vec();
        }
        policies
    }

    /// Adds the endpoints of a profile.
    fn add(&mut self, core: &OrbCore, way: &Way, policies: Option<&ConnectionPolicies>) {
        let Way { tag, protocol, resolved, .. } = way;
        let key: Arc<[u8]> = resolved.object_key.as_slice().into();
        let lane = way.component().map(|LanePriority(priority)| priority);
        let code_sets: Option<CodeSetComponentInfo> = way.component();
        for endpoint in &resolved.endpoints {
            let priority = lane.or_else(|| protocol.endpoint_priority(resolved, endpoint));
            let classes = match policies {
                Some(policies) => policies.classes(*tag, priority, core.options()),
                None => vec![ConnectionClass::plain(core.options())],
            };
            for mut class in classes {
                let given = class.settings.stream.clone();
                let served = ServedPriority {
                    endpoint: priority,
                    exposed: &self.policies,
                    band: class.band.as_ref(),
                };
                let wanted = class.settings.network_priority;
                let stream = core.network_options(served, given.clone(), wanted);
                if (stream.dscp, stream.socket_priority) != (given.dscp, given.socket_priority) {
                    let network = [stream.dscp.map(u32::from), stream.socket_priority];
                    let network = network.map(|part| part.map_or(-1, i64::from));
                    class.key = [&class.key[..], &network].concat().into();
                    class.settings.stream = stream;
                }
                if self.list.len() >= MAX_ROUTES {
                    return;
                }
                self.list.push(Route {
                    pool: core.connections().pool(endpoint, &class, protocol, core.options()),
                    mute: protocol.messaging().is_some_and(|other| !other.carries_contexts()),
                    replies: protocol.carries_replies(),
                    form: Form::new(protocol.messaging(), resolved.version),
                    key: Arc::clone(&key),
                    priority,
                    band: class.band,
                    code_sets: code_sets.clone(),
                });
            }
        }
    }

    /// The priority band of a request; `None` without bands.
    pub(super) fn band(
        &self,
        info: Option<&ClientRequestInfo<'_>>,
    ) -> Result<Option<&RangeInclusive<i16>>, SystemException> {
        if self.bands.is_empty() {
            return Ok(None);
        }
        let priority = info.and_then(ClientRequestInfo::priority).or(self.declared_priority);
        let band = self.bands.iter().find(|band| priority.is_some_and(|it| band.contains(&it)));
        band.map(Some).ok_or_else(no_band)
    }

    /// Whether connections are for bands of priorities.
    pub(crate) fn has_bands(&self) -> bool {
        !self.bands.is_empty()
    }

    /// The types of the policies that prevent calls by the calling thread.
    pub(crate) fn inconsistent(
        &self,
        info: Option<&ClientRequestInfo<'_>>,
    ) -> Result<Vec<PolicyType>, SystemException> {
        let mut found = self.conflicts.clone();
        if !found.is_empty() {
            return Ok(found);
        }
        match self.band(info) {
            Ok(Some(band)) if !self.list.iter().any(|route| route.band.as_ref() == Some(band)) => {
                found.push(PolicyType::PRIORITY_BANDED_CONNECTION);
            }
            Ok(_) => {}
            Err(exception) if exception.kind == SystemExceptionKind::InvPolicy => {
                found.push(PolicyType::PRIORITY_BANDED_CONNECTION);
            }
            Err(exception) => return Err(exception),
        }
        if !self.list.is_empty() && !self.list.iter().any(|route| route.carries_contexts_of(info)) {
            found.push(PolicyType::PRIORITY_MODEL);
        }
        Ok(found)
    }

    /// The way that worked last, with a connection of the calling thread that may be used as it is; not
    /// where policies choose among the ways.
    #[inline]
    pub(super) fn at_once(&self, expects_reply: bool) -> Option<(&Route, Lease<'_>)> {
        if self.by_priority {
            return None;
        }
        let route = self.list.get(self.preferred.load(Ordering::Relaxed))?;
        if expects_reply && !route.replies {
            return None;
        }
        Some((route, route.pool.exclusive()?))
    }

    /// The ways, beginning with the one that worked last, each with its number.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (usize, &Route)> {
        let first = self.preferred.load(Ordering::Relaxed);
        let count = self.list.len();
        (0..count).filter_map(move |step| {
            // Both are below it.
            let number = first + step;
            let number = if number < count { number } else { number - count };
            self.list.get(number).map(|route| (number, route))
        })
    }

    /// Remembers the way that has worked; not where threads of different priorities have different
    /// ones.
    pub(super) fn prefer(&self, number: usize) {
        if self.preferred.load(Ordering::Relaxed) != number && !self.by_priority {
            self.preferred.store(number, Ordering::Relaxed);
        }
    }
}

/// The exception for a call whose priority is in none of the bands.
#[cold]
fn no_band() -> SystemException {
    SystemException::inv_policy(minor::inv_policy::NO_BAND, CompletionStatus::No)
}
