//! A steady two-way call is two system calls a side, on one thread, and none of them a lock's.
//! Through shared memory it is none at all, while both sides look for messages.

use std::collections::BTreeMap;
use std::path::Path;

use libtest_mimic::Trial;
use zorb_costs::operation::Operation;

use crate::program::{EMPTY, Side, run_local, run_pair};
use crate::tool;

const CALLS: u64 = 500;

/// Microseconds that a thread looks before it sleeps: the most there is, and longer than any wait here.
const BUSY_WAIT: &str = "1000000";

const TWO_WAY: [Operation; 9] = [
    Operation::Void,
    Operation::Long,
    Operation::Struct,
    Operation::String,
    Operation::OctetsIn,
    Operation::OctetsOut,
    Operation::Structs,
    Operation::Parts,
    Operation::Exception,
];

pub(crate) fn trials() -> Vec<Trial> {
    let over = |name: &str, url: &'static str| {
        crate::trial(format!("system-calls/{name}"), tool::strace(), move || remote(url, None, 2))
    };
    let over = [
        over("iiop", "iiop://127.0.0.1:0"),
        over("uiop", "uiop://"),
        over("short", "short+uiop://"),
    ];
    let shmiop = crate::trial("system-calls/shmiop".to_owned(), tool::strace(), || {
        remote("shmiop://", Some(BUSY_WAIT), 0)
    });
    let local = |side: Side| {
        crate::trial(format!("system-calls/{}", side.name()), tool::strace(), move || local(side))
    };
    over.into_iter().chain([shmiop]).chain(Side::LOCAL.map(local)).collect()
}

/// `each`: how many system calls one call takes on either side.
fn remote(url: &str, busy_wait: Option<&str>, each: u64) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let tool = |side| {
        let busy_wait =
            busy_wait.map(|busy_wait| ["env".to_owned(), format!("COSTS_BUSY_WAIT={busy_wait}")]);
        busy_wait.into_iter().flatten().chain(traced(folder.path(), side)).collect()
    };
    run_pair(url, &tool, CALLS, &TWO_WAY)?;
    for side in [Side::Client, Side::Server] {
        let phases = phases(folder.path(), side)?;
        let none = phase(&phases, EMPTY)?.calls();
        for operation in TWO_WAY {
            let counted = phase(&phases, operation.name())?;
            counted.check(each * CALLS + none).map_err(|failure| {
                format!("{CALLS} calls of {}, {}: {failure}", operation.name(), side.name())
            })?;
        }
    }
    Ok(())
}

fn local(side: Side) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    run_local(side, &|side| traced(folder.path(), side), CALLS, &Operation::ALL)?;
    let phases = phases(folder.path(), side)?;
    for operation in Operation::ALL {
        let counted = phase(&phases, operation.name())?;
        let checked = counted.check(0);
        checked.map_err(|failure| format!("{}, {}: {failure}", operation.name(), side.name()))?;
    }
    Ok(())
}

pub(crate) fn traced(folder: &Path, side: Side) -> Vec<String> {
    let output = folder.join(side.name()).display().to_string();
    ["strace", "-f", "-qq", "-e", "signal=none", "-o", &output].map(str::to_owned).into()
}

/// The system calls between the two marks of a phase.
#[derive(Debug, Default)]
pub(crate) struct Phase {
    /// The thread that made the marks: the caller's, or the one that makes the upcalls.
    thread: String,
    /// How often it made each system call.
    names: BTreeMap<String, u64>,
    /// How often it looked at a connection that had been idle for long, because the machine had stopped the process.
    looks: u64,
    /// The system calls of all other threads.
    others: u64,
}

impl Phase {
    pub(crate) fn calls(&self) -> u64 {
        self.names.values().sum()
    }

    pub(crate) fn of_all_threads(&self) -> u64 {
        self.calls() + self.others
    }

    pub(crate) fn check(&self, expected: u64) -> Result<(), String> {
        if self.calls() != expected {
            return Err(format!("not {expected} system calls: {self:?}"));
        }
        if self.names.contains_key("futex") {
            return Err(format!("a lock was waited for, or a thread woken: {self:?}"));
        }
        if self.looks >= CALLS / 10 {
            return Err(format!("connections were not idle: {self:?}"));
        }
        // A thread that is just beginning or ending makes a few; one with a part in the calls makes
        // some for each.
        if self.others >= CALLS / 10 {
            return Err(format!("other threads had a part: {self:?}"));
        }
        Ok(())
    }
}

pub(crate) fn phase<'a>(
    phases: &'a BTreeMap<String, Phase>,
    name: &str,
) -> Result<&'a Phase, String> {
    phases.get(name).ok_or_else(|| format!("the trace has no phase {name}"))
}

pub(crate) fn phases(folder: &Path, side: Side) -> Result<BTreeMap<String, Phase>, String> {
    let path = folder.join(side.name());
    let trace = std::fs::read_to_string(path).map_err(|error| format!("the trace: {error}"))?;
    Ok(parse(&trace))
}

/// Parses a trace with lines `THREAD CALL(ARGUMENTS) = RESULT`. A call that another thread's interrupts has two lines;
/// the second is of the form `THREAD <... CALL resumed>`.
fn parse(trace: &str) -> BTreeMap<String, Phase> {
    let mut phases = BTreeMap::new();
    let mut current: Option<(String, Phase)> = None;
    for line in trace.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        if let Some((_, name)) = call.split_once("\"phase begin ") {
            let name = name.split("\\n").next().unwrap_or_default().to_owned();
            current = Some((name, Phase { thread: thread.to_owned(), ..Phase::default() }));
        } else if call.contains("\"phase end ") {
            phases.extend(current.take());
        } else if let Some((_, phase)) = &mut current
            && let Some((name, _)) = call.split_once('(')
            && !call.starts_with('<')
        {
            if phase.thread == thread && call.contains("MSG_PEEK") {
                phase.looks += 1;
            } else if phase.thread == thread {
                *phase.names.entry(name.to_owned()).or_default() += 1;
            } else {
                phase.others += 1;
            }
        }
    }
    phases
}
