//! IIOP for servers that are to be called in an older version of GIOP.

use zorb::giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb::transport::{Endpoint, ProfileError, Protocol, ResolvedProfile, Transport};
use zorb_tcp::IiopProtocol;

/// IIOP whose references name a highest version of GIOP: clients call with that one, or an older one.
#[derive(Debug)]
pub struct HighestIiop {
    iiop: IiopProtocol,
    highest: GiopVersion,
}

impl HighestIiop {
    /// IIOP that has references say at most `highest`.
    #[must_use]
    pub fn new(highest: GiopVersion) -> Self {
        Self { iiop: IiopProtocol::new(), highest }
    }
}

impl Protocol for HighestIiop {
    fn transport(&self) -> &dyn Transport {
        self.iiop.transport()
    }

    fn profile_tag(&self) -> ProfileTag {
        self.iiop.profile_tag()
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.iiop.decode_profile(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        self.iiop.encode_profile(endpoints, version.min(self.highest), object_key, components)
    }
}
