//! Mutated inputs from a fixed generator: the same in every run and on every machine.

use crate::corpus::Seed;

/// The longest input that mutations grow to.
pub const MAX_LENGTH: usize = 1 << 14;

/// Boundary values.
const OCTETS: [u8; 9] = [0, 1, 2, 3, 4, 0x7f, 0x80, 0xfe, 0xff];
const NUMBERS: [u32; 9] =
    [0, 1, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 0x0100_0000];

/// A pseudo-random sequence (xorshift64*).
#[derive(Clone, Debug)]
pub struct Generator(u64);

impl Generator {
    /// The sequence of that number.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // The state must not be 0, and small seeds should differ in more than low bits.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number below `limit`; 0 when that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// One of the seeds with one to four changes.
    pub fn mutant(&mut self, seeds: &[Seed], words: &[&[u8]]) -> Vec<u8> {
        let mut octets = self.pick(seeds).map(|seed| seed.octets.clone()).unwrap_or_default();
        for _ in 0..=self.below(4) {
            self.change(&mut octets, seeds, words);
        }
        octets.truncate(MAX_LENGTH);
        octets
    }

    fn change(&mut self, octets: &mut Vec<u8>, seeds: &[Seed], words: &[&[u8]]) {
        let at = self.below(octets.len() + 1);
        match self.below(11) {
            0 | 1 => {
                if let Some(octet) = octets.get_mut(at) {
                    *octet ^= 1 << self.below(8);
                }
            }
            2 => {
                let value = *self.pick(&OCTETS).unwrap_or(&0);
                if let Some(octet) = octets.get_mut(at) {
                    *octet = value;
                }
            }
            3 => octets.truncate(at),
            4 => {
                let until = octets.len().min(at + 1 + self.below(16));
                octets.drain(at..until);
            }
            5 => {
                // Duplicates a piece.
                let until = octets.len().min(at + 1 + self.below(64));
                octets.extend_from_within(at..until);
            }
            6 => {
                // A piece of another seed.
                let other = self.pick(seeds).map(|seed| &*seed.octets).unwrap_or_default();
                let from = self.below(other.len());
                let until = other.len().min(from + 1 + self.below(256));
                let piece = other.get(from..until).unwrap_or_default().to_vec();
                octets.splice(at..at, piece);
            }
            7 | 8 => self.change_number(octets, at & !3),
            9 => {
                let word = self.pick(words).copied().unwrap_or_default();
                octets.splice(at..at, word.iter().copied());
            }
            _ => {
                let word = self.pick(words).copied().unwrap_or_default();
                let until = octets.len().min(at + word.len());
                octets.splice(at..until, word.iter().copied());
            }
        }
    }

    /// Changes four octets where lengths, counts and offsets mostly are, in either byte order.
    fn change_number(&mut self, octets: &mut [u8], at: usize) {
        let big = self.below(2) == 0;
        let drawn = *self.pick(&NUMBERS).unwrap_or(&0);
        let kind = self.below(3);
        let step = self.below(16) as u32;
        let Some(place) = octets.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<4>()) else {
            return;
        };
        let old = if big { u32::from_be_bytes(*place) } else { u32::from_le_bytes(*place) };
        let new = match kind {
            0 => drawn,
            1 => old.wrapping_add(step + 1),
            _ => old.wrapping_sub(step + 1),
        };
        *place = if big { new.to_be_bytes() } else { new.to_le_bytes() };
    }
}
