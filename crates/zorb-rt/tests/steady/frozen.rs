//! Frozen lanes: violations are counted by kind and lane.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use zorb_core::poa::PoaPolicies;
use zorb_rt::{Buffering, DynamicLifespan, LaneBuilder, LaneViolations, Strategy};
use zorb_testkit::in_own_process;

use crate::fixture::{
    ACTIVATE, ALLOCATE, CALL, NOTHING, STRATEGIES, Sinner, TOUCH, Worker, builder, call_many,
    number, rt_of, scene, scene_in,
};

/// The violations of both lanes, after calls to the high one whose servant did `how`.
fn counted(strategy: Strategy, how: i32) -> (LaneViolations, LaneViolations) {
    let scene = scene("uiop://", strategy, LaneBuilder::new(number(20), 1));
    let elsewhere = builder().listen("uiop://").build().unwrap();
    let other: Worker = elsewhere.root_poa().activate(Sinner::default()).unwrap();
    // As a reference of the server's, not yet called.
    *scene.sinner.elsewhere.lock().unwrap() =
        Some(scene.server.resolve(&other.0.to_ior_string()).unwrap());
    scene.at(10, call_many);
    scene.at(20, |worker| {
        call_many(worker);
        scene.rt.freeze().unwrap();
        (0..3).for_each(|_| assert_eq!(worker.sin(how), Ok(how)));
        // A dispatch ends after its reply has been sent; the reply to the next call proves that it has.
        assert_eq!(worker.serve(1), Ok(1));
    });
    let mut violations = scene.rt.violations().into_iter();
    let lanes = (violations.next().unwrap(), violations.next().unwrap());
    scene.rt.thaw();
    assert_eq!(scene.rt.violations()[1], lanes.1, "counts stay");
    scene.end();
    elsewhere.shutdown(true).unwrap();
    lanes
}

#[test]
fn each_kind_is_counted_in_the_lane_where_it_happens() {
    // Other tests lock the memory of the process: then there are no page faults.
    in_own_process("frozen::each_kind_is_counted_in_the_lane_where_it_happens", || {
        for strategy in STRATEGIES {
            let (low, high) = counted(strategy, ALLOCATE);
            assert_eq!((&*low.lane, low.priority, low.total()), ("pace-10", Some(10), 0), "{low}");
            assert_eq!((&*high.lane, high.priority), ("pace-20", Some(20)));
            // An allocation may cause a page fault of its own.
            assert_eq!(
                (high.allocations, high.total() - high.page_faults),
                (3, 3),
                "{strategy:?} {high}"
            );

            let (low, high) = counted(strategy, TOUCH);
            assert_eq!(low.total(), 0, "{low}");
            assert!(high.page_faults >= 1, "{strategy:?} {high}");
            assert_eq!(high.page_faults, high.total(), "{strategy:?} {high}");

            let (low, high) = counted(strategy, CALL);
            assert_eq!(low.total(), 0, "{low}");
            assert_eq!(high.connects, 1, "one connection for three calls: {strategy:?} {high}");
            assert!(high.table_writes > 0 && high.allocations > 0, "{strategy:?} {high}");

            let (low, high) = counted(strategy, ACTIVATE);
            assert_eq!(low.total(), 0, "{low}");
            assert_eq!((high.table_writes, high.connects), (3, 0), "{strategy:?} {high}");
            assert!(high.allocations >= 3, "{strategy:?} {high}");
        }
    });
}

#[test]
fn requests_in_progress_are_not_counted() {
    for strategy in STRATEGIES {
        let scene = scene("uiop://", strategy, LaneBuilder::new(number(20), 1));
        let held = scene.sinner.fresh.lock().unwrap();
        std::thread::scope(|scope| {
            let call = scope.spawn(|| scene.at(20, |worker| worker.sin(TOUCH)));
            while scene.sinner.about_to_touch.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            scene.rt.freeze().unwrap();
            drop(held);
            assert_eq!(call.join().unwrap(), Ok(TOUCH));
        });
        let high = scene.rt.violations().remove(1);
        assert_eq!(high.total(), 0, "{strategy:?} {high}");
        scene.end();
    }
}

/// The violations of the high lane by a second connection to it.
fn second_connection(strategy: Strategy) -> LaneViolations {
    let scene = scene("uiop://", strategy, LaneBuilder::new(number(20), 1));
    scene.at(20, |worker| {
        call_many(worker);
        scene.rt.freeze().unwrap();
        // The first one's connection is in use by this thread, so the other's is new.
        let reference = worker.0.to_ior_string();
        let client = builder().build().unwrap();
        let rt = rt_of(&client);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                rt.current().set_priority(number(20)).unwrap();
                let worker: Worker = client.resolve(&reference).unwrap();
                assert_eq!(worker.serve(1), Ok(1));
            });
        });
        client.shutdown(true).unwrap();
    });
    let high = scene.rt.violations().remove(1);
    scene.end();
    high
}

#[test]
fn connections_that_come_late_are_counted_and_threads_for_them() {
    let high = second_connection(Strategy::LeaderFollowers);
    assert!(high.table_writes > 0, "{high}");
    assert_eq!(high.threads, 0, "{high}");
    let high = second_connection(Strategy::ThreadPerConnection);
    assert!(high.table_writes > 0, "{high}");
    assert_eq!(high.threads, 1, "{high}");
}

