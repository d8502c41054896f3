//! Calls over separate connections share nothing.

use std::sync::Barrier;

use crate::alone;
use crate::support::{Echo, Servant, builder};
use zorb_core::counters::{COUNTING, CallCounts};

const THREADS: u64 = 4;
const CALLS: u64 = 500;

/// The counts of `CALLS` calls by each of `THREADS` warm threads.
fn count(call: impl Fn() + Sync) -> CallCounts {
    let all = Barrier::new(THREADS as usize + 1);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                (0..50).for_each(|_| call());
                all.wait();
                all.wait();
                (0..CALLS).for_each(|_| call());
                all.wait();
                // Until the counts have been read: threads that end release their slots.
                all.wait();
            });
        }
        all.wait();
        let before = CallCounts::now();
        all.wait();
        all.wait();
        let used = CallCounts::now().since(before);
        all.wait();
        used
    })
}

#[test]
fn threads_with_connections_of_their_own_share_nothing() {
    let _alone = alone();
    // On a busy machine the watchdog would consider a call slow and hand its input over.
    let server = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let server = server.build().unwrap();
    let policies = zorb_core::poa::PoaPolicies::new().persistent().user_ids();
    let lasting = server.root_poa().create("lasting", policies).unwrap();
    let by_slot: Echo = server.root_poa().activate(Servant::default()).unwrap();
    let by_name: Echo = lasting.activate_with_id("one", Servant::default()).unwrap();
    let client = builder().build().unwrap();
    for echo in [by_slot, by_name] {
        let there: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
        let used = count(|| assert_eq!(there.twice(21).unwrap(), 42));
        let calls = if COUNTING { THREADS * CALLS } else { 0 };
        assert_eq!(used.client_locks, 0, "a caller takes no lock");
        assert_eq!(used.server_locks, calls, "a reply is sent under an uncontended lock");
        assert_eq!((used.contended, used.thread_switches, used.shared_writes), (0, 0, 0));
    }
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}
