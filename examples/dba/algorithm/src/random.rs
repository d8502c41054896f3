//! Numbers that follow from a seed.

/// SplitMix64: the same seed gives the same numbers on every machine. Not for secrets.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers of one node in a graph's run with this seed.
    #[must_use]
    pub fn of_node(seed: u64, id: u32) -> Self {
        let mut graph = Self(seed);
        Self(graph.next_u64() ^ u64::from(id).wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The next number below `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        // The high half of a product with a fraction of 32 bits is below `limit`.
        (((self.next_u64() >> 32) * u64::from(limit)) >> 32) as u32
    }
}
