//! Messages of omniORB and JacORB, captured on the wire, against Zorb's codecs.
//!
//! Every vector is decoded and compared with its recording, header and body, and written again
//! octet for octet; `vectors/README.md` says what they are. The table at the end counts them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod any;
mod check;
mod exceptions;
mod message;
mod operations;
mod replay;
mod server;
mod shown;
mod types;
mod vector;

use std::collections::BTreeMap;

use check::{Outcome, Summary};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let scenarios = vector::scenarios();
    let groups = check::code_sets_of_groups(&scenarios);
    let mut results: BTreeMap<String, Vec<(String, Outcome)>> = BTreeMap::new();
    for scenario in &scenarios {
        let group = groups.get(scenario.group()).copied();
        results.entry(scenario.group().to_owned()).or_default().extend(check::check(scenario, group));
    }
    let summary = Summary::of(results.values().flatten().map(|(_, outcome)| outcome));
    let trials = results
        .into_iter()
        .map(|(group, outcomes)| Trial::test(format!("vectors::{group}"), move || verdict(&outcomes)))
        .collect::<Vec<_>>();
    let server = server::Server::start().expect("a server");
    for scenario in &scenarios {
        if ["omniorb-le", "jacorb-be", "mixed", "raw"].contains(&scenario.folder()) {
            let r = replay::replay(&server, scenario, groups.get(scenario.group()).copied());
            match r { Ok(r) => { println!("REPLAY ok {} {} {}", scenario.id, r.replies, r.locate_replies); } Err(e) => println!("REPLAY bad {e}") }
        }
    }
    drop(server);
    let conclusion = libtest_mimic::run(&arguments, trials);
    println!("{summary:#?} {}", summary.covered());
    conclusion.exit();
}

fn verdict(outcomes: &[(String, Outcome)]) -> Result<(), Failed> {
    let failures: Vec<String> = outcomes
        .iter()
        .filter_map(|(id, outcome)| match outcome {
            Outcome::Failed(why) => Some(format!("{id}: {why}")),
            _ => None,
        })
        .collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}