#[test]
fn dynamic_threads_are_counted() {
    let high = LaneBuilder::new(number(20), 1).dynamic_threads(1);
    let high = high.lifespan(DynamicLifespan::Infinite);
    let scene = scene("uiop://", Strategy::HalfSync, high);
    // Before any call: a thread that is about to be free counts as busy.
    scene.rt.freeze().unwrap();
    // The only static thread waits in an upcall for a lock, so the next request needs another one.
    let held = scene.sinner.fresh.lock().unwrap();
    std::thread::scope(|scope| {
        let busy = scope.spawn(|| scene.at(20, |worker| worker.sin(TOUCH)));
        while scene.rt.violations()[1].threads == 0 {
            // Refused or served, it needs a thread as long as the first one waits.
            scene.at(20, |worker| worker.serve(1)).unwrap();
        }
        drop(held);
        assert_eq!(busy.join().unwrap(), Ok(TOUCH));
    });
    assert_eq!(scene.rt.violations()[1].threads, 1);
    scene.end();
}

#[test]
fn pools_that_are_made_later_are_frozen_from_their_beginning() {
    let server = builder().listen("uiop://").build().unwrap();
    let rt = rt_of(&server);
    rt.freeze().unwrap();
    let client = builder().build().unwrap();
    let mut name = 0;
    let mut first_call = || {
        name += 1;
        let lane = LaneBuilder::new(number(20), 1);
        let pool = rt.threadpool(&format!("late {name}")).lane(lane).create().unwrap();
        let model = rt.server_declared(number(20));
        let policies = PoaPolicies::new().with(model).with(pool.policy());
        let poa = server.root_poa().create(&format!("late {name}"), policies).unwrap();
        let here: Worker = poa.activate(Sinner::default()).unwrap();
        let there: Worker = client.resolve(&here.0.to_ior_string()).unwrap();
        assert_eq!(there.serve(1), Ok(1));
        // A dispatch ends after its reply has been sent; the reply to the next call proves that it has.
        assert_eq!(there.serve(1), Ok(1));
        pool.violations().remove(0)
    };
    let counted = first_call();
    assert!(counted.table_writes > 0, "its connection came: {counted}");
    rt.thaw();
    assert_eq!(first_call().total(), 0);
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

#[test]
fn the_observer_receives_each_request_with_violations() {
    let scene = scene("uiop://", Strategy::LeaderFollowers, LaneBuilder::new(number(20), 1));
    let told = Arc::<Mutex<Vec<LaneViolations>>>::default();
    let tell = Arc::clone(&told);
    let report = move |violations: &LaneViolations| {
        // Memory that is not locked may go at any time.
        if violations.total() > violations.page_faults {
            tell.lock().unwrap().push(violations.clone());
        }
    };
    scene.at(20, |worker| {
        call_many(worker);
        scene.rt.freeze_with(report).unwrap();
        for how in [NOTHING, ALLOCATE, NOTHING, ACTIVATE, NOTHING] {
            worker.sin(how).unwrap();
        }
    });
    let told = told.lock().unwrap().clone();
    let shown: Vec<_> = told.iter().map(|one| (&*one.lane, one.table_writes)).collect();
    assert_eq!(shown, [("pace-20", 0), ("pace-20", 1)]);
    assert_eq!(told[0].allocations, 1);
    assert!(told[0].to_string().starts_with("lane pace-20: 1 allocations, "));
    // Freezing it again starts at zero.
    scene.rt.freeze().unwrap();
    assert_eq!(scene.rt.violations()[1].total(), 0);
    scene.end();
}

#[test]
fn requests_that_wait_allocate_nothing_however_many_they_are() {
    // Clients know threads by numbers, which the threads of other tests would take in between: a thread with a new
    // number opens a connection.
    in_own_process(
        "frozen::requests_that_wait_allocate_nothing_however_many_they_are",
        bursts_of_waiting_requests,
    );
}

fn bursts_of_waiting_requests() {
    const WAITING: usize = 300;
    for (max_requests, max_octets, refused) in [
        (WAITING, None, 3),
        // The most that may wait.
        (0, None, 0),
        // Far less than a buffer for each.
        (0, Some(WAITING * 200), 0),
        (WAITING, Some(WAITING * 200), 3),
    ] {
        for by_priority in [false, true] {
            let limit = Buffering { max_requests, max_octets };
            bursts(by_priority, limit, WAITING, refused);
        }
    }
}

fn bursts(by_priority: bool, limit: Buffering, waiting: usize, refused: usize) {
    let high = LaneBuilder::new(number(20), 1).buffering(limit);
    let settings = (Strategy::HalfSync, by_priority);
    let scene = scene_in(builder, &["uiop://"], settings, high);
    // Queues requests behind an upcall; further ones are refused, which shows that the queue is full.
    let burst = |waiting: usize, refused: usize| {
        let held = scene.sinner.fresh.lock().unwrap();
        let (begun, left) = (
            scene.sinner.about_to_touch.load(Ordering::SeqCst),
            scene.sinner.left.load(Ordering::SeqCst),
        );
        std::thread::scope(|scope| {
            let busy = scope.spawn(|| scene.at(20, |worker| worker.sin(TOUCH)));
            while scene.sinner.about_to_touch.load(Ordering::SeqCst) == begun {
                std::thread::yield_now();
            }
            scene.at(20, |worker| {
                (0..waiting).for_each(|_| worker.leave(1).unwrap());
                (0..refused).for_each(|_| drop(worker.serve(1).unwrap_err()));
            });
            drop(held);
            assert_eq!(busy.join().unwrap(), Ok(TOUCH));
        });
        while scene.sinner.left.load(Ordering::SeqCst) < left + waiting {
            std::thread::yield_now();
        }
        assert_eq!(scene.at(20, |worker| worker.serve(1)), Ok(1));
        scene.rt.violations()[1].allocations
    };
    scene.at(20, call_many);
    // From now on both connections exist.
    burst(1, 0);
    scene.rt.freeze().unwrap();
    let counts = [burst(waiting, refused), burst(waiting, refused)];
    assert_eq!(counts, [0, 0], "by priority: {by_priority}, {limit:?}");
    scene.end();
}
