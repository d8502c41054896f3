//! GIOP over ARQ.

use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_tcp::LikeIiop;
use zorb_transport::{Endpoint, ProfileError, Protocol, ResolvedProfile, Transport};

use crate::{ARQ_SCHEME, ArqTransport};

/// GIOP over a reliable stream over UDP: a Zorb-specific kind of profile in the format of IIOP's,
/// URLs and `corbaloc` addresses with `rudp`.
#[derive(Clone, Debug, Default)]
pub struct ArqProtocol {
    transport: ArqTransport,
}

impl ArqProtocol {
    /// The protocol with the default scheme and port.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The protocol over a transport with other settings.
    #[must_use]
    pub fn over(transport: ArqTransport) -> Self {
        Self { transport }
    }
}

const PROFILES: LikeIiop = LikeIiop { tag: ProfileTag::ZORB_RUDP, scheme: ARQ_SCHEME };

impl Protocol for ArqProtocol {
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
