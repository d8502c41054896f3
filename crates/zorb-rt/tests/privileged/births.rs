//! Threads of lanes that start while the lane is serving.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_core::Orb;
use zorb_core::lanes::{LaneSettings, LaneThreads, PoolSettings, Strategy};
use zorb_core::poa::PoaPolicies;
use zorb_os::priority::{self, Schedule};
use zorb_shm::ShmiopProtocol;
use zorb_unix::UiopProtocol;

use super::shared::{Doors, FIRST, Gate, OPEN};
use super::stage::HIGH;

/// Records the schedules with which threads start.
#[derive(Debug, Default)]
struct Births(Mutex<Vec<Schedule>>);

impl LaneThreads for Births {
    fn begin(&self) -> io::Result<()> {
        self.0.lock().unwrap().push(priority::current()?);
        self.adopt();
        Ok(())
    }

    fn adopt(&self) {
        priority::set(Schedule::Fifo(HIGH)).unwrap();
    }
}

/// The schedules with which the threads of a lane with one static and one dynamic thread started, in order;
/// `work` calls its object.
fn births(url: &str, strategy: Strategy, work: impl FnOnce(&Gate, &Doors)) -> Vec<Schedule> {
    let builder = || {
        let builder = Orb::builder().without_environment().protocol(Arc::new(UiopProtocol::new()));
        let builder = builder.protocol(Arc::new(ShmiopProtocol::new()));
        builder.round_trip_timeout(Duration::from_secs(300))
    };
    let server = builder().listen(url).build().unwrap();
    let threads = Arc::<Births>::default();
    let mut lane = LaneSettings::new(Some(1), 1);
    lane.threads = Arc::<Births>::clone(&threads);
    lane.dynamic_threads = 1;
    let mut settings = PoolSettings::new("births");
    settings.strategy = Some(strategy);
    settings.lanes = vec![lane];
    let pool = server.create_pool(settings).unwrap();
    let policies = PoaPolicies::new().with(pool.policy());
    let poa = server.root_poa().create("births", policies).unwrap();
    let doors = Arc::<Doors>::default();
    let here: Gate = poa.activate_shared(&doors).unwrap();
    let client = builder().build().unwrap();
    let there: Gate = client.resolve(&here.0.to_ior_string()).unwrap();
    work(&there, &doors);
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
    threads.0.lock().unwrap().clone()
}

/// A connection's own thread would otherwise begin behind every real-time thread of the machine.
pub(crate) fn a_connections_thread_begins_as_urgent_as_its_lane() {
    for (url, strategy) in [
        ("uiop://", Strategy::ThreadPerConnection),
        ("shmiop://", Strategy::ThreadPerConnection),
        ("shmiop://", Strategy::LeaderFollowers),
    ] {
        let began = births(url, strategy, |gate, _| assert_eq!(gate.pass(OPEN), Ok(OPEN)));
        assert_eq!(began.last(), Some(&Schedule::Fifo(HIGH)), "{url} {strategy:?}");
    }
}

pub(crate) fn a_dynamic_thread_begins_as_urgent_as_its_lane() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync] {
        let began = births("uiop://", strategy, |gate, doors| {
            std::thread::scope(|scope| {
                // The static thread serves this one.
                scope.spawn(|| assert_eq!(gate.pass(FIRST), Ok(FIRST)));
                scope.spawn(|| {
                    doors.first_begun.wait();
                    assert_eq!(gate.pass(OPEN), Ok(OPEN));
                    doors.first.say();
                });
            });
        });
        let dynamic = began.last().copied();
        assert_eq!(dynamic, Some(Schedule::Fifo(HIGH)), "{strategy:?} {began:?}");
    }
}
