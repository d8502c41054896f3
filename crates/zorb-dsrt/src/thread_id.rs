//! The ids of distributable threads.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// The unique id of a distributable thread (`IdType`), the same on every node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId([u8; 16]);

impl ThreadId {
    /// Creates an id from random numbers and a counter.
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut octets = [0; 16];
        let halves = [RandomState::new().hash_one(count), RandomState::new().hash_one(!count)];
        let random = halves.iter().flat_map(|half| half.to_be_bytes());
        octets.iter_mut().zip(random).for_each(|(octet, random)| *octet = random);
        Self(octets)
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
