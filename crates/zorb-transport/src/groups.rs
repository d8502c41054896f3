//! Protocols whose references are for groups of objects.

use zorb_giop::TaggedProfile;

use crate::{Endpoint, ProfileError};

/// What a protocol for groups of objects, as UDP multicast, has beside
/// [`Protocol`](crate::Protocol): who of this ORB is in which group.
///
/// A group is known by a profile of the protocol's kind. A request to it goes to all its members: the
/// protocol's streams bring it once for each of this ORB's, with that one's object key as its target.
pub trait Groups: Send + Sync {
    /// Where requests to the group are received: an ORB with members listens there.
    ///
    /// # Errors
    /// When it is no profile of the protocol's kind, or is malformed.
    fn endpoint(&self, group: &TaggedProfile) -> Result<Endpoint, ProfileError>;

    /// Has the object of this key get the group's requests; `false` when there is no room for one more.
    ///
    /// # Errors
    /// As [`endpoint`](Self::endpoint).
    fn join(&self, group: &TaggedProfile, object_key: &[u8]) -> Result<bool, ProfileError>;

    /// Takes that back; whether it was a member.
    ///
    /// # Errors
    /// As [`endpoint`](Self::endpoint).
    fn leave(&self, group: &TaggedProfile, object_key: &[u8]) -> Result<bool, ProfileError>;

    /// The keys of this ORB's members.
    ///
    /// # Errors
    /// As [`endpoint`](Self::endpoint).
    fn members(&self, group: &TaggedProfile) -> Result<Vec<Vec<u8>>, ProfileError>;
}
