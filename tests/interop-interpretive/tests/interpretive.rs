//! The suite of `tests/interop`, marshalled by tables: with omniORB in both directions, and in one process.
//!
//! The other pairings run with `cargo test -p zorb-interop-tests --features interpretive`.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../../interop/tests/interop/known.rs"]
mod known;
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../../interop/tests/interop/outcome.rs"]
mod outcome;
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../../interop/tests/interop/peers.rs"]
mod peers;
#[allow(dead_code, reason = "the other tests use more of it")]
#[path = "../../interop/tests/interop/process.rs"]
mod process;

use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use zorb::{Interface as _, Orb};
use zorb_interop_interpretive_tests::interop::Suite;
use zorb_interop_interpretive_tests::{checks, server};

use outcome::{Outcome, Verdict, printed, totals};
use peers::OMNIORB;
use process::Process;

/// How long a process may take for all its checks.
const LIMIT: Duration = Duration::from_secs(900);

/// The outcomes of a pairing, or why it was not run to its end.
type Ran = Result<Vec<Outcome>, Verdict>;

/// Runs the pairing of this name.
type Run = fn(&str) -> Ran;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // As in tests/interop: what is known of a pairing is found by its name.
    let pairings: [(&'static str, Run); 3] = [
        ("zorb-to-omniorb/1.2", zorb_client),
        ("omniorb-to-zorb/1.2", peer_client),
        ("zorb-in-process/1.2", collocated),
    ];
    let trials = pairings.map(|(name, run)| Trial::test(name, move || report(run(name))));
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}

/// Reports what failed.
fn report(ran: Ran) -> Result<(), libtest_mimic::Failed> {
    let failed: Vec<String> = match ran {
        Err(Verdict::Failed(failure)) => vec![failure],
        Err(Verdict::Ignored(reason)) => {
            eprintln!("not run: {reason}");
            Vec::new()
        }
        Err(_) => Vec::new(),
        Ok(outcomes) => outcomes
            .into_iter()
            .filter_map(|outcome| match outcome.verdict {
                Verdict::Failed(failure) => Some(format!("{}: {failure}", outcome.name)),
                _ => None,
            })
            .collect(),
    };
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
}

fn failed(error: impl ToString) -> Verdict {
    Verdict::Failed(error.to_string())
}

/// An ORB that is reached on this machine only.
fn orb() -> Result<Orb, Verdict> {
    let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
    builder.round_trip_timeout(Duration::from_secs(300)).build().map_err(failed)
}

/// The checks of Zorb's client.
fn checked(pairing: &str, orb: &Orb, suite: &Suite) -> Vec<Outcome> {
    let judge = |it: checks::Outcome| Outcome::judged(pairing, &it.name, it.result);
    checks::run(orb, suite, 2).into_iter().map(judge).collect()
}

fn omniorb() -> Result<(), Verdict> {
    peers::prepare([OMNIORB]);
    peers::ready(OMNIORB).map_err(Verdict::from)
}

fn collocated(pairing: &str) -> Ran {
    let orb = orb()?;
    let suite = server::serve(&orb).map_err(failed)?;
    let outcomes = checked(pairing, &orb, &suite);
    orb.shutdown(true).map_err(failed)?;
    Ok(outcomes)
}

fn zorb_client(pairing: &str) -> Ran {
    omniorb()?;
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("suite.ior");
    let mut command = peers::program(OMNIORB, "server");
    command.arg("--ior-file").arg(&file).args(["--giop", "1.2"]);
    let mut server = Process::start("the server of omniorb", &mut command).map_err(failed)?;
    // The file appears with its whole contents.
    server.wait_until(|_| file.exists()).map_err(failed)?;
    let orb = orb()?;
    let reference = std::fs::read_to_string(&file).map_err(failed)?;
    let suite: Suite = orb.resolve(reference.trim()).map_err(failed)?;
    let outcomes = checked(pairing, &orb, &suite);
    suite.shutdown().map_err(failed)?;
    server.ends_well().map_err(failed)?;
    orb.shutdown(true).map_err(failed)?;
    Ok(outcomes)
}

fn peer_client(pairing: &str) -> Ran {
    omniorb()?;
    let orb = orb()?;
    let suite = server::serve(&orb).map_err(failed)?;
    let mut command = peers::program(OMNIORB, "client");
    command.arg(suite.as_object().to_ior_string()).args(["--giop", "1.2"]);
    let client = Process::start("the client of omniorb", &mut command).map_err(failed)?;
    let (lines, status) = client.end(LIMIT).map_err(failed)?;
    let outcomes = printed(pairing, &lines);
    let passed = lines.iter().filter(|line| line.starts_with("ok ")).count();
    orb.shutdown(true).map_err(failed)?;
    match totals(&lines) {
        Some((said, _)) if said == passed && passed > 0 => Ok(outcomes),
        _ => Err(failed(format!("it ended with {status}, and {:?}", lines.last()))),
    }
}
