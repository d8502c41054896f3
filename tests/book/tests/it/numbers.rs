//! The README's and the book's tables of measured numbers agree with `bench/results`.
//!
//! `cargo xtask measure` repeats the measurements; `UPDATE_BOOK=1` rewrites the tables only.

use std::fmt::Write as _;

use crate::support::made::check;
use crate::support::pages::root;
use zorb_bench_page::{Cell, Folder, Measured, Run};

/// The machine whose results the README shows.
const MACHINE: &str = "vm-2core";

/// A row of a table: its label and the result that its numbers come from.
struct Line {
    words: &'static str,
    /// Name of the result file, without the machine.
    run: &'static str,
    operation: &'static str,
    payload: u64,
    /// Zorb's name in that file: some experiments measure several configurations.
    zorb: &'static str,
}

const fn line(
    words: &'static str,
    run: &'static str,
    operation: &'static str,
    payload: u64,
    zorb: &'static str,
) -> Line {
    Line { words, run, operation, payload, zorb }
}

/// The README's table: a few calls, each over another transport or of another size.
const HEADLINES: [Line; 6] = [
    line("void call over TCP", "latency", "ping", 0, "zorb"),
    line("void call over Unix-domain sockets", "latency-uiop", "ping", 0, "zorb"),
    line("void call over shared memory", "latency-shmiop", "ping", 0, "zorb"),
    line("64 KiB of octets echoed, TCP", "latency", "echo_octets", 64 << 10, "zorb"),
    line("4,096 structs of five members, TCP", "latency", "echo_structs", 4096 * 24, "zorb"),
    line("void call with 10,000 idle connections", "connections", "ping/idle=10000", 0, "zorb"),
];

const TIMES: [Line; 13] = [
    line("void call, TCP", "latency", "ping", 0, "zorb"),
    line("void call, Unix-domain sockets", "latency-uiop", "ping", 0, "zorb"),
    line("void call, shared memory", "latency-shmiop", "ping", 0, "zorb"),
    line("void call, TCP, both sides busy-wait", "latency-busy-wait", "ping", 0, "zorb-busy-wait"),
    line(
        "first void call after `validate_connection`, TCP",
        "first-call",
        "ping/call=1/bound",
        0,
        "zorb",
    ),
    line("octets, 4 KiB, TCP", "latency", "echo_octets", 4 << 10, "zorb"),
    line("octets, 64 KiB, TCP", "latency", "echo_octets", 64 << 10, "zorb"),
    line("octets, 64 KiB, Unix-domain sockets", "latency-uiop", "echo_octets", 64 << 10, "zorb"),
    line("longs, 32 KiB, TCP", "latency", "echo_longs", 32 << 10, "zorb"),
    line("doubles, 32 KiB, TCP", "latency", "echo_doubles", 32 << 10, "zorb"),
    line("4,096 structs of five members, TCP", "latency", "echo_structs", 4096 * 24, "zorb"),
    line("void call, 10,000 idle connections", "connections", "ping/idle=10000", 0, "zorb"),
    line("cube of a struct (Cubit), TCP", "cubit", "cube_struct", 12, "zorb"),
];

const RATES: [Line; 7] = [
    line("one-way calls, 128 KiB of octets", "ttcp", "send_octets", 128 << 10, "zorb"),
    line("one-way calls, 128 KiB of longs", "ttcp", "send_longs", 128 << 10, "zorb"),
    line("one-way calls, 128 KiB of doubles", "ttcp", "send_doubles", 128 << 10, "zorb"),
    line("one-way calls, 128 KiB of structs", "ttcp", "send_structs", 131_064, "zorb"),
    line("one-way calls, 128 KiB of chars", "ttcp", "send_chars", 128 << 10, "zorb"),
    line("8 threads, one connection each", "threads", "ping/threads=8/own", 0, "zorb"),
    line("8 threads sharing one connection", "threads", "ping/threads=8/shared", 0, "zorb"),
];

const LOCAL: [Line; 2] = [
    line("collocated call, `thru_poa`", "collocated", "ping", 0, "zorb/thru_poa"),
    line("collocated call, `direct`", "collocated", "ping", 0, "zorb/direct"),
];

const DYNAMIC: [Line; 3] = [
    line("DII call, structs sent and returned", "dynamic", "dii_structs", 65_520, "zorb"),
    line("`any` encoded and decoded by the codec", "dynamic", "codec_structs", 65_520, "zorb"),
    line("DynAny traversal, member by member", "dynamic", "leaves_structs", 65_520, "zorb"),
];

/// One result file.
fn kept<'a>(results: &'a Folder, run: &str) -> Option<&'a Run> {
    let name = format!("{MACHINE}-{run}.json");
    results.runs.iter().find(|run| run.name == name)
}

