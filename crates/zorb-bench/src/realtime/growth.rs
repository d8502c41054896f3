//! E14: more concurrent requests than a lane has static threads.

use std::time::Duration;

use zorb_rt::{DynamicLifespan, Strategy};

use super::bed::{Bench, HIGH, LOW, joined};
use super::finding::Finding;
use super::oracle::max_concurrent;
use super::servant::until;
use crate::error::Result;

/// Numbers of static and dynamic threads of a lane.
const STATIC: usize = 1;
const DYNAMIC: usize = 3;
/// The lifespan of dynamic threads, unless it is infinite.
const SPAN: Duration = Duration::from_millis(20);

/// The result of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grown {
    /// Maximum number of concurrent upcalls.
    pub(super) at_once: usize,
    /// Threads that were started.
    pub(super) started: u64,
    /// Threads that are left after the lifespan.
    pub(super) left: usize,
    /// Threads that were started in the high-priority lane, which has no dynamic threads.
    pub(super) started_high: u64,
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let spans = [
        ("idle", DynamicLifespan::Idle(SPAN), STATIC),
        ("fixed", DynamicLifespan::Fixed(SPAN), STATIC),
        ("infinite", DynamicLifespan::Infinite, STATIC + DYNAMIC),
    ];
    for (name, lifespan, left) in spans {
        let grown = burst(bench, DYNAMIC, lifespan)?;
        let started = u64::try_from(DYNAMIC).unwrap_or_default();
        finding.measure(&format!("{name}_at_once"), grown.at_once);
        finding.measure(&format!("{name}_started"), grown.started);
        finding.measure(&format!("{name}_left"), grown.left);
        finding.check(
            &format!("{name}: concurrent upcalls, threads started, threads left"),
            &format!("{}, {DYNAMIC} or more, {left}", STATIC + DYNAMIC),
            format!("{}, {}, {}", grown.at_once, grown.started, grown.left),
            grown.at_once == STATIC + DYNAMIC && grown.started >= started && grown.left == left,
        );
        finding.check(
            &format!(
                "{name}: threads started in the high-priority lane, which has no dynamic ones"
            ),
            "0",
            grown.started_high,
            grown.started_high == 0,
        );
    }
    let grown = burst(bench, 0, DynamicLifespan::Infinite)?;
    finding.measure("static_at_once", grown.at_once);
    finding.control(
        "static threads only: concurrent upcalls",
        &STATIC.to_string(),
        grown.at_once,
        grown.at_once == STATIC,
    );
    Ok(finding)
}

/// As many concurrent calls as there can be threads, and a high-priority one beside them.
pub(super) fn burst(bench: &Bench, dynamic: usize, lifespan: DynamicLifespan) -> Result<Grown> {
    let calls = STATIC + DYNAMIC;
    let all: Vec<i32> = (0..).take(calls).collect();
    let server = bench.server(calls)?;
    let client = bench.client(&[])?;
    let low = server.lane(LOW, STATIC)?.dynamic_threads(dynamic).lifespan(lifespan);
    // A shared-memory connection cannot be polled together with others; each has a thread.
    let strategy = match bench.transport.as_str() {
        "shmiop" => Strategy::HalfSync,
        _ => Strategy::LeaderFollowers,
    };
    let pool = server.pool().lane(low).lane(server.lane(HIGH, 1)?).strategy(strategy).create()?;
    let worker = server.propagated(&pool, LOW, &client)?;
    let (servant, low_lane) =
        (&server.servant, || pool.counts().first().copied().unwrap_or_default());
    servant.shut(all.iter().copied());
    std::thread::scope(|scope| {
        let callers: Vec<_> =
            all.iter().map(|id| client.thread(scope, LOW, || Ok(worker.work(*id, 0)?))).collect();
        // When a call to the other lane has been served, all upcalls that can start have started.
        let expected = STATIC + dynamic;
        let begun = || all.iter().filter(|id| servant.log.has_begun(**id)).count();
        let waited =
            until("upcalls begin", || begun() >= expected && low_lane().connections == calls);
        let high = client.at(HIGH, || Ok(worker.rest(-1, 1_000)?));
        servant.open_all();
        for caller in callers {
            joined(caller.join())?;
        }
        waited.and(high)
    })?;
    if lifespan != DynamicLifespan::Infinite {
        until("threads end", || low_lane().threads == STATIC)?;
    }
    let counts = pool.counts();
    Ok(Grown {
        at_once: max_concurrent(&servant.log.upcalls(all.iter().copied())),
        started: counts.iter().map(|lane| lane.started).sum(),
        left: low_lane().threads,
        started_high: counts.get(1).map(|lane| lane.started).unwrap_or_default(),
    })
}
