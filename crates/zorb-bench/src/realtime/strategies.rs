//! E4: leader/followers compared with half-sync/half-async, by threads and work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb::Interface as _;
use zorb_os::clock::MonotonicTime;
use zorb_rt::Strategy;

use super::bed::{Bench, HIGH, Host, LOW, joined};
use super::blocked::{Blocked, Request};
use super::finding::{Finding, rounded};
use crate::error::Result;
use crate::statistics::median;
use crate::stubs::real_time::Worker;

/// Pause after a block, relative to its duration: the system throttles real-time threads that use all of a processor.
const PAUSE: f64 = 0.15;
/// Minimum ratio of equally good strategies.
const AS_GOOD: f64 = 0.95;
/// Minimum number of rounds.
const ROUNDS: usize = 2;

/// All strategies.
pub(super) const STRATEGIES: [(Strategy, &str); 3] = [
    (Strategy::LeaderFollowers, "leader/followers"),
    (Strategy::ThreadPerConnection, "thread per connection"),
    (Strategy::HalfSync, "half-sync/half-async"),
];

/// A server with one strategy, and a client.
struct Side {
    client: Host,
    worker: Worker,
    /// Dropped after the client.
    _server: Host,
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let pools: &[usize] = bench.count(&[1, 2, 5, 10], &[1, 4]);
    let works: &[u32] = bench.count(&[0, 20, 100, 500], &[0, 200]);
    let (mut least, mut most, mut same) = (f64::INFINITY, 0.0_f64, None);
    for threads in pools {
        let sides = [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::LeaderFollowers]
            .map(|strategy| side(bench, strategy, *threads));
        let [leaders, half, again] = sides;
        let (leaders, half, again) = (leaders?, half?, again?);
        for micros in works {
            let found = compared(bench, &leaders, &half, *threads, *micros)?;
            finding.measure(&format!("ratio_{threads}_threads_{micros}_us"), rounded(found));
            least = least.min(found);
            if *micros == 0 {
                most = most.max(found);
            }
            if same.is_none() {
                same = Some(compared(bench, &leaders, &again, *threads, *micros)?);
            }
        }
    }
    let same = same.unwrap_or_default();
    finding.measure("ratio_with_itself", rounded(same));
    finding.check(
        "leader/followers relative to half-sync/half-async: minimum ratio of calls per second",
        "at least 0.95",
        rounded(least),
        least >= AS_GOOD,
    );
    finding.control(
        "half-sync/half-async relative to leader/followers: no work per call, least favorable number of threads",
        "less than 0.95",
        rounded(1.0 / most.max(f64::MIN_POSITIVE)),
        most > 0.0 && 1.0 / most < AS_GOOD,
    );
    finding.control(
        "leader/followers relative to another such server",
        "0.9 to 1.1",
        rounded(same),
        (0.9..=1.1).contains(&same),
    );
    for (strategy, name) in STRATEGIES {
        for (threads, count) in [("two threads", 2), ("one thread", 1)] {
            let what = format!("{name}, {threads}: a second call while an upcall is blocked");
            finding.served(&what, count > 1, ordered(bench, strategy, count)?);
        }
    }
    Ok(finding)
}

fn side(bench: &Bench, strategy: Strategy, threads: usize) -> Result<Side> {
    let server = bench.server(0)?;
    let client = bench.client(&[])?;
    let lane = server.lane(HIGH, threads)?;
    let pool = server.pool().lane(lane).strategy(strategy).create()?;
    let worker = server.propagated(&pool, HIGH, &client)?;
    Ok(Side { client, worker, _server: server })
}

/// Whether a call is served while an upcall of the same lane is blocked. If it is not, calls to another
/// lane have been served in the meantime.
pub(super) fn ordered(bench: &Bench, strategy: Strategy, threads: usize) -> Result<bool> {
    let server = bench.server(2)?;
    let (client, other) = (bench.client(&[])?, bench.client(&[])?);
    let pool = server.pool().lane(server.lane(LOW, 1)?).lane(server.lane(HIGH, threads)?);
    let pool = pool.strategy(strategy).create()?;
    let worker = server.propagated(&pool, HIGH, &client)?;
    let same: Worker = other.orb.resolve(&worker.as_object().to_ior_string())?;
    let blocked = Blocked {
        server: &server,
        first: Request { client: &client, priority: HIGH, call: &|| Ok(worker.work(0, 0)?) },
        second: Request { client: &other, priority: HIGH, call: &|| Ok(same.work(1, 0)?) },
        must_be_served: threads > 1,
        probe: Request { client: &client, priority: LOW, call: &|| Ok(worker.rest(-1, 1_000)?) },
    };
    blocked.second_is_served()
}

/// The ratio of calls per second of two sides: the median of interleaved blocks. There are more blocks if
/// their results are on both sides of the limit.
fn compared(bench: &Bench, a: &Side, b: &Side, threads: usize, micros: u32) -> Result<f64> {
    let most = bench.count(12, 4);
    let block = Duration::from_millis(bench.count(100, 60));
    let mut ratios = Vec::new();
    for round in 1..=most {
        let first = rate(a, threads, micros, block)?;
        let second = rate(b, threads, micros, block)?;
        ratios.push(first / second);
        let second = rate(b, threads, micros, block)?;
        let first = rate(a, threads, micros, block)?;
        ratios.push(first / second);
        if round >= ROUNDS && !is_open(&ratios) {
            break;
        }
    }
    Ok(median(ratios))
}

/// Whether some ratios are below the limit and some are not.
fn is_open(ratios: &[f64]) -> bool {
    let good = ratios.iter().filter(|ratio| **ratio >= AS_GOOD).count();
    good > 0 && good < ratios.len()
}

/// Calls per second of as many clients as the lane has threads.
fn rate(side: &Side, threads: usize, micros: u32, block: Duration) -> Result<f64> {
    let stop = AtomicBool::new(false);
    let (stop, worker) = (&stop, &side.worker);
    std::thread::sleep(block.mul_f64(PAUSE));
    let begun = MonotonicTime::now();
    let calls: Result<u32> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..threads)
            .map(|_| {
                side.client.thread(scope, HIGH, move || {
                    let mut calls = 0;
                    while !stop.load(Ordering::Relaxed) {
                        worker.work(-1, micros)?;
                        calls += 1;
                    }
                    Ok(calls)
                })
            })
            .collect();
        std::thread::sleep(block);
        stop.store(true, Ordering::Relaxed);
        callers.into_iter().map(|caller| joined(caller.join())).sum()
    });
    Ok(f64::from(calls?) / begun.elapsed().as_secs_f64().max(1e-9))
}

#[cfg(test)]
mod tests {
    use super::is_open;

    #[test]
    fn blocks_that_do_not_agree_leave_it_open() {
        assert!(!is_open(&[1.0, 0.96, 2.0]));
        assert!(!is_open(&[0.9, 0.94]), "significantly worse");
        assert!(is_open(&[0.94, 1.3, 1.2]));
    }
}
