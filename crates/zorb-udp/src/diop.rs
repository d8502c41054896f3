//! DIOP: GIOP over UDP, as references know it.

use zorb_giop::{GiopVersion, Messaging, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_tcp::LikeIiop;
use zorb_transport::{Endpoint, ProfileError, Protocol, ResolvedProfile, Transport};

use crate::{DIOP_SCHEME, UdpTransport};

/// TAO's DIOP: profiles of kind 0x54414f04 that are laid out like IIOP's, URLs and `corbaloc`
/// addresses with `diop`, one-way calls in datagrams.
#[derive(Clone, Debug, Default)]
pub struct DiopProtocol {
    transport: UdpTransport,
}

impl DiopProtocol {
    /// DIOP with its usual scheme and port.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// DIOP for requests that another messaging protocol frames, to be the other half of a
    /// [`Composed`](zorb_transport::Composed): what does not speak it is dropped.
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

    /// `requests`, the datagrams that became requests, and those that were dropped, by the reason:
    /// `no message`, `wrong length`, `not a request`, `awaits an answer`, `malformed`.
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
