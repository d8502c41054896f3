//! Both engines read and write the same octets.
#![forbid(unsafe_code)]
#![allow(clippy::panic)]

extern crate zorb_core as zorb;

mod random;

use zorb_engines_tests::compare::compare;
use zorb_engines_tests::sample::{Seed, input};
use zorb_engines_tests::types::TYPES;

/// Values of each type.
const SAMPLES: u64 = 120;

/// How many octets both engines accepted: those that are not split, those with a tail, and those in parts.
#[derive(Debug, Default)]
struct Accepted([u64; 3]);

impl Accepted {
    fn compare(&mut self, octets: &[u8]) {
        // The tail of the split 64 is empty, and a second part begins at most 72 octets behind the first three.
        let kind = match octets[2] {
            65..128 => 1,
            128.. if octets.len() > 75 => 2,
            _ => 0,
        };
        self.0[kind] += u64::from(compare(octets));
    }
}

#[test]
fn same_octets_for_random_values_byte_orders_and_alignments() {
    for (index, pair) in TYPES.iter().enumerate() {
        let mut accepted = 0;
        for number in 0..SAMPLES {
            let mut octets = input(index, &mut Seed::new(number << 8 | index as u64));
            octets[2] = 0;
            accepted += u64::from(compare(&octets));
        }
        // Maps have no value for a key twice.
        assert!(accepted > SAMPLES / 4, "{}: {accepted}", pair.name);
    }
}

#[test]
fn same_octets_where_messages_are_split() {
    let mut accepted = Accepted::default();
    for index in 0..TYPES.len() {
        for number in 0..SAMPLES {
            let mut seed = Seed::new(number << 8 | index as u64);
            let mut octets = input(index, &mut seed);
            for split in [64, 128] {
                octets[2] = split + seed.below(64) as u8;
                accepted.compare(&octets);
            }
        }
    }
    let Accepted([_, with_tail, in_parts]) = accepted;
    assert!(with_tail.min(in_parts) > SAMPLES, "{accepted:?}");
}

#[test]
fn same_errors_for_hostile_octets() {
    let mut accepted = Accepted::default();
    for index in 0..TYPES.len() {
        for number in 0..SAMPLES {
            let mut seed = Seed::new(number << 8 | index as u64);
            let mut octets = input(index, &mut seed);
            for _ in 0..1 + seed.below(3) {
                let at = 2 + seed.below(octets.len() - 2);
                octets[at] = [0, 1, 2, 0xff, seed.next() as u8][seed.below(5)];
            }
            octets.truncate(octets.len() - seed.below(octets.len() - 2) * seed.below(2));
            accepted.compare(&octets);
        }
    }
    // Some faults are other values.
    assert!(accepted.0.iter().all(|count| *count > SAMPLES / 8), "{accepted:?}");
}
