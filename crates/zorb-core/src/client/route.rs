//! The ways to an object: its profiles, resolved to endpoints once per reference.

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use zorb_giop::{
    CodeSetComponentInfo, Form, Ior, LanePriority, Policies, PolicyValue, TaggedProfile,
};
use zorb_types::SystemException;

use super::pool::EndpointPool;
use crate::orb::OrbCore;
use crate::policy::RequestContext;

/// The most ways to an object that are looked at: a reference may come from anybody, and each way
/// may have to be tried.
const MAX_ROUTES: usize = 64;

/// One way to an object.
#[derive(Debug)]
pub(crate) struct Route {
    pub(super) pool: Arc<EndpointPool>,
    /// What requests are written in.
    pub(super) form: Form,
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
    /// What these policies have requests say.
    pub(super) contexts: Vec<Arc<dyn RequestContext>>,
    /// Whether endpoints serve different priorities, so that policies choose among them.
    pub(super) by_priority: bool,
}

impl Routes {
    /// Resolves the profiles of `ior` that the ORB has a protocol for, up to 64 endpoints.
    pub(crate) fn resolve(core: &OrbCore, ior: &Ior) -> Self {
        let mut routes = Self::default();
        for profile in &ior.profiles {
            for further in routes.add(core, ior, profile, true) {
                // What is for a group goes to all of it, wherever who takes its two-way calls is.
                routes.add(core, ior, &further, false);
            }
        }
        if !routes.policies.is_empty() {
            let understood = core.understood().read().unwrap_or_else(PoisonError::into_inner);
            routes.contexts = understood.contexts(&routes.policies);
        }
        let mut priorities = routes.list.iter().map(|route| route.priority);
        routes.by_priority = priorities.any(|priority| priority.is_some());
        routes
    }

    /// Adds the ways of one profile; returns the further profiles that it has in itself.
    fn add(
        &mut self,
        core: &OrbCore,
        ior: &Ior,
        profile: &TaggedProfile,
        may_be_local: bool,
    ) -> Vec<TaggedProfile> {
        let (protocol, resolved) = match core.protocols().resolve(ior, profile) {
            Some(Ok(resolved)) => resolved,
            Some(Err(error)) => {
                tracing::debug!(%error, "a profile is skipped");
                return Vec::new();
            }
            None => return Vec::new(),
        };
        let further = protocol.also_reached_by(&resolved);
        let key: Arc<[u8]> = resolved.object_key.as_slice().into();
        let mut components = resolved.components.iter();
        let lane = components.find_map(|component| component.body().ok().flatten());
        let lane = lane.map(|LanePriority(priority)| priority);
        let code_sets = resolved
            .components
            .iter()
            .find_map(|component| component.body::<CodeSetComponentInfo>().ok().flatten());
        if self.policies.is_empty() {
            let mut exposed = resolved.components.iter();
            self.policies = exposed
                .find_map(|component| component.body::<Policies>().ok().flatten())
                .map_or_else(Vec::new, |exposed| exposed.0);
        }
        for endpoint in resolved.endpoints.iter().take(MAX_ROUTES - self.list.len()) {
            if may_be_local && core.serves(endpoint) {
                self.local = Some(Arc::clone(&key));
            }
            let pool = core.connections().pool(endpoint, &protocol, core.options());
            self.list.push(Route {
                pool,
                replies: protocol.carries_replies(),
                form: Form::new(protocol.messaging(), resolved.version),
                key: Arc::clone(&key),
                priority: lane.or_else(|| protocol.endpoint_priority(&resolved, endpoint)),
                code_sets: code_sets.clone(),
            });
        }
        further
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
