//! Clients of low priority that keep a server busy, and one of high priority beside them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb_os::clock::MonotonicTime;

use super::bed::{Bench, HIGH, Host, SHARED, joined};
use super::times::{Sample, Times};
use crate::error::Result;
use crate::stubs::real_time::Worker;

/// Calls of high priority: how many, how often, and with how much work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paced {
    pub(super) calls: usize,
    pub(super) period: Duration,
    pub(super) micros: u32,
}

/// Clients of low priority, each with a thread of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd {
    pub(super) clients: usize,
    /// Between the beginnings of a client's calls; zero: one call after the other.
    pub(super) period: Duration,
    pub(super) micros: u32,
}

/// The times of high calls to `high` while a crowd calls `low`.
pub(super) fn beside(
    bench: &Bench,
    client: &Host,
    (high, paced): (&Worker, Paced),
    (low, crowd): (&Worker, Crowd),
) -> Result<Times> {
    let stop = AtomicBool::new(false);
    let samples = std::thread::scope(|scope| {
        let members: Vec<_> = (0..crowd.clients)
            .map(|number| {
                let stop = &stop;
                client.thread(scope, SHARED, move || {
                    // Not all of them at the same moments.
                    let part = crowd.period.as_micros() * number as u128;
                    let begin = part / crowd.clients.max(1) as u128;
                    std::thread::sleep(Duration::from_micros(begin as u64));
                    let mut due = MonotonicTime::now();
                    while !stop.load(Ordering::Relaxed) {
                        low.work(-1, crowd.micros)?;
                        due = due + crowd.period;
                        std::thread::sleep(due.time_left());
                    }
                    Ok(())
                })
            })
            .collect();
        let samples = client.at(HIGH, || paced_calls(high, paced));
        stop.store(true, Ordering::Relaxed);
        for member in members {
            joined(member.join())?;
        }
        samples
    })?;
    Ok(bench.times(&samples))
}

/// So many calls from this thread, one each period, or as soon as the one before has ended.
pub(super) fn paced_calls(worker: &Worker, paced: Paced) -> Result<Vec<Sample>> {
    // The connection is there before.
    worker.work(-1, 0)?;
    let mut samples = Vec::with_capacity(paced.calls);
    let mut due = MonotonicTime::now();
    for _ in 0..paced.calls {
        let (sample, done) = Sample::of(|| worker.work(-1, paced.micros));
        done?;
        samples.push(sample);
        due = (due + paced.period).max(MonotonicTime::now());
        std::thread::sleep(due.time_left());
    }
    Ok(samples)
}
