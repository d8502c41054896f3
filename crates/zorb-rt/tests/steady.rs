//! Lanes that were frozen: a call that has been made before asks for no memory, touches none that is not
//! there, starts no thread, opens no connection and changes no table.
#![allow(clippy::unwrap_used, clippy::use_self)]

#[path = "frozen/fixture.rs"]
#[allow(dead_code, reason = "shared with another test program")]
mod fixture;

use zorb_rt::{CountingAllocator, Denied, LaneBuilder, LaneViolations};

use fixture::{STRATEGIES, Worker, builder, call_many, number, scene, set_up};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn steady_calls_violate_nothing() {
    // Memory that is not locked may go at any time, and has to be there before it is locked.
    let apart = builder().build().unwrap();
    let locked = set_up().lock_memory(true).denied(Denied::Refuse).attach(&apart).is_ok();
    for url in
        ["iiop://127.0.0.1:0", "uiop://", "shmiop://", "lite+iiop://127.0.0.1:0", "lite+uiop://"]
    {
        for strategy in STRATEGIES {
            let scene = scene(url, strategy, LaneBuilder::new(number(20), 1));
            // Two at a time, so that both threads of the low lane have served.
            let warm = |worker: &Worker| {
                std::thread::scope(|scope| {
                    for _ in 0..2 {
                        scope.spawn(|| {
                            scene.client_rt.current().set_priority(number(10)).unwrap();
                            call_many(worker);
                        });
                    }
                });
            };
            warm(&scene.worker);
            for priority in [10, 20] {
                let round = || {
                    scene.at(priority, |worker| {
                        call_many(worker);
                        scene.rt.freeze().unwrap();
                        call_many(worker);
                    });
                    let violations = scene.rt.violations();
                    assert_eq!(violations.len(), 2);
                    for lane in &violations {
                        assert_eq!(lane.total(), lane.page_faults, "{url} {strategy:?} {lane}");
                    }
                    violations
                };
                // The system may move a page, once, which its next user notices.
                let is_calm = |violations: &Vec<LaneViolations>| {
                    !locked || violations.iter().all(|lane| lane.page_faults == 0)
                };
                let calm = std::iter::repeat_with(round).take(3).find(is_calm);
                assert!(calm.is_some(), "{url} {strategy:?} {:?}", scene.rt.violations());
                scene.rt.thaw();
                let violations = scene.rt.violations();
                assert_eq!(scene.pool.violations(), violations);
            }
            scene.end();
        }
    }
}
