//! The costs of lanes: system calls by strategy, and instructions with a real-time side that is not used.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use libtest_mimic::Trial;
use zorb_costs::operation::Operation;

use crate::program::{LANES, Side, run_kind};
use crate::{instructions, system_calls, tool};

const CALLS: u64 = 500;

/// Growth by an unused real-time side beyond so many percent is a failure.
const UNUSED: f64 = 5.0;

/// Servers whose instructions are counted: without a real-time side, with one that nothing uses, and with
/// a lane of each strategy.
pub(crate) const KINDS: [&str; 6] = [
    "plain",
    "attached",
    "leader-followers",
    "thread-per-connection",
    "single-thread",
    "half-sync",
];

/// Maximum growth of a request's instructions over the record, in percent: the common part of all calls is checked more
/// closely elsewhere.
pub(crate) const TOLERANCE: f64 = 10.0;

/// Maximum instructions of a void request in a lane of each strategy, whatever the record says. Thread per connection may
/// take 5 % more than the ORB's own lane did when its code was not shared with other lanes (1,417); the others have to take
/// at least 13 % less than when each had a receive loop of its own. Half-sync takes between 2,375 and 2,385 without a
/// change of its code, depending on how often a thread has to be woken.
const MOST: [(&str, u64); 4] = [
    ("thread-per-connection", 1_488),
    ("leader-followers", 1_900),
    ("single-thread", 1_900),
    ("half-sync", 2_400),
];

/// A strategy, and the system calls of one request on its server's thread.
const STRATEGIES: [(&str, u64); 3] =
    [("leader-followers", 3), ("thread-per-connection", 2), ("single-thread", 3)];

/// System calls of one request in all threads of a half-sync lane, at the most: the reader waits,
/// receives and wakes; the other one waits and sends. A thread that is not asleep yet is not woken.
const HALF_SYNC: u64 = 5;

/// Tolerance on average: the two threads sometimes contend for the queue's lock, the more often the more other work the
/// machine has. One more for each request is found.
const MEETINGS: f64 = 0.75;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (protocol, url) in [("iiop", "iiop://127.0.0.1:0"), ("uiop", "uiop://")] {
        for (kind, each) in STRATEGIES {
            let name = format!("system-calls/lane/{kind}/{protocol}");
            trials.push(crate::trial(name, tool::strace(), move || one_thread(kind, url, each)));
        }
        let name = format!("system-calls/lane/half-sync/{protocol}");
        trials.push(crate::trial(name, tool::strace(), move || two_threads(url)));
    }
    let name = "instructions/unused-real-time".to_owned();
    trials.push(crate::trial(name, tool::valgrind(), unused));
    for (kind, most) in MOST {
        let name = format!("instructions/most/{kind}");
        let needs = tool::valgrind().and_then(|()| instructions::same_compiler());
        trials.push(crate::trial(name, needs, move || at_most(kind, most)));
    }
    trials
}

/// Instructions of a void request in all threads of a server, by its kind.
pub(crate) type OfLanes = BTreeMap<&'static str, u64>;

/// Counts once for all trials: of client and server, by the server's kind.
fn both() -> Result<&'static BTreeMap<&'static str, [u64; 2]>, String> {
    static COUNTED: OnceLock<Result<BTreeMap<&str, [u64; 2]>, String>> = OnceLock::new();
    let count = || {
        let one = |kind| {
            let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
            let tool = |side| instructions::callgrind(folder.path(), side);
            run_kind(kind, "uiop://", &tool, CALLS, &[Operation::Void])?;
            Ok((kind, [each(folder.path(), Side::Client)?, each(folder.path(), Side::Server)?]))
        };
        let some = |kinds: &'static [&str]| -> Result<Vec<_>, String> {
            kinds.iter().copied().map(one).collect()
        };
        let (first, second) = KINDS.split_at(KINDS.len() / 2);
        // Client and server take turns, so that two pairs at once take as long as one.
        std::thread::scope(|scope| {
            let second = scope.spawn(|| some(second));
            let first = some(first)?;
            let second = second.join().map_err(|_| "counting panicked".to_owned())??;
            Ok(first.into_iter().chain(second).collect())
        })
    };
    COUNTED.get_or_init(count).as_ref().map_err(Clone::clone)
}

/// Those of servers.
pub(crate) fn counted() -> Result<OfLanes, String> {
    Ok(both()?.iter().map(|(kind, [_, server])| (*kind, *server)).collect())
}

fn traced(kind: &str, url: &str) -> Result<tempfile::TempDir, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let tool = |side| system_calls::traced(folder.path(), side);
    run_kind(kind, url, &tool, CALLS, &[Operation::Void])?;
    Ok(folder)
}

/// The lane's thread makes this number of system calls per request, and no other thread makes any.
fn one_thread(kind: &str, url: &str, each: u64) -> Result<(), String> {
    let folder = traced(kind, url)?;
    let phases = system_calls::phases(folder.path(), Side::Server)?;
    let counted = system_calls::phase(&phases, Operation::Void.name())?;
    // The reply to the first mark and the request of the second belong to the phase.
    let checked = counted.check(each * (CALLS + 1));
    checked.map_err(|message| format!("{CALLS} calls, {kind}: {message}"))
}

fn two_threads(url: &str) -> Result<(), String> {
    let folder = traced("half-sync", url)?;
    let phases = system_calls::phases(folder.path(), Side::Server)?;
    let counted = system_calls::phase(&phases, Operation::Void.name())?;
    let each = counted.of_all_threads() as f64 / (CALLS + 1) as f64;
    if each > HALF_SYNC as f64 + MEETINGS {
        return Err(format!("{each} system calls a request: {counted:?}"));
    }
    Ok(())
}

fn at_most(kind: &'static str, most: u64) -> Result<(), String> {
    let [_, server] = both()?.get(kind).copied().ok_or("nothing was counted")?;
    match server <= most {
        true => Ok(()),
        false => Err(format!("{server} instructions of the server, {most} are the most")),
    }
}

fn unused() -> Result<(), String> {
    let of = |kind| both()?.get(kind).ok_or_else(|| "nothing was counted".to_owned());
    let (plain, attached) = (of("plain")?, of("attached")?);
    for (side, (plain, attached)) in ["client", "server"].iter().zip(plain.iter().zip(attached)) {
        let growth = (*attached as f64 / *plain as f64 - 1.0) * 100.0;
        if growth > UNUSED {
            return Err(format!(
                "{side}: {plain} instructions a call, {attached} with a real-time side"
            ));
        }
    }
    Ok(())
}

fn each(folder: &Path, side: Side) -> Result<u64, String> {
    let none = instructions::instructions(LANES, folder, side, 0)?;
    Ok(instructions::instructions(LANES, folder, side, 1)?.saturating_sub(none) / CALLS)
}
