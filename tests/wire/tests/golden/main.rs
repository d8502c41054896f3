//! Messages of omniORB and JacORB, captured on the wire, against Zorb.
//!
//! Every vector is decoded and compared with its recording, header and body, and written again
//! octet for octet; then the requests are sent to a Zorb server, whose replies must say what the
//! captured ones say. `vectors/README.md` tells what the vectors are. The table at the end counts
//! what was checked.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod any;
mod check;
mod exceptions;
mod hostile;
mod iors;
mod message;
mod operations;
mod parts;
mod replay;
mod reply_contexts;
mod server;
mod shown;
mod small;
mod small_client;
mod summary;
mod types;
mod values;
mod vector;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use check::Outcome;
use libtest_mimic::{Arguments, Failed, Trial};
use summary::Summary;
use vector::Scenario;
use zorb_giop::CodeSetContext;

/// Vectors that must be checked at least; raise it when more types are covered.
const MIN_CHECKED: usize = 1078;
/// References that must be checked at least.
const MIN_IORS: usize = 8;
/// Replies that a replay must compare at least.
const MIN_REPLIES: usize = 350;
/// Replies of the small ORB that a replay must compare at least.
const MIN_SMALL_REPLIES: usize = 100;
/// Replies that the small ORB's client must take at least.
const MIN_SMALL_ANSWERS: usize = 238;
/// Replies that the replay has compared.
static REPLIES: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let arguments = Arguments::from_args();
    let scenarios: Arc<[Scenario]> = vector::scenarios().into();
    let groups = Arc::new(check::code_sets_of_groups(&scenarios));
    let mut results: BTreeMap<String, Vec<(String, Outcome)>> = BTreeMap::new();
    for scenario in scenarios.iter() {
        let group = groups.get(scenario.group()).copied();
        let outcomes = check::check(scenario, group);
        results.entry(scenario.group().to_owned()).or_default().extend(outcomes);
    }
    let summary = Summary::of(results.values().flatten().map(|(_, outcome)| outcome));
    let table = summary.to_string();

    let mut trials: Vec<Trial> = results
        .into_iter()
        .map(|(group, outcomes)| {
            Trial::test(format!("vectors::{group}"), move || verdict(&outcomes))
        })
        .collect();
    trials.push(Trial::test("coverage", move || {
        at_least(summary.checked_in_all(), MIN_CHECKED, "vectors are checked")
    }));
    trials
        .push(Trial::test("iors", || at_least(iors::check()?, MIN_IORS, "references are checked")));
    let (shared, of_groups) = (Arc::clone(&scenarios), Arc::clone(&groups));
    trials.push(Trial::test("replay", move || replay_all(&shared, &of_groups)));
    let (shared, of_groups) = (Arc::clone(&scenarios), Arc::clone(&groups));
    trials.push(Trial::test("replay to the small ORB", move || replay_small(&shared, &of_groups)));
    let shared = Arc::clone(&scenarios);
    trials.push(Trial::test("replies to the small ORB", move || {
        at_least(small_client::replay(&shared, &groups)?, MIN_SMALL_ANSWERS, "replies are taken")
    }));
    trials.push(Trial::test("parts", || Ok(parts::check().map_err(|error| error.to_string())?)));
    let shared = Arc::clone(&scenarios);
    trials.push(Trial::test("reply contexts", move || {
        Ok(reply_contexts::check(&shared).map_err(|error| error.to_string())?)
    }));
    let shared = Arc::clone(&scenarios);
    trials.push(Trial::test("hostile", move || {
        at_least(hostile::survive(&shared), 100_000, "spoilt messages are decoded")
    }));

    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        println!("{table}");
        let replies = REPLIES.load(Ordering::Relaxed);
        println!("{replies} replies of a Zorb server compared with the captured ones");
    }
    conclusion.exit();
}

fn verdict(outcomes: &[(String, Outcome)]) -> Result<(), Failed> {
    let failures = outcomes.iter().filter_map(|(id, outcome)| match outcome {
        Outcome::Failed(why) => Some(format!("{id}: {why}")),
        _ => None,
    });
    all_right(failures.collect())
}

fn replay_all(
    scenarios: &[Scenario],
    groups: &HashMap<String, CodeSetContext>,
) -> Result<(), Failed> {
    let server = server::Server::start(true).map_err(|error| error.to_string())?;
    let mut replies = 0;
    let mut failures = Vec::new();
    for scenario in scenarios {
        if matches!(scenario.folder(), "naming" | "client-probes") {
            // Requests for other objects than the test's.
            continue;
        }
        let group = groups.get(scenario.group()).copied();
        match replay::replay(&server.address, scenario, group) {
            Ok(count) => replies += count,
            Err(why) => failures.push(why),
        }
    }
    failures.extend(replay::bad_headers(&server.address, scenarios).err());
    all_right(failures)?;
    REPLIES.store(replies, Ordering::Relaxed);
    at_least(replies, MIN_REPLIES, "replies are compared")
}

fn replay_small(
    scenarios: &[Scenario],
    groups: &HashMap<String, CodeSetContext>,
) -> Result<(), Failed> {
    let served = scenarios.iter().filter(|scenario| small::is_served(scenario));
    let (replies, failures) = small::beside_server(|address| {
        let (mut replies, mut failures) = (0, Vec::new());
        for scenario in served {
            let group = groups.get(scenario.group()).copied();
            match replay::replay(address, scenario, group) {
                Ok(count) => replies += count,
                Err(why) => failures.push(why),
            }
        }
        failures.extend(replay::bad_headers(address, scenarios).err());
        (replies, failures)
    })?;
    all_right(failures)?;
    at_least(replies, MIN_SMALL_REPLIES, "replies are compared")
}

fn all_right(failures: Vec<String>) -> Result<(), Failed> {
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

fn at_least(count: usize, least: usize, what: &str) -> Result<(), Failed> {
    match count >= least {
        true => Ok(()),
        false => Err(format!("only {count} {what}; {least} are to be").into()),
    }
}
