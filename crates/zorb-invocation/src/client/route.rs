//! The routes to an object: the endpoints of its profiles, resolved once per reference.

mod resolve;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use zorb_base::compression::CompressedConnections;
use zorb_base::interceptor::{ClientRequestInfo, ClientRequestInterceptor};
use zorb_base::orb_core::OrbCore;
use zorb_base::policy::PolicyType;
use zorb_giop::{
    AddressingDisposition, CodeSetComponentInfo, GiopVersion, Ior, MessageFormat, NewRequest,
    PolicyValue, RequestKind, TargetAddress,
};
use zorb_transport::{Bidirection, Endpoint, ProfileError};
use zorb_types::{
    CompletionStatus, ErrorContext, Phase, SystemException, SystemExceptionKind, minor,
};

use super::addressing::Addressing;
use super::endpoint_cache::EndpointCache;
use super::failback::Failback;

/// A route to an object: an endpoint, and how requests are sent to it.
#[derive(Debug)]
pub(crate) struct Route {
    pub(super) cache: Arc<EndpointCache>,
    /// The format of requests.
    pub(super) form: MessageFormat<'static>,
    /// Whether its protocol has no service contexts.
    pub(super) omits_contexts: bool,
    /// Whether its protocol has replies.
    pub(super) replies: bool,
    pub(super) key: Arc<Vec<u8>>,
    /// The index of its profile in the reference; `None` if it is not of the reference itself.
    profile: Option<u32>,
    /// How requests refer to the object.
    pub(super) addressing: Addressing,
    /// The priority that the endpoint serves; `None` for all.
    pub(super) priority: Option<i16>,
    /// The priority band of its connections; `None` for all priorities.
    pub(super) band: Option<RangeInclusive<i16>>,
    /// What its connections offer; `None` if they carry requests in one direction.
    pub(super) offered: Option<Arc<Bidirection>>,
    /// The server's code sets, if the profile contains them.
    pub(super) code_sets: Option<CodeSetComponentInfo>,
}

impl Route {
    /// A request for the object. `deadline` is in the time of the connection's state machine.
    #[inline]
    pub(super) fn request<'a>(
        &'a self,
        core: &'a OrbCore,
        kind: RequestKind,
        operation: &'a str,
        deadline: Option<Duration>,
    ) -> NewRequest<'a> {
        NewRequest {
            kind,
            form: self.form,
            key: &self.key,
            operation,
            code_sets: self.code_sets.as_ref().map(|server| [core.code_sets(), server]),
            announced: self.announced(),
            deadline,
        }
    }

    /// The number of what its connections announce. It grows with the addresses at which the ORB listens.
    #[inline]
    fn announced(&self) -> u32 {
        let band = u32::from(self.band.is_some() && !self.omits_contexts);
        match &self.offered {
            None => band,
            Some(offered) => offered.generation().saturating_add(band),
        }
    }

    /// The target of requests.
    pub(super) fn target(&self) -> TargetAddress<'_> {
        self.addressing.target(&self.key)
    }

    /// Whether requests by this route carry the service contexts that they require.
    pub(super) fn carries_contexts_of(&self, info: Option<&ClientRequestInfo<'_>>) -> bool {
        !self.omits_contexts || info.is_none_or(|info| info.may_omit_contexts(self.priority))
    }
}

/// All routes to an object, in the order of its profiles.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    list: Vec<Route>,
    /// The index of the last successful route.
    preferred: AtomicUsize,
    failback: Failback,
    /// The object key, if the object is in this ORB.
    pub(crate) local: Option<Arc<Vec<u8>>>,
    /// The policies in the first profile that has any.
    pub(crate) policies: Vec<PolicyValue>,
    /// The policies that exclude all routes.
    pub(super) conflicts: Vec<PolicyType>,
    /// A local socket that the ORB does not permit, if there is one.
    pub(super) refused: Option<Endpoint>,
    /// The priority bands, each with connections of its own.
    bands: Vec<RangeInclusive<i16>>,
    /// How connections compress, where the protocol is GIOP.
    compression: Option<CompressedConnections>,
    /// The priority of all calls, if the server declares it.
    declared_priority: Option<i16>,
    /// The interceptors of requests.
    pub(super) interceptors: Vec<Arc<dyn ClientRequestInterceptor>>,
    /// Whether routes serve different priorities, or cannot carry all service contexts, so that the route
    /// depends on the call.
    pub(super) by_priority: bool,
}

