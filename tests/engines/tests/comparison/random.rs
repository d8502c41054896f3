//! Random types, which the build script made up: `ZORB_SEED=7 cargo test -p zorb-engines-tests --test comparison` makes
//! others.

use zorb_engines_tests::compare::compare_as;
use zorb_engines_tests::sample::{Seed, input_of};
use zorb_engines_tests::types::Pair;

/// Values of each type.
const SAMPLES: u64 = 120;

mod compiled {
    #![allow(missing_docs, missing_debug_implementations, reason = "the compiler's own lints")]
    include!(concat!(env!("OUT_DIR"), "/random/compiled/random.rs"));
}

mod interpretive {
    #![allow(missing_docs, missing_debug_implementations, reason = "the compiler's own lints")]
    include!(concat!(env!("OUT_DIR"), "/random/interpretive/random.rs"));
}

macro_rules! pairs {
    ($seed:literal: $($name:ident)*) => {
        const SEED: u64 = $seed;
        const PAIRS: &[Pair] = &[$(
            Pair::new::<compiled::random::$name, interpretive::random::$name>(stringify!($name)),
        )*];
    };
}

include!(concat!(env!("OUT_DIR"), "/random/types.rs"));

#[test]
fn same_octets_for_random_types() {
    assert!(PAIRS.len() > 20);
    for (index, pair) in PAIRS.iter().enumerate() {
        let mut accepted = 0;
        for number in 0..SAMPLES {
            let mut seed = Seed::new(SEED << 32 | number << 8 | index as u64);
            let mut octets = input_of(pair, &mut seed);
            octets[1] = 0;
            accepted += u64::from(compare_as(pair, &octets));
            // In parts or with a tail, and with a fault.
            octets[1] = 64 + seed.below(192) as u8;
            compare_as(pair, &octets);
            let at = seed.below(octets.len());
            octets[at] ^= 1 << seed.below(8);
            compare_as(pair, &octets);
        }
        assert!(accepted > SAMPLES / 2, "seed {SEED}, {}: {accepted}", pair.name);
    }
}
