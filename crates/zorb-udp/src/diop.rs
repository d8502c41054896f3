//! DIOP: GIOP over UDP, as references know it.

use zorb_giop::{GiopVersion, Messaging, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_tcp::{IIOP_SCHEME, IiopProtocol};
use zorb_transport::{
    Endpoint, EndpointError, ProfileError, Protocol, ResolvedProfile, Transport, strip_scheme,
};

use crate::{DIOP_SCHEME, UdpTransport};

/// TAO's DIOP: profiles of kind 0x54414f04 that are laid out like IIOP's, URLs and `corbaloc`
/// addresses with `diop`, one-way calls in datagrams.
#[derive(Clone, Debug, Default)]
pub struct DiopProtocol {
    transport: UdpTransport,
    /// Whose layout of profiles it has.
    iiop: IiopProtocol,
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
        Self { transport: UdpTransport::carrying(messaging), ..Self::default() }
    }
}

fn of_iiop(endpoint: &Endpoint) -> Result<Endpoint, EndpointError> {
    Endpoint::new(IIOP_SCHEME, strip_scheme(DIOP_SCHEME, endpoint.as_str())?)
}

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
        ProfileError::check_tag(ProfileTag::TAO_DIOP, profile)?;
        let tag = ProfileTag::INTERNET_IOP;
        let profile = TaggedProfile { tag, data: profile.data.clone() };
        let mut resolved = self.iiop.decode_profile(&profile)?;
        for endpoint in &mut resolved.endpoints {
            *endpoint = Endpoint::new(DIOP_SCHEME, endpoint.address())?;
        }
        Ok(resolved)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        let endpoints: Result<Vec<_>, _> = endpoints.iter().map(of_iiop).collect();
        let profile = self.iiop.encode_profile(&endpoints?, version, object_key, components)?;
        Ok(TaggedProfile { tag: ProfileTag::TAO_DIOP, data: profile.data })
    }
}
