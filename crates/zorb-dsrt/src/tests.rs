//! Segments, schedulers and contexts, without a connection.

use std::num::NonZeroUsize;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use zorb_cdr::ByteOrder;
use zorb_core::Orb;
use zorb_rt::{Direct, NativePriority, Priority, RtOrb};
use zorb_types::SystemExceptionKind;

use super::*;

fn orb() -> Orb {
    Orb::builder().without_environment().build().unwrap()
}

fn deadline(time: u64) -> Option<Parameters> {
    Some(Parameters::Deadline(Deadline::from_time_t(time)))
}

fn priority(value: i16) -> Parameters {
    Parameters::Priority(Priority::new(value).unwrap())
}

fn id() -> ThreadId {
    ThreadId::from_octets(std::array::from_fn(|at| at as u8))
}

#[test]
fn contexts_are_read_as_they_are_written() {
    let urgency = Parameters::Urgency {
        criticality: Criticality::High,
        deadline: Deadline::from_time_t(0x0102_0304_0506_0708),
        execution: Duration::from_micros(1),
    };
    let all = [None, Some(priority(0x0102)), deadline(u64::MAX), Some(urgency)];
    for parameters in all {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let octets = context::encode(&id(), parameters.as_ref(), order).unwrap();
            assert_eq!(context::decode(&octets).unwrap(), (id(), parameters));
            for cut in 0..octets.len() {
                assert!(context::decode(&octets[..cut]).is_err(), "{cut} of {parameters:?}");
            }
        }
    }
    let octets = context::encode(&id(), Some(&urgency), ByteOrder::Big).unwrap();
    let expected = [
        0, 0, 0, 0, 0, 0, 0, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 3,
        0, 0, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 10,
    ];
    assert_eq!(octets, expected);
}

#[test]
fn contexts_that_say_nonsense_are_refused() {
    let good = context::encode(&id(), Some(&priority(1)), ByteOrder::Big).unwrap();
    let changed = |at: usize, octet: u8| {
        let mut octets = good.clone();
        octets[at] = octet;
        context::decode(&octets)
    };
    assert!(changed(7, 15).is_err(), "an id of another length");
    assert!(changed(4, 0xff).is_err(), "an id beyond the end");
    assert!(changed(27, 4).is_err(), "a discipline that there is not");
    assert!(changed(28, 0x80).is_err(), "a negative priority");
}

#[test]
fn ids_differ_and_deadlines_pass() {
    let ids: std::collections::HashSet<_> = (0..1000).map(|_| ThreadId::new()).collect();
    assert_eq!(ids.len(), 1000);
    let later = Deadline::after(Duration::from_secs(3600));
    assert!(later.time_left() > Duration::from_secs(3000));
    assert_eq!(Deadline::from_time_t(1).time_left(), Duration::ZERO);
    assert!(later > Deadline::after(Duration::ZERO));
}

#[test]
fn segments_nest_and_what_was_before_holds_again() {
    let scheduling = RtScheduling::attach(&orb(), Arc::new(EarliestDeadline::new()));
    let current = scheduling.current();
    assert_eq!(current.id(), None);
    current.begin_scheduling_segment("outer", deadline(100), None).unwrap();
    let id = current.id().unwrap();
    assert_eq!(scheduling.count(), 1);
    current.begin_scheduling_segment("inner", deadline(50), deadline(40)).unwrap();
    assert_eq!(current.id(), Some(id), "it is the same thread");
    assert_eq!(current.scheduling_parameter(), deadline(50));
    assert_eq!(current.implicit_scheduling_parameter(), deadline(40));
    assert_eq!(current.current_scheduling_segment_names(), ["inner", "outer"]);
    current.begin_scheduling_segment("innermost", None, None).unwrap();
    assert_eq!(current.scheduling_parameter(), deadline(50), "those around it");
    let wrong = current.end_scheduling_segment("inner").unwrap_err();
    assert_eq!(wrong.kind, SystemExceptionKind::BadInvOrder);
    current.end_scheduling_segment("innermost").unwrap();
    current.update_scheduling_segment("other", deadline(60), None).unwrap();
    assert_eq!(current.scheduling_parameter(), deadline(60));
    assert_eq!(current.current_scheduling_segment_names(), ["other", "outer"]);
    current.end_scheduling_segment("other").unwrap();
    assert_eq!(current.scheduling_parameter(), deadline(100));
    current.end_scheduling_segment("outer").unwrap();
    assert_eq!((current.id(), scheduling.count()), (None, 0));
    let ended = current.end_scheduling_segment("outer").unwrap_err();
    assert_eq!(ended.kind, SystemExceptionKind::BadInvOrder);
    assert!(current.update_scheduling_segment("outer", None, None).is_err());
}

#[test]
fn parameters_of_other_disciplines_are_refused() {
    let scheduling = RtScheduling::attach(&orb(), Arc::new(MaximumUrgency::new()));
    let current = scheduling.current();
    let refused = Err(SchedulingError::UnsupportedSchedulingDiscipline);
    assert_eq!(current.begin_scheduling_segment("a", deadline(1), None), refused);
    assert_eq!(current.begin_scheduling_segment("a", None, Some(priority(1))), refused);
    assert_eq!((current.id(), scheduling.count()), (None, 0));
}

