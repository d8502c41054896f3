//! Zorb, omniORB and JacORB processes call each other; one trial for each check.
//!
//! The peers' clients tell their checks only when they run, so every pairing that the filters let
//! through runs first, and its outcomes become the trials. A filter names a pairing, whole or in
//! part, or begins with a whole one: `zorb-to-jacorb`, `1.0`, `zorb-to-zorb/1.2/lists/octets`.
#![allow(clippy::unwrap_used, clippy::panic)]

mod asynchronous;
mod bidirectional;
mod bridges;
mod compression;
mod end_times;
mod implementation_repository;
mod known;
mod naming;
mod nano;
mod outcome;
mod pairings;
mod peers;
mod process;
mod random;
mod repository;
mod tls;

use std::process::ExitCode;
use std::sync::Mutex;

use libtest_mimic::{Arguments, Trial};

use outcome::{Outcome, Verdict};
use pairings::Pairing;

/// How many pairings run at once. Each has a server and a client, of which one waits.
const WORKERS: usize = 2;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let pairings = pairings::all();
    // Each pairing is one test if the tests are listed, or run by their exact names.
    if arguments.list || arguments.exact {
        let trials = pairings.into_iter().map(whole).collect();
        return libtest_mimic::run(&arguments, trials).exit_code();
    }
    // Trials only report: in the order of the checks.
    arguments.test_threads = Some(1);
    let selected = pairings.into_iter().filter(|pairing| selects(&arguments, pairing.name));
    let outcomes = run(selected.collect());
    libtest_mimic::run(&arguments, outcomes.into_iter().map(trial).collect()).exit_code()
}

fn selects(arguments: &Arguments, name: &str) -> bool {
    let matches = |filter: &String| name.contains(filter) || filter.starts_with(name);
    !arguments.skip.iter().any(|skip| name.contains(skip))
        && arguments.filter.as_ref().is_none_or(matches)
}

/// Runs the pairings and returns what became of their checks, in the order of the pairings.
fn run(pairings: Vec<Pairing>) -> Vec<Outcome> {
    peers::prepare(pairings.iter().flat_map(|pairing| pairing.peers).copied());
    let mut done: Vec<Vec<Outcome>> = Vec::new();
    done.resize_with(pairings.len(), Vec::new);
    let done = Mutex::new(done);
    let waiting = Mutex::new(pairings.into_iter().enumerate());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap().next();
                    let Some((index, pairing)) = next else { break };
                    let outcomes = pairing.run();
                    done.lock().unwrap()[index] = outcomes;
                }
            });
        }
    });
    done.into_inner().unwrap().into_iter().flatten().collect()
}

/// The trial that reports an outcome.
fn trial(outcome: Outcome) -> Trial {
    match outcome.verdict {
        Verdict::Passed => Trial::test(outcome.name, || Ok(())),
        Verdict::Failed(failure) => Trial::test(outcome.name, move || Err(failure.into())),
        Verdict::Known(reason) => {
            Trial::test(format!("{} ({reason})", outcome.name), || Ok(())).with_kind("known")
        }
        Verdict::Ignored(reason) => {
            Trial::test(format!("{} ({reason})", outcome.name), || Ok(())).with_ignored_flag(true)
        }
    }
}

/// The trial that runs a whole pairing.
fn whole(pairing: Pairing) -> Trial {
    Trial::test(pairing.name, move || {
        peers::prepare(pairing.peers.iter().copied());
        let failed: Vec<String> = pairing
            .run()
            .into_iter()
            .filter_map(|outcome| match outcome.verdict {
                Verdict::Failed(failure) => Some(format!("{}: {failure}", outcome.name)),
                _ => None,
            })
            .collect();
        if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
    })
}
