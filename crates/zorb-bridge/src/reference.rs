//! Object references of the bridge.

use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_giop::{
    CodeSetComponent, CodeSetComponentInfo, CodeSetId, ComponentTag, GiopVersion, Ior,
    TaggedComponent,
};
use zorb_transport::{Endpoint, ProfileError, Protocol, for_each_profile, join_profiles};

use crate::framing::Framing;
use crate::target::Target;

/// The template of the bridge's references.
#[derive(Debug)]
pub(crate) struct ReferenceTemplate {
    pub(crate) profiles: Vec<EndpointProfile>,
}

/// The profile data of one of the bridge's endpoints.
#[derive(Debug)]
pub(crate) struct EndpointProfile {
    pub(crate) protocol: Arc<dyn Protocol>,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) version: GiopVersion,
    components: Vec<TaggedComponent>,
}

impl ReferenceTemplate {
    /// The reference for the object with `key` in the target's server.
    pub(crate) fn reference(&self, type_id: &str, key: &[u8]) -> Result<Ior, ProfileError> {
        let mut profiles = Vec::with_capacity(self.profiles.len());
        for EndpointProfile { protocol, endpoints, version, components } in &self.profiles {
            for_each_profile(&**protocol, endpoints, |endpoints| {
                let profile = protocol.encode_profile(endpoints, *version, key, components)?;
                profiles.push((Arc::clone(protocol), profile));
                Ok::<_, ProfileError>(())
            })?;
        }
        Ok(Ior { type_id: type_id.to_owned(), profiles: join_profiles(profiles) })
    }
}

impl EndpointProfile {
    pub(crate) fn new(
        protocol: &Arc<dyn Protocol>,
        endpoints: Vec<Endpoint>,
        target: &Target,
    ) -> Result<Self, ProfileError> {
        let protocol = Arc::clone(protocol);
        let mut components = retained(&target.components);
        let mut version = target.version;
        if Framing(protocol.messaging()) != target.framing {
            version = GiopVersion::HIGHEST;
            if protocol.messaging().is_none() {
                components.retain(|component| component.tag != ComponentTag::CODE_SETS);
                components.push(TaggedComponent::with_body(&unicode_alone(), ByteOrder::NATIVE)?);
            }
        }
        Ok(Self { protocol, endpoints, version, components })
    }
}

/// The target's components that describe the object and its server. Components about endpoints and
/// protocols are not copied: the bridge has its own.
fn retained(components: &[TaggedComponent]) -> Vec<TaggedComponent> {
    const PRESERVED: [ComponentTag; 8] = [
        ComponentTag::ORB_TYPE,
        ComponentTag::CODE_SETS,
        ComponentTag::POLICIES,
        ComponentTag::JAVA_CODEBASE,
        ComponentTag::OTS_POLICY,
        ComponentTag::INV_POLICY,
        ComponentTag::ACTIVITY_POLICY,
        ComponentTag::RMI_CUSTOM_MAX_STREAM_FORMAT,
    ];
    components.iter().filter(|component| PRESERVED.contains(&component.tag)).cloned().collect()
}

/// For a server whose messaging protocol negotiates no code sets: clients must convert.
fn unicode_alone() -> CodeSetComponentInfo {
    let only = |native| CodeSetComponent { native, conversions: Vec::new() };
    CodeSetComponentInfo { for_char: only(CodeSetId::UTF_8), for_wchar: only(CodeSetId::UTF_16) }
}
