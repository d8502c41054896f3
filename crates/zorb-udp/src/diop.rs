//! DIOP: GIOP over UDP.

use zorb_giop::{GiopVersion, Messaging, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_tcp::LikeIiop;
use zorb_transport::{Endpoint, ProfileError, Protocol, ResolvedProfile, Transport};

use crate::{DIOP_SCHEME, UdpTransport};

/// TAO's DIOP: profiles of kind 0x54414f04 in the format of IIOP's, URLs and `corbaloc` addresses
/// with `diop`, one-way calls in datagrams.
#[derive(Clone, Debug, Default)]
pub struct DiopProtocol {
    transport: UdpTransport,
}

impl DiopProtocol {
    /// DIOP with the default scheme and port.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// DIOP for requests of another messaging protocol, to be combined by
    /// [`Composed`](zorb_transport::Composed): other datagrams are dropped.
    #[must_use]
    pub fn carrying(messaging: &'static dyn Messaging) -> Self {
        Self { transport: UdpTransport::carrying(messaging) }
    }
}

const PROFILES: LikeIiop = LikeIiop { tag: ProfileTag::TAO_DIOP, scheme: DIOP_SCHEME };

impl Protocol for DiopProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn carries_replies(&self) -> bool {
        false
    }

    /// `requests`, the datagrams that were requests, and those dropped, by reason: `no message`,
    /// `wrong length`, `not a request`, `awaits an answer`, `malformed`, `no memory`.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.transport.counters()
    }

    fn profile_tag(&self) -> ProfileTag {
        ProfileTag::TAO_DIOP
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
