//! E6: a low-priority upcall holds a lock, a medium-priority one saturates the processor, and a
//! high-priority one requests the lock.

use std::sync::atomic::Ordering;

use zorb_os::clock::MonotonicTime;

use super::bed::{Bench, HIGH, Host, LOW, MEDIUM, TOP, joined};
use super::finding::{Finding, rounded};
use super::servant::until;
use super::times::{Sample, Times};
use crate::error::Result;
use crate::report::Claim;
use crate::stubs::real_time::Worker;

/// How long the lock is held, and the processor saturated.
const HELD_US: u32 = 1_000;
const HOGGED_US: u32 = 50_000;
/// Maximum wait of the high-priority upcall beyond the time that the lock is held.
const GRACE_US: f64 = 200.0;

pub(super) fn run(bench: &Bench) -> Result<Finding> {
    let rounds = bench.count(50, 10);
    let mut finding = Finding::default();
    finding.measure("held_us", HELD_US);
    finding.measure("hogged_us", HOGGED_US);
    let [inheriting, plain] = [true, false].map(|inherits| rounds_of(bench, inherits, rounds));
    let (inheriting, plain) = (inheriting?, plain?);
    finding.times("inheriting lock", "wait", &inheriting.waits);
    finding.times("plain lock", "wait", &plain.waits);
    let beyond = inheriting.beyond.micros(0.9);
    finding.measure("inheriting_lock_beyond_held_us", rounded(beyond));
    finding.check(
        "inheriting lock: 90th percentile of the high upcall's wait beyond the time that the lock is held",
        &format!("at most {GRACE_US} us"),
        format!("{} us", rounded(beyond)),
        inheriting.beyond.count() > 0 && beyond <= GRACE_US,
    );
    let least = 0.8 * f64::from(HOGGED_US);
    finding.control(
        "plain lock: median wait of the high upcall",
        &format!("at least {least} us"),
        format!("{} us", rounded(plain.waits.p50())),
        plain.waits.p50() >= least,
    );
    for (name, inherits) in [("inheriting lock", true), ("plain lock", false)] {
        let first = overtakes(bench, inherits)?;
        finding.measure(&format!("{}_high_first", name.replace(' ', "_")), first);
        let word = |first| if first { "yes" } else { "no" };
        let what = format!(
            "{name}: the high upcall ends before the medium one that saturates the processor"
        );
        finding.claim(!inherits, Claim::new(what, word(inherits), word(first), first == inherits));
    }
    Ok(finding)
}

/// Whether the high-priority upcall, which waits for the lock, ends before the medium-priority upcall, which
/// saturates the processor. The order does not depend on times: the medium-priority upcall does its work after
/// the high-priority upcall has begun.
pub(super) fn overtakes(bench: &Bench, inherits: bool) -> Result<bool> {
    let server = bench.server(3)?;
    let client = bench.client(&[])?;
    let pool = server.lanes(&[(LOW, 1), (MEDIUM, 1), (HIGH, 1)])?;
    let worker = server.propagated(&pool, LOW, &client)?;
    client.at(TOP, || once(&server, &client, &worker, 0, inherits))?;
    let ends: Vec<u64> = server.servant.log.upcalls(1..3).iter().map(|upcall| upcall.end).collect();
    Ok(matches!(ends.as_slice(), [hog, high] if high < hog))
}

/// The times of all rounds.
struct Rounds {
    /// Waiting times of the high-priority upcall for the lock.
    waits: Times,
    /// The part of them beyond the CPU time of the lock's holder.
    beyond: Times,
}

fn rounds_of(bench: &Bench, inherits: bool, rounds: i32) -> Result<Rounds> {
    let server = bench.server(usize::try_from(rounds * 3).unwrap_or_default())?;
    let client = bench.client(&[])?;
    let pool = server.lanes(&[(LOW, 1), (MEDIUM, 1), (HIGH, 1)])?;
    let worker = server.propagated(&pool, LOW, &client)?;
    // Opens connections and warms caches.
    for priority in [LOW, MEDIUM, HIGH] {
        client.at(priority, || Ok(worker.work(-1, 0)?))?;
    }
    let (mut waits, mut beyond) = (Vec::new(), Vec::new());
    for id in (0..rounds).map(|round| round * 3) {
        let (begun, waited) = client.at(TOP, || once(&server, &client, &worker, id, inherits))?;
        waits.push(Sample::of_nanos(begun, waited));
        let held = server.servant.log.used(id);
        beyond.push(Sample::of_nanos(begun, waited.saturating_sub(held)));
    }
    Ok(Rounds { waits: bench.times(&waits), beyond: bench.times(&beyond) })
}

/// One round: when the high-priority client called, and its waiting time for the lock in nanoseconds.
fn once(
    server: &Host,
    client: &Host,
    worker: &Worker,
    id: i32,
    inherits: bool,
) -> Result<(MonotonicTime, u64)> {
    let servant = &server.servant;
    servant.hog.store(id + 1, Ordering::Release);
    std::thread::scope(|scope| {
        let high = client.thread(scope, HIGH, || {
            until("the hog runs", || servant.log.has_begun(id + 1))?;
            Ok((MonotonicTime::now(), worker.locked(id + 2, 0, inherits)?))
        });
        let medium = client.thread(scope, MEDIUM, || {
            until("the lock is held", || servant.holder.load(Ordering::Acquire) == id)?;
            Ok(worker.work(id + 1, HOGGED_US)?)
        });
        let low = client.thread(scope, LOW, || Ok(worker.locked(id, HELD_US, inherits)?));
        joined(low.join())?;
        joined(medium.join())?;
        joined(high.join())
    })
}
