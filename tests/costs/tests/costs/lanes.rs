//! What lanes cost: system calls by strategy, and instructions where a real-time side is there and
//! nothing uses it.

use std::path::Path;

use libtest_mimic::Trial;
use zorb_costs::operation::Operation;

use crate::program::{LANES, Side, run_kind};
use crate::{instructions, system_calls, tool};

const CALLS: u64 = 500;

/// Growth by an unused real-time side beyond so many percent is a failure.
const UNUSED: f64 = 5.0;

/// A strategy, and the system calls of one request on its server's thread.
const STRATEGIES: [(&str, u64); 2] = [("leader-followers", 3), ("thread-per-connection", 2)];

/// System calls of one request in all threads of a half-sync lane, at the most: the reader waits,
/// receives and wakes; the other one waits and sends. A thread that is not asleep yet is not woken.
const HALF_SYNC: u64 = 5;

/// How many more there may be on average: the two meet at the queue's lock now and then, the more often the
/// more other work the machine has. One more for each request is found.
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
    trials
}

fn traced(kind: &str, url: &str) -> Result<tempfile::TempDir, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let tool = |side| system_calls::traced(folder.path(), side);
    run_kind(kind, url, &tool, CALLS, &[Operation::Void])?;
    Ok(folder)
}

/// The lane's thread makes so many system calls for each request, and no other makes any.
fn one_thread(kind: &str, url: &str, each: u64) -> Result<(), String> {
    let folder = traced(kind, url)?;
    let phases = system_calls::phases(folder.path(), Side::Server)?;
    let counted = system_calls::phase(&phases, Operation::Void.name())?;
    // The reply to the first mark and the request of the second belong to the phase.
    let checked = counted.check(each * (CALLS + 1));
    checked.map_err(|story| format!("{CALLS} calls, {kind}: {story}"))
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

fn unused() -> Result<(), String> {
    let count = |kind| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let tool = |side| instructions::callgrind(folder.path(), side);
        run_kind(kind, "uiop://", &tool, CALLS, &[Operation::Void])?;
        Ok::<_, String>([each(folder.path(), Side::Client)?, each(folder.path(), Side::Server)?])
    };
    let (plain, attached) = (count("plain")?, count("attached")?);
    for (side, (plain, attached)) in ["client", "server"].iter().zip(plain.iter().zip(attached)) {
        let growth = (attached as f64 / *plain as f64 - 1.0) * 100.0;
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
