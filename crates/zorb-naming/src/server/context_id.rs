//! The ids of contexts.

use std::hash::{BuildHasher as _, RandomState};

/// Identifies a context. Ids are random, so that the reference to a destroyed context finds no other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContextId(pub(crate) u64);

impl ContextId {
    pub(crate) const ROOT: Self = Self(0);

    pub(crate) fn random() -> Self {
        // The keys of a `RandomState` are random in each process, and differ from one to the next.
        Self(RandomState::new().hash_one(0u8) | 1)
    }

    pub(crate) fn to_octets(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    pub(crate) fn from_octets(octets: &[u8]) -> Option<Self> {
        octets.try_into().ok().map(|octets| Self(u64::from_be_bytes(octets)))
    }
}
