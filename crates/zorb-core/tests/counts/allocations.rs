//! Warm calls make no heap allocations in client and server.

use crate::alone;
use crate::support::{Echo, Servant, builder, client};
use zorb_cdr::Wire;
use zorb_core::{CollocationStrategy, Interface, Pending};
use zorb_os::alloc::AllocationCount;
use zorb_types::SystemException;

const CALLS: u64 = 1000;

/// Allocations of the whole process during `CALLS` calls, after a warm-up: the least of a few
/// rounds, because the test harness's own thread may still be settling down in the first.
fn count(mut call: impl FnMut()) -> u64 {
    (0..100).for_each(|_| call());
    let mut round = || {
        let before = AllocationCount::total();
        (0..CALLS).for_each(|_| call());
        AllocationCount::total().since(before).allocations
    };
    round().min(round()).min(round())
}

fn measure(echo: &Echo) -> [u64; 4] {
    let data = [7; 4096];
    [
        count(|| assert_eq!(echo.twice(21).unwrap(), 42)),
        count(|| echo.note(1).unwrap()),
        // The string and octets that come back are the caller's own: one allocation each, and one
        // for the value that the servant makes.
        count(|| assert_eq!(echo.repeat("hello", 1).unwrap(), "hello")),
        count(|| assert_eq!(echo.mirror(&data).unwrap(), data)),
    ]
}

#[test]
fn a_warm_call_of_fixed_size_types_allocates_nothing() {
    let _alone = alone();
    // On a busy machine the watchdog would consider a call slow and start a thread.
    let server = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let server_orb = server.build().unwrap();
    let echo: Echo = server_orb.root_poa().activate(Servant::default()).unwrap();
    let (client_orb, there) = client(&echo);
    let remote = measure(&there);
    let [marshalled, thru_poa, direct] = [
        CollocationStrategy::Marshalled,
        CollocationStrategy::ThruPoa,
        CollocationStrategy::Direct,
    ]
    .map(|strategy| measure(&echo.with_collocation(strategy)));
    println!(
        "allocations in {CALLS} calls (long, oneway, string, octets 4 KiB): {remote:?} remote, \
         {marshalled:?} marshalled, {thru_poa:?} through the POA, {direct:?} direct"
    );
    for counts in [remote, marshalled] {
        assert_eq!(counts, [0, 0, 2 * CALLS, 2 * CALLS]);
    }
    // The caller gets the servant's value itself.
    for counts in [thru_poa, direct] {
        assert_eq!(counts, [0, 0, CALLS, CALLS]);
    }
    client_orb.shutdown(true).unwrap();
    server_orb.shutdown(true).unwrap();
}

#[test]
fn a_pending_call_allocates_what_is_documented() {
    let _alone = alone();
    let server = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let server_orb = server.build().unwrap();
    let echo: Echo = server_orb.root_poa().activate(Servant::default()).unwrap();
    let (client_orb, there) = client(&echo);
    // The call with its arguments' copy, unless the reply has arrived at once. The reply is small.
    let counted = count(|| {
        let object = there.object();
        let pending: Pending<i32, SystemException> =
            object.send("twice", |writer| i32::write(&21, writer), i32::read);
        assert_eq!(pending.wait().unwrap(), 42);
    });
    assert!((CALLS..=2 * CALLS).contains(&counted), "{counted}");
    client_orb.shutdown(true).unwrap();
    server_orb.shutdown(true).unwrap();
}