/// One row of the results.
fn row<'a>(results: &'a Folder, line: &Line, peer: &str) -> Option<&'a Measured> {
    kept(results, line.run)?.rows.iter().find(|row| {
        row.peer == peer && row.operation == line.operation && row.payload == line.payload
    })
}

/// The experiments whose results have other rows, or none.
const OTHERS: [&str; 2] = ["dba", "ladder"];

fn results() -> Folder {
    let mut results = Folder::read(&root().join("bench/results")).unwrap();
    let is_other = |name: &str| OTHERS.iter().any(|run| name == format!("{MACHINE}-{run}.json"));
    results.left_out.retain(|(name, _)| !is_other(name));
    assert_eq!(results.left_out, [], "no result");
    results
}

/// The ratio to bare sockets, with its quartiles.
fn ratio(row: &Measured) -> Option<String> {
    let number = |name| row.number(name);
    let (ratio, low, high) = (number("ratio_to_raw")?, number("ratio_q1")?, number("ratio_q3")?);
    Some(format!("{ratio:.2} ({low:.2} to {high:.2})"))
}

/// The median time with its quartiles; `units` of the result make a microsecond.
fn time(row: &Measured, units: f64) -> Option<String> {
    let number = |name| row.number(name).map(|micros| micros * units);
    let (time, low, high) = (number("p50_us")?, number("p50_q1_us")?, number("p50_q3_us")?);
    Some(format!("{time:.1} ({low:.1} to {high:.1})"))
}

/// A table with one column for Zorb and one for each of `peers`; missing results leave a cell empty.
fn table(lines: &[Line], peers: &[&str], shown: impl Fn(&Measured) -> Option<String>) -> String {
    let results = results();
    let mut made = String::from("| Work | Zorb |");
    for peer in peers {
        let _ = write!(made, " {peer} |");
    }
    made += "\n|---|---|";
    made += &"---|".repeat(peers.len());
    made.push('\n');
    for line in lines {
        let own = row(&results, line, line.zorb).and_then(&shown);
        let own = own.unwrap_or_else(|| panic!("no result of {} {}", line.run, line.operation));
        let _ = write!(made, "| {} | {own} |", line.words);
        for peer in peers {
            let cell = row(&results, line, &peer.to_lowercase()).and_then(&shown);
            let _ = write!(made, " {} |", cell.as_deref().unwrap_or_default());
        }
        made.push('\n');
    }
    let mut busy: Vec<&str> = lines.iter().map(|line| line.run).collect();
    busy.retain(|run| kept(&results, run).is_some_and(Run::was_busy));
    busy.dedup();
    if !busy.is_empty() {
        let _ = writeln!(made, "\n{BUSY}: `{}`.", busy.join("`, `"));
    }
    made
}

/// Introduces the list of results that were measured on a busy machine.
pub(crate) const BUSY: &str =
    "Measured while the machine was busy with other work, and to be measured again";

/// The properties that every recorded result must have.
const NAMED: [&str; 7] = ["cpu", "kernel", "date", "load", "load_after", "zorb", "rustc"];

/// The recorded results that lack a property, with the property.
fn to_be_measured_again() -> String {
    let mut made = String::from("| File | Lacks |\n|---|---|\n");
    for run in results().runs {
        let mut lacks: Vec<String> = NAMED
            .iter()
            .filter(|name| !run.machine.contains_key(**name))
            .map(|name| format!("`{name}`"))
            .collect();
        let is_compared = run.rows.iter().any(|row| matches!(row.peer.as_str(), "ace" | "omniorb"));
        if is_compared && !run.machine.contains_key("peers") {
            lacks.push("`peers`".to_owned());
        }
        if run.was_busy() {
            lacks.push(format!("an idle machine: its load was {}", run.machine["load"]));
        }
        if !lacks.is_empty() {
            let _ = writeln!(made, "| `{}` | {} |", run.name, lacks.join(", "));
        }
    }
    made
}

/// The runs with their dates, loads and versions.
fn runs() -> String {
    let mut made = String::from(
        "| Run | Date | Load before | Load after | Zorb | Compiler | Other peers |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for run in results().runs {
        let fact = |name: &str| run.machine.get(name).map_or("", String::as_str);
        let name = run.name.trim_start_matches(MACHINE).trim_start_matches('-');
        let date = fact("date").get(..10).unwrap_or_default();
        let busy = if run.was_busy() { ", **busy**" } else { "" };
        let zorb = format!("{} {}", fact("zorb"), fact("commit"));
        let cells = [
            name.trim_end_matches(".json"),
            date,
            &format!("{}{busy}", fact("load")),
            fact("load_after"),
            zorb.trim(),
            fact("rustc"),
            fact("peers"),
        ];
        let _ = writeln!(made, "| {} |", cells.join(" | "));
    }
    made
}

#[test]
fn kept_results_name_machine_load_and_versions() {
    check("bench/results/README.md", "again", &to_be_measured_again());
    check(BENCHMARKS, "runs", &runs());
}

