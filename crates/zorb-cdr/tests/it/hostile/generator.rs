//! Random octets, and corrupted valid ones, the same in every run.

/// A pseudo-random sequence (xorshift).
pub(crate) struct Generator(u64);

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// Up to `length` octets. Small numbers are frequent, as in real streams.
    pub(crate) fn random(&mut self, length: usize) -> Vec<u8> {
        (0..self.below(length))
            .map(|_| {
                let word = self.next();
                match word >> 60 {
                    0..8 => 0,
                    8..12 => (word & 0x1f) as u8,
                    _ => word as u8,
                }
            })
            .collect()
    }

    /// `octets` with a few changes: of bits, octets and words, a truncation, a repeated piece.
    pub(crate) fn corrupt(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut corrupted = octets.to_vec();
        for _ in 0..=self.below(3) {
            let index = self.below(corrupted.len());
            match self.below(6) {
                0 => corrupted.truncate(index),
                1 => corrupted.extend_from_within(index..),
                2 => {
                    let word = match self.below(4) {
                        0 => u32::MAX,
                        1 => u32::MAX - self.below(256) as u32,
                        2 => self.below(40) as u32,
                        _ => self.next() as u32,
                    };
                    let index = index & !3;
                    if let Some(target) = corrupted.get_mut(index..index + 4) {
                        let swap = self.below(2) == 0;
                        target.copy_from_slice(&if swap {
                            word.to_be_bytes()
                        } else {
                            word.to_le_bytes()
                        });
                    }
                }
                3 => {
                    if let Some(octet) = corrupted.get_mut(index) {
                        *octet = self.next() as u8;
                    }
                }
                _ => {
                    if let Some(octet) = corrupted.get_mut(index) {
                        *octet ^= 1 << self.below(8);
                    }
                }
            }
        }
        corrupted
    }
}
