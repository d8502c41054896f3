//! References that lead through the bridge.

use std::sync::Arc;

use zorb_giop::{ComponentTag, GiopVersion, Ior, TaggedComponent};
use zorb_transport::{Endpoint, ProfileError, Protocol, join_profiles};

/// What a bridge's references are made of.
#[derive(Debug)]
pub(crate) struct Published {
    pub(crate) listeners: Vec<(Arc<dyn Protocol>, Vec<Endpoint>)>,
    pub(crate) version: GiopVersion,
    pub(crate) components: Vec<TaggedComponent>,
}

impl Published {
    /// A reference to the object that the target's server knows by `key`.
    pub(crate) fn reference(&self, type_id: &str, key: &[u8]) -> Result<Ior, ProfileError> {
        let mut profiles = Vec::with_capacity(self.listeners.len());
        for (protocol, endpoints) in &self.listeners {
            let profile =
                protocol.encode_profile(endpoints, self.version, key, &self.components)?;
            profiles.push((Arc::clone(protocol), profile));
        }
        Ok(Ior { type_id: type_id.to_owned(), profiles: join_profiles(profiles) })
    }
}

/// Those of the target's components that are about the object and its server, and not about where it
/// is or how it is reached: that is the bridge's to say.
pub(crate) fn kept(components: &[TaggedComponent]) -> Vec<TaggedComponent> {
    const KEPT: [ComponentTag; 8] = [
        ComponentTag::ORB_TYPE,
        ComponentTag::CODE_SETS,
        ComponentTag::POLICIES,
        ComponentTag::JAVA_CODEBASE,
        ComponentTag::OTS_POLICY,
        ComponentTag::INV_POLICY,
        ComponentTag::ACTIVITY_POLICY,
        ComponentTag::RMI_CUSTOM_MAX_STREAM_FORMAT,
    ];
    components.iter().filter(|component| KEPT.contains(&component.tag)).cloned().collect()
}
