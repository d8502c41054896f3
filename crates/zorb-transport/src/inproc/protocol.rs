//! The in-process transport as a protocol, so that references can contain its endpoints.

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, IiopProfile, ProfileTag, TaggedComponent, TaggedProfile};

use super::InprocTransport;
use super::stream::SCHEME;
use crate::{Endpoint, ProfileError, Protocol, ResolvedProfile, Transport};

/// GIOP within one process. Its profile has the format of IIOP's, with the endpoint's name as the
/// host and port 0. Only ORBs that share the [`InprocTransport`] can use it.
#[derive(Debug, Clone, Default)]
pub struct InprocProtocol {
    transport: InprocTransport,
}

impl InprocProtocol {
    /// The kind of its profiles: `ZRB` and 1, Zorb's own.
    pub const PROFILE_TAG: ProfileTag = ProfileTag(0x5a52_4201);

    /// GIOP over this transport.
    #[must_use]
    pub fn new(transport: InprocTransport) -> Self {
        Self { transport }
    }
}

impl Protocol for InprocProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn profile_tag(&self) -> ProfileTag {
        Self::PROFILE_TAG
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(Self::PROFILE_TAG, profile)?;
        let profile = IiopProfile::decode(&profile.data)?;
        let endpoint = Endpoint::new(SCHEME, &profile.host)?;
        let endpoint = self.transport.parse_endpoint(endpoint.as_str())?;
        Ok(ResolvedProfile {
            version: profile.version,
            endpoints: vec![endpoint],
            object_key: profile.object_key,
            components: profile.components,
        })
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        let endpoint = endpoints.first().ok_or(ProfileError::NoEndpoint)?;
        let endpoint = self.transport.parse_endpoint(endpoint.as_str())?;
        let profile = IiopProfile {
            version,
            host: endpoint.address().to_owned(),
            port: 0,
            object_key: object_key.to_vec(),
            components: components.to_vec(),
        };
        let data = profile.encode(ByteOrder::NATIVE)?.data;
        Ok(TaggedProfile { tag: Self::PROFILE_TAG, data })
    }
}
