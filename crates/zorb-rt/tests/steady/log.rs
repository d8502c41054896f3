//! A lane whose log is blocked continues to serve, and logging allocates nothing.

use std::sync::Arc;
use std::time::Duration;

use zorb_core::Orb;
use zorb_core::poa::PoaPolicies;
use zorb_os::alloc::AllocationCount;
use zorb_rt::{LaneBuilder, LogCounts, LogQueue, Priority, RtOrb};
use zorb_tcp::IiopProtocol;
use zorb_testkit::in_own_process;

use crate::gated::Gated;
use crate::probe::{Fixed, Probe};

/// The capacity of the log.
const LINES: usize = 8;
/// Calls, each of which is logged.
const CALLS: usize = 20;

#[test]
fn a_lane_serves_on_when_its_log_is_stuck() {
    // A process has one subscriber.
    in_own_process("log::a_lane_serves_on_when_its_log_is_stuck", || {
        let (stuck, let_go, gets) = Gated::new();
        let log = LogQueue::builder().lines(LINES).write_to(stuck).unwrap();
        let lines = log.clone();
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::WARN)
            .with_ansi(false)
            .with_writer(move || lines.line())
            .init();

        let orb = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
        let orb = orb.listen("iiop://127.0.0.1:0").build().unwrap();
        let rt = RtOrb::builder().attach(&orb).unwrap();
        let priority = Priority::new(0).unwrap();
        let pool =
            rt.threadpool("one thread").lane(LaneBuilder::new(priority, 1)).create().unwrap();
        let policies = PoaPolicies::new().with(rt.server_declared(priority)).with(pool.policy());
        let poa = orb.root_poa().create("served", policies).unwrap();
        let here: Probe = poa.activate(Fixed).unwrap();
        let client = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
        let client = client.build().unwrap();
        let there: Probe = client.resolve(&here.0.to_ior_string()).unwrap();
        for _ in 0..CALLS {
            assert_eq!(there.answer().unwrap(), 42, "the lane's only thread waits for no log");
        }
        let dropped = (CALLS - LINES) as u64;
        let mut expected = LogCounts::default();
        expected.dropped = dropped;
        assert_eq!(log.counts(), expected);

        drop(let_go);
        let got: Vec<String> = gets.iter().take(LINES + 1).collect();
        let (told, calls) = got.split_last().unwrap();
        assert!(calls.iter().all(|line| line.contains("called")), "{got:?}");
        assert_eq!(*told, format!("log: {dropped} lines dropped because the queue was full\n"));
        assert!(log.flush(Duration::from_secs(60)));

        takes_no_memory(&log);
    });
}

/// Except for the allocation of a thread's first line.
fn takes_no_memory(log: &LogQueue) {
    let warn = |number: usize| tracing::warn!(number, lane = "urgent", "something is wrong");
    warn(0);
    let ((), used) = AllocationCount::of(|| (1..=1000).for_each(warn));
    assert_eq!(used, AllocationCount::default(), "whether there is room for the lines or not");
    assert!(log.flush(Duration::from_secs(60)));
    let counts = log.counts();
    let all = 1001 + CALLS as u64;
    assert_eq!((counts.written + counts.dropped, counts.failed), (all, 0));
}