#[test]
fn a_cancelled_thread_meets_it_at_every_point() {
    let scheduling = RtScheduling::attach(&orb(), Arc::new(EarliestDeadline::new()));
    let current = scheduling.current();
    current.begin_scheduling_segment("outer", deadline(100), None).unwrap();
    let thread = current.thread().unwrap();
    assert_eq!(thread.state(), ThreadState::Active);
    scheduling.lookup(&thread.id()).unwrap().cancel();
    assert_eq!(thread.state(), ThreadState::Cancelled);
    let is_cancelled = |exception: zorb_types::SystemException| {
        exception.kind == SystemExceptionKind::ThreadCancelled
    };
    assert!(is_cancelled(current.check().unwrap_err()));
    for refused in [
        current.begin_scheduling_segment("inner", None, None),
        current.update_scheduling_segment("outer", None, None),
    ] {
        let Err(SchedulingError::System(exception)) = refused else { panic!("{refused:?}") };
        assert!(is_cancelled(exception));
    }
    assert!(is_cancelled(current.end_scheduling_segment("outer").unwrap_err()));
    assert_eq!((current.id(), scheduling.count()), (None, 0), "it has ended nevertheless");
}

#[test]
fn the_cancellation_of_a_thread_on_its_way_is_remembered() {
    let scheduling = RtScheduling::attach(&orb(), Arc::new(EarliestDeadline::new()));
    let node = &scheduling.current().thread();
    assert!(node.is_none());
    let policy = scheduling.policy();
    let node = policy.node();
    node.cancel(&id());
    for number in 0..200 {
        node.cancel(&ThreadId::from_octets([number; 16]));
    }
    assert!(!node.begin_visit(id()).is_cancelled(), "the record of cancelled threads is bounded");
    assert!(node.begin_visit(ThreadId::from_octets([199; 16])).is_cancelled());
}

