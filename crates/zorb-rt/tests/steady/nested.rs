//! Calls that the servants of lanes make: each lane's go over connections of its own.

use std::sync::atomic::Ordering;

use zorb_core::poa::PoaPolicies;
use zorb_core::{Orb, OrbBuilder};
use zorb_rt::{LaneBuilder, RtOrb, Strategy, Threadpool};

use crate::fixture::{
    CALL, CALL_ON_REPLY, STRATEGIES, Scene, Sinner, TOUCH, Worker, builder, number, rt_of, scene_of,
};

/// A server that servants call, which counts who is connected.
struct Elsewhere {
    orb: Orb,
    _rt: RtOrb,
    pool: Threadpool,
    worker: Worker,
}

impl Elsewhere {
    fn new() -> Self {
        let orb = builder().listen("uiop://").build().unwrap();
        let rt = rt_of(&orb);
        let pool = rt.threadpool("elsewhere").without_lanes(LaneBuilder::new(number(10), 2));
        let pool = pool.create().unwrap();
        let policies = PoaPolicies::new().with(pool.policy());
        let poa = orb.root_poa().create("elsewhere", policies).unwrap();
        let worker = poa.activate(Sinner::default()).unwrap();
        Self { orb, _rt: rt, pool, worker }
    }

    fn connections(&self) -> usize {
        self.pool.counts()[0].connections
    }

    /// A server with lanes whose servants call this one.
    fn called_by(&self, builder: impl Fn() -> OrbBuilder, strategy: Strategy) -> Scene {
        let high = LaneBuilder::new(number(20), 1);
        let scene = scene_of(builder, &["uiop://"], strategy, high);
        let there = scene.server.resolve(&self.worker.0.to_ior_string()).unwrap();
        *scene.sinner.elsewhere.lock().unwrap() = Some(there);
        scene
    }
}

/// Threads share connections, so that one is enough for all that call one after the other.
fn sharing() -> OrbBuilder {
    builder().option("MaxCallsPerConnection", "8")
}

#[test]
fn each_lane_has_connections_of_its_own() {
    for strategy in STRATEGIES {
        let elsewhere = Elsewhere::new();
        let scene = elsewhere.called_by(sharing, strategy);
        let call = |priority| {
            assert_eq!(scene.at(priority, |worker| worker.sin(CALL)), Ok(CALL));
            elsewhere.connections()
        };
        let counts = [10, 20, 10, 20].map(call);
        assert_eq!(counts, [1, 2, 2, 2], "{strategy:?}");
        // A thread without a lane, of the same ORB.
        let there = scene.sinner.elsewhere.lock().unwrap().clone().unwrap();
        assert_eq!(there.serve(1), Ok(1));
        assert_eq!(elsewhere.connections(), 3, "{strategy:?}");
        // They end with their lanes.
        scene.sinner.poa.lock().unwrap().take().unwrap().destroy();
        scene.pool.destroy().unwrap();
        while elsewhere.connections() > 1 {
            std::thread::yield_now();
        }
        assert_eq!(there.serve(1), Ok(1));
        assert_eq!(elsewhere.connections(), 1, "{strategy:?}");
        scene.end();
        elsewhere.orb.shutdown(true).unwrap();
    }
}

/// A function for the reply runs on the thread that receives for the connection.
#[test]
fn calls_on_the_reply_to_a_lane_s_call_go_over_the_lane_s_connections() {
    for strategy in STRATEGIES {
        let elsewhere = Elsewhere::new();
        let scene = elsewhere.called_by(sharing, strategy);
        let call = |priority| {
            let called = scene.at(priority, |worker| worker.sin(CALL_ON_REPLY));
            assert_eq!(called, Ok(CALL_ON_REPLY), "{strategy:?}");
            elsewhere.connections()
        };
        let counts = [10, 20, 10, 20].map(call);
        assert_eq!(counts, [1, 2, 2, 2], "{strategy:?}");
        scene.end();
        elsewhere.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_thread_that_is_borrowed_calls_for_who_has_borrowed_it() {
    let elsewhere = Elsewhere::new();
    let server = sharing().listen("uiop://").build().unwrap();
    let rt = rt_of(&server);
    let pool = rt.threadpool("lends").strategy(Strategy::HalfSync).borrowing(true);
    let lanes = [10, 20].map(|priority| LaneBuilder::new(number(priority), 1));
    let pool = lanes.into_iter().fold(pool, |pool, lane| pool.lane(lane)).create().unwrap();
    let model = rt.client_propagated(number(10));
    let policies = PoaPolicies::new().with(model).with(pool.policy());
    let poa = server.root_poa().create("workers", policies).unwrap();
    let sinner = std::sync::Arc::<Sinner>::default();
    *sinner.fresh.lock().unwrap() = (vec![0; 1 << 20], 0);
    let there = server.resolve(&elsewhere.worker.0.to_ior_string()).unwrap();
    *sinner.elsewhere.lock().unwrap() = Some(there);
    let worker: Worker = poa.activate_shared(&sinner).unwrap();
    let client = builder().build().unwrap();
    let client_rt = rt_of(&client);
    let worker: Worker = client.resolve(&worker.0.to_ior_string()).unwrap();
    let at = |priority: i16, how| {
        client_rt.current().set_priority(number(priority)).unwrap();
        assert_eq!(worker.sin(how), Ok(how));
    };
    at(20, CALL);
    assert_eq!(elsewhere.connections(), 1);
    // The lane's own thread is in an upcall, so a borrowed thread serves the next request.
    let held = sinner.fresh.lock().unwrap();
    std::thread::scope(|scope| {
        let kept = scope.spawn(|| at(20, TOUCH));
        while sinner.about_to_touch.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        at(20, CALL);
        drop(held);
        kept.join().unwrap();
    });
    assert_eq!(pool.counts()[1].borrowed, 1);
    assert_eq!(elsewhere.connections(), 1, "the borrower's");
    at(10, CALL);
    assert_eq!(elsewhere.connections(), 2);
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
    elsewhere.orb.shutdown(true).unwrap();
}

#[test]
fn calls_of_servants_find_their_pace_as_well() {
    for shared in [false, true] {
        for strategy in STRATEGIES {
            let elsewhere = Elsewhere::new();
            let scene = elsewhere.called_by(if shared { sharing } else { builder }, strategy);
            // One at a time: the lane has one thread.
            scene.at(20, |worker| {
                let calls = || (0..50).for_each(|_| assert_eq!(worker.sin(CALL), Ok(CALL)));
                calls();
                scene.rt.freeze().unwrap();
                calls();
            });
            let high = scene.rt.violations().remove(1);
            // Memory that is not locked may go at any time.
            assert_eq!(high.total(), high.page_faults, "{strategy:?} {high}");
            scene.end();
            elsewhere.orb.shutdown(true).unwrap();
        }
    }
}
