//! Creates references: the profiles of the endpoints at which an object is served.

use std::sync::Arc;

use zorb_base::error::{Error, Phase};
use zorb_base::object_id::ObjectId;
use zorb_base::options::ListenFrom;
use zorb_base::policy::{Policies, ServerProtocols, ThreadpoolPolicy, may_be_served_in_lane};
use zorb_base::protocol_choice::ephemeral;
use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, Ior, LanePriority, OrbType, TaggedComponent, TaggedProfile};
use zorb_invocation::object::ObjectRef;
use zorb_poa::ObjectAdapter;
use zorb_serving::Listener;
use zorb_transport::{for_each_profile, join_profiles};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::inner::OrbInner;

/// `INITIALIZE`, minor `ENDPOINT`: a reference cannot be created without an endpoint.
fn no_endpoint(error: Error) -> SystemException {
    let no = CompletionStatus::No;
    error.into_exception(SystemException::initialize(minor::initialize::ENDPOINT, no))
}

/// An object that the ORB makes a reference of.
pub(crate) struct Exported<'e> {
    pub(crate) adapter: &'e ObjectAdapter,
    pub(crate) id: &'e ObjectId,
    pub(crate) type_id: &'e str,
    /// Its policies, if it has some of its own.
    pub(crate) own: Option<ObjectPolicies<'e>>,
}

/// The policies of an object.
#[derive(Clone, Copy)]
pub(crate) struct ObjectPolicies<'p> {
    /// The component of its references with those that clients must know.
    pub(crate) exposed: Option<&'p TaggedComponent>,
    /// All, its own and those of its adapter.
    pub(crate) effective: &'p Policies,
}

impl OrbInner {
    /// Creates a reference to an object: a profile for each endpoint, with the policies that clients must know.
    /// The endpoints are those of the thread pool in the object's policies, otherwise the ORB's own. If the ORB has none,
    /// it opens an ephemeral one. Then the ORB listens, unless the option `ListenFrom` says otherwise.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 4) after a shutdown; `INITIALIZE` if no endpoint can be opened; `INV_POLICY` if the
    /// policies exclude all endpoints.
    pub(crate) fn export(
        self: &Arc<Self>,
        exported: &Exported<'_>,
    ) -> Result<ObjectRef, SystemException> {
        self.core.check_running()?;
        let (adapter, id) = (exported.adapter, exported.id.as_bytes());
        let profiles = match exported.own {
            Some(own) => self.profiles(&adapter.key(id), own)?,
            None => {
                let exposed = adapter.exposed();
                let inherited = ObjectPolicies { exposed, effective: &adapter.policies().others };
                // The endpoints of an adapter's thread pool stay the same as long as the adapter exists.
                let endpoints = self.server.endpoint_changes();
                adapter.reference_profiles(id, endpoints, |id| {
                    self.profiles(&adapter.key(id), inherited)
                })?
            }
        };
        self.listen_from_activation()?;
        let ior = Ior { type_id: exported.type_id.to_owned(), profiles };
        Ok(ObjectRef::new(&self.client, ior))
    }

    /// The profiles of the object with this key.
    fn profiles(
        self: &Arc<Self>,
        key: &[u8],
        policies: ObjectPolicies<'_>,
    ) -> Result<Vec<TaggedProfile>, SystemException> {
        let mut components = self.components().map_err(|error| {
            no_endpoint(Error::new(Phase::Adapter, "components").with_source(error))
        })?;
        components.extend(policies.exposed.cloned());
        let policies = policies.effective;
        let pool = policies.value().map(ThreadpoolPolicy::threadpool);
        let profiles = match pool {
            None => {
                self.ensure_listening()?;
                self.server.with_listeners(|listeners| {
                    profiles(&offered(listeners, policies), key, &components, None)
                })?
            }
            Some(id) => {
                let mut all = Vec::new();
                // A destroyed pool has no lanes, hence no profiles.
                let pool = self.server.pool(id);
                for lane in pool.iter().flat_map(|pool| pool.core().lanes()) {
                    let priority = lane.priority();
                    if priority.is_none_or(|priority| may_be_served_in_lane(policies, priority)) {
                        let offered = offered(&lane.listeners, policies);
                        all.extend(profiles(&offered, key, &components, priority)?);
                    }
                }
                all
            }
        };
        let profiles = match self.core.options().use_imr {
            true => self.in_repository(key, &components, profiles).map_err(no_endpoint)?,
            false => profiles,
        };
        match profiles.is_empty() {
            true => {
                let no = CompletionStatus::No;
                Err(SystemException::inv_policy(minor::inv_policy::CONFLICT, no))
            }
            false => Ok(profiles),
        }
    }

