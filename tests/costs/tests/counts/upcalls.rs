//! The cost of a periodic upcall: no lock, no allocation, one wait.

use std::sync::mpsc::channel;
use std::time::Duration;

use zorb::Orb;
use zorb_core::counters::CallCounts;
use zorb_costs::{Counted, Servant};
use zorb_os::alloc::AllocationCount;
use zorb_sched::{PeriodicTask, Upcalls};

/// Upcalls before those that are counted, and after.
const BEFORE: u64 = 30;
const COUNTED: u64 = 100;

/// The waits of the calling thread so far: each time that it gave the processor away by itself.
fn waits() -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    line.unwrap().trim().parse().unwrap()
}

#[test]
fn an_upcall_of_an_object_takes_no_lock_and_no_memory_and_waits_once() {
    let _alone = crate::alone();
    let orb = Orb::builder().without_environment().build().unwrap();
    let object: Counted = orb.root_poa().activate(Servant).unwrap();
    let (tell, told) = channel();
    let mut made = 0;
    let mut before = None;
    let upcall = move |_: &zorb_sched::Activation| {
        object.nothing().unwrap();
        made += 1;
        if made == BEFORE {
            before = Some((CallCounts::now(), AllocationCount::this_thread(), waits()));
        }
        if let Some((locks, memory, waited)) = before.take_if(|_| made == BEFORE + COUNTED) {
            let locks = CallCounts::now().since(locks);
            let memory = AllocationCount::this_thread().since(memory);
            tell.send((locks, memory.allocations, waits() - waited)).unwrap();
        }
    };
    let task = PeriodicTask::new("object", Duration::from_micros(500));
    let upcalls = Upcalls::new().task(task, upcall).start().unwrap();
    let (locks, allocations, waited) = told.recv().unwrap();
    upcalls.stop();
    assert_eq!((locks.client_locks, locks.server_locks, locks.contended), (0, 0, 0));
    // Reading the number of waits takes memory: once between the two counts.
    let (_, reading) = AllocationCount::of(waits);
    assert!(allocations <= reading.allocations, "{allocations} in {COUNTED} upcalls");
    // One that is late does not wait.
    assert!(waited <= COUNTED, "{waited} waits in {COUNTED} upcalls");
}
