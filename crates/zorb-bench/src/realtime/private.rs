//! E7: a client that floods an object with large requests, and one that calls it with small ones.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb::Interface as _;
use zorb::policy::{Policies, PrivateConnection};
use zorb_rt::Strategy;

use super::bed::{Bench, HIGH, Host, MEDIUM, ONE_CONNECTION, SHARED, joined};
use super::finding::{Finding, rounded};
use super::times::{Sample, Times, ratio};
use crate::error::Result;
use crate::stubs::real_time::Worker;

const LARGE: usize = 64 << 10;
const SMALL: usize = 32;
/// The work of an upcall of each.
const LARGE_WORK_US: u32 = 1_000;
const SMALL_WORK_US: u32 = 200;
const PERIOD: Duration = Duration::from_millis(2);

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let found = measured(bench, &mut finding, "private connection", true)?;
    finding.check(
        "a private connection: p99 of small calls beside a flood, of that without",
        "at most 1.5 times",
        rounded(found),
        found <= 1.5,
    );
    let found = measured(bench, &mut finding, "shared connection", false)?;
    finding.control(
        "one connection for both: the same",
        "at least 5 times",
        rounded(found),
        found >= 5.0,
    );
    Ok(finding)
}

/// How many times as long the small calls take beside the flood.
fn measured(bench: &Bench, finding: &mut Finding, name: &str, private: bool) -> Result<f64> {
    let server = bench.server(0)?;
    let client = bench.client(&ONE_CONNECTION)?;
    // Each connection is read by its own thread, in order; upcalls have their clients' priorities.
    let pool = server.pool().without_lanes(server.lane(MEDIUM, 3)?);
    let pool = pool.strategy(Strategy::ThreadPerConnection).create()?;
    let worker = server.propagated(&pool, SHARED, &client)?;
    let small = match private {
        true => worker.with_policies(&Policies::new().with(PrivateConnection))?,
        false => worker.clone(),
    };
    let calls = bench.count(2_000, 200);
    let free = bench.times(&small_calls(&client, &small, calls)?);
    let loaded = beside_a_flood(bench, &client, &worker, &small, calls)?;
    finding.times(&format!("{name} without flood"), "small calls", &free);
    finding.times(name, "small calls", &loaded);
    let found = ratio(loaded.p99(), free.p99());
    finding.measure(&format!("{name} p99_ratio").replace(' ', "_"), rounded(found));
    Ok(found)
}

fn beside_a_flood(
    bench: &Bench,
    client: &Host,
    worker: &Worker,
    small: &Worker,
    calls: usize,
) -> Result<Times> {
    let stop = AtomicBool::new(false);
    let samples = std::thread::scope(|scope| {
        let flood = client.thread(scope, SHARED, || {
            let data = vec![7; LARGE];
            while !stop.load(Ordering::Relaxed) {
                worker.flood(&data, LARGE_WORK_US)?;
            }
            Ok(())
        });
        let samples = small_calls(client, small, calls);
        stop.store(true, Ordering::Relaxed);
        joined(flood.join())?;
        samples
    })?;
    Ok(bench.times(&samples))
}

fn small_calls(client: &Host, worker: &Worker, calls: usize) -> Result<Vec<Sample>> {
    client.at(HIGH, || {
        let data = [7; SMALL];
        worker.echo(&data, 0)?;
        let mut samples = Vec::with_capacity(calls);
        for _ in 0..calls {
            let (sample, done) = Sample::of(|| worker.echo(&data, SMALL_WORK_US));
            done?;
            samples.push(sample);
            std::thread::sleep(PERIOD);
        }
        Ok(samples)
    })
}
