//! E12: sync scopes of one-way calls.
//!
//! After TAO's test of reliable one-way calls.

use std::time::Duration;

use zorb::Interface as _;
use zorb::policy::{Policies, SyncScope};

use super::bed::{Bench, HIGH};
use super::finding::{Finding, rounded};
use super::times::{Sample, Times};
use crate::error::{Error, Result};
use crate::harness::alternating;
use crate::stubs::real_time::Worker;

/// The work of an upcall, which `WithTarget` waits for.
const WORK_US: u32 = 200;
/// Pause between calls, so that none waits for another.
const PAUSE: Duration = Duration::from_millis(1);
/// Tolerance for equal times.
const NOISE: f64 = 1.15;

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let server = bench.server(0)?;
    let client = bench.client(&[])?;
    let pool = server.lanes(&[(HIGH, 1)])?;
    let worker = server.propagated(&pool, HIGH, &client)?;
    let one_way = |scope| Ok(Kind::OneWay(worker.with_policies(&Policies::new().with(scope))?));
    let kinds: [Result<Kind>; 6] = [
        one_way(SyncScope::None),
        one_way(SyncScope::WithTransport),
        one_way(SyncScope::WithServer),
        one_way(SyncScope::WithTarget),
        Ok(Kind::TwoWay(worker.clone())),
        one_way(SyncScope::WithServer),
    ];
    let kinds = kinds.into_iter().collect::<Result<Vec<_>>>()?;
    let times = client.at(HIGH, || interleaved(bench, &kinds))?;
    let [none, transport, server_scope, target, two_way, again] =
        <[Times; 6]>::try_from(times).map_err(|_| Error::new("kinds of calls without times"))?;
    for (name, times) in [
        ("none", &none),
        ("with transport", &transport),
        ("with server", &server_scope),
        ("with target", &target),
        ("two-way", &two_way),
    ] {
        finding.times(name, "call", times);
    }
    let medians = [&none, &transport, &server_scope, &target, &two_way].map(Times::p50);
    let shown = medians.map(|median| rounded(median).to_string()).join(", ");
    let rises = medians.windows(2).all(|pair| matches!(pair, [a, b] if *a <= b * NOISE));
    finding.check(
        "medians of NONE, WITH_TRANSPORT, WITH_SERVER, WITH_TARGET, two-way, in us",
        "ascending",
        shown,
        rises,
    );
    let reply = server_scope.p50() / transport.p50().max(f64::MIN_POSITIVE);
    finding.check(
        "WITH_SERVER waits for a reply: median relative to WITH_TRANSPORT",
        "at least 1.2 times",
        rounded(reply),
        reply >= 1.2,
    );
    let gap = target.p50() - server_scope.p50();
    let least = f64::from(WORK_US) / 2.0;
    finding.measure("target_beyond_server_us", rounded(gap));
    finding.check(
        "WITH_TARGET waits for the upcall: median minus that of WITH_SERVER",
        &format!("at least {least} us"),
        format!("{} us", rounded(gap)),
        gap >= least,
    );
    let gap = again.p50() - server_scope.p50();
    finding.measure("server_beyond_server_us", rounded(gap));
    finding.control(
        "WITH_SERVER instead of WITH_TARGET: median minus that of WITH_SERVER",
        &format!("less than {least} us"),
        format!("{} us", rounded(gap)),
        gap < least,
    );
    Ok(finding)
}

/// A kind of call.
enum Kind {
    OneWay(Worker),
    TwoWay(Worker),
}

impl Kind {
    fn call(&self) -> Result<()> {
        match self {
            Self::OneWay(worker) => Ok(worker.push(-1, WORK_US)?),
            Self::TwoWay(worker) => Ok(worker.work(-1, WORK_US)?),
        }
    }
}

/// The times of all kinds, in interleaved blocks in alternating order, so that a drift of the machine
/// affects all.
fn interleaved(bench: &Bench, kinds: &[Kind]) -> Result<Vec<Times>> {
    let rounds = 10;
    let each = bench.count(100, 40);
    let mut samples: Vec<Vec<Sample>> = kinds.iter().map(|_| Vec::new()).collect();
    for index in alternating(kinds.len(), rounds) {
        let (Some(kind), Some(samples)) = (kinds.get(index), samples.get_mut(index)) else {
            continue;
        };
        // The first call warms the caches.
        kind.call()?;
        for _ in 0..each {
            std::thread::sleep(PAUSE);
            let (sample, done) = Sample::of(|| kind.call());
            done?;
            samples.push(sample);
        }
        std::thread::sleep(PAUSE);
    }
    Ok(samples.iter().map(|samples| bench.times(samples)).collect())
}
