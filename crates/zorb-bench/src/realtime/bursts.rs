//! E1: a burst of low-priority requests, followed by one of high-priority requests.
//!
//! After TAO's `Priority_Inversion_With_Bands`, with the two remedies that it names.

use std::sync::atomic::{AtomicBool, Ordering};

use zorb::Interface as _;
use zorb::policy::Policies;
use zorb_rt::{Buffering, PriorityBand, PriorityBands, Threadpool};

use super::bed::{Bench, HIGH, Host, LOW, MEDIUM, ONE_CONNECTION, TOP, joined, number};
use super::finding::Finding;
use super::oracle::{Upcall, inversions, order};
use super::servant::until;
use crate::error::Result;
use crate::stubs::real_time::Worker;

/// Configurations of the server and its client. The client has one connection, with bands one per band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setup {
    /// A lane for each priority.
    Lanes,
    /// Lanes with bands.
    LanesAndBands,
    /// One thread for all priorities.
    Pool,
    /// One thread with bands.
    PoolAndBands,
    /// One thread that serves queued requests by priority, with bands.
    ByPriority,
}

/// What blocks the first upcall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nothing.
    Nobody,
    /// A gate that opens when every request has been sent.
    UntilSent,
    /// A gate that opens when every high-priority request has been served.
    UntilServed,
}

/// A burst of each priority: number of requests, and work of each.
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
    for (name, setup) in [
        ("lanes", Setup::Lanes),
        ("lanes and bands", Setup::LanesAndBands),
        ("bands and a pool with a priority queue", Setup::ByPriority),
    ] {
        let found = inversions(&bursts(bench, setup, burst)?);
        let key = format!("{setup:?}").to_lowercase();
        finding.measure(&format!("{key}_inversions"), found.count);
        finding.measure(&format!("{key}_longest_inversion_us"), found.longest_ns / 1000);
        finding.check(
            &format!("{name}: low requests that began while a high one was readable"),
            "0",
            found.count,
            found.count == 0,
        );
    }
    let burst = Burst { hold: Hold::UntilSent, ..burst };
    let one = bursts(bench, Setup::Pool, burst)?;
    let found = inversions(&one);
    let first = order(&one).into_iter().take_while(|id| *id < burst.requests).count();
    finding.measure("pool_inversions", found.count);
    finding.measure("pool_longest_inversion_us", found.longest_ns / 1000);
    finding.measure("pool_low_before_first_high", first);
    finding.control(
        "a pool without bands: all low requests are before the first high one",
        &burst.requests.to_string(),
        first,
        first == usize::try_from(burst.requests).unwrap_or_default() && found.count > 0,
    );
    let found = inversions(&bursts(bench, Setup::PoolAndBands, burst)?);
    finding.measure("poolandbands_inversions", found.count);
    finding.measure("poolandbands_longest_inversion_us", found.longest_ns / 1000);
    finding.control(
        "a pool with bands: low requests that began while a high one was readable",
        "1 or more",
        found.count,
        found.count > 0,
    );
    Ok(finding)
}

impl Setup {
    fn pool(self, server: &Host) -> Result<Threadpool> {
        match self {
            Self::Lanes | Self::LanesAndBands => server.lanes(&[(LOW, 1), (HIGH, 1)]),
            Self::Pool | Self::PoolAndBands => server.one_pool(LOW, 1),
            Self::ByPriority => {
                // The thread that reads requests has the highest priority.
                let pool = server.pool().without_lanes(server.lane(TOP, 1)?).by_priority(true);
                server.create(pool.buffering(Buffering { max_requests: 256, max_octets: None }))
            }
        }
    }

    /// The client's reference to the object.
    fn called(self, worker: &Worker) -> Result<Worker> {
        match self {
            Self::Lanes | Self::Pool => Ok(worker.clone()),
            Self::LanesAndBands | Self::PoolAndBands | Self::ByPriority => {
                let band = |low, high| -> Result<PriorityBand> {
                    Ok(PriorityBand::new(number(low)?, number(high)?)?)
                };
                let bands = PriorityBands::new([band(0, MEDIUM - 1)?, band(MEDIUM, TOP)?])?;
                Ok(worker.with_policies(&Policies::new().with(bands))?)
            }
        }
    }
}

/// Sends the bursts and returns the upcalls. Ids from 0 have low priority, ids from `burst.requests` high.
pub(super) fn bursts(bench: &Bench, setup: Setup, burst: Burst) -> Result<Vec<Upcall>> {
    let all = burst.requests * 2;
    let server = bench.server(usize::try_from(all).unwrap_or_default())?;
    let client = bench.client(&ONE_CONNECTION)?;
    let pool = setup.pool(&server)?;
    let worker = setup.called(&server.propagated(&pool, LOW, &client)?)?;
    let servant = &server.servant;
    if burst.hold != Hold::Nobody {
        servant.shut([0]);
    }
    let (connected, all_low) = (AtomicBool::new(false), AtomicBool::new(false));
    let has_ended = |id| servant.log.has_ended(id);
    let send = |priority: i16, ids: std::ops::Range<i32>| -> Result<()> {
        for id in ids {
            worker.push(id, burst.micros)?;
            servant.log.sent(id, priority);
        }
        Ok(())
    };
    let (send, worker, connected, all_low) = (&send, &worker, &connected, &all_low);
    std::thread::scope(|scope| {
        // Connections are opened before: connecting has no priority.
        let high = client.thread(scope, HIGH, move || {
            worker.work(-1, 0)?;
            connected.store(true, Ordering::Release);
            until("the low burst is sent, and its first upcall begins", || {
                all_low.load(Ordering::Acquire) && servant.log.has_begun(0)
            })?;
            send(HIGH, burst.requests..all)
        });
        let low = client.thread(scope, LOW, move || {
            worker.work(-1, 0)?;
            until("the other is connected", || connected.load(Ordering::Acquire))?;
            send(LOW, 0..burst.requests)?;
            all_low.store(true, Ordering::Release);
            Ok(())
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
