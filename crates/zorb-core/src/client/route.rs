//! The ways to an object: its profiles, resolved to endpoints once per reference.

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use zorb_giop::{
    CodeSetComponentInfo, ComponentBody, Form, Ior, LanePriority, Policies, PolicyValue,
    ProfileTag, TaggedProfile,
};
use zorb_transport::{Protocol, ResolvedProfile};
use zorb_types::SystemException;

use super::pool::{EndpointPool, PoolKey};
use crate::orb::OrbCore;
use crate::policy::{ClientProtocols, MAX_CONTEXTS, RequestContext, Shape, exposed_by};

/// The most ways to an object that are looked at: a reference may come from anybody, and each way
/// may have to be tried.
const MAX_ROUTES: usize = 64;

/// One way to an object.
#[derive(Debug)]
pub(crate) struct Route {
    pub(super) pool: Arc<EndpointPool>,
    /// What requests are written in.
    pub(super) form: Form<'static>,
    /// Whether replies come back on it.
    pub(super) replies: bool,
    pub(super) key: Arc<[u8]>,
    /// The priority that the endpoint serves; `None` for all.
    pub(super) priority: Option<i16>,
    /// The server's code sets; `None` when the profile does not say.
    pub(super) code_sets: Option<CodeSetComponentInfo>,
}

/// All ways to an object, in the order of its profiles.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    list: Vec<Route>,
    /// The way that worked last.
    preferred: AtomicUsize,
    /// The key under which this very ORB serves the object.
    pub(crate) local: Option<Arc<[u8]>>,
    /// The policies that the first profile with any has clients know.
    pub(crate) policies: Vec<PolicyValue>,
    /// Whether there are ways, and policies rule all of them out.
    pub(super) ruled_out: bool,
    /// What these policies have requests say.
    pub(super) contexts: Vec<Arc<dyn RequestContext>>,
    /// Whether endpoints serve different priorities, so that policies choose among them.
    pub(super) by_priority: bool,
}

/// The client's policy and the server's cannot both be kept.
struct Contradiction;

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
    pub(crate) fn resolve(core: &OrbCore, ior: &Ior, shape: &Shape) -> Self {
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
        match routes.protocols(core, shape) {
            Ok(None) => ways.iter().for_each(|way| routes.add(core, way, None, shape)),
            Ok(Some(chosen)) => {
                for place in 0..=chosen.choices().len() {
                    let here = ways.iter().filter(|way| chosen.place(way.tag) == Some(place));
                    here.for_each(|way| routes.add(core, way, Some(&chosen), shape));
                }
                routes.ruled_out = routes.list.is_empty() && !ways.is_empty();
            }
            Err(Contradiction) => routes.ruled_out = true,
        }
        routes.contexts.clone_from(&core.overrides().load().accompanying);
        if !routes.policies.is_empty() {
            let understood = core.understood().read().unwrap_or_else(PoisonError::into_inner);
            routes.contexts.extend(understood.contexts(&routes.policies));
        }
        routes.contexts.truncate(MAX_CONTEXTS);
        let mut priorities = routes.list.iter().map(|route| route.priority);
        routes.by_priority = priorities.any(|priority| priority.is_some());
        routes
    }

    /// Adds the endpoints of a profile.
    fn add(&mut self, core: &OrbCore, way: &Way, chosen: Option<&ClientProtocols>, shape: &Shape) {
        let Way { tag, protocol, resolved, .. } = way;
        let options = core.options().stream_options();
        let stream = match chosen {
            Some(chosen) => chosen.stream_options(*tag, options),
            None => options,
        };
        let key: Arc<[u8]> = resolved.object_key.as_slice().into();
        let lane = way.component().map(|LanePriority(priority)| priority);
        let code_sets: Option<CodeSetComponentInfo> = way.component();
        for endpoint in resolved.endpoints.iter().take(MAX_ROUTES - self.list.len()) {
            let priority = lane.or_else(|| protocol.endpoint_priority(resolved, endpoint));
            let overrides = core.overrides().load();
            let pool = PoolKey {
                endpoint: endpoint.clone(),
                stream: overrides.in_network(priority, &self.policies, stream.clone()),
                private: shape.private,
            };
            let pool = core.connections().pool(pool, protocol, core.options());
            self.list.push(Route {
                pool,
                replies: protocol.carries_replies(),
                form: Form::new(protocol.messaging(), resolved.version),
                key: Arc::clone(&key),
                priority,
                code_sets: code_sets.clone(),
            });
        }
    }

    /// Which priorities one of must be served by the way of the calling thread's next call; `None`
    /// where any way will do.
    pub(super) fn lanes(&self) -> Result<Option<RangeInclusive<i16>>, SystemException> {
        for policy in &self.contexts {
            if let Some(lanes) = policy.lanes()? {
                return Ok(Some(lanes));
            }
        }
        Ok(None)
    }

    /// The protocols that the client's policies and the server's come to.
    fn protocols(
        &self,
        core: &OrbCore,
        shape: &Shape,
    ) -> Result<Option<ClientProtocols>, Contradiction> {
        let own = shape.protocols.clone();
        let own = own.or_else(|| core.overrides().load().policies.value().cloned());
        // One that cannot be read may name protocols of a later age: it is passed over.
        let servers = exposed_by::<ClientProtocols>(&self.policies).unwrap_or_default();
        match (own, servers) {
            (Some(own), Some(servers)) if own.choices() != servers.choices() => Err(Contradiction),
            (own, servers) => Ok(own.or(servers)),
        }
    }

    /// The ways, beginning with the one that worked last, each with its number.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (usize, &Route)> {
        let first = self.preferred.load(Ordering::Relaxed);
        let count = self.list.len();
        (0..count).filter_map(move |step| {
            let number = (first + step) % count;
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
