//! E9: low-priority upcalls block all threads available to them; is one left for a high-priority request?

use std::time::Duration;

use zorb_rt::Threadpool;

use super::bare::Bare;
use super::bed::{Bench, HIGH, Host, LOW};
use super::blocked::{Blocked, Request};
use super::finding::Finding;
use super::interleaved::{Calls, Compared};
use super::limit::Limit;
use super::load::Load;
use crate::error::Result;

/// Number of low-priority clients, and of threads that they block.
const LOW_CLIENTS: usize = 3;
/// How long an upcall blocks its thread.
const BLOCKED_US: u32 = 100_000;
/// Period of high-priority calls.
const PERIOD: Duration = Duration::from_millis(2);
/// The work of a high-priority call.
const WORK_US: u32 = 100;

/// Configurations of the server's threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// One lane per priority.
    Lanes,
    /// One pool for all priorities.
    OnePool,
    /// Lanes with thread borrowing.
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
    for (name, threads, limit, count) in [
        ("lanes", Threads::Lanes, Limit::AtMost(2.0), bench.count(2_000, 400)),
        ("one pool", Threads::OnePool, Limit::AtLeast(5.0), bench.count(120, 32)),
    ] {
        let what = format!(
            "{name}: p99 of high-priority calls beside blocked threads, relative to p99 without"
        );
        finding.comparison(name, "call", &what, &timed(bench, threads, limit, count)?);
    }
    let served = ordered(bench, Threads::Borrowing)?;
    finding.measure("borrowing_served", served.served);
    finding.measure("borrowing_borrowed", served.borrowed);
    finding.check(
        "borrowing: a second high-priority call is served while the lane's own thread is blocked",
        "by a borrowed thread",
        match served.served {
            true => format!("{} borrowed", served.borrowed),
            false => "not served".to_owned(),
        },
        served.served && served.borrowed > 0,
    );
    let alone = ordered(bench, Threads::Lanes)?;
    finding.served("without borrowing: the second high-priority call", false, alone.served);
    Ok(finding)
}

/// High-priority calls without load and under load.
fn timed(bench: &Bench, threads: Threads, limit: Limit, count: usize) -> Result<Compared> {
    let server = bench.server(0)?;
    let client = bench.client(&[])?;
    let pool = threads.pool(&server)?;
    let worker = server.propagated(&pool, LOW, &client)?;
    let load = (0..LOW_CLIENTS).fold(Load::settling(Duration::from_millis(20)), |load, _| {
        load.with(&client, LOW, |_| Ok(worker.rest(-1, BLOCKED_US)?))
    });
    let bare = Bare::beside(&server, &bench.transport, HIGH, WORK_US)?;
    let call = || Ok(worker.work(-1, WORK_US)?);
    Calls::new(&client, HIGH, &call, &bare).paced(count, PERIOD).interleaved(bench, load, limit)
}

/// The outcome of a high-priority call while another upcall is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Served {
    /// It was served before the other one ended.
    pub(super) served: bool,
    /// Number of requests that borrowed threads served.
    pub(super) borrowed: u64,
}

/// Blocks a high-priority upcall until a second one has been served, or, if that is impossible, until
/// calls of another priority show that the server is not busy.
pub(super) fn ordered(bench: &Bench, threads: Threads) -> Result<Served> {
    let server = bench.server(2)?;
    let client = bench.client(&[])?;
    let pool = threads.pool(&server)?;
    let worker = server.propagated(&pool, LOW, &client)?;
    let blocked = Blocked {
        server: &server,
        first: Request { client: &client, priority: HIGH, call: &|| Ok(worker.work(0, 0)?) },
        second: Request { client: &client, priority: HIGH, call: &|| Ok(worker.work(1, 0)?) },
        must_be_served: threads == Threads::Borrowing,
        probe: Request { client: &client, priority: LOW, call: &|| Ok(worker.rest(-1, 1_000)?) },
    };
    let served = blocked.second_is_served()?;
    Ok(Served { served, borrowed: pool.counts().iter().map(|lane| lane.borrowed).sum() })
}
