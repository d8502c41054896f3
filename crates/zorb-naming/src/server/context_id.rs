//! The ids of contexts.

use zorb_os::random;

/// Identifies a context. Ids are random, so that the reference to a destroyed context finds no other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContextId(pub(crate) u64);

impl ContextId {
    pub(crate) const ROOT: Self = Self(0);

    pub(crate) fn random() -> Self {
        // Not the root's.
        Self(random::number() | 1)
    }

    pub(crate) fn to_octets(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    pub(crate) fn from_octets(octets: &[u8]) -> Option<Self> {
        octets.try_into().ok().map(|octets| Self(u64::from_be_bytes(octets)))
    }
}
