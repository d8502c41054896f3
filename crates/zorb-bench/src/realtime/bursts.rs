//! E1: a burst of requests of low priority, and then one of high priority.
//!
//! After TAO's `Priority_Inversion_With_Bands`.

use std::sync::atomic::{AtomicBool, Ordering};

use super::bed::{Bench, HIGH, LOW, ONE_CONNECTION, joined};
use super::finding::Finding;
use super::oracle::{Upcall, inversions, order};
use super::servant::until;
use crate::error::Result;

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
    let found = inversions(&bursts(bench, Setup::Lanes, burst)?);
    finding.measure("lanes_inversions", found.count);
    finding.measure("lanes_longest_inversion_us", found.longest_ns / 1000);
    finding.check(
        "lanes: low requests that began while a high one was readable",
        "0",
        found.count,
        found.count == 0,
    );
    let burst = Burst { hold: Hold::UntilSent, ..burst };
    let one = bursts(bench, Setup::OneConnection, burst)?;
    let found = inversions(&one);
    let first = order(&one).into_iter().take_while(|id| *id < burst.requests).count();
    finding.measure("one_connection_inversions", found.count);
    finding.measure("one_connection_longest_inversion_us", found.longest_ns / 1000);
    finding.measure("one_connection_low_before_first_high", first);
    finding.control(
        "one thread and one connection: all low requests are before the first high one",
        &burst.requests.to_string(),
        first,
        first == usize::try_from(burst.requests).unwrap_or_default() && found.count > 0,
    );
    let found = inversions(&bursts(bench, Setup::OneThread, burst)?);
    finding.measure("one_thread_inversions", found.count);
    finding.measure("one_thread_longest_inversion_us", found.longest_ns / 1000);
    finding.control(
        "one thread, two connections: low requests that began while a high one was readable",
        "1 or more",
        found.count,
        found.count > 0,
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
    let connected = AtomicBool::new(false);
    let has_ended = |id| servant.log.has_ended(id);
    let send = |priority: i16, ids: std::ops::Range<i32>| -> Result<()> {
        for id in ids {
            worker.push(id, burst.micros)?;
            servant.log.sent(id, priority);
        }
        Ok(())
    };
    let (send, worker, connected) = (&send, &worker, &connected);
    std::thread::scope(|scope| {
        // Connections are made before: what makes them has no priority.
        let high = client.thread(scope, HIGH, move || {
            worker.work(-1, 0)?;
            connected.store(true, Ordering::Release);
            until("the first upcall begins", || servant.log.has_begun(0))?;
            send(HIGH, burst.requests..all)
        });
        let low = client.thread(scope, LOW, move || {
            worker.work(-1, 0)?;
            until("the other is connected", || connected.load(Ordering::Acquire))?;
            send(LOW, 0..burst.requests)
        });
        let sent = joined(low.join()).and(joined(high.join()));
        let served = sent.and_then(|()| {
            if burst.hold == Hold::UntilServed {
                until("high requests are served", || (burst.requests..all).all(has_ended))?;
            }
            Ok(())
        });
        servant.open([0]);
        served
    })?;
    until("all requests are served", || (0..all).all(has_ended))?;
    Ok(servant.log.upcalls(0..all))
}
