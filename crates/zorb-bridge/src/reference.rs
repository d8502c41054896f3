//! References that lead through the bridge.

use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_giop::{
    CodeSetComponent, CodeSetComponentInfo, CodeSetId, ComponentTag, GiopVersion, Ior,
    TaggedComponent,
};
use zorb_transport::{Endpoint, ProfileError, Protocol, join_profiles};

use crate::framing::Framing;
use crate::target::Target;

/// What a bridge's references are made of.
#[derive(Debug)]
pub(crate) struct Published {
    pub(crate) offers: Vec<Offer>,
}

/// What references say about one of the bridge's endpoints.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) protocol: Arc<dyn Protocol>,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) version: GiopVersion,
    components: Vec<TaggedComponent>,
}

impl Published {
    /// A reference to the object that the target's server knows by `key`.
    pub(crate) fn reference(&self, type_id: &str, key: &[u8]) -> Result<Ior, ProfileError> {
        let mut profiles = Vec::with_capacity(self.offers.len());
        for Offer { protocol, endpoints, version, components } in &self.offers {
            let profile = protocol.encode_profile(endpoints, *version, key, components)?;
            profiles.push((Arc::clone(protocol), profile));
        }
        Ok(Ior { type_id: type_id.to_owned(), profiles: join_profiles(profiles) })
    }
}

impl Offer {
    pub(crate) fn new(
        protocol: &Arc<dyn Protocol>,
        endpoints: Vec<Endpoint>,
        target: &Target,
    ) -> Result<Self, ProfileError> {
        let protocol = Arc::clone(protocol);
        let mut components = kept(&target.components);
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

/// Those of the target's components that are about the object and its server, and not about where it
/// is or how it is reached: that is the bridge's to say.
fn kept(components: &[TaggedComponent]) -> Vec<TaggedComponent> {
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

/// For a server whose messaging negotiates nothing: clients have to convert.
fn unicode_alone() -> CodeSetComponentInfo {
    let only = |native| CodeSetComponent { native, conversions: Vec::new() };
    CodeSetComponentInfo { for_char: only(CodeSetId::UTF_8), for_wchar: only(CodeSetId::UTF_16) }
}
