//! A client against the server of `hostile_server.rs`. `HOSTILE_SEEDS` sets the number of seeds.

use std::collections::HashMap;

use zorb_fuzz_smoke::hostile_server::{Called, World};
use zorb_fuzz_smoke::run::panics;
use zorb_testkit::in_own_process;

/// Number of seeds.
fn seeds() -> u64 {
    let seeds = std::env::var("HOSTILE_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    seeds.unwrap_or(3000)
}

/// The most connections and requests for one call: a forward leads to a new one, 8 forwards are followed, and a
/// connection that ends while a call waits is replaced once.
const MOST: usize = 32;

/// Every call ends, with few connections, and the client's ORB goes on. There are more than `least` good and other outcomes
/// of everything that is called.
fn every_call_ends(world: &World, least: u64) {
    let before = panics();
    let mut most = (0, 0);
    // Good and other outcomes, by version and by what is called.
    let mut outcomes = HashMap::<_, [u64; 2]>::new();
    for seed in 0..seeds() {
        let attempt = world.call(seed);
        let work = attempt.connections.max(attempt.requests);
        assert!(work <= MOST, "seed {seed}: {attempt:?}");
        most = most.max((work, seed as usize));
        let called = match attempt.called {
            Called::Other(_) => "another operation",
            Called::Add => "add",
            Called::Locate => "locate",
        };
        let counts = outcomes.entry((attempt.version, called)).or_default();
        counts[usize::from(!attempt.is_good)] += 1;
    }
    assert_eq!(panics(), before);
    println!("{outcomes:?}, at most {most:?}");
    assert_eq!(outcomes.len(), 9);
    assert!(outcomes.values().flatten().all(|&count| count > least), "{outcomes:?}");
}

#[test]
fn every_call_of_a_lying_server_ends() {
    in_own_process("hostile_server::every_call_of_a_lying_server_ends", || {
        every_call_ends(&World::new(), seeds() / 200);
    });
}

/// Every pending call ends once, with few connections.
fn every_pending_call_ends(world: &World, seeds: u64) {
    let before = panics();
    let (mut good, mut failed, mut cancelled) = (0, 0, 0);
    for seed in 0..seeds {
        let together = world.call_without_waiting(seed);
        let work = together.connections.max(together.requests);
        assert!(work <= MOST * together.sent, "seed {seed}: {together:?}");
        let ended = together.good + together.failed + together.cancelled;
        assert_eq!(ended, together.sent, "seed {seed}: {together:?}");
        good += together.good;
        failed += together.failed;
        cancelled += together.cancelled;
    }
    assert_eq!(panics(), before);
    let least = (seeds / 20) as usize;
    assert!(good > least && failed > least && cancelled > least, "{good} {failed} {cancelled}");
}

#[test]
fn every_pending_call_of_a_lying_server_ends() {
    in_own_process("hostile_server::every_pending_call_of_a_lying_server_ends", || {
        every_pending_call_ends(&World::new(), seeds() / 3);
    });
}

/// A connection that a server has closed keeps its port for a while, so there are few.
#[test]
fn every_pending_call_of_a_lying_server_over_tcp_ends() {
    in_own_process("hostile_server::every_pending_call_of_a_lying_server_over_tcp_ends", || {
        every_pending_call_ends(&World::over_tcp(), seeds() / 10);
    });
}

#[test]
fn every_call_of_a_lying_server_behind_a_bridge_ends() {
    in_own_process("hostile_server::every_call_of_a_lying_server_behind_a_bridge_ends", || {
        every_call_ends(&World::behind_bridges(), 0);
    });
}
