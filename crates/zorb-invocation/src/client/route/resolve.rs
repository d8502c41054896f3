//! Resolving the profiles of a reference to routes.

use std::sync::Arc;

use zorb_base::local_endpoints::MAX_ROUTES;
use zorb_base::policy::{PolicyType, PriorityModel, ServedPriority};
use zorb_base::protocol_choice::for_calls;
use zorb_cdr::fallible;
use zorb_giop::{
    CodeSetComponentInfo, ComponentBody, GiopVersion, Ior, LanePriority, MAX_PROFILES,
    MessageFormat, Policies, ProfileTag, TaggedProfile,
};
use zorb_transport::{ProfileError, Protocol, ResolvedProfile, bodies_of, log_limited};
use zorb_types::SystemException;

use super::{Route, Routes, out_of_memory};
use crate::client::addressing::Addressing;
use crate::client::connection::Receiving;
use crate::client::connection_policies::ConnectionPolicies;
use crate::client::connection_settings::ConnectionClass;
use crate::client::core::ClientCore;
use crate::client::failback::Failback;

impl Routes {
    /// Resolves the profiles of `ior` whose protocols the ORB has and policies permit, up to 64 endpoints.
    ///
    /// # Errors
    /// `NO_MEMORY`: there is no memory for a profile, which says nothing about the object.
    pub(crate) fn resolve(
        core: &ClientCore,
        ior: &Ior,
        own: Option<&Arc<ConnectionPolicies>>,
    ) -> Result<Self, SystemException> {
        Self::resolve_profiles(core, ior, own).map_err(out_of_memory)
    }

    fn resolve_profiles(
        core: &ClientCore,
        ior: &Ior,
        own: Option<&Arc<ConnectionPolicies>>,
    ) -> Result<Self, ProfileError> {
        let failback = Failback::after(core.options().failback_time);
        let mut routes = Self { failback, ..Self::default() };
        let profiles = usable_profiles(core, ior)?;
        for profile in &profiles {
            if let Some(Policies(policies)) = profile.component()? {
                routes.policies = policies;
                break;
            }
        }
        for profile in profiles.iter().filter(|profile| profile.index.is_some()) {
            if profile
                .resolved
                .endpoints
                .iter()
                .any(|endpoint| core.local_endpoints().contain(endpoint))
            {
                routes.local = Some(Arc::clone(&profile.key));
            }
        }
        match routes.take_policies(core, own)? {
            _ if !routes.conflicts.is_empty() => {}
            None => routes.add_by_option(core, &profiles, None)?,
            Some(policies) if !policies.choose_protocols() => {
                routes.add_by_option(core, &profiles, Some(&policies))?;
            }
            Some(policies) => {
                let tags: Vec<_> = profiles.iter().map(|profile| profile.tag).collect();
                let order = policies.order(&tags);
                routes.add_all(core, &profiles, &order, Some(&policies))?;
                if order.is_empty() && !profiles.is_empty() {
                    routes.conflicts.push(PolicyType::CLIENT_PROTOCOL);
                }
            }
        }
        let intercepted = !routes.interceptors.is_empty();
        let chosen =
            |route: &Route| route.priority.is_some() || (intercepted && route.omits_contexts);
        routes.by_priority = routes.list.iter().any(chosen) || !routes.bands.is_empty();
        Ok(routes)
    }

    /// Adds the profiles of the protocols that the ORB's option names, where policies choose none.
    fn add_by_option(
        &mut self,
        core: &ClientCore,
        profiles: &[UsableProfile],
        policies: Option<&ConnectionPolicies>,
    ) -> Result<(), ProfileError> {
        let order = for_calls(profiles, core.options(), |profile| profile.protocol.scheme());
        if order.is_empty() && !profiles.is_empty() {
            self.conflicts.push(PolicyType::CLIENT_PROTOCOL);
        }
        self.add_all(core, profiles, &order, policies)
    }

    /// Adds the profiles with these indexes.
    fn add_all(
        &mut self,
        core: &ClientCore,
        profiles: &[UsableProfile],
        order: &[usize],
        policies: Option<&ConnectionPolicies>,
    ) -> Result<(), ProfileError> {
        let mut chosen = order.iter().filter_map(|index| profiles.get(*index));
        chosen.try_for_each(|profile| self.add(core, profile, policies))
    }

    /// Takes the interceptors of the reference, and the policies about its connections: the client's
    /// `own`, and those that the server has put into it.
    fn take_policies(
        &mut self,
        core: &ClientCore,
        own: Option<&Arc<ConnectionPolicies>>,
    ) -> Result<Option<Arc<ConnectionPolicies>>, ProfileError> {
        let extensions = core.extensions();
        let servers = extensions.readers.read(&self.policies)?;
        self.interceptors = extensions.interceptors.client.of(&servers);
        self.compression = extensions
            .compression
            .as_ref()
            .and_then(|compression| compression.for_calls(own?.compression(), &servers));
        self.declared_priority = servers.value().and_then(PriorityModel::declared_priority);
        let policies = match (own, ConnectionPolicies::new(&[&servers])) {
            (Some(own), Some(_)) => Some(own.with_servers(&servers, &mut self.conflicts)),
            (own, of_server) => own.cloned().or(of_server),
        };
        if let Some(policies) = &policies {
            self.bands = policies.bands().to_vec();
        }
        Ok(policies)
    }

