//! GIOP over reliable UDP, as references know it.

use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_tcp::LikeIiop;
use zorb_transport::{Endpoint, ProfileError, Protocol, ResolvedProfile, Transport};

use crate::{RUDP_SCHEME, RudpTransport};

/// GIOP over a reliable stream over UDP: profiles of a kind of Zorb's own that are laid out like IIOP's,
/// URLs and `corbaloc` addresses with `rudp`.
#[derive(Clone, Debug, Default)]
pub struct RudpProtocol {
    transport: RudpTransport,
}

impl RudpProtocol {
    /// The protocol with its usual scheme and port.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The protocol over a transport with other settings.
    #[must_use]
    pub fn over(transport: RudpTransport) -> Self {
        Self { transport }
    }
}

const PROFILES: LikeIiop = LikeIiop { tag: ProfileTag::ZORB_RUDP, scheme: RUDP_SCHEME };

impl Protocol for RudpProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn profile_tag(&self) -> ProfileTag {
        ProfileTag::ZORB_RUDP
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        PROFILES.decode(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        PROFILES.encode(endpoints, version, object_key, components)
    }
}
