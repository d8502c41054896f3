//! Random choices by seed: the same in every run and on every machine.

/// A pseudo-random sequence (xorshift64*).
pub(super) struct Generator(u64);

impl Generator {
    /// The sequence of that seed.
    pub(super) fn new(seed: u64) -> Self {
        // The state must not be 0, and small seeds should differ in more than low bits.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn bits(&mut self) -> u64 {
        (u64::from(self.next()) << 32) | u64::from(self.next())
    }

    fn next(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }

    /// True once in `count` times.
    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
