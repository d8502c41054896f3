//! A client against the server of `hostile_server.rs`.

use zorb_fuzz_smoke::hostile_server::World;
use zorb_fuzz_smoke::run::panics;
use zorb_testkit::in_own_process;

/// Number of seeds.
const SEEDS: u64 = 1500;

/// The most connections and requests for one call: a forward leads to a new one, 8 forwards are followed, and a
/// connection that ends while a call waits is replaced once.
const MOST: usize = 32;

/// Every call ends, with few connections, and the client's ORB goes on.
#[test]
fn every_call_of_a_lying_server_ends() {
    in_own_process("hostile_server::every_call_of_a_lying_server_ends", || {
        let world = World::new();
        let before = panics();
        let (mut good, mut bad, mut most) = (0, 0, (0, 0));
        for seed in 0..SEEDS {
            let attempt = world.call(seed);
            let work = attempt.connections.max(attempt.requests);
            assert!(work <= MOST, "seed {seed}: {attempt:?}");
            most = most.max((work, seed as usize));
            match attempt.outcome {
                Ok(5) => good += 1,
                _ => bad += 1,
            }
        }
        assert_eq!(panics(), before);
        println!("{good} results, {bad} failures, at most {most:?}");
        assert!(good > SEEDS / 10 && bad > SEEDS / 10, "{good} results, {bad} failures");
    });
}
