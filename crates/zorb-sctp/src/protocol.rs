//! SCIOP: GIOP over SCTP.

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_tcp::address::HostPort;
use zorb_transport::{
    Endpoint, ProfileError, Protocol, ResolvedProfile, Transport, strip_scheme, usable_endpoints,
};

use crate::profile::SciopProfile;
use crate::{DEFAULT_PORT, SCIOP_SCHEME, SctpTransport};

#[cfg(test)]
mod tests;

/// GIOP over SCTP, with TAO's kind of profile (0x54414f0e) and its layout, URLs and `corbaloc` addresses
/// with `sciop`.
///
/// TAO uses SCTP over IP with the kernel's stack; this crate uses SCTP over UDP. References are
/// compatible, and so are packets except for their encapsulation. A profile has one port for all
/// hosts, so endpoints at other ports than the first one's need profiles of their own.
#[derive(Clone, Debug, Default)]
pub struct SciopProtocol {
    transport: SctpTransport,
}

impl SciopProtocol {
    /// The protocol with the default scheme and port.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The protocol over a transport with other settings.
    #[must_use]
    pub fn over(transport: SctpTransport) -> Self {
        Self { transport }
    }
}

fn host_port(endpoint: &Endpoint) -> Result<HostPort, ProfileError> {
    let address = strip_scheme(SCIOP_SCHEME, endpoint.as_str())?;
    Ok(HostPort::parse_remote(address, DEFAULT_PORT)?)
}

impl Protocol for SciopProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn profile_tag(&self) -> ProfileTag {
        ProfileTag::TAO_SCIOP
    }

    fn shares_profile(&self, first: &Endpoint, other: &Endpoint) -> bool {
        match (host_port(first), host_port(other)) {
            (Ok(first), Ok(other)) => first.port == other.port,
            _ => true,
        }
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(ProfileTag::TAO_SCIOP, profile)?;
        let profile = SciopProfile::decode(&profile.data)?;
        let endpoint = |host: &String| HostPort::new(host, profile.port)?.to_endpoint(SCIOP_SCHEME);
        Ok(ResolvedProfile {
            version: profile.version,
            endpoints: usable_endpoints(profile.hosts.iter().map(endpoint))?,
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
        let addresses: Result<Vec<_>, _> = endpoints.iter().map(host_port).collect();
        let addresses = addresses?;
        let port = addresses.first().ok_or(ProfileError::NoEndpoint)?.port;
        let same = addresses.iter().filter(|address| address.port == port);
        let profile = SciopProfile {
            version,
            hosts: same.map(|address| address.host.to_profile_host()).collect(),
            port,
            max_streams: 1,
            object_key: object_key.to_vec(),
            components: components.to_vec(),
        };
        Ok(profile.encode(ByteOrder::NATIVE)?)
    }
}
