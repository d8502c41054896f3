//! Threads of three priorities on one processor: the lowest has what the highest needs, and the middle one
//! needs the processor. The test checks order, not time.
//!
//! Without the privilege to set priorities, or a second processor for the server, the tests are shown as
//! ignored, with the reason.

use libtest_mimic::Trial;
use zorb_os::lock::Lock;
use zorb_os::priority::{self, Schedule};

use crate::stage::{self, order_of};
use crate::{births, shared};

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let tests: [(&str, usize, fn()); 6] = [
        ("a_lock_goes_to_the_most_urgent", 1, a_lock_goes_to_the_most_urgent),
        ("a_lock_without_inheritance_does_not", 1, a_lock_without_inheritance_does_not),
        (
            "a_shared_connection_is_sent_over_by_the_most_urgent",
            1,
            shared::a_shared_connection_is_sent_over_by_the_most_urgent,
        ),
        (
            "the_leader_inherits_the_priority_of_waiting_callers",
            2,
            shared::the_leader_inherits_the_priority_of_waiting_callers,
        ),
        (
            "a_connections_thread_begins_as_urgent_as_its_lane",
            1,
            births::a_connections_thread_begins_as_urgent_as_its_lane,
        ),
        (
            "a_dynamic_thread_begins_as_urgent_as_its_lane",
            1,
            births::a_dynamic_thread_begins_as_urgent_as_its_lane,
        ),
    ];
    tests.into_iter().map(|(name, processors, test)| match missing(processors) {
        None => Trial::test(format!("inversion::{name}"), move || {
            test();
            Ok(())
        }),
        Some(reason) => {
            let name = format!("inversion::{name} ({reason})");
            Trial::test(name, || Ok(())).with_ignored_flag(true)
        }
    })
}

/// Why the tests cannot run on this machine.
fn missing(processors: usize) -> Option<String> {
    let there = zorb_os::thread::affinity().map_or(0, |all| all.len());
    if there < processors {
        return Some(format!("needs {processors} processors, and there is {there}"));
    }
    let tried = std::thread::spawn(|| priority::set(Schedule::Fifo(stage::HIGH))).join().unwrap();
    tried.err().map(|error| format!("may not set priorities: {error}"))
}

fn a_lock_goes_to_the_most_urgent() {
    let lock = Lock::new(());
    let order = order_of(&|inside| {
        let _held = lock.lock();
        inside();
    });
    assert_eq!(order, ["high", "medium"]);
}

/// Shows that the previous test can fail.
fn a_lock_without_inheritance_does_not() {
    let lock = std::sync::Mutex::new(());
    let order = order_of(&|inside| {
        let _held = lock.lock().unwrap();
        inside();
    });
    assert_eq!(order, ["medium", "high"]);
}