impl Routes {
    /// Whether interceptors need requests for calls of a servant in the same ORB.
    pub(crate) fn intercepts_collocated_calls(&self) -> bool {
        self.interceptors.iter().any(|interceptor| interceptor.intercepts_collocated_calls())
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

    /// Whether there are priority bands.
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

    /// Makes requests refer to the object as its server has asked for; `ior` is the reference of these routes.
    /// Returns whether that changes anything. GIOP before 1.2 and other protocols know only the object key.
    ///
    /// # Errors
    /// `NO_MEMORY`: there is no memory for the address.
    #[cold]
    pub(super) fn readdress(
        &self,
        ior: &Ior,
        wanted: AddressingDisposition,
    ) -> Result<bool, SystemException> {
        let mut is_changed = false;
        for route in &self.list {
            if let (MessageFormat::Giop(GiopVersion::V1_2), Some(profile)) =
                (route.form, route.profile)
            {
                let changed = route.addressing.change(ior, profile, wanted);
                is_changed |= changed.map_err(|error| out_of_memory(error.into()))?;
            }
        }
        Ok(is_changed)
    }

    /// The last successful route; `None` if it is time to try earlier ones.
    #[inline]
    pub(super) fn preferred(&self) -> Option<&Route> {
        self.numbered_preferred().map(|(_, route)| route)
    }

    /// The same with its number.
    #[inline]
    pub(super) fn numbered_preferred(&self) -> Option<(usize, &Route)> {
        let number = self.preferred.load(Ordering::Relaxed);
        if number != 0 && self.failback.is_due() {
            return None;
        }
        Some((number, self.list.get(number)?))
    }

    /// The index of the last successful route.
    #[inline]
    pub(super) fn preferred_number(&self) -> usize {
        self.preferred.load(Ordering::Relaxed)
    }

    /// The number of one of these routes.
    pub(super) fn number_of(&self, route: &Route) -> Option<usize> {
        self.list.iter().position(|known| std::ptr::eq(known, route))
    }

    /// The route with this number.
    pub(super) fn by_number(&self, number: usize) -> Option<&Route> {
        self.list.get(number)
    }

    /// The routes with their indexes, beginning with the last successful one.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (usize, &Route)> {
        self.beginning_with(self.preferred_number())
    }

    /// The same for a call that connects: beginning with the first if it is time to try that again, and no other call
    /// does.
    pub(super) fn to_try(&self) -> impl Iterator<Item = (usize, &Route)> {
        let preferred = self.preferred_number();
        let fails_back = preferred != 0 && self.failback.begin();
        self.beginning_with(if fails_back { 0 } else { preferred })
    }

    fn beginning_with(&self, first: usize) -> impl Iterator<Item = (usize, &Route)> {
        let count = self.list.len();
        (0..count).filter_map(move |step| {
            // Both terms are less than `count`.
            let number = first + step;
            let number = if number < count { number } else { number - count };
            self.list.get(number).map(|route| (number, route))
        })
    }

    /// Stores the index of a successful route, unless the route depends on the call.
    pub(super) fn prefer(&self, number: usize) {
        if self.preferred.load(Ordering::Relaxed) != number && !self.by_priority {
            self.failback.start();
            self.preferred.store(number, Ordering::Relaxed);
        }
    }
}

/// The exception for a reference whose profiles need more memory than there is. Its object has not been asked.
#[cold]
fn out_of_memory(error: ProfileError) -> SystemException {
    SystemException::no_memory(minor::no_memory::OUT_OF_MEMORY, CompletionStatus::No)
        .with_context(ErrorContext::new(Phase::Resolve).with_source(error))
}

/// The exception for a call whose priority is in no band.
#[cold]
fn no_band() -> SystemException {
    SystemException::inv_policy(minor::inv_policy::NO_BAND, CompletionStatus::No)
}
