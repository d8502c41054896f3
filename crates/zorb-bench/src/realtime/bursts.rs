//! E1: a burst of requests of low priority, and then one of high priority.
//!
//! After TAO's `Priority_Inversion_With_Bands`.

use super::bed::{Bench, HIGH, LOW, ONE_CONNECTION};
use super::finding::Finding;
use super::oracle::{Upcall, inversions, order};
use super::servant::until;
use crate::error::{Error, Result};

/// How the server and its client are set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setup {
    /// A lane for each priority.
    Lanes,
    /// One thread, and one connection for both priorities.
    OneConnection,
    /// One thread, and a connection for each client.
    OneThread,
}

/// Who keeps the first upcall from ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nobody: upcalls take as long as their work does.
    Nobody,
    /// A gate, until every request has been sent.
    UntilSent,
    /// A gate, until every request of high priority has ended.
    UntilServed,
}

/// A burst of each priority: so many requests of so much work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub(super) requests: i32,
    pub(super) micros: u32,
    pub(super) hold: Hold,
}

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let burst = Burst {
        requests: bench.count(20, 8),
        micros: bench.count(20_000, 5_000),
        hold: Hold::Nobody,
    };
    let mut finding = Finding::default();
    let lanes = inversions(&bursts(bench, Setup::Lanes, burst)?);
    finding.measure("lanes_inversions", lanes.count);
    finding.measure("lanes_longest_inversion_us", lanes.longest_ns / 1000);
    finding.check(
        "lanes: low requests that began while a high one was readable",
        "0",
        lanes.count,
        lanes.count == 0,
    );
    let burst = Burst { hold: Hold::UntilSent, ..burst };
    let shared = bursts(bench, Setup::OneConnection, burst)?;
    let found = inversions(&shared);
    let first = order(&shared).into_iter().take_while(|id| *id < burst.requests).count();
    finding.measure("one_connection_inversions", found.count);
    finding.measure("one_connection_longest_inversion_us", found.longest_ns / 1000);
    finding.measure("one_connection_low_before_first_high", first);
    finding.control(
        "one thread and one connection: all low requests are before the first high one",
        &burst.requests.to_string(),
        first,
        first == usize::try_from(burst.requests).unwrap_or_default() && found.count > 0,
    );
    let apart = inversions(&bursts(bench, Setup::OneThread, burst)?);
    finding.measure("one_thread_inversions", apart.count);
    finding.measure("one_thread_longest_inversion_us", apart.longest_ns / 1000);
    finding.control(
        "one thread, two connections: low requests that began while a high one was readable",
        "1 or more",
        apart.count,
        apart.count > 0,
    );
    Ok(finding)
}

/// Sends the bursts, and tells what became of them: ids from 0 have low priority, those after
/// `burst.requests` high.
pub(super) fn bursts(bench: &Bench, setup: Setup, burst: Burst) -> Result<Vec<Upcall>> {
    let all = burst.requests * 2;
    let server = bench.server(usize::try_from(all).unwrap_or_default())?;
    let options = if setup == Setup::OneConnection { &ONE_CONNECTION[..] } else { &[] };
    let client = bench.client(options)?;
    let pool = match setup {
        Setup::Lanes => server.lanes(&[(LOW, 1), (HIGH, 1)])?,
        Setup::OneConnection | Setup::OneThread => server.one_pool(LOW, 1)?,
    };
    let worker = server.propagated(&pool, LOW, &client)?;
    let servant = &server.servant;
    if burst.hold != Hold::Nobody {
        servant.shut([0]);
    }
    let send = |priority: i16, ids: std::ops::Range<i32>| {
        client.at(priority, || {
            for id in ids {
                worker.push(id, burst.micros)?;
                servant.log.sent(id, priority);
            }
            Ok(())
        })
    };
    send(LOW, 0..burst.requests)?;
    until("the first upcall begins", || servant.log.has_begun(0))?;
    send(HIGH, burst.requests..all)?;
    let has_ended = |id| servant.log.has_ended(id);
    if burst.hold == Hold::UntilServed {
        until("high requests are served", || (burst.requests..all).all(has_ended))?;
    }
    servant.open([0]);
    until("all requests are served", || (0..all).all(has_ended))?;
    let upcalls = servant.log.upcalls(0..all);
    match upcalls.iter().any(|upcall| upcall.start == 0 || upcall.readable == 0) {
        true => Err(Error::new("a request was lost")),
        false => Ok(upcalls),
    }
}
