//! E12: what a one-way call waits for.
//!
//! After TAO's test of reliable one-way calls.

use std::time::Duration;

use zorb::Interface as _;
use zorb::policy::{Policies, SyncScope};

use super::bed::{Bench, HIGH, Host};
use super::finding::{Finding, rounded};
use super::times::{Sample, Times};
use crate::error::Result;

/// The work of an upcall, which `WithTarget` waits for.
const WORK_US: u32 = 200;
/// From one call to the next, so that none waits for another.
const PAUSE: Duration = Duration::from_millis(1);
/// Times that are to be equal may differ by so much.
const NOISE: f64 = 1.15;

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let server = bench.server(0)?;
    let client = bench.client(&[])?;
    let pool = server.lanes(&[(HIGH, 1)])?;
    let worker = server.propagated(&pool, HIGH, &client)?;
    let calls = bench.count(1_000, 100);
    let one_way = |scope| {
        let worker = worker.with_policies(&Policies::new().with(scope))?;
        timed(bench, &client, calls, || Ok(worker.push(-1, WORK_US)?))
    };
    let none = one_way(SyncScope::None)?;
    let transport = one_way(SyncScope::WithTransport)?;
    let server_scope = one_way(SyncScope::WithServer)?;
    let again = one_way(SyncScope::WithServer)?;
    let target = one_way(SyncScope::WithTarget)?;
    let two_way = timed(bench, &client, calls, || Ok(worker.work(-1, WORK_US)?))?;
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
        "none is less than the one before",
        shown,
        rises,
    );
    let reply = server_scope.p50() / transport.p50().max(f64::MIN_POSITIVE);
    finding.check(
        "WITH_SERVER waits for a reply: its median, of that of WITH_TRANSPORT",
        "at least 1.2 times",
        rounded(reply),
        reply >= 1.2,
    );
    let gap = target.p50() - server_scope.p50();
    let least = f64::from(WORK_US) / 2.0;
    finding.measure("target_beyond_server_us", rounded(gap));
    finding.check(
        "WITH_TARGET waits for the work: its median, beyond that of WITH_SERVER",
        &format!("at least {least} us"),
        format!("{} us", rounded(gap)),
        gap >= least,
    );
    let gap = again.p50() - server_scope.p50();
    finding.measure("server_beyond_server_us", rounded(gap));
    finding.control(
        "WITH_SERVER in place of WITH_TARGET: beyond that of WITH_SERVER",
        &format!("less than {least} us"),
        format!("{} us", rounded(gap)),
        gap < least,
    );
    Ok(finding)
}

fn timed(
    bench: &Bench,
    client: &Host,
    calls: usize,
    call: impl Fn() -> Result<()> + Sync,
) -> Result<Times> {
    let samples = client.at(HIGH, || {
        let mut samples = Vec::with_capacity(calls);
        for _ in 0..calls {
            let (sample, done) = Sample::of(&call);
            done?;
            samples.push(sample);
            std::thread::sleep(PAUSE);
        }
        Ok(samples)
    })?;
    Ok(bench.times(&samples))
}
