//! The ids of contexts.

use std::hash::{BuildHasherDefault, Hasher};

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

/// Hashes ids by themselves: they are random, and only the server makes them. `SipHash` takes 150 more instructions for each
/// component of a name.
#[derive(Debug, Default)]
pub(crate) struct IdHasher(u64);

/// See [`IdHasher`].
pub(crate) type HashIds = BuildHasherDefault<IdHasher>;

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        // The lowest bit is the same in nearly all ids.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, octets: &[u8]) {
        octets.iter().for_each(|octet| self.0 = self.0.rotate_left(8) ^ u64::from(*octet));
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = id;
    }
}
