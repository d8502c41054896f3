//! The book's tables of real-time experiments agree with `bench/results`.
//!
//! `cargo xtask measure rt upcalls` repeats the experiments; `UPDATE_BOOK=1` rewrites the tables only.

use std::fmt::Write as _;

use crate::numbers::BUSY;
use crate::support::made::check;
use crate::support::pages::read;
use serde_json::Value;
use zorb_bench_page::Run;

const PAGE: &str = "docs/src/realtime.md";
const PERFORMANCE: &str = "docs/src/performance.md";
const TRANSPORTS: [&str; 3] = ["uiop", "shmiop", "iiop"];

fn experiments(run: &str) -> Vec<Value> {
    let text = read(format!("bench/results/vm-2core-{run}.json"));
    let result: Value = serde_json::from_str(&text).unwrap();
    result["experiments"].as_array().expect("experiments").clone()
}

/// A note below a table, if its run was measured while the machine was busy.
fn busy(run: &str) -> String {
    let name = format!("vm-2core-{run}.json");
    let run = Run::parse(&name, &read(format!("bench/results/{name}"))).unwrap();
    if run.was_busy() { format!("\n{BUSY}.\n") } else { String::new() }
}

/// The expectations of an experiment, and of its control.
fn checks(experiment: &Value) -> Vec<(String, &Value)> {
    let list = |name: &str| experiment[name].as_array().into_iter().flatten();
    let own = list("checks").map(|check| (text(&check["what"]), check));
    let controls = list("controls").map(|check| (format!("*{}*", text(&check["what"])), check));
    own.chain(controls).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

/// The result, and whether it meets the expectation.
fn cell(check: Option<&Value>) -> String {
    let Some(check) = check else { return String::new() };
    let found = text(&check["found"]);
    match (check["holds"] == true, check["verdict"] == "unclear") {
        (true, false) => found,
        (true, true) => format!("{found}, unclear"),
        (false, false) => format!("**no**: {found}"),
        (false, true) => format!("**no**, unclear: {found}"),
    }
}

#[test]
fn the_experiments_of_the_book_are_those_measured() {
    let all = experiments("rt");
    let mut names: Vec<String> = Vec::new();
    for experiment in &all {
        let name = text(&experiment["name"]);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut made = String::from(
        "| | Check, *control in italics* | Expected | Unix-domain sockets | Shared memory | TCP |\n\
         |---|---|---|---|---|---|\n",
    );
    for name in names {
        let over = TRANSPORTS.map(|transport| {
            let same = |one: &&Value| one["name"] == *name && one["transport"] == transport;
            all.iter().find(same).map(checks).unwrap_or_default()
        });
        let Some(first) = over.iter().find(|checks| !checks.is_empty()) else { continue };
        for (place, (what, check)) in first.iter().enumerate() {
            let shown = if place == 0 { name.as_str() } else { "" };
            let nth = first.iter().take(place).filter(|(other, _)| other == what).count();
            let _ = write!(made, "| {shown} | {what} | {} |", text(&check["expected"]));
            for checks in &over {
                let same = checks.iter().filter(|(other, _)| other == what).nth(nth);
                let _ = write!(made, " {} |", cell(same.map(|(_, check)| *check)));
            }
            made.push('\n');
        }
    }
    check(PAGE, "rt", &made);
}

/// Serving strategies: label, name in the result, name in the record of instructions.
const SERVED: [(&str, &str, &str); 5] = [
    ("no real-time side", "second_orb_without_real_time_side", "plain"),
    ("unused real-time side", "unused_real_time_side", "attached"),
    ("leader/followers", "leader_followers", "leader-followers"),
    ("thread per connection", "thread_per_connection", "thread-per-connection"),
    ("half-sync/half-async", "half_sync", "half-sync"),
];

/// A number of an experiment with its confidence interval.
fn interval(measured: &Value, name: &str) -> String {
    let number = |name: String| measured[name].as_f64().expect("a number");
    let [low, high] = ["low", "high"].map(|end| number(format!("{name}_{end}")));
    format!("{:.3} ({low:.3} to {high:.3})", number(name.to_owned()))
}

#[test]
fn the_table_of_real_time_costs_matches_the_results() {
    let all = experiments("rt-unused");
    let over = TRANSPORTS.map(|transport| {
        let same = |one: &&Value| one["transport"] == transport;
        all.iter().find(same).expect("the transport")["measured"].clone()
    });
    let record = read("tests/costs/instructions.toml");
    let (_, lanes) = record.split_once("[lanes]\n").expect("what lanes take");
    let count = |kind: &str| {
        let line = lanes.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(" = "));
        line.unwrap_or_else(|| panic!("no record of {kind}")).to_owned()
    };
    let mut made = String::from("| | Instructions, server |");
    for what in ["p50", "p99"] {
        for transport in ["Unix-domain sockets", "shared memory", "TCP"] {
            let _ = write!(made, " {what}, {transport} |");
        }
    }
    made += " Context switches per call, TCP |\n|---|---|---|---|---|---|---|---|---|\n";
    for (words, name, kind) in SERVED {
        let _ = write!(made, "| {words} | {} |", count(kind));
        for share in ["p50", "p99"] {
            for measured in &over {
                let ratio = interval(measured, &format!("{name}_{share}_of_plain"));
                let _ = write!(made, " {ratio} |");
            }
        }
        let [.., tcp] = &over;
        let _ = writeln!(made, " {} |", tcp[format!("{name}_switches")]);
    }
    made += &busy("rt-unused");
    check(PERFORMANCE, "unused", &made);
}

#[test]
fn the_upcalls_of_the_book_are_those_measured() {
    let mut made =
        String::from("| Check, *control in italics* | Expected | Found |\n|---|---|---|\n");
    for experiment in &experiments("upcalls") {
        for (what, check) in checks(experiment) {
            let expected = text(&check["expected"]);
            let _ = writeln!(made, "| {what} | {expected} | {} |", cell(Some(check)));
        }
    }
    check(PAGE, "upcalls", &made);
}
