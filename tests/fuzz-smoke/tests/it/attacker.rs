//! The attacker of `attack.rs` against a server.

use zorb_fuzz_smoke::attack::{hostile, lawful, read};
use zorb_fuzz_smoke::run::panics;
use zorb_fuzz_smoke::targets::server;
use zorb_os::alloc::AllocationCount;
use zorb_testkit::in_own_process;

/// Number of seeds of each test.
const SEEDS: u64 = 1500;

/// Every request that expects a reply gets exactly one, regardless of other requests on the connection.
#[test]
fn every_request_of_a_lawful_session_ends_once() {
    for seed in 0..SEEDS {
        let session = lawful(seed);
        let answers = read(&server::exchange(&session.octets));
        let mut due = session.due.clone();
        for (id, times) in answers.ids {
            assert_eq!(times, 1, "seed {seed}: id {id} is answered {times} times");
            let expected = due.remove(&id) || session.canceled.contains(&id);
            assert!(expected, "seed {seed}: nobody waits for the reply to {id}");
        }
        assert!(due.is_empty(), "seed {seed}: no reply to {due:?}");
    }
}

/// Faults end only requests or the connection of their sender; allocations are bounded by the octets sent, and a client
/// on another connection gets its results.
#[test]
fn a_hostile_session_disturbs_nobody_else() {
    in_own_process("attacker::a_hostile_session_disturbs_nobody_else", || {
        // One-time initialization is not charged to a session.
        let _ = server::exchange(&lawful(0).octets);
        let (before, bound) = (panics(), server::TARGET.allocation);
        let (mut answered, mut ended) = (0, 0);
        for seed in 0..SEEDS {
            let session = hostile(seed);
            let allocated = AllocationCount::total();
            let answers = read(&server::exchange(&session.octets));
            server::expect_service();
            let bytes = AllocationCount::total().since(allocated).bytes;
            let allowed = bound.constant + bound.per_octet * session.octets.len() as u64;
            assert!(bytes <= allowed, "seed {seed}: {bytes} octets, allowed are {allowed}");
            let replies: usize = answers.ids.values().sum();
            assert!(replies <= session.requests, "seed {seed}: {replies} replies");
            (answered, ended) = (answered + replies, ended + answers.others);
        }
        assert_eq!(panics(), before);
        // The sessions get past the headers, and their faults are noticed.
        assert!(answered > SEEDS as usize && ended > SEEDS as usize / 10, "{answered}, {ended}");
    });
}

/// Clients that stop in the middle of a message, with their connections open, keep no other from being served.
#[test]
fn unfinished_sessions_delay_nobody() {
    let mut open = Vec::new();
    for seed in 0..64 {
        let octets = hostile(seed).octets;
        let stream = server::connect(octets.len());
        let _ = stream.send_all(octets.get(..octets.len() / 2).unwrap_or_default());
        open.push(stream);
        server::expect_service();
    }
    assert_eq!(open.len(), 64);
}
