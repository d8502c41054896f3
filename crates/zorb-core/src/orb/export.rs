//! Creates references: the profiles of the endpoints at which an object is served.

use std::sync::Arc;

use zorb_base::error::{Error, Phase};
use zorb_base::options::ListenFrom;
use zorb_base::policy::{Policies, ServerProtocols, ThreadpoolPolicy, may_be_served_in_lane};
use zorb_base::protocol_choice::ephemeral;
use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, Ior, LanePriority, OrbType, TaggedComponent, TaggedProfile};
use zorb_invocation::object::ObjectRef;
use zorb_serving::Listener;
use zorb_transport::{for_each_profile, join_profiles};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::inner::OrbInner;

/// `INITIALIZE`, minor `ENDPOINT`: a reference cannot be created without an endpoint.
fn no_endpoint(error: Error) -> SystemException {
    let no = CompletionStatus::No;
    error.into_exception(SystemException::initialize(minor::initialize::ENDPOINT, no))
}

impl OrbInner {
    /// Creates a reference to the object with `key`: a profile for each endpoint, with the policies in `exposed`.
    /// The endpoints are those of the thread pool in `policies`, otherwise the ORB's own. If the ORB has none, it
    /// opens an ephemeral one. Then the ORB listens, unless the option `ListenFrom` says otherwise.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 4) after a shutdown; `INITIALIZE` if no endpoint can be opened; `INV_POLICY` if the
    /// policies exclude all endpoints.
    pub(crate) fn export(
        self: &Arc<Self>,
        type_id: &str,
        key: &[u8],
        exposed: Option<&TaggedComponent>,
        policies: &Policies,
    ) -> Result<ObjectRef, SystemException> {
        self.core.check_running()?;
        let mut components = self.components().map_err(|error| {
            no_endpoint(Error::new(Phase::Adapter, "components").with_source(error))
        })?;
        components.extend(exposed.cloned());
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
        if profiles.is_empty() {
            let no = CompletionStatus::No;
            return Err(SystemException::inv_policy(minor::inv_policy::CONFLICT, no));
        }
        self.listen_from_activation()?;
        let ior = Ior { type_id: type_id.to_owned(), profiles };
        Ok(ObjectRef::new(&self.client, ior))
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
