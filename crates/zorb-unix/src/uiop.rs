//! UIOP: GIOP over Unix-domain sockets.

use std::iter;

use zorb_cdr::ByteOrder;
use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_transport::{
    Endpoint, EndpointError, ProfileError, PropertyField, Protocol, ResolvedProfile, Transport,
    bodies_of, usable_endpoints,
};

use crate::UnixTransport;
use crate::name::{MAX_NAME_LEN, error};
use crate::profile::{UiopEndpoints, UiopProfile};

#[cfg(test)]
mod tests;

/// TAO's UIOP: profiles of kind 0x54414f00, URLs and `corbaloc` addresses with `uiop`
/// (`corbaloc:uiop:1.2@/tmp/x.sock|key`: `|` ends the path), connections over Unix-domain sockets.
///
/// The first of several endpoints is in the profile itself, and all of them are in a
/// `TAO_TAG_ENDPOINTS` component. Abstract names are sent with their `@`; TAO knows only paths.
///
/// A path is valid on one machine only, and a profile does not identify the machine. A server that
/// is called from other machines, too, should listen with another protocol first.
#[derive(Debug, Clone, Default)]
pub struct UiopProtocol {
    transport: UnixTransport,
}

impl UiopProtocol {
    /// UIOP with the default scheme, and sockets accessible to their owner only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// UIOP over a transport with other settings, for example another mode.
    #[must_use]
    pub fn over(transport: UnixTransport) -> Self {
        Self { transport }
    }

    /// The endpoint of a path in a profile.
    fn endpoint(&self, path: &[u8]) -> Result<Endpoint, EndpointError> {
        match std::str::from_utf8(path) {
            Ok(path) => self.transport.endpoint(path),
            Err(_) => {
                let shown = path.get(..MAX_NAME_LEN).unwrap_or(path);
                Err(error(&String::from_utf8_lossy(shown), "a path must be UTF-8"))
            }
        }
    }
}

impl Protocol for UiopProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn property_fields(&self) -> &'static [PropertyField] {
        &[PropertyField::SendBuffer, PropertyField::ReceiveBuffer]
    }

    fn profile_tag(&self) -> ProfileTag {
        ProfileTag::TAO_UIOP
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(ProfileTag::TAO_UIOP, profile)?;
        let profile = UiopProfile::decode(&profile.data)?;
        let others = bodies_of(&profile.components).flat_map(|body| {
            let (paths, error) = match body {
                Ok(UiopEndpoints(paths)) => (paths, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            let endpoint = |path: Vec<u8>| self.endpoint(&path).map_err(ProfileError::from);
            paths.into_iter().map(endpoint).chain(error)
        });
        let first = self.endpoint(&profile.rendezvous_point).map_err(ProfileError::from);
        let endpoints = iter::once(first).chain(others);
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
        let mut paths = Vec::with_capacity(endpoints.len());
        for endpoint in endpoints {
            let endpoint = self.transport.parse_endpoint(endpoint.as_str())?;
            paths.push(endpoint.address().as_bytes().to_vec());
        }
        let rendezvous_point = paths.first().cloned().ok_or(ProfileError::NoEndpoint)?;
        let mut components = components.to_vec();
        if paths.len() > 1 {
            let list = UiopEndpoints(paths);
            components.push(TaggedComponent::with_body(&list, ByteOrder::NATIVE)?);
        }
        let object_key = object_key.to_vec();
        let profile = UiopProfile { version, rendezvous_point, object_key, components };
        Ok(profile.encode(ByteOrder::NATIVE)?)
    }
}
