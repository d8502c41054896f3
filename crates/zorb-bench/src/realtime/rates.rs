//! E3: clients with rates and deadlines, of several priorities, and some that take what is left.
//!
//! After TAO's `Thread_Pool`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb::poa::PoaPolicies;
use zorb_os::clock::MonotonicTime;

use super::bed::{Bench, HIGH, MEDIUM, SHARED, joined};
use super::finding::{Finding, rounded};
use crate::error::Result;
use crate::stubs::real_time::Worker;

/// The clients with rates: their priorities, and calls in a second. A call is to end before the next
/// is due.
const CLIENTS: [(&str, i16, u32); 3] =
    [("high", HIGH, 100), ("medium", MEDIUM, 50), ("low", SHARED, 25)];
/// The work of a call where there is time for all, and where there is not: then the first two need
/// three fifths of the processor, and clients without a rate take all that is left.
const LIGHT_US: u32 = 1_000;
const HEAVY_US: u32 = 4_000;
/// Clients without a rate.
const BEST_EFFORT: usize = 4;

/// What share of its calls each client had back in time.
type Made = [f64; 3];

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let seconds = bench.count(8.0, 1.5);
    for (name, lanes) in [("lanes", true), ("no lanes", false)] {
        let light = made(bench, lanes, LIGHT_US, seconds, 0)?;
        let heavy = made(bench, lanes, HEAVY_US, seconds, BEST_EFFORT)?;
        for (load, made) in [("light", light), ("heavy", heavy)] {
            for ((client, ..), made) in CLIENTS.iter().zip(made) {
                let what = format!("{name} {load} {client} made_percent").replace(' ', "_");
                finding.measure(&what, rounded(made * 100.0));
            }
        }
        let shown = |made: Made| made.map(|made| format!("{} %", rounded(made * 100.0))).join(", ");
        let [high, medium, low] = heavy;
        if lanes {
            // The low client has no more right to the processor than all else on the machine.
            let [high_light, medium_light, low_light] = light;
            finding.check(
                "lanes, light load: calls of high, medium and low clients that were in time",
                "at least 95 % of high and medium, and more of low than with too much load",
                shown(light),
                high_light >= 0.95 && medium_light >= 0.95 && low_light > low,
            );
            finding.check(
                "lanes, too much load: the same",
                "high 99 % or more, and the low ones are the first to be late",
                shown(heavy),
                high >= 0.99 && high >= medium && medium > low,
            );
        } else {
            finding.control(
                "no lanes, too much load: the same",
                "less than 90 % of the high ones",
                shown(heavy),
                high < 0.9,
            );
        }
    }
    Ok(finding)
}

/// Runs all clients for a while.
fn made(bench: &Bench, lanes: bool, micros: u32, seconds: f64, best_effort: usize) -> Result<Made> {
    let server = bench.server(0)?;
    let client = bench.client(&[])?;
    let worker = match lanes {
        true => {
            let pool = server.lanes(&[(SHARED, 1 + BEST_EFFORT), (MEDIUM, 1), (HIGH, 1)])?;
            server.propagated(&pool, SHARED, &client)?
        }
        false => {
            let pool = server.one_pool(SHARED, 1)?;
            server.activate(PoaPolicies::new().with(pool.policy()), &client)?
        }
    };
    let stop = AtomicBool::new(false);
    let (stop, worker, client) = (&stop, &worker, &client);
    std::thread::scope(|scope| {
        let crowd: Vec<_> = (0..best_effort)
            .map(|_| {
                client.thread(scope, SHARED, move || {
                    while !stop.load(Ordering::Relaxed) {
                        worker.work(-1, micros)?;
                    }
                    Ok(())
                })
            })
            .collect();
        let paced = CLIENTS.map(|(_, priority, rate)| {
            client.thread(scope, priority, move || in_time(worker, micros, rate, seconds))
        });
        let [high, medium, low] = paced.map(|thread| joined(thread.join()));
        stop.store(true, Ordering::Relaxed);
        for thread in crowd {
            joined(thread.join())?;
        }
        Ok([high?, medium?, low?])
    })
}

/// The share of calls that ended before the next was due; what was never called is late, too.
fn in_time(worker: &Worker, micros: u32, rate: u32, seconds: f64) -> Result<f64> {
    worker.work(-1, 0)?;
    let period = Duration::from_secs(1) / rate;
    let calls = (f64::from(rate) * seconds) as u32;
    let begun = MonotonicTime::now();
    let mut made = 0;
    for number in 0..calls {
        let due = begun + period * number;
        let end = due + period;
        std::thread::sleep(due.time_left());
        // One that is due only after its end is left out, as its client would.
        if MonotonicTime::now() < end {
            worker.work(-1, micros)?;
            made += u32::from(MonotonicTime::now() <= end);
        }
    }
    Ok(f64::from(made) / f64::from(calls.max(1)))
}
