//! The members of groups in this ORB.
#![expect(clippy::disallowed_types, reason = "written when objects join and leave groups")]

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::group::GroupName;

/// The maximum number of members of a group in an ORB: one request makes as many upcalls.
pub(crate) const MAX_MEMBERS: usize = 1024;

/// Object keys.
pub(crate) type Keys = Arc<[Arc<[u8]>]>;

/// The object keys of the members by group.
#[derive(Debug, Default)]
pub(crate) struct Members(RwLock<HashMap<GroupName, Keys>>);

impl Members {
    /// Adds a member, if it is not one already; `false` if there are too many.
    pub(crate) fn join(&self, group: GroupName, key: &[u8]) -> bool {
        let mut groups = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let members = groups.entry(group).or_default();
        if members.iter().any(|member| **member == *key) {
            return true;
        }
        let room = members.len() < MAX_MEMBERS;
        if room {
            *members = members.iter().cloned().chain([key.into()]).collect();
        }
        room
    }

    /// Removes a member; returns whether it was one.
    pub(crate) fn leave(&self, group: &GroupName, key: &[u8]) -> bool {
        let mut groups = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Some(members) = groups.get_mut(group) else { return false };
        let left: Keys = members.iter().filter(|member| ***member != *key).cloned().collect();
        let was_one = left.len() < members.len();
        *members = left;
        if members.is_empty() {
            groups.remove(group);
        }
        was_one
    }

    /// The members of a group.
    pub(crate) fn of(&self, group: &GroupName) -> Keys {
        let groups = self.0.read().unwrap_or_else(PoisonError::into_inner);
        groups.get(group).cloned().unwrap_or_default()
    }
}