#[test]
fn spawned_threads_are_distributable_ones() {
    let scheduling = RtScheduling::attach(&orb(), Arc::new(EarliestDeadline::new()));
    let current = scheduling.current();
    let inside = current.clone();
    let action = move || (inside.id(), inside.scheduling_parameter());
    let spawned = current.spawn("spawned", deadline(7), None, 0, action).unwrap();
    let (id, parameters) = spawned.handle.join().unwrap().unwrap();
    assert_eq!((id, parameters), (Some(spawned.thread.id()), deadline(7)));
    assert_eq!(scheduling.count(), 0);

    // One that panics lets the others run.
    let spawned = current.spawn("panics", deadline(7), None, 0, || panic!("it does")).unwrap();
    assert!(spawned.handle.join().is_err());
    current.within("after", deadline(8), || ()).unwrap();

    let spawned = current.within("first", deadline(9), || {
        let spawned = current.spawn("late", deadline(10), None, 1 << 20, || ()).unwrap();
        spawned.thread.cancel();
        spawned
    });
    let outcome = spawned.unwrap().handle.join().unwrap();
    let Err(SchedulingError::System(exception)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(exception.kind, SystemExceptionKind::ThreadCancelled, "before it began");
}

/// Queues threads with these `parameters` behind a running one, and returns the order in which they run.
fn order(
    scheduler: Arc<dyn Scheduler>,
    waiting: impl Fn() -> usize,
    first: Parameters,
    parameters: &[Parameters],
) -> Vec<usize> {
    let scheduling = RtScheduling::attach(&orb(), scheduler);
    let current = scheduling.current();
    let ran = Arc::new(Mutex::new(Vec::new()));
    let handles: Vec<_> = current
        .within("first", Some(first), || {
            let spawn = |(number, parameters): (usize, &Parameters)| {
                let ran = Arc::clone(&ran);
                let action = move || ran.lock().unwrap().push(number);
                let spawned = current.spawn("next", Some(*parameters), None, 0, action).unwrap();
                // In the order of their numbers, so that it is not by chance.
                while waiting() <= number {
                    std::thread::yield_now();
                }
                spawned.handle
            };
            parameters.iter().enumerate().map(spawn).collect()
        })
        .unwrap();
    handles.into_iter().for_each(|handle| handle.join().unwrap().unwrap());
    Arc::try_unwrap(ran).unwrap().into_inner().unwrap()
}

#[test]
fn as_many_run_at_once_as_there_may_and_those_that_come_first() {
    let two = NonZeroUsize::new(2).unwrap();
    let scheduler = Arc::new(EarliestDeadline::with_concurrency(two));
    let scheduling = RtScheduling::attach(&orb(), Arc::clone(&scheduler) as Arc<dyn Scheduler>);
    let current = scheduling.current();
    let (began, begins) = channel();
    let spawn = |number: usize, time| {
        let began = began.clone();
        let (go, may_go) = channel::<()>();
        let action = move || {
            began.send(number).unwrap();
            // Until the test lets go of it.
            let _ = may_go.recv();
        };
        let spawned = current.spawn("next", deadline(time), None, 0, action).unwrap();
        (go, spawned.handle)
    };
    // Two that run side by side, which one at a time would not.
    let first: Vec<_> = [(0, 100), (1, 200)].map(|(number, time)| spawn(number, time)).into();
    let mut running = [begins.recv().unwrap(), begins.recv().unwrap()];
    running.sort_unstable();
    assert_eq!(running, [0, 1]);
    // Those that come now wait, and begin by their deadlines as each of the two ends.
    let mut rest = Vec::new();
    for (number, time) in [(2, 50), (3, 10), (4, 30)] {
        rest.push(spawn(number, time));
        while scheduler.waiting() < number - 1 {
            std::thread::yield_now();
        }
    }
    let end = |(go, handle): (Sender<()>, JoinHandle<Result<(), SchedulingError>>)| {
        drop(go);
        handle.join().unwrap().unwrap();
    };
    let mut next = Vec::new();
    for running in first {
        end(running);
        next.push(begins.recv().unwrap());
    }
    assert_eq!((next, scheduler.waiting()), (vec![3, 4], 1));
    let [second, third, fourth] = <[_; 3]>::try_from(rest).unwrap();
    end(third);
    assert_eq!(begins.recv(), Ok(2));
    [second, fourth].into_iter().for_each(end);
    assert_eq!((scheduler.waiting(), scheduling.count()), (0, 0));
}

#[test]
fn the_earliest_deadline_comes_first() {
    let scheduler = Arc::new(EarliestDeadline::new());
    let at = |time| Parameters::Deadline(Deadline::from_time_t(time));
    let waiting = Arc::clone(&scheduler);
    let order =
        order(scheduler, move || waiting.waiting(), at(1), &[at(30), at(10), at(20), at(10)]);
    assert_eq!(order, [1, 3, 2, 0]);
}

#[test]
fn the_most_critical_comes_first_and_then_the_least_laxity() {
    use Criticality::{High, Low};
    let scheduler = Arc::new(MaximumUrgency::new());
    let of = |criticality, time, units: u64| Parameters::Urgency {
        criticality,
        deadline: Deadline::from_time_t(time),
        execution: Duration::from_nanos(units * 100),
    };
    let waiting = Arc::clone(&scheduler);
    let order = order(
        scheduler,
        move || waiting.waiting(),
        of(Low, 0, 0),
        &[of(Low, 10, 5), of(High, 900, 0), of(High, 1000, 500), of(Low, 12, 8)],
    );
    assert_eq!(order, [2, 1, 3, 0]);
}

#[test]
fn an_update_lets_others_come_first() {
    let scheduler = Arc::new(EarliestDeadline::new());
    let scheduling = RtScheduling::attach(&orb(), Arc::clone(&scheduler) as Arc<dyn Scheduler>);
    let current = scheduling.current();
    let (tell, told) = channel();
    current.begin_scheduling_segment("mine", deadline(10), None).unwrap();
    let action = move || tell.send(()).unwrap();
    let other = current.spawn("other", deadline(20), None, 0, action).unwrap();
    while scheduler.waiting() == 0 {
        std::thread::yield_now();
    }
    current.update_scheduling_segment("mine", deadline(15), None).unwrap();
    assert!(told.try_recv().is_err(), "it comes later still");
    current.update_scheduling_segment("mine", deadline(30), None).unwrap();
    assert!(told.try_recv().is_ok(), "it has run in between");
    current.end_scheduling_segment("mine").unwrap();
    other.handle.join().unwrap().unwrap();
}

#[test]
fn fixed_priorities_are_those_of_the_system() {
    let orb = orb();
    let mapping = Direct::new(NativePriority::SHARED, NativePriority(40));
    let rt = RtOrb::builder().mapping(mapping).attach(&orb).unwrap();
    let scheduler = FixedPriority::new(rt.current());
    let scheduling = RtScheduling::attach(&orb, Arc::new(scheduler));
    let (rt, current) = (rt.current(), scheduling.current());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            rt.set_priority(Priority::new(3).unwrap()).unwrap();
            let now = || rt.priority().unwrap().value();
            current.begin_scheduling_segment("outer", Some(priority(20)), None).unwrap();
            assert_eq!(now(), 20);
            current.begin_scheduling_segment("inner", Some(priority(30)), None).unwrap();
            assert_eq!(now(), 30);
            current.update_scheduling_segment("inner", Some(priority(10)), None).unwrap();
            assert_eq!(now(), 10);
            current.end_scheduling_segment("inner").unwrap();
            assert_eq!(now(), 20);
            current.end_scheduling_segment("outer").unwrap();
            assert_eq!(now(), 3, "what it had before");
            // One that has no native priority leaves everything as it was.
            assert!(current.begin_scheduling_segment("high", Some(priority(41)), None).is_err());
            assert_eq!((now(), current.id(), scheduling.count()), (3, None, 0));
        });
    });
}
