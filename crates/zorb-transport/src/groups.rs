//! Protocols for groups of objects.

use zorb_giop::TaggedProfile;

use crate::{Endpoint, ProfileError};

/// The additional part of a [`Protocol`](crate::Protocol) for groups of objects, such as UDP
/// multicast: the members in this ORB.
///
/// A profile of the protocol identifies a group. A request to it goes to all members: the
/// protocol's streams deliver it once for each member in this ORB, with the member's object key as
/// the target.
pub trait Groups: Send + Sync {
    /// The endpoint that receives requests to the group. An ORB with members listens there.
    ///
    /// # Errors
    /// The profile is of another kind or malformed.
    fn endpoint(&self, group: &TaggedProfile) -> Result<Endpoint, ProfileError>;

    /// Adds the object with this key to the group; `false` if the group has no room.
    ///
    /// # Errors
    /// As [`endpoint`](Self::endpoint).
    fn join(&self, group: &TaggedProfile, object_key: &[u8]) -> Result<bool, ProfileError>;

    /// Removes a member; returns whether it was one.
    ///
    /// # Errors
    /// As [`endpoint`](Self::endpoint).
    fn leave(&self, group: &TaggedProfile, object_key: &[u8]) -> Result<bool, ProfileError>;

    /// The keys of the members in this ORB.
    ///
    /// # Errors
    /// As [`endpoint`](Self::endpoint).
    fn members(&self, group: &TaggedProfile) -> Result<Vec<Vec<u8>>, ProfileError>;
}
