//! SHMIOP: GIOP over shared memory.

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, IiopProfile, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_os::machine::boot_id;
use zorb_transport::{
    Endpoint, ProfileError, PropertyField, Protocol, ResolvedProfile, Transport, usable_endpoints,
};

use crate::ShmTransport;
use crate::profile::ShmEndpoints;

#[cfg(test)]
mod tests;

/// SHMIOP: profiles of kind 0x54414f02, URLs and `corbaloc` addresses with `shmiop`
/// (`corbaloc:shmiop:1.2@/tmp/x.sock|key`: `|` ends the name), connections over shared memory.
///
/// The profile is TAO's, which has the format of IIOP's. TAO's servers put the host and port of a
/// TCP endpoint into it; Zorb's put the name of a Unix-domain socket in place of the host, and port
/// 0. Each ignores the other's profiles and uses the next one of the reference.
///
/// From version 1.1 on, a component contains the server's machine and further endpoints, so that
/// clients on other machines do not try a socket of the same name. A profile without it is assumed
/// to be of this machine.
#[derive(Debug, Clone, Default)]
pub struct ShmiopProtocol {
    transport: ShmTransport,
}

impl ShmiopProtocol {
    /// SHMIOP with the default scheme and ring size, and sockets accessible to their owner only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// SHMIOP over a transport with other settings, for example larger rings.
    #[must_use]
    pub fn over(transport: ShmTransport) -> Self {
        Self { transport }
    }

    fn decode(
        &self,
        profile: &TaggedProfile,
        machine: Option<&str>,
    ) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(ProfileTag::TAO_SHMIOP, profile)?;
        let profile = IiopProfile::decode(&profile.data)?;
        if profile.port != 0 {
            return Err(ProfileError::NoEndpoint); // TAO's
        }
        let beside: Option<ShmEndpoints> = profile.component()?;
        if let (Some(beside), Some(machine)) = (&beside, machine)
            && beside.machine != machine
        {
            return Err(ProfileError::Elsewhere);
        }
        // The component's names are UTF-8; the profile's own is Latin-1 if possible.
        let names = beside.map_or_else(|| vec![profile.host], |beside| beside.names);
        let endpoint = |name: &String| {
            let endpoint = Endpoint::new(self.scheme(), name)?;
            self.transport.parse_endpoint(endpoint.as_str())
        };
        Ok(ResolvedProfile {
            version: profile.version,
            endpoints: usable_endpoints(names.iter().map(endpoint))?,
            object_key: profile.object_key,
            components: profile.components,
        })
    }
}

impl Protocol for ShmiopProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn property_fields(&self) -> &'static [PropertyField] {
        use PropertyField::{SendBuffer, Unused};
        &[SendBuffer, Unused("mmap_filename"), Unused("mmap_lockname")]
    }

    fn profile_tag(&self) -> ProfileTag {
        ProfileTag::TAO_SHMIOP
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.decode(profile, boot_id())
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        let mut names = Vec::with_capacity(endpoints.len());
        for endpoint in endpoints {
            let endpoint = self.transport.parse_endpoint(endpoint.as_str())?;
            names.push(endpoint.address().to_owned());
        }
        let mut host = names.first().cloned().ok_or(ProfileError::NoEndpoint)?;
        if !host.chars().all(|c| u8::try_from(c).is_ok()) {
            host.clear(); // only the component can contain it
        }
        let mut components = components.to_vec();
        if let Some(machine) = boot_id() {
            let beside = ShmEndpoints { machine: machine.to_owned(), names };
            components.push(TaggedComponent::with_body(&beside, ByteOrder::NATIVE)?);
        }
        let object_key = object_key.to_vec();
        let profile = IiopProfile { version, host, port: 0, object_key, components };
        let data = profile.encode(ByteOrder::NATIVE)?.data;
        Ok(TaggedProfile { tag: ProfileTag::TAO_SHMIOP, data })
    }
}
