//! Profiles in the format of IIOP's.

use zorb_cdr::fallible;
use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_transport::{
    Endpoint, EndpointError, ProfileError, Protocol, ResolvedProfile, strip_scheme,
};

use crate::{IIOP_SCHEME, IiopProtocol};

/// Profiles in the format of IIOP's, with another tag and endpoints of another scheme, for
/// protocols whose addresses are hosts and ports.
#[derive(Clone, Copy, Debug)]
pub struct LikeIiop {
    /// The tag of the profiles.
    pub tag: ProfileTag,
    /// The scheme of the endpoints.
    pub scheme: &'static str,
}

impl LikeIiop {
    /// As [`Protocol::decode_profile`].
    ///
    /// # Errors
    /// [`ProfileError`]: it is of another kind, is malformed, or contains no endpoint.
    pub fn decode(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(self.tag, profile)?;
        let tag = ProfileTag::INTERNET_IOP;
        let profile = TaggedProfile { tag, data: fallible::copy(&profile.data)? };
        let mut resolved = IiopProtocol::new().decode_profile(&profile)?;
        for endpoint in &mut resolved.endpoints {
            *endpoint = Endpoint::new(self.scheme, endpoint.address())?;
        }
        Ok(resolved)
    }

    /// As [`Protocol::encode_profile`].
    ///
    /// # Errors
    /// [`ProfileError`]: there is no endpoint, one has another scheme, or it cannot be encoded.
    pub fn encode(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        let of_iiop = |endpoint: &Endpoint| {
            Endpoint::new(IIOP_SCHEME, strip_scheme(self.scheme, endpoint.as_str())?)
        };
        let endpoints: Result<Vec<_>, EndpointError> = endpoints.iter().map(of_iiop).collect();
        let iiop = IiopProtocol::new();
        let profile = iiop.encode_profile(&endpoints?, version, object_key, components)?;
        Ok(TaggedProfile { tag: self.tag, data: profile.data })
    }
}
