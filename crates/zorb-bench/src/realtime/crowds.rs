//! E5: a client of high priority beside more and more clients of low priority.

use std::time::Duration;

use super::bed::{Bench, HIGH, ONE_CONNECTION, SHARED};
use super::finding::{Finding, rounded};
use super::load::{Crowd, Paced, beside};
use super::times::{Times, ratio};
use crate::error::Result;

const LOW_WORK_US: u32 = 2_000;
const LOW_PERIOD: Duration = Duration::from_millis(100);
const HIGH_WORK_US: u32 = 200;
const HIGH_PERIOD: Duration = Duration::from_millis(4);
/// What each further client may add to the mean of high calls, as a share of it.
const SLOPE: f64 = 0.01;

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let crowds: &[usize] = bench.count(&[0, 5, 10, 20, 30, 40, 50], &[0, 10, 30]);
    for (name, lanes) in [("lanes", true), ("shared connection", false)] {
        let times = steps(bench, lanes, crowds)?;
        for (clients, times) in &times {
            finding.times(&format!("{name}, {clients} clients"), "high calls", times);
        }
        let slope = slope(&times);
        finding.measure(
            &format!("{name} slope_per_client").replace(' ', "_"),
            rounded(slope * 100.0) / 100.0,
        );
        let percent = format!("{} %", rounded(slope * 100.0));
        if lanes {
            finding.check(
                "lanes: what each low client adds to the mean of high calls",
                "at most 1 %",
                percent,
                slope <= SLOPE,
            );
        } else {
            finding.control(
                "one pool, one connection: what each low client adds to the mean of high calls",
                "more than 1 %",
                percent,
                slope > SLOPE,
            );
        }
    }
    Ok(finding)
}

fn steps(bench: &Bench, lanes: bool, crowds: &[usize]) -> Result<Vec<(usize, Times)>> {
    let server = bench.server(0)?;
    let client = bench.client(if lanes { &[] } else { &ONE_CONNECTION })?;
    let pool = match lanes {
        true => server.lanes(&[(SHARED, 1), (HIGH, 1)])?,
        false => server.one_pool(SHARED, 1)?,
    };
    let worker = server.propagated(&pool, SHARED, &client)?;
    let paced = Paced { calls: bench.count(2_000, 200), period: HIGH_PERIOD, micros: HIGH_WORK_US };
    let step = |clients: &usize| {
        let crowd = Crowd { clients: *clients, period: LOW_PERIOD, micros: LOW_WORK_US };
        Ok((*clients, beside(bench, &client, (&worker, paced), (&worker, crowd))?))
    };
    crowds.iter().map(step).collect()
}

/// What each client adds to the mean on average, as a share of the mean without any: from the first
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
