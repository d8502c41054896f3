//! Warm calls make no heap allocations in client and server.

use crate::alone;
use crate::support::{Echo, Servant, builder, client};
use std::time::Duration;
use zorb_cdr::{CdrWriter, Wire};
use zorb_core::{CollocationStrategy, Interface, ObjectRef, Pending};
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

/// Counts the allocations of pending calls; `send` sends one.
fn count_pending<T>(send: impl Fn() -> Pending<T, SystemException>) -> u64 {
    count(|| drop(send().wait().unwrap()))
}

#[test]
fn a_pending_call_allocates_what_is_documented() {
    let _alone = alone();
    let server = builder().listen("iiop://127.0.0.1:0").option("StallTakeover", "3600000");
    let server_orb = server.build().unwrap();
    let echo: Echo = server_orb.root_poa().activate(Servant::default()).unwrap();
    let (client_orb, there) = client(&echo);
    let plain = there.object();
    let limited = plain.with_timeout(Duration::from_secs(3600));
    let twice = |object: &ObjectRef| -> Pending<i32, SystemException> {
        object.send("twice", |writer| i32::write(&21, writer), i32::read)
    };
    let noted = |object: &ObjectRef| -> Pending<i32, SystemException> {
        object.send("_get_noted", |_| Ok(()), i32::read)
    };
    // The caller reads the result in place; the servant allocates it.
    let mirror = |octets: usize| -> Pending<(), SystemException> {
        let write = move |writer: &mut CdrWriter<'_>| writer.write_octets(&[7; 1000][..octets]);
        plain.send("mirror", write, |results| results.read_octets().map(drop))
    };
    assert_eq!(count_pending(|| noted(plain)), CALLS, "the state");
    assert_eq!(count_pending(|| noted(&limited)), 2 * CALLS, "and the limit");
    // The arguments are not copied if the reply has arrived at once.
    let within = |counted: u64, most: u64| {
        assert!(((most - 1) * CALLS..=most * CALLS).contains(&counted), "{most}: {counted}");
    };
    within(count_pending(|| twice(plain)), 2);
    within(count_pending(|| twice(&limited)), 3);
    // Before the result's octets, a reply has 28. It is kept in place up to 48, and copied up to 128.
    let allocated = [(20, 0), (21, 1), (100, 1), (101, 2), (1000, 2)];
    for (octets, of_reply) in allocated {
        within(count_pending(|| mirror(octets)), 2 + 1 + of_reply);
    }
    client_orb.shutdown(true).unwrap();
    server_orb.shutdown(true).unwrap();
}
