//! A client's and a server's machine, simulated: a network under a virtual clock delays, splits,
//! merges, damages and cuts off what they send, by seed.
//!
//! Other runs have many connections, some of hostile clients, and one budget for the memory of all receivers.
//!
//! `SIMULATION_SEED=N` runs one seed, `SIMULATION_SEEDS=N` so many of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod calls;
mod chaos;
mod client;
mod hostile;
mod metered;
mod network;
mod outbox;
mod random;
mod run;
mod server;

use std::ops::Range;
use std::panic::catch_unwind;

use run::{Tally, run};

/// How many seeds are run if nothing else is asked for.
const SEEDS: u64 = 1_500;
/// The same for runs with many connections.
const CHAOS_SEEDS: u64 = 1_000;

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// The seeds to run.
fn seeds(default: u64) -> Range<u64> {
    match asked("SIMULATION_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..asked("SIMULATION_SEEDS").unwrap_or(default),
    }
}

/// Runs a seed; on failure, prints how to repeat it.
fn reproducibly<T>(test: &str, seed: u64, run: fn(u64) -> T) -> T {
    catch_unwind(|| run(seed)).unwrap_or_else(|_| {
        panic!("SIMULATION_SEED={seed} cargo test -p zorb-giop --test simulation {test}")
    })
}

#[test]
fn every_call_ends_once_and_with_its_own_reply() {
    let seeds = seeds(SEEDS);
    let mut sum = Tally::default();
    for seed in seeds.clone() {
        sum += reproducibly("every_call_ends_once", seed, run);
    }
    println!("{sum:?}");
    if seeds.end - seeds.start >= SEEDS {
        // Otherwise it would show nothing.
        let least = sum.calls / 20;
        assert!(sum.replies > least && sum.failures > least && sum.cancelled > 0, "{sum:?}");
        assert!(sum.slow > 0 && sum.idle > 0, "{sum:?}");
    }
}

#[test]
fn hostile_clients_end_no_call_of_others_and_the_budget_holds() {
    let seeds = seeds(CHAOS_SEEDS);
    let (mut sum, mut refused, mut full) = (Tally::default(), 0, 0);
    for seed in seeds.clone() {
        let tally = reproducibly("hostile_clients", seed, chaos::run);
        sum += tally.lawful;
        refused += tally.refused;
        full += u64::from(tally.most_charged > 90);
    }
    println!("{sum:?}, {refused} connections without memory, {full} budgets almost used up");
    if seeds.end - seeds.start >= CHAOS_SEEDS {
        // Otherwise it would show nothing.
        assert!(sum.replies > sum.calls / 4 && full > CHAOS_SEEDS / 10, "{sum:?} {full}");
        assert!(refused > 0);
    }
}

#[test]
fn a_seed_runs_the_same_again() {
    let (one, other) = (run(7), run(7));
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
    let (one, other) = (chaos::run(7), chaos::run(7));
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
}
