//! Both engines read and write the same octets.
#![forbid(unsafe_code)]
#![allow(clippy::panic)]

use zorb_engines_tests::compare::compare;
use zorb_engines_tests::sample::{Seed, input};
use zorb_engines_tests::types::TYPES;

/// Values of each type.
const SAMPLES: u64 = 120;

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
    for index in 0..TYPES.len() {
        for number in 0..SAMPLES {
            let mut seed = Seed::new(number << 8 | index as u64);
            let mut octets = input(index, &mut seed);
            for split in [64, 128] {
                octets[2] = split + seed.below(64) as u8;
                compare(&octets);
            }
        }
    }
}

#[test]
fn same_errors_for_hostile_octets() {
    for index in 0..TYPES.len() {
        for number in 0..SAMPLES {
            let mut seed = Seed::new(number << 8 | index as u64);
            let mut octets = input(index, &mut seed);
            for _ in 0..1 + seed.below(3) {
                let at = 2 + seed.below(octets.len() - 2);
                octets[at] = [0, 1, 2, 0xff, seed.next() as u8][seed.below(5)];
            }
            octets.truncate(octets.len() - seed.below(octets.len() - 2) * seed.below(2));
            compare(&octets);
        }
    }
}