    /// Listens, unless the option `ListenFrom` says to wait until the program serves.
    pub(super) fn listen_from_activation(&self) -> Result<(), SystemException> {
        match self.core.options().listen_from {
            ListenFrom::Run => Ok(()),
            _ => self.server.listen().map_err(no_endpoint),
        }
    }

    /// Opens an ephemeral endpoint if the ORB has no endpoint.
    fn ensure_listening(&self) -> Result<(), SystemException> {
        let urls = || {
            let urls = ephemeral(self.core.options(), self.core.protocols());
            match urls.is_empty() {
                true => Err(Error::new(Phase::Listen, "the ORB has no protocol to listen with")),
                false => Ok(urls),
            }
        };
        self.server.open_somewhere(urls).map_err(no_endpoint)
    }

    /// The components of every reference of this ORB: its type and its code sets.
    fn components(&self) -> zorb_cdr::CdrResult<Vec<TaggedComponent>> {
        let order = ByteOrder::NATIVE;
        Ok(vec![
            TaggedComponent::with_body(&OrbType::ZORB, order)?,
            TaggedComponent::with_body(self.core.code_sets(), order)?,
        ])
    }
}

/// The listeners whose endpoints a reference contains, in the order of [`ServerProtocols`].
fn offered<'l>(listeners: &'l [Listener], policies: &Policies) -> Vec<&'l Listener> {
    let all = || listeners.iter().filter(|listener| listener.is_for_objects());
    let chosen = policies.value::<ServerProtocols>();
    let Some(chosen) = chosen.map(ServerProtocols::choices) else { return all().collect() };
    let mut offered: Vec<&Listener> = Vec::new();
    for choice in chosen {
        let matching = |listener: &&Listener| listener.protocol.profile_tag() == choice.profile;
        for listener in all().filter(matching) {
            if !offered.iter().any(|known| std::ptr::eq(*known, listener)) {
                offered.push(listener);
            }
        }
    }
    offered
}

/// The profiles of an object at these endpoints, which serve only requests of `priority` if it is set.
fn profiles(
    listeners: &[&Listener],
    key: &[u8],
    components: &[TaggedComponent],
    priority: Option<i16>,
) -> Result<Vec<TaggedProfile>, SystemException> {
    let mut profiles = Vec::new();
    for &listener in listeners {
        let failed = || Error::new(Phase::Adapter, "profile");
        let protocol = &listener.protocol;
        for_each_profile(&**protocol, listener.acceptor.published(), |endpoints| {
            let mut components = components.to_vec();
            if let Some(priority) = priority {
                let own = TaggedComponent::with_body(&LanePriority(priority), ByteOrder::NATIVE);
                components.push(own.map_err(|error| no_endpoint(failed().with_source(error)))?);
                components.extend(protocol.priority_component(endpoints, priority));
            }
            let profile = protocol
                .encode_profile(endpoints, GiopVersion::HIGHEST, key, &components)
                .map_err(|error| no_endpoint(failed().with_source(error)))?;
            profiles.push((Arc::clone(protocol), profile));
            Ok::<_, SystemException>(())
        })?;
    }
    Ok(join_profiles(profiles))
}
