//! E7: private connections beside a client that floods the object with large requests.

use std::time::Duration;

use zorb::Interface as _;
use zorb::policy::{Policies, PrivateConnection};
use zorb_rt::{Strategy, Threadpool};

use super::bare::Bare;
use super::bed::{Bench, HIGH, Host, MEDIUM, ONE_CONNECTION, SHARED};
use super::blocked::{Blocked, Request};
use super::finding::Finding;
use super::interleaved::{Calls, Compared};
use super::limit::Limit;
use super::load::Load;
use crate::error::Result;
use crate::stubs::real_time::Worker;

const LARGE: usize = 64 << 10;
const SMALL: usize = 32;
/// The work of their upcalls.
const LARGE_WORK_US: u32 = 1_000;
const SMALL_WORK_US: u32 = 200;
const PERIOD: Duration = Duration::from_millis(2);
/// Time until the rest of a flood has been served.
const SETTLE: Duration = Duration::from_millis(150);

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let mut finding = Finding::default();
    let what = "a private connection: p99 of small calls beside a flood, relative to p99 without";
    finding.comparison("private connection", "small calls", what, &measured(bench, true)?);
    let what = "one connection for both: the same";
    finding.comparison("shared connection", "small calls", what, &measured(bench, false)?);
    for (key, name, private) in [
        ("private_connection", "a private connection", true),
        ("shared_connection", "one connection for both", false),
    ] {
        let served = ordered(bench, private)?;
        finding.measure(&format!("{key}_served_while_another_is_blocked"), served);
        let what = format!("{name}: a small call while another upcall is blocked");
        finding.served(&what, private, served);
    }
    Ok(finding)
}

fn measured(bench: &Bench, private: bool) -> Result<Compared> {
    let server = bench.server(0)?;
    let client = bench.client(&ONE_CONNECTION)?;
    let pool = pool(&server)?;
    let worker = server.propagated(&pool, SHARED, &client)?;
    let small = called(&worker, private)?;
    let data = vec![7; LARGE];
    let flood = Load::settling(SETTLE);
    let flood = flood.with(&client, SHARED, |_| Ok(worker.flood(&data, LARGE_WORK_US)?));
    let bare = Bare::beside(&server, &bench.transport, HIGH, SMALL_WORK_US)?;
    let call = || Ok(small.echo(&[7; SMALL], SMALL_WORK_US).map(drop)?);
    let calls = Calls::new(&client, HIGH, &call, &bare).paced(bench.count(800, 400), PERIOD);
    let limit = if private { Limit::AtMost(1.5) } else { Limit::AtLeast(5.0) };
    calls.interleaved(bench, flood, limit)
}

/// Each connection is read by its own thread, in order; upcalls have their clients' priorities.
fn pool(server: &Host) -> Result<Threadpool> {
    let pool = server.pool().without_lanes(server.lane(MEDIUM, 3)?);
    server.create(pool.strategy(Strategy::ThreadPerConnection))
}

/// The reference of the client with small calls.
fn called(worker: &Worker, private: bool) -> Result<Worker> {
    Ok(match private {
        true => worker.with_policies(&Policies::new().with(PrivateConnection))?,
        false => worker.clone(),
    })
}

/// Whether a small call is served while an upcall of the other client is blocked. If it is not, calls of a
/// third client over its own connection have been served in the meantime.
pub(super) fn ordered(bench: &Bench, private: bool) -> Result<bool> {
    // Otherwise the watchdog would let another thread read from the shared connection after a while.
    let server = bench.server_with(&[("StallTakeover", "3600000")], 2)?;
    let client = bench.client(&ONE_CONNECTION)?;
    let pool = pool(&server)?;
    let worker = server.propagated(&pool, SHARED, &client)?;
    let small = called(&worker, private)?;
    let third = called(&worker, true)?;
    let blocked = Blocked {
        server: &server,
        first: Request { client: &client, priority: SHARED, call: &|| Ok(worker.push(0, 0)?) },
        second: Request { client: &client, priority: HIGH, call: &|| Ok(small.work(1, 0)?) },
        must_be_served: private,
        probe: Request { client: &client, priority: SHARED, call: &|| Ok(third.rest(-1, 1_000)?) },
    };
    blocked.second_is_served()
}