    /// Adds the endpoints of a profile.
    fn add(
        &mut self,
        core: &ClientCore,
        profile: &UsableProfile,
        policies: Option<&ConnectionPolicies>,
    ) -> Result<(), ProfileError> {
        let UsableProfile { protocol, resolved, .. } = profile;
        let lane = profile.component()?.map(|LanePriority(priority)| priority);
        let receiving = Receiving::new(core.options(), core.peer_shares());
        let code_sets: Option<CodeSetComponentInfo> = profile.component()?;
        for endpoint in &resolved.endpoints {
            let folders = &core.options().local_socket_folders;
            if !core.local_sockets().permits(protocol.transport(), endpoint, folders) {
                log_limited!(warn, %endpoint, "a reference leads to a local socket that is not permitted");
                self.refused = Some(endpoint.clone());
                continue;
            }
            let priority = match lane {
                Some(priority) => Some(priority),
                None => protocol.endpoint_priority(resolved, endpoint)?,
            };
            let classes = match policies {
                Some(policies) => policies.classes(profile.tag, priority, core.options()),
                None => vec![ConnectionClass::plain(core.options())],
            };
            for mut class in classes {
                if self.list.len() >= MAX_ROUTES {
                    return Ok(());
                }
                self.complete(core, &mut class, profile, priority);
                let speaks_giop_1_2 = resolved.version >= GiopVersion::V1_2;
                self.list.push(Route {
                    cache: core.connections().cache(endpoint, &class, protocol, &receiving),
                    omits_contexts: protocol
                        .messaging()
                        .is_some_and(|other| !other.carries_contexts()),
                    replies: protocol.carries_replies(),
                    form: MessageFormat::new(protocol.messaging(), resolved.version),
                    key: Arc::clone(&profile.key),
                    profile: profile.index,
                    addressing: Addressing::default(),
                    priority,
                    offered: class
                        .settings
                        .bidirection
                        .filter(|_| class.settings.offers && speaks_giop_1_2),
                    band: class.band,
                    code_sets: code_sets.clone(),
                });
            }
        }
        Ok(())
    }

    /// Adds to a class of connections what the protocol, the policies in the reference and the ORB's network
    /// priorities say.
    fn complete(
        &self,
        core: &ClientCore,
        class: &mut ConnectionClass,
        profile: &UsableProfile,
        priority: Option<i16>,
    ) {
        let protocol = &profile.protocol;
        if protocol.may_be_bidirectional() {
            class.settings.bidirection = Some(Arc::clone(core.bidirection()));
        } else {
            class.settings.offers = false;
        }
        if let Some(compression) = &self.compression
            && protocol.messaging().is_none()
            && protocol.carries_replies()
            && profile.resolved.version >= GiopVersion::V1_2
        {
            class.key = [&class.key[..], &compression.key].concat().into();
            class.settings.compression = Some(compression.clone());
        }
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
    }
}

/// A profile that the ORB has a protocol for.
struct UsableProfile {
    tag: ProfileTag,
    /// Its index in the reference, unless it is contained in another one.
    index: Option<u32>,
    protocol: Arc<dyn Protocol>,
    resolved: ResolvedProfile,
    /// The object key, for all routes.
    key: Arc<Vec<u8>>,
}

impl UsableProfile {
    /// Decodes a profile; `None` if it is not usable.
    fn find(
        core: &ClientCore,
        ior: &Ior,
        profile: &TaggedProfile,
        index: Option<u32>,
    ) -> Result<Option<Self>, ProfileError> {
        let (protocol, resolved) = match core.protocols().resolve(ior, profile) {
            None => return Ok(None),
            Some(Err(error)) if !error.is_out_of_memory() => {
                tracing::debug!(%error, "a profile is ignored");
                return Ok(None);
            }
            Some(resolved) => resolved?,
        };
        let key = Arc::new(fallible::copy(&resolved.object_key)?);
        Ok(Some(Self { tag: profile.tag, index, protocol, resolved, key }))
    }

    /// Its first component of type `C`.
    fn component<C: ComponentBody>(&self) -> Result<Option<C>, ProfileError> {
        bodies_of(&self.resolved.components).next().transpose()
    }
}

/// The profiles of a reference that are usable, and those that they contain.
fn usable_profiles(core: &ClientCore, ior: &Ior) -> Result<Vec<UsableProfile>, ProfileError> {
    let mut profiles = Vec::new();
    for (index, profile) in (0..).zip(&ior.profiles) {
        let Some(profile) = UsableProfile::find(core, ior, profile, Some(index))? else { continue };
        // One-way calls of a group go to all members; the object of its two-way calls may be elsewhere.
        let further = profile.protocol.contained_profiles(&profile.resolved)?;
        fallible::push(&mut profiles, profile)?;
        for profile in &further {
            if let Some(profile) = UsableProfile::find(core, ior, profile, None)? {
                fallible::push(&mut profiles, profile)?;
            }
        }
        if profiles.len() >= MAX_PROFILES {
            break;
        }
    }
    profiles.truncate(MAX_PROFILES);
    Ok(profiles)
}
