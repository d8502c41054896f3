//! E9: upcalls of low priority keep all threads that they can get; is one left for a high one?

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb_rt::Threadpool;

use super::bed::{Bench, HIGH, Host, LOW, joined};
use super::finding::{Finding, rounded};
use super::servant::until;
use super::times::{Sample, Times, ratio};
use crate::error::Result;
use crate::stubs::real_time::Worker;

/// Clients of low priority, and threads that they keep.
const LOW_CLIENTS: usize = 3;
/// How long an upcall keeps its thread.
const KEPT_US: u32 = 100_000;
/// Between calls of high priority.
const PERIOD: Duration = Duration::from_millis(2);
/// The work of a call of high priority.
const WORK_US: u32 = 100;

/// What the threads of the server are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// A lane for each priority.
    Lanes,
    /// One set for all.
    OnePool,
    /// Lanes that borrow.
    Borrowing,
}

impl Threads {
    pub(super) fn pool(self, server: &Host) -> Result<Threadpool> {
        Ok(match self {
            Self::Lanes => server.lanes(&[(LOW, LOW_CLIENTS), (HIGH, 1)])?,
            Self::OnePool => server.one_pool(LOW, LOW_CLIENTS)?,
            Self::Borrowing => {
                let (low, high) = (server.lane(LOW, LOW_CLIENTS)?, server.lane(HIGH, 1)?);
                server.pool().lane(low).lane(high).borrowing(true).create()?
            }
        })
    }
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let calls = bench.count(2_000, 200);
    let (free, loaded) = timed(bench, Threads::Lanes, calls)?;
    finding.times("lanes without load", "call", &free);
    finding.times("lanes", "call", &loaded);
    let found = ratio(loaded.p99(), free.p99());
    finding.measure("lanes_p99_ratio", rounded(found));
    finding.check(
        "lanes: p99 of high calls beside kept threads, of that without",
        "at most 2 times",
        rounded(found),
        found <= 2.0,
    );
    let (free, loaded) = timed(bench, Threads::OnePool, calls / 8)?;
    finding.times("one pool without load", "call", &free);
    finding.times("one pool", "call", &loaded);
    let found = ratio(loaded.p99(), free.p99());
    finding.measure("one_pool_p99_ratio", rounded(found));
    finding.control(
        "one pool: p99 of high calls beside kept threads, of that without",
        "at least 5 times",
        rounded(found),
        found >= 5.0,
    );
    let served = ordered(bench, Threads::Borrowing)?;
    finding.measure("borrowing_served", served.served);
    finding.measure("borrowing_borrowed", served.borrowed);
    finding.check(
        "borrowing: a second high call is served while the lane's own thread is kept",
        "by a borrowed thread",
        if served.served {
            format!("{} borrowed", served.borrowed)
        } else {
            "not served".to_owned()
        },
        served.served && served.borrowed > 0,
    );
    let alone = ordered(bench, Threads::Lanes)?;
    finding.control(
        "without borrowing: the second high call",
        "waits",
        if alone.served { "is served" } else { "waits" },
        !alone.served,
    );
    Ok(finding)
}

/// High calls without load and beside it.
fn timed(bench: &Bench, threads: Threads, calls: usize) -> Result<(Times, Times)> {
    let server = bench.server(0)?;
    let client = bench.client(&[])?;
    let pool = threads.pool(&server)?;
    let worker = server.propagated(&pool, LOW, &client)?;
    let free = bench.times(&high_calls(&client, &worker, calls)?);
    let stop = AtomicBool::new(false);
    let samples = std::thread::scope(|scope| {
        let lows: Vec<_> = (0..LOW_CLIENTS)
            .map(|_| {
                client.thread(scope, LOW, || {
                    while !stop.load(Ordering::Relaxed) {
                        worker.rest(-1, KEPT_US)?;
                    }
                    Ok(())
                })
            })
            .collect();
        let samples = high_calls(&client, &worker, calls);
        stop.store(true, Ordering::Relaxed);
        for low in lows {
            joined(low.join())?;
        }
        samples
    })?;
    Ok((free, bench.times(&samples)))
}

fn high_calls(client: &Host, worker: &Worker, calls: usize) -> Result<Vec<Sample>> {
    client.at(HIGH, || {
        worker.work(-1, 0)?;
        let mut samples = Vec::with_capacity(calls);
        for _ in 0..calls {
            let (sample, done) = Sample::of(|| worker.work(-1, WORK_US));
            done?;
            samples.push(sample);
            std::thread::sleep(PERIOD);
        }
        Ok(samples)
    })
}

/// What became of a call of high priority while another one was kept in its upcall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Served {
    /// It ended before the other one.
    pub(super) served: bool,
    /// Requests that borrowed threads have served.
    pub(super) borrowed: u64,
}

/// Keeps a high upcall until a second one has been served, or, where it cannot be, until a third of
/// another priority shows that the server is not busy.
pub(super) fn ordered(bench: &Bench, threads: Threads) -> Result<Served> {
    let server = bench.server(2)?;
    let client = bench.client(&[])?;
    let pool = threads.pool(&server)?;
    let worker = server.propagated(&pool, LOW, &client)?;
    let servant = &server.servant;
    servant.shut([0]);
    std::thread::scope(|scope| {
        let first = client.thread(scope, HIGH, || Ok(worker.work(0, 0)?));
        let begun = until("the first upcall begins", || servant.log.has_begun(0));
        let second = client.thread(scope, HIGH, || Ok(worker.work(1, 0)?));
        let waited = begun.and_then(|()| match threads {
            Threads::Borrowing => until("the second is served", || servant.log.has_ended(1)),
            Threads::Lanes | Threads::OnePool => client.at(LOW, || {
                (0..20).try_for_each(|_| worker.rest(-1, 1_000))?;
                Ok(())
            }),
        });
        let served = servant.log.has_ended(1);
        servant.open([0]);
        joined(first.join())?;
        joined(second.join())?;
        waited?;
        let borrowed = pool.counts().iter().map(|lane| lane.borrowed).sum();
        Ok(Served { served, borrowed })
    })
}
