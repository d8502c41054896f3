//! Destroyed pools leave no threads and no files behind.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_core::Orb;
use zorb_core::poa::PoaPolicies;
use zorb_rt::{LaneBuilder, Priority, RtOrb, Strategy};
use zorb_shm::ShmiopProtocol;
use zorb_tcp::IiopProtocol;
use zorb_testkit::in_own_process;
use zorb_unix::UiopProtocol;

const TIMES: usize = 1000;

/// How many files are open, and how many threads there are.
fn held() -> [usize; 2] {
    ["/proc/self/fd", "/proc/self/task"].map(|path| std::fs::read_dir(path).unwrap().count())
}

#[test]
fn a_thousand_pools_leave_nothing() {
    // All files and threads of the process are counted.
    in_own_process("destroyed::a_thousand_pools_leave_nothing", || {
        let orb = Orb::builder().without_environment().protocol(Arc::new(UiopProtocol::new()));
        let orb =
            orb.protocol(Arc::new(IiopProtocol::new())).protocol(Arc::new(ShmiopProtocol::new()));
        let orb = orb.listen("uiop://").listen("iiop://127.0.0.1:0").listen("shmiop://");
        let orb = orb.build().unwrap();
        let rt = RtOrb::builder().attach(&orb).unwrap();
        let [low, high] = [1000, 30_000].map(|priority| Priority::new(priority).unwrap());
        let strategies =
            [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::ThreadPerConnection];
        let mut before = None;
        for time in 0..TIMES {
            let pool = rt.threadpool("comes and goes").strategy(strategies[time % 3]);
            let pool = pool.lane(LaneBuilder::new(low, 2).dynamic_threads(1));
            let pool = pool.lane(LaneBuilder::new(high, 1)).create().unwrap();
            let policies = PoaPolicies::new().with(rt.client_propagated(low)).with(pool.policy());
            let poa = orb.root_poa().create("adapter", policies).unwrap();
            assert!(pool.destroy().is_err(), "an adapter is served by it");
            poa.destroy();
            drop(poa);
            pool.destroy().unwrap();
            // The first pool of each kind makes the ORB open descriptors that it retains.
            if time == 2 {
                before = Some(held());
            }
        }
        let before = before.unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        while held().iter().zip(before).any(|(now, before)| *now > before) {
            assert!(Instant::now() < end, "{before:?} files and threads became {:?}", held());
            std::thread::yield_now();
        }
        assert_eq!(rt.violations(), []);
        orb.shutdown(true).unwrap();
    });
}