/// The pages with a table of results.
const README: &str = "README.md";
const BENCHMARKS: &str = "docs/src/benchmarks.md";

#[test]
fn the_headlines_of_the_readme_are_those_measured() {
    check(README, "times", &table(&HEADLINES, &["omniORB", "ACE"], ratio));
}

#[test]
fn the_times_of_the_book_are_those_measured() {
    check(BENCHMARKS, "times", &table(&TIMES, &["omniORB", "ACE"], ratio));
}

#[test]
fn the_rates_of_the_book_are_those_measured() {
    check(BENCHMARKS, "rates", &table(&RATES, &["omniORB", "ACE"], ratio));
}

#[test]
fn the_local_calls_of_the_book_are_those_measured() {
    check(BENCHMARKS, "local", &table(&LOCAL, &["omniORB"], |row| time(row, 1000.0)));
}

#[test]
fn the_dynamic_calls_of_the_book_are_those_measured() {
    check(BENCHMARKS, "dynamic", &table(&DYNAMIC, &["omniORB"], |row| time(row, 1.0)));
}

/// The checks of a run: expectation, result and verdict.
fn checks(run: &str) -> String {
    let results = results();
    let run = kept(&results, run).unwrap_or_else(|| panic!("no result of {run}"));
    let (_, checks) = run.tables.iter().find(|(name, _)| name == "checks").unwrap();
    let mut made = String::from("| What | Expected | Found | Holds |\n|---|---|---|---|\n");
    for check in checks {
        let word = |name: &str| match check.get(name) {
            Some(Cell::Word(word)) => word.as_str(),
            other => panic!("{name} is {other:?}"),
        };
        let holds = match word("verdict") {
            "holds" => "yes",
            "fails" => "**no**",
            _ => "unclear",
        };
        let cells = [word("what"), word("expected"), word("found"), holds];
        let _ = writeln!(made, "| {} |", cells.join(" | "));
    }
    made
}

/// Median call times per transport in microseconds, and the void call's ratio to bare sockets.
fn cubes(run: &str) -> String {
    let works = [
        ("void", "cube_void", 0),
        ("long", "cube_long", 4),
        ("4 KiB of octets", "cube_octets", 4096),
        ("4 KiB of longs", "cube_longs", 4096),
        ("4 KiB of structs", "cube_structs", 4092),
    ];
    let results = results();
    let run = kept(&results, run).unwrap_or_else(|| panic!("no result of {run}"));
    let mut made = String::from("| Over | ");
    works.iter().for_each(|(words, ..)| made += &format!("{words} | "));
    made += "void, ratio to bare sockets |\n|---|";
    made += &"---|".repeat(works.len() + 1);
    made.push('\n');
    let peers = run.rows.iter().filter(|row| row.operation == "cube_void");
    for Measured { transport, peer, .. } in peers.filter(|row| row.peer.starts_with("zorb")) {
        let cell = |peer: &str, operation: &str, payload: u64| {
            let found = run.rows.iter().find(|row| {
                (row.transport.as_str(), row.peer.as_str()) == (transport, peer)
                    && (row.operation.as_str(), row.payload) == (operation, payload)
            });
            found.unwrap_or_else(|| panic!("{operation} of {peer} over {transport}"))
        };
        let times = works.map(|(_, operation, payload)| cell(peer, operation, payload));
        let times = times.map(|row| format!("{:.2}", row.number("p50_us").unwrap()));
        // A run that busy-waits is compared with a bare program that does.
        let own = times.first().unwrap();
        let (words, ratio) = match peer.strip_prefix("zorb") {
            Some("") => {
                let row = cell(peer, "cube_void", 0);
                (String::new(), row.number("ratio_to_raw").unwrap())
            }
            busy_waiting => {
                let raw = format!("raw{}", busy_waiting.unwrap_or_default());
                let raw = cell(&raw, "cube_void", 0).number("p50_us").unwrap();
                (", both sides busy-wait".to_owned(), own.parse::<f64>().unwrap() / raw)
            }
        };
        let _ = writeln!(made, "| `{transport}`{words} | {} | {ratio:.2} |", times.join(" | "));
    }
    made
}

#[test]
fn the_cubes_of_the_book_are_those_measured() {
    check("docs/src/benchmarks.md", "cubes", &cubes("cubit-protocols"));
    check("docs/src/benchmarks.md", "cubes: expected", &checks("cubit-protocols"));
    check("docs/src/benchmarks.md", "cubes on one processor", &cubes("cubit-same"));
    check("docs/src/benchmarks.md", "cubes on one processor: expected", &checks("cubit-same"));
}

#[test]
fn the_checks_of_the_book_are_those_measured() {
    for run in ["pending", "views", "naming"] {
        check(BENCHMARKS, run, &checks(run));
    }
}

#[test]
fn the_table_of_bridges_matches_the_results() {
    check("docs/src/bridge.md", "added", &checks("bridge"));
}
