//! SSLIOP: GIOP over TLS.

use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, IiopProfile, ProfileTag, SslSecTrans, TaggedComponent, TaggedProfile,
};
use zorb_tcp::TCP_PROPERTIES;
use zorb_tcp::address::HostPort;
use zorb_transport::{
    Endpoint, EndpointError, OptionSet, OptionSets, ProfileError, PropertyField, Protocol,
    ResolvedProfile, Transport, usable_endpoints,
};

use crate::configured::Tls;
use crate::options::SsliopOptions;
use crate::settings::ClientCertificates;
use crate::transport::TlsTransport;

#[cfg(test)]
mod tests;

/// Association options of the security service, for `TAG_SSL_SEC_TRANS`.
const INTEGRITY: u16 = 2;
const CONFIDENTIALITY: u16 = 4;
const TRUST_IN_TARGET: u16 = 32;
const TRUST_IN_CLIENT: u16 = 64;

/// IIOP over TLS: profiles of kind `TAG_INTERNET_IOP` with a `TAG_SSL_SEC_TRANS` component, URLs and
/// `corbaloc` addresses with `ssliop`.
///
/// Its profiles have port 0, which means that plain TCP is not available there. If the ORB also
/// listens with IIOP on the same host, both are in one profile. A client with roots to verify
/// servers calls objects that offer TLS only over TLS: it never falls back to plain TCP.
#[derive(Debug, Clone)]
pub struct SsliopProtocol {
    transport: TlsTransport,
}

impl SsliopProtocol {
    /// SSLIOP with these settings.
    ///
    /// # Errors
    /// None in practice: the scheme is valid.
    pub fn new(tls: Tls) -> Result<Self, EndpointError> {
        Ok(Self { transport: TlsTransport::new(tls)? })
    }

    /// SSLIOP with the settings of the ORB's options `Ssliop...`.
    ///
    /// # Errors
    /// None in practice: the scheme is valid.
    pub fn from_options() -> Result<Self, EndpointError> {
        Ok(Self { transport: TlsTransport::unset()? })
    }

    /// The loaded settings, if any, to [reload](Tls::reload) them.
    #[must_use]
    pub fn tls(&self) -> Option<Tls> {
        self.transport.tls()
    }

    /// Whether there are roots to verify servers.
    fn can_connect(&self) -> bool {
        self.tls().is_some_and(|tls| tls.settings().roots.is_some())
    }

    /// The component of this side for references, with `port`.
    fn component(&self, port: u16) -> SslSecTrans {
        let asks = self.tls().map(|tls| tls.settings().clients);
        let always = INTEGRITY | CONFIDENTIALITY;
        let (supports, requires) = match asks {
            Some(ClientCertificates::Required) => (TRUST_IN_CLIENT, TRUST_IN_CLIENT),
            Some(ClientCertificates::Optional) => (TRUST_IN_CLIENT, 0),
            _ => (0, 0),
        };
        SslSecTrans {
            target_supports: always | TRUST_IN_TARGET | supports,
            target_requires: always | requires,
            port,
        }
    }
}

impl Protocol for SsliopProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn property_fields(&self) -> &'static [PropertyField] {
        TCP_PROPERTIES
    }

    fn profile_tag(&self) -> ProfileTag {
        ProfileTag::INTERNET_IOP
    }

    fn extends_profiles(&self) -> bool {
        true
    }

    /// Also with roots alone: such a client must not accept callbacks by plain TCP unawares.
    fn is_secured(&self) -> bool {
        self.tls().is_some()
    }

    fn options(&self) -> Option<Box<dyn OptionSet>> {
        Some(Box::new(SsliopOptions::default()))
    }

    fn configure(
        &self,
        options: &OptionSets,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if let Some(settings) = options.get().and_then(SsliopOptions::settings) {
            self.transport.set(settings.build()?);
        }
        Ok(())
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(ProfileTag::INTERNET_IOP, profile)?;
        let profile = IiopProfile::decode(&profile.data)?;
        // Without roots only plain TCP can work. If it is not available, an attempt reports what is
        // missing.
        if profile.port != 0 && !self.can_connect() {
            return Err(ProfileError::NoEndpoint);
        }
        let ports = profile.components_of::<SslSecTrans>().map(|offer| offer.port);
        let endpoints = ports
            .filter(|port| *port != 0)
            .map(|port| self.transport.endpoint(&profile.host, port));
        Ok(ResolvedProfile {
            version: profile.version,
            endpoints: usable_endpoints(endpoints)?,
            object_key: profile.object_key,
            components: profile.components,
        })
    }

    /// `TAG_SSL_SEC_TRANS` has a port, and no host.
    fn shares_profile(&self, first: &Endpoint, other: &Endpoint) -> bool {
        match (self.transport.host_port(first), self.transport.host_port(other)) {
            (Ok(first), Ok(other)) => first.host == other.host,
            _ => true,
        }
    }

    /// A profile of version 1.0 has no components: it becomes version 1.1. Of several endpoints,
    /// those on the first one's host are included.
    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        let host_ports: Result<Vec<HostPort>, _> =
            endpoints.iter().map(|endpoint| self.transport.host_port(endpoint)).collect();
        let host_ports = host_ports?;
        let host = &host_ports.first().ok_or(ProfileError::NoEndpoint)?.host;
        let mut profile = IiopProfile {
            version: version.max(GiopVersion::V1_1),
            host: host.to_profile_host(),
            port: 0,
            object_key: object_key.to_vec(),
            components: components.to_vec(),
        };
        for host_port in host_ports.iter().filter(|host_port| host_port.host == *host) {
            profile.add(&self.component(host_port.port), ByteOrder::NATIVE)?;
        }
        Ok(profile.encode(ByteOrder::NATIVE)?)
    }

    fn join_profile(&self, own: &TaggedProfile, other: &mut TaggedProfile) -> bool {
        let (Ok(own), Ok(mut plain)) =
            (IiopProfile::decode(&own.data), IiopProfile::decode(&other.data))
        else {
            return false;
        };
        let joins = plain.port != 0
            && plain.version >= GiopVersion::V1_1
            && (&own.host, &own.object_key) == (&plain.host, &plain.object_key)
            && plain.components_of::<SslSecTrans>().next().is_none();
        if !joins {
            return false;
        }
        let offers = own.components.into_iter();
        let tls = offers.filter(|offer| matches!(offer.body::<SslSecTrans>(), Ok(Some(_))));
        plain.components.extend(tls);
        match plain.encode(ByteOrder::NATIVE) {
            Ok(joined) => {
                *other = joined;
                true
            }
            Err(_) => false,
        }
    }
}
