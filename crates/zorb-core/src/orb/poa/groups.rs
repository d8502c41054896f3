//! Group membership of objects (the `GOA` of MIOP 1.0).

use std::sync::Arc;

use zorb_base::error::{Error, Phase};
use zorb_base::object_id::ObjectId;
use zorb_base::orb_core::OrbCore;
use zorb_giop::TaggedProfile;
use zorb_invocation::object::ObjectRef;
use zorb_poa::{KeyParts, PoaError};
use zorb_transport::Protocol;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::Poa;

impl Poa {
    /// Adds the object `id` of this adapter, active or not, to a group (`associate_reference_with_id`). The ORB
    /// listens to the group until it shuts down.
    ///
    /// ```text
    /// let group = orb.string_to_object("corbaloc:miop:1.0@1.0-plant-7/239.1.2.3:5000")?;
    /// orb.root_poa().associate(&group, &id)?;
    /// ```
    ///
    /// # Errors
    /// `NotAGroupObject` if the reference is not a group reference of a protocol of this ORB; `INITIALIZE` if the
    /// ORB cannot listen to the group; `NO_RESOURCES` (Zorb 6) if the group has the maximum number of members;
    /// `OBJECT_NOT_EXIST` (OMG 4) if the adapter has been destroyed.
    #[doc(alias = "associate_reference_with_id")]
    pub fn associate(&self, group: &ObjectRef, id: &ObjectId) -> Result<(), PoaError> {
        let orb = self.orb()?;
        self.check_exists()?;
        let (protocol, profile) = group_profile(&orb.core, group)?;
        let groups = protocol.groups().ok_or(PoaError::NotAGroupObject)?;
        let endpoint = groups.endpoint(profile).map_err(|_| PoaError::NotAGroupObject)?;
        // Listen first, so that a failure leaves no member behind.
        orb.server.open_once(&endpoint).map_err(|error| {
            let no = CompletionStatus::No;
            error.into_exception(SystemException::initialize(minor::initialize::ENDPOINT, no))
        })?;
        match groups.join(profile, &self.adapter.key(id.as_bytes())) {
            Ok(true) => Ok(orb.listen_from_activation()?),
            Ok(false) => {
                let code = minor::no_resources::GROUP_MEMBERS;
                let exception = SystemException::no_resources(code, CompletionStatus::No);
                Err(Error::new(Phase::Adapter, "a group")
                    .with_source("the group has the maximum number of members in this ORB")
                    .into_exception(exception)
                    .into())
            }
            Err(_) => Err(PoaError::NotAGroupObject),
        }
    }

    /// Removes the object `id` from a group (`disassociate_reference_with_id`).
    ///
    /// # Errors
    /// `NotAGroupObject`; `ObjectNotActive` if the object is not a member.
    #[doc(alias = "disassociate_reference_with_id")]
    pub fn dissociate(&self, group: &ObjectRef, id: &ObjectId) -> Result<(), PoaError> {
        let orb = self.orb()?;
        let (protocol, profile) = group_profile(&orb.core, group)?;
        let groups = protocol.groups().ok_or(PoaError::NotAGroupObject)?;
        match groups.leave(profile, &self.adapter.key(id.as_bytes())) {
            Ok(true) => Ok(()),
            Ok(false) => Err(PoaError::ObjectNotActive),
            Err(_) => Err(PoaError::NotAGroupObject),
        }
    }

    /// The objects of this adapter that are members of a group (`reference_to_ids`).
    ///
    /// # Errors
    /// `NotAGroupObject`; `OBJECT_NOT_EXIST` (OMG 4) if the adapter has been destroyed.
    #[doc(alias = "reference_to_ids")]
    pub fn ids_in(&self, group: &ObjectRef) -> Result<Vec<ObjectId>, PoaError> {
        let orb = self.orb()?;
        self.check_exists()?;
        let (protocol, profile) = group_profile(&orb.core, group)?;
        let groups = protocol.groups().ok_or(PoaError::NotAGroupObject)?;
        let keys = groups.members(profile).map_err(|_| PoaError::NotAGroupObject)?;
        Ok(keys.iter().filter_map(|key| self.adapter.id_in_key(&KeyParts::parse(key))).collect())
    }
}

/// The profile of a group reference, and its protocol.
fn group_profile<'g>(
    orb: &OrbCore,
    group: &'g ObjectRef,
) -> Result<(Arc<dyn Protocol>, &'g TaggedProfile), PoaError> {
    let mut profiles = group.ior().profiles.iter();
    let found = profiles.find_map(|profile| {
        let protocol = orb.protocols().by_profile_tag(profile.tag)?;
        protocol.groups().is_some().then_some((protocol, profile))
    });
    found.ok_or(PoaError::NotAGroupObject)
}
