//! The ids of distributable threads.

use std::fmt;

use zorb_os::random;

/// The unique id of a distributable thread (`IdType`), the same on every node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId([u8; 16]);

impl ThreadId {
    /// A random id.
    pub(crate) fn new() -> Self {
        let halves = [(); 2].map(|()| random::number());
        Self((u128::from(halves[0]) << 64 | u128::from(halves[1])).to_be_bytes())
    }

    /// The id with these octets.
    #[must_use]
    pub const fn from_octets(octets: [u8; 16]) -> Self {
        Self(octets)
    }

    /// The octets of the id.
    #[must_use]
    pub const fn octets(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ThreadId({self})")
    }
}
