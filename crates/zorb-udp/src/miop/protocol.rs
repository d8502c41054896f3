//! The protocol MIOP.
#![expect(clippy::disallowed_types, reason = "written when the program starts")]

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

use zorb_cdr::fallible;
use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile, UipmcProfile};
use zorb_transport::{
    Endpoint, EndpointError, Groups, OptionSet, OptionSets, ProfileError, Protocol,
    ResolvedProfile, Transport, strip_scheme,
};

use super::group::{self, GroupName};
use super::members::Members;
use super::transport::endpoint_of;
use super::{MIOP_SCHEME, MiopOptions, MiopSettings, MiopTransport, Shared, counter};
use crate::counters::Counters;

/// MIOP as a [`Protocol`]: profiles of kind 3 (`TAG_UIPMC`), URLs `corbaloc:miop:`, one-way calls to
/// groups.
#[derive(Debug)]
pub struct MiopProtocol {
    transport: MiopTransport,
}

impl MiopProtocol {
    /// MIOP whose packets stay in the local network, over the interface that the system chooses.
    #[must_use]
    pub fn new() -> Self {
        Self::with(MiopSettings::default())
    }

    /// MIOP with these settings.
    #[must_use]
    pub fn with(settings: MiopSettings) -> Self {
        let counters = Arc::new(Counters::new(&counter::ALL));
        let shared =
            Shared { settings: RwLock::new(settings), members: Members::default(), counters };
        Self { transport: MiopTransport::new(shared) }
    }
}

impl Default for MiopProtocol {
    fn default() -> Self {
        Self::new()
    }
}

fn read(profile: &TaggedProfile) -> Result<(UipmcProfile, GroupName, SocketAddr), ProfileError> {
    ProfileError::check_tag(ProfileTag::UIPMC, profile)?;
    let uipmc = UipmcProfile::decode(&profile.data)?;
    let group = GroupName::from(uipmc.group()?);
    let address = group::address_of(&uipmc)?;
    Ok((uipmc, group, address))
}

impl Protocol for MiopProtocol {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn carries_replies(&self) -> bool {
        false
    }

    fn groups(&self) -> Option<&dyn Groups> {
        Some(self)
    }

    /// `requests`, the complete ones for a group with members here; `parts`, packets of incomplete
    /// messages; and those dropped: `given up` (incomplete messages), `again`, `no packet`,
    /// `inconsistent`, `too large`, `not for a group`, `nobody here`.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.transport.shared().counters.all()
    }

    fn profile_tag(&self) -> ProfileTag {
        ProfileTag::UIPMC
    }

    fn options(&self) -> Option<Box<dyn OptionSet>> {
        Some(Box::new(self.transport.shared().settings().to_options()))
    }

    fn configure(
        &self,
        options: &OptionSets,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if let Some(options) = options.get::<MiopOptions>() {
            let mut settings = self.transport.shared().settings();
            settings.take(options)?;
            *self.transport.shared().settings.write().unwrap_or_else(PoisonError::into_inner) =
                settings;
        }
        Ok(())
    }

    /// The object key is replaced by the octets of the profile.
    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        let (uipmc, _, address) = read(profile)?;
        Ok(ResolvedProfile {
            version: GiopVersion::V1_2,
            endpoints: vec![endpoint_of(address)?],
            object_key: fallible::copy(&profile.data)?,
            components: uipmc.components,
        })
    }

    /// The profile of a group, from a `corbaloc` URL: the endpoint is the group
    /// ([`parse_corbaloc_address`](Self::parse_corbaloc_address)), and the key contains its
    /// address.
    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        _: GiopVersion,
        object_key: &[u8],
        _: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        let group = endpoints.first().ok_or(ProfileError::NoEndpoint)?;
        let group = group::parse_group(strip_scheme(MIOP_SCHEME, group.as_str())?)?;
        group::profile(&group, object_key)
    }

    fn contained_profiles(
        &self,
        profile: &ResolvedProfile,
    ) -> Result<Vec<TaggedProfile>, ProfileError> {
        Ok(group::two_way(&profile.components)?)
    }

    fn parse_corbaloc_address(&self, address: &str) -> Result<Endpoint, EndpointError> {
        group::parse_group(address)?;
        Endpoint::new(MIOP_SCHEME, address)
    }
}

impl Groups for MiopProtocol {
    fn endpoint(&self, group: &TaggedProfile) -> Result<Endpoint, ProfileError> {
        let (_, _, address) = read(group)?;
        Ok(endpoint_of(address)?)
    }

    fn join(&self, group: &TaggedProfile, object_key: &[u8]) -> Result<bool, ProfileError> {
        let (_, group, _) = read(group)?;
        Ok(self.transport.shared().members.join(group, object_key))
    }

    fn leave(&self, group: &TaggedProfile, object_key: &[u8]) -> Result<bool, ProfileError> {
        let (_, group, _) = read(group)?;
        Ok(self.transport.shared().members.leave(&group, object_key))
    }

    fn members(&self, group: &TaggedProfile) -> Result<Vec<Vec<u8>>, ProfileError> {
        let (_, group, _) = read(group)?;
        Ok(self.transport.shared().members.of(&group).iter().map(|key| key.to_vec()).collect())
    }
}
