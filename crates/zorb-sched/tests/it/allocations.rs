//! Dispatching does not allocate.

use std::sync::mpsc::channel;

use zorb_os::alloc::AllocationCount;
use zorb_sched::{
    Discipline, Dispatcher, DispatcherOptions, Queue, ReadyQueue, Time, Timers, Urgency,
};

/// The number of allocations of this thread in `work`.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = AllocationCount::this_thread();
    work();
    AllocationCount::this_thread().since(before).allocations
}

#[test]
fn queues_and_timers_keep_their_memory() {
    let mut queue = ReadyQueue::new(Discipline::Laxity, 64);
    let mut timers = Timers::new();
    for period in 1..=8 {
        timers.add(Time::ZERO, Time::from_nanos(period), period);
    }
    let used = allocations(|| {
        for now in 0..1000 {
            while let Some(due) = timers.pop(Time::from_nanos(now)) {
                let urgency = Urgency { deadline: due.arrival, ..Urgency::default() };
                queue.push(urgency, *due.what).unwrap();
            }
            while queue.pop().is_some() {}
        }
    });
    assert_eq!(used, 0);
    assert!(allocations(|| drop(std::hint::black_box(vec![0_u8; 100]))) > 0, "the counter works");
}

#[test]
fn dispatching_does_not_allocate() {
    let (tell, told) = channel();
    let queue = Queue { number: 0, priority: 1, discipline: Discipline::Deadline };
    let options = DispatcherOptions::default();
    let run = move |number: u32| tell.send(number).unwrap();
    let dispatcher = Dispatcher::start(&[queue], &options, run).unwrap();
    // The first dispatch registers this thread with its locks.
    dispatcher.dispatch(0, Urgency::default(), 0).unwrap();
    assert_eq!(told.recv(), Ok(0));
    let used = allocations(|| {
        for number in 1..=100 {
            dispatcher.dispatch(0, Urgency::default(), number).unwrap();
        }
    });
    assert_eq!(used, 0);
    assert_eq!(told.iter().take(100).last(), Some(100));
}
