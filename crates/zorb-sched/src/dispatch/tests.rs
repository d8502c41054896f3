//! Orders with a simulated clock, and threads that wait for events.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use super::dispatcher::{Dispatcher, DispatcherOptions};
use super::queue::ReadyQueue;
use super::timers::Timers;
use super::{Refusal, Urgency};
use crate::{Discipline, Queue, Time};

fn ns(nanos: u64) -> Time {
    Time::from_nanos(nanos)
}

fn urgency(deadline: u64, execution: u64, subpriority: u32) -> Urgency {
    Urgency { deadline: ns(deadline), execution: ns(execution), subpriority }
}

/// The order of work that is added all at once.
fn order(discipline: Discipline, of: &[(&'static str, Urgency)]) -> Vec<&'static str> {
    let mut queue = ReadyQueue::new(discipline, of.len());
    for (name, urgency) in of {
        queue.push(*urgency, *name).unwrap();
    }
    std::iter::from_fn(|| queue.pop().map(|(_, name)| name)).collect()
}

#[test]
fn every_discipline_has_its_order() {
    let work = [
        ("a", urgency(30, 5, 1)),
        ("b", urgency(20, 5, 0)),
        ("c", urgency(40, 35, 0)),
        ("d", urgency(20, 5, 2)),
        ("e", urgency(20, 5, 0)),
    ];
    assert_eq!(order(Discipline::Static, &work), ["d", "a", "b", "c", "e"]);
    assert_eq!(order(Discipline::Deadline, &work), ["d", "b", "e", "a", "c"]);
    assert_eq!(order(Discipline::Laxity, &work), ["c", "d", "b", "e", "a"]);
}

#[test]
fn a_queue_has_a_fixed_capacity() {
    let mut queue = ReadyQueue::new(Discipline::Static, 2);
    assert!(queue.is_empty());
    queue.push(Urgency::default(), 1).unwrap();
    queue.push(Urgency::default(), 2).unwrap();
    let refused = queue.push(Urgency::default(), 3).unwrap_err();
    assert_eq!((refused.why, refused.work, queue.len()), (Refusal::Full, 3, 2));
    assert_eq!(queue.pop(), Some((Time::ZERO, 1)));
    queue.push(Urgency::default(), 3).unwrap();
}

#[test]
fn timers_are_due_at_their_times() {
    let mut timers = Timers::new();
    timers.add(ns(10), ns(10), "fast");
    timers.add(ns(0), ns(25), "slow");
    let mut seen = Vec::new();
    // The clock advances by five.
    for now in (0..=50).step_by(5) {
        while let Some(due) = timers.pop(ns(now)) {
            assert_eq!((due.arrival, due.skipped), (ns(now), 0));
            seen.push((now, *due.what));
        }
    }
    let expected = [
        (0, "slow"),
        (10, "fast"),
        (20, "fast"),
        (25, "slow"),
        (30, "fast"),
        (40, "fast"),
        (50, "fast"),
        (50, "slow"),
    ];
    assert_eq!(seen, expected);
    assert_eq!(timers.next(), Some(ns(60)));
    // After a long pause, each is due once.
    let late: Vec<_> = std::iter::from_fn(|| {
        timers.pop(ns(99)).map(|due| (*due.what, due.arrival.as_nanos(), due.skipped))
    })
    .collect();
    assert_eq!(late, [("fast", 90, 3), ("slow", 75, 0)]);
    assert_eq!(timers.next(), Some(ns(100)));
}

/// Work for the tests: an event to wait for, and a name to report.
struct Work {
    name: &'static str,
    wait: Option<Arc<Barrier>>,
}

fn work(name: &'static str) -> Work {
    Work { name, wait: None }
}

fn start(queues: &[Queue], capacity: usize) -> (Dispatcher<Work>, Receiver<&'static str>) {
    let (tell, told): (Sender<&'static str>, _) = channel();
    let run = move |work: Work| {
        if let Some(barrier) = work.wait {
            barrier.wait();
        }
        assert_ne!(work.name, "panic");
        tell.send(work.name).unwrap();
    };
    let options = DispatcherOptions { capacity, ..DispatcherOptions::default() };
    (Dispatcher::start(queues, &options, run).unwrap(), told)
}

fn queue(number: u32, priority: u8, discipline: Discipline) -> Queue {
    Queue { number, priority, discipline }
}

#[test]
fn a_thread_runs_the_most_urgent_work_first() {
    let (dispatcher, told) = start(&[queue(0, 5, Discipline::Deadline)], 3);
    let barrier = Arc::new(Barrier::new(2));
    let blocker = Work { name: "blocker", wait: Some(Arc::clone(&barrier)) };
    dispatcher.dispatch(0, Urgency::default(), blocker).unwrap();
    // It occupies the queue until the thread takes it.
    let far = Time::MAX.as_nanos();
    let put = |name, deadline| loop {
        if dispatcher.dispatch(0, urgency(deadline, 0, 0), work(name)).is_ok() {
            return;
        }
        std::thread::yield_now();
    };
    put("third", far);
    put("first", far - 2);
    put("second", far - 1);
    let refused = dispatcher.dispatch(0, Urgency::default(), work("too much")).unwrap_err();
    assert_eq!(refused.why, Refusal::Full);
    assert_eq!(
        dispatcher.dispatch(7, Urgency::default(), work("x")).unwrap_err().why,
        Refusal::UnknownQueue
    );
    barrier.wait();
    let order: Vec<_> = told.iter().take(4).collect();
    assert_eq!(order, ["blocker", "first", "second", "third"]);
    let counts = loop {
        let counts = dispatcher.counts(0).unwrap();
        if counts.done == 4 {
            break counts;
        }
        std::thread::yield_now();
    };
    assert_eq!((counts.late, counts.panicked), (1, 0), "the deadline of the first had passed");
    assert!(counts.refused >= 1);
}

#[test]
fn a_panic_affects_only_its_own_work() {
    let (dispatcher, told) = start(&[queue(0, 5, Discipline::Static)], 4);
    dispatcher.dispatch(0, Urgency::default(), work("panic")).unwrap();
    dispatcher.dispatch(0, Urgency::default(), work("next")).unwrap();
    assert_eq!(told.recv(), Ok("next"));
    assert_eq!(dispatcher.counts(0).unwrap().panicked, 1);
}

#[test]
fn queues_are_independent() {
    let queues = [queue(0, 6, Discipline::Static), queue(1, 5, Discipline::Laxity)];
    let (dispatcher, told) = start(&queues, 4);
    let barrier = Arc::new(Barrier::new(2));
    let blocker = Work { name: "slow", wait: Some(Arc::clone(&barrier)) };
    dispatcher.dispatch(1, Urgency::default(), blocker).unwrap();
    dispatcher.dispatch(0, Urgency::default(), work("urgent")).unwrap();
    assert_eq!(told.recv(), Ok("urgent"));
    barrier.wait();
    assert_eq!(told.recv(), Ok("slow"));
}

#[test]
fn threads_have_the_queues_priorities_or_report_a_denial() {
    use zorb_os::priority::{Schedule, current};
    let (tell, told) = channel();
    let run = move |(): ()| tell.send(current().unwrap()).unwrap();
    let options = DispatcherOptions::default();
    let dispatcher = Dispatcher::start(&[queue(0, 7, Discipline::Static)], &options, run).unwrap();
    dispatcher.dispatch(0, Urgency::default(), ()).unwrap();
    let found = told.recv().unwrap();
    match dispatcher.denial() {
        None => assert_eq!(found, Schedule::Fifo(7)),
        Some(denial) => {
            assert!(denial.contains("SCHED_FIFO"), "{denial}");
            let needed = DispatcherOptions { need_priorities: true, ..options };
            let queues = [queue(0, 7, Discipline::Static)];
            let refused = Dispatcher::start(&queues, &needed, |(): ()| ()).unwrap_err();
            assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
        }
    }
}

#[test]
fn periodic_work_repeats_until_its_dispatcher_stops() {
    let (dispatcher, told) = start(&[queue(0, 5, Discipline::Deadline)], 4);
    let period = Duration::from_millis(1);
    dispatcher.every(period, 0, urgency(1_000_000, 0, 0), |_| work("tick")).unwrap();
    let unknown = dispatcher.every(period, 3, Urgency::default(), |_| work("never"));
    assert_eq!(unknown, Err(Refusal::UnknownQueue));
    assert_eq!(told.iter().take(3).collect::<Vec<_>>(), ["tick"; 3]);
    dispatcher.stop();
    // The dispatcher's threads own the other end of the channel.
    assert!(told.iter().all(|name| name == "tick"));
}

#[test]
fn queued_work_is_completed_before_stopping() {
    let (dispatcher, told) = start(&[queue(0, 5, Discipline::Static)], 100);
    for _ in 0..100 {
        dispatcher.dispatch(0, Urgency::default(), work("one")).unwrap();
    }
    dispatcher.stop();
    assert_eq!(told.iter().count(), 100);
}
