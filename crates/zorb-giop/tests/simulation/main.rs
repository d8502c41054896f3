//! A client's and a server's machine, simulated: a network under a virtual clock delays, splits,
//! merges, damages and cuts off what they send, by seed.
//!
//! `ZORB_SIMULATION_SEED=N` runs one seed, `ZORB_SIMULATION_SEEDS=N` so many of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod calls;
mod client;
mod network;
mod outbox;
mod random;
mod run;
mod server;

use std::panic::catch_unwind;

use run::{Tally, run};

/// How many seeds are run if nothing else is asked for.
const SEEDS: u64 = 1_500;

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

#[test]
fn every_call_ends_once_and_with_its_own_reply() {
    let seeds = match asked("ZORB_SIMULATION_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..asked("ZORB_SIMULATION_SEEDS").unwrap_or(SEEDS),
    };
    let mut sum = Tally::default();
    for seed in seeds.clone() {
        let tally = catch_unwind(|| run(seed))
            .unwrap_or_else(|_| panic!("seed {seed}: ZORB_SIMULATION_SEED={seed} runs it again"));
        sum.steps += tally.steps;
        sum.calls += tally.calls;
        sum.replies += tally.replies;
        sum.failures += tally.failures;
        sum.cancelled += tally.cancelled;
        sum.refused += tally.refused;
    }
    println!("{sum:?}");
    if seeds.end - seeds.start >= SEEDS {
        // Otherwise it would show nothing.
        let least = sum.calls / 20;
        assert!(sum.replies > least && sum.failures > least && sum.cancelled > 0, "{sum:?}");
    }
}

#[test]
fn a_seed_runs_the_same_again() {
    let (one, other) = (run(7), run(7));
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
}
