//! IIOP: GIOP over TCP.

use std::iter;

use zorb_cdr::ByteOrder;
use zorb_giop::{
    AlternateIiopAddress, GiopVersion, IiopProfile, ProfileTag, TaggedComponent, TaggedProfile,
    TaoEndpoint, TaoEndpoints,
};
use zorb_transport::{
    Endpoint, ProfileError, PropertyField, Protocol, ResolvedProfile, Transport, bodies_of,
    strip_scheme, usable_endpoints,
};

use crate::TcpTransport;
use crate::address::HostPort;

#[cfg(test)]
mod tests;

/// The Internet Inter-ORB Protocol: profiles of kind `TAG_INTERNET_IOP`, URLs and `corbaloc`
/// addresses with `iiop`, connections over TCP (CORBA 3.3 part 2, 9.7).
///
/// The first of several endpoints is in the profile itself, the others in
/// `TAG_ALTERNATE_IIOP_ADDRESS` components.
#[derive(Debug, Clone, Default)]
pub struct IiopProtocol {
    transport: TcpTransport,
}

impl IiopProtocol {
    /// IIOP with the default scheme and port.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn host_port(&self, endpoint: &Endpoint) -> Result<HostPort, ProfileError> {
        let address = strip_scheme(self.scheme(), endpoint.as_str())?;
        Ok(HostPort::parse_remote(address, self.transport.default_port)?)
    }
}

/// The properties of TCP connections, as in `RTCORBA::TCPProtocolProperties`.
pub const TCP_PROPERTIES: &[PropertyField] = &[
    PropertyField::SendBuffer,
    PropertyField::ReceiveBuffer,
    PropertyField::KeepAlive,
    PropertyField::DontRoute,
    PropertyField::NoDelay,
];

impl Protocol for IiopProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn may_be_bidirectional(&self) -> bool {
        true
    }

    fn property_fields(&self) -> &'static [PropertyField] {
        TCP_PROPERTIES
    }

    fn profile_tag(&self) -> ProfileTag {
        ProfileTag::INTERNET_IOP
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(ProfileTag::INTERNET_IOP, profile)?;
        let profile = IiopProfile::decode(&profile.data)?;
        // Plain TCP is not available at an address with port 0; there may be others.
        let endpoint = |host: &str, port| match port {
            0 => Err(ProfileError::NoEndpoint),
            _ => Ok(self.transport.endpoint(host, port)?),
        };
        let alternate = |AlternateIiopAddress { host, port }| endpoint(&host, port);
        let alternates = bodies_of(&profile.components).map(|body| body.and_then(alternate));
        let lane = |lane: TaoEndpoint| endpoint(&lane.host, lane.port);
        let lanes = tao_endpoints(&profile.components).map(|found| found.and_then(lane));
        let endpoints =
            iter::once(endpoint(&profile.host, profile.port)).chain(alternates).chain(lanes);
        Ok(ResolvedProfile {
            version: profile.version,
            endpoints: usable_endpoints(endpoints)?,
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
        let (first, others) = endpoints.split_first().ok_or(ProfileError::NoEndpoint)?;
        let HostPort { host, port } = self.host_port(first)?;
        let mut profile = IiopProfile {
            version,
            host: host.to_profile_host(),
            port,
            object_key: object_key.to_vec(),
            components: components.to_vec(),
        };
        for other in others {
            let HostPort { host, port } = self.host_port(other)?;
            let alternate = AlternateIiopAddress { host: host.to_profile_host(), port };
            profile.add(&alternate, ByteOrder::NATIVE)?;
        }
        Ok(profile.encode(ByteOrder::NATIVE)?)
    }

    fn priority_component(&self, endpoints: &[Endpoint], priority: i16) -> Option<TaggedComponent> {
        let tao = |endpoint| {
            let HostPort { host, port } = self.host_port(endpoint).ok()?;
            Some(TaoEndpoint { host: host.to_profile_host(), port, priority })
        };
        let all = TaoEndpoints(endpoints.iter().map(tao).collect::<Option<_>>()?);
        TaggedComponent::with_body(&all, ByteOrder::NATIVE).ok()
    }

    fn endpoint_priority(
        &self,
        profile: &ResolvedProfile,
        endpoint: &Endpoint,
    ) -> Result<Option<i16>, ProfileError> {
        let Ok(HostPort { host, port }) = self.host_port(endpoint) else { return Ok(None) };
        let host = host.to_profile_host();
        let is_same = |tao: &TaoEndpoint| tao.port == port && tao.host.eq_ignore_ascii_case(&host);
        let mut all = tao_endpoints(&profile.components);
        let found = all.find(|found| found.as_ref().map_or(true, is_same)).transpose()?;
        // TAO's number for an endpoint for all priorities is below all priorities.
        Ok(found.map(|tao| tao.priority).filter(|priority| *priority >= 0))
    }
}

/// The endpoints with priorities in a profile of TAO.
fn tao_endpoints(
    components: &[TaggedComponent],
) -> impl Iterator<Item = Result<TaoEndpoint, ProfileError>> {
    bodies_of(components).flat_map(|body| {
        let (found, error) = match body {
            Ok(TaoEndpoints(endpoints)) => (endpoints, None),
            Err(error) => (Vec::new(), Some(Err(error))),
        };
        found.into_iter().map(Ok).chain(error)
    })
}
