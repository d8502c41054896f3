//! GIOP over reliable UDP, as references know it.

use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_tcp::{IIOP_SCHEME, IiopProtocol};
use zorb_transport::{
    Endpoint, EndpointError, ProfileError, Protocol, ResolvedProfile, Transport, strip_scheme,
};

use crate::{RUDP_SCHEME, RudpTransport};

/// GIOP over a reliable stream over UDP: profiles of a kind of Zorb's own that are laid out like IIOP's,
/// URLs and `corbaloc` addresses with `rudp`.
#[derive(Clone, Debug, Default)]
pub struct RudpProtocol {
    transport: RudpTransport,
    /// Whose layout of profiles it has.
    iiop: IiopProtocol,
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
        Self { transport, ..Self::default() }
    }
}

fn of_iiop(endpoint: &Endpoint) -> Result<Endpoint, EndpointError> {
    Endpoint::new(IIOP_SCHEME, strip_scheme(RUDP_SCHEME, endpoint.as_str())?)
}

impl Protocol for RudpProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn profile_tag(&self) -> ProfileTag {
        ProfileTag::ZORB_RUDP
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(ProfileTag::ZORB_RUDP, profile)?;
        let tag = ProfileTag::INTERNET_IOP;
        let profile = TaggedProfile { tag, data: profile.data.clone() };
        let mut resolved = self.iiop.decode_profile(&profile)?;
        for endpoint in &mut resolved.endpoints {
            *endpoint = Endpoint::new(RUDP_SCHEME, endpoint.address())?;
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
        Ok(TaggedProfile { tag: ProfileTag::ZORB_RUDP, data: profile.data })
    }
}
