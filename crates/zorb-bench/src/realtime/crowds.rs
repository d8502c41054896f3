//! E5: a high-priority client and an increasing number of low-priority clients.

use std::time::Duration;

use super::awake::Awake;
use super::bare::Bare;
use super::bed::{Bench, HIGH, ONE_CONNECTION, SHARED, joined};
use super::finding::{Finding, named, rounded};
use super::interleaved::{Blocks, Calls, Compared};
use super::limit::Limit;
use super::load::Clients;
use super::oracle;
use super::servant::until;
use super::times::{Times, ratio};
use crate::error::Result;
use crate::harness::order;
use crate::report::Claim;

/// Fifty clients saturate a processor.
const LOW_WORK_US: u32 = 2_000;
const LOW_PERIOD: Duration = Duration::from_millis(100);
const HIGH_WORK_US: u32 = 200;
const HIGH_PERIOD: Duration = Duration::from_millis(4);
/// Maximum increase of the mean of high-priority calls per client, as a share of it.
const SLOPE: f64 = 0.01;

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let crowds: &[usize] = bench.count(&[0, 5, 10, 20, 30, 40, 50], &[0, 10, 30, 50]);
    for (name, lanes) in [("lanes", true), ("shared connection", false)] {
        let steps = steps(bench, lanes, crowds)?;
        let times: Vec<(usize, Times)> = steps
            .iter()
            .map(|(clients, blocks)| {
                let parts = blocks.calls.iter().map(|block| bench.times(block));
                (*clients, Times::joined(parts.collect()))
            })
            .collect();
        for (clients, times) in &times {
            finding.times(&format!("{name}, {clients} clients"), "high calls", times);
        }
        let slope = slope(&times);
        finding.measure(&named(&format!("{name} slope_percent")), rounded(slope * 100.0));
        let percent = format!("{} %", rounded(slope * 100.0));
        let ([(_, free), .., (most, full)], mean) =
            (steps.as_slice(), "of the mean of high-priority calls")
        else {
            continue;
        };
        let limit = if lanes { Limit::AtMost(2.0) } else { Limit::AtLeast(5.0) };
        let full = Compared::of(bench, limit, free, full);
        finding.compared(&format!("{name}, all"), "high calls", &full);
        let p99 = format!(
            "p99 of high calls beside {most} low-priority clients, relative to p99 without"
        );
        let setup = if lanes { "lanes" } else { "one pool, one connection" };
        let expected = if lanes { "at most 1 %" } else { "more than 1 %" };
        let what = format!("{setup}: increase per low-priority client {mean}");
        let holds = (slope <= SLOPE) == lanes;
        finding.claim(!lanes, Claim::new(what, expected, percent, holds));
        finding.judged(&format!("{setup}: {p99}"), &full);
    }
    let most = crowds.last().copied().unwrap_or_default();
    for (name, lanes) in [("lanes", true), ("one pool, one connection", false)] {
        let found = position(bench, lanes, most)?;
        finding.measure(&named(&format!("{name} position")), found);
        let what = format!(
            "{name}: position of a high-priority request after those of {most} low-priority clients"
        );
        let expected = if lanes { 2 } else { most + 1 };
        let claim = Claim::new(what, expected.to_string(), found, found == expected);
        finding.claim(!lanes, claim);
    }
    Ok(finding)
}

/// High-priority calls with these numbers of low-priority clients, ascending and then descending.
fn steps(bench: &Bench, lanes: bool, crowds: &[usize]) -> Result<Vec<(usize, Blocks)>> {
    let server = bench.server(0)?;
    let client = bench.client(if lanes { &[] } else { &ONE_CONNECTION })?;
    let pool = match lanes {
        true => server.lanes(&[(SHARED, 1), (HIGH, 1)])?,
        false => server.one_pool(SHARED, 1)?,
    };
    let worker = server.propagated(&pool, SHARED, &client)?;
    let bare = Bare::beside(&server, &bench.transport, HIGH, HIGH_WORK_US)?;
    let call = || Ok(worker.work(-1, HIGH_WORK_US)?);
    // Calls of the control take up to half a second each.
    let count = if lanes { bench.count(600, 320) } else { 80 };
    let calls = Calls::new(&client, HIGH, &call, &bare).paced(count, HIGH_PERIOD);
    let mut steps: Vec<_> = crowds.iter().map(|crowd| (*crowd, Blocks::default())).collect();
    let _awake = Awake::keep(&bench.watched())?;
    for index in order(steps.len()) {
        let Some((clients, blocks)) = steps.get_mut(index) else { continue };
        let crowd = Clients { clients: *clients, period: LOW_PERIOD, micros: LOW_WORK_US };
        crowd.calling(&client, &worker).beside(|switch| {
            switch.on()?;
            client.at(HIGH, || calls.block(calls.count / 2, blocks))
        })?;
    }
    Ok(steps)
}

/// The position, from 1, in which a high-priority request is served that arrives after one request of each
/// low-priority client. The first upcall is blocked until the high-priority request has been served if
/// there are lanes, otherwise until it has been sent.
pub(super) fn position(bench: &Bench, lanes: bool, clients: usize) -> Result<usize> {
    let high = i32::try_from(clients).unwrap_or(i32::MAX);
    let server = bench.server(clients + 1)?;
    let client = bench.client(&ONE_CONNECTION)?;
    let pool = match lanes {
        true => server.lanes(&[(SHARED, 1), (HIGH, 1)])?,
        false => server.one_pool(SHARED, 1)?,
    };
    let worker = server.propagated(&pool, SHARED, &client)?;
    let servant = &server.servant;
    let send = |id, priority| -> Result<()> {
        worker.push(id, 0)?;
        servant.log.sent(id, priority);
        Ok(())
    };
    servant.shut([0]);
    client.at(SHARED, || send(0, SHARED))?;
    until("the first upcall begins", || servant.log.has_begun(0))?;
    std::thread::scope(|scope| {
        let low: Vec<_> =
            (1..high).map(|id| client.thread(scope, SHARED, move || send(id, SHARED))).collect();
        low.into_iter().try_for_each(|thread| joined(thread.join()))
    })?;
    client.at(HIGH, || send(high, HIGH))?;
    if lanes {
        until("the high request is served", || servant.log.has_ended(high))?;
    }
    servant.open([0]);
    until("all are served", || (0..=high).all(|id| servant.log.has_ended(id)))?;
    let order = oracle::order(&servant.log.upcalls(0..=high));
    Ok(order.iter().position(|id| *id == high).map_or(0, |index| index + 1))
}

/// The average increase of the mean per client, as a share of the mean without clients, from the first
/// step to the last.
fn slope(steps: &[(usize, Times)]) -> f64 {
    match steps {
        [(none, free), .., (most, full)] if most > none => {
            (ratio(full.mean(), free.mean()) - 1.0) / (most - none) as f64
        }
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_mean() {
        let times = |micros| Times::of_micros([micros; 4]);
        let flat = [(0, times(100)), (10, times(500)), (50, times(110))];
        assert!((slope(&flat) - 0.002).abs() < 1e-9);
        let steep = [(0, times(100)), (50, times(300))];
        assert!((slope(&steep) - 0.04).abs() < 1e-9);
        assert_eq!(slope(&flat[..1]), f64::INFINITY);
    }
}
