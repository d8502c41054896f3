//! The README's and the book's tables of measured numbers are those of the results that are kept.
//!
//! `cargo xtask measure` makes both anew; `UPDATE_BOOK=1` writes the tables alone.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test may")]

mod support;

use std::fmt::Write as _;

use support::made::check;
use support::pages::root;
use zorb_bench::report::{Cell, Folder, Measured, Run};

/// The machine whose results the README shows.
const MACHINE: &str = "vm-2core";

/// A row of a table: the words for it, and where its numbers are found.
struct Line {
    words: &'static str,
    /// The name of the file, without the machine.
    run: &'static str,
    operation: &'static str,
    payload: u64,
    /// Zorb's name in it: there may be several ways.
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

const TIMES: [Line; 13] = [
    line("call without arguments, TCP", "latency", "ping", 0, "zorb"),
    line("the same, Unix-domain sockets", "latency-uiop", "ping", 0, "zorb"),
    line("the same, shared memory", "latency-shmiop", "ping", 0, "zorb"),
    line(
        "the same, TCP, both sides look before they sleep",
        "latency-spin",
        "ping",
        0,
        "zorb-spin",
    ),
    line(
        "the same, the first after validate_connection",
        "first-call",
        "ping/call=1/bound",
        0,
        "zorb",
    ),
    line("octets, 4 KiB", "latency", "echo_octets", 4 << 10, "zorb"),
    line("octets, 64 KiB", "latency", "echo_octets", 64 << 10, "zorb"),
    line("the same, Unix-domain sockets", "latency-uiop", "echo_octets", 64 << 10, "zorb"),
    line("longs, 32 KiB", "latency", "echo_longs", 32 << 10, "zorb"),
    line("doubles, 32 KiB", "latency", "echo_doubles", 32 << 10, "zorb"),
    line("4,096 structs of five members", "latency", "echo_structs", 4096 * 24, "zorb"),
    line("10,000 other connections open", "connections", "ping/idle=10000", 0, "zorb"),
    line("cube of a struct", "cubit", "cube_struct", 12, "zorb"),
];

const RATES: [Line; 7] = [
    line("one-way flood of octets, 128 KiB each", "ttcp", "send_octets", 128 << 10, "zorb"),
    line("of longs", "ttcp", "send_longs", 128 << 10, "zorb"),
    line("of doubles", "ttcp", "send_doubles", 128 << 10, "zorb"),
    line("of structs of five members", "ttcp", "send_structs", 131_064, "zorb"),
    line("of chars", "ttcp", "send_chars", 128 << 10, "zorb"),
    line("8 threads, a connection each", "threads", "ping/threads=8/own", 0, "zorb"),
    line("8 threads, one connection", "threads", "ping/threads=8/shared", 0, "zorb"),
];

const LOCAL: [Line; 2] = [
    line(
        "call of an object of the same process, adapter asked",
        "collocated",
        "ping",
        0,
        "zorb/thru_poa",
    ),
    line("the same, the servant called directly", "collocated", "ping", 0, "zorb/direct"),
];

const DYNAMIC: [Line; 3] = [
    line(
        "call through the DII, structs sent and returned",
        "dynamic",
        "dii_structs",
        65_520,
        "zorb",
    ),
    line("an any made octets and read again", "dynamic", "codec_structs", 65_520, "zorb"),
    line("a DynAny, leaf by leaf", "dynamic", "leaves_structs", 65_520, "zorb"),
];

/// A kept file.
fn kept<'a>(results: &'a Folder, run: &str) -> Option<&'a Run> {
    let name = format!("{MACHINE}-{run}.json");
    results.runs.iter().find(|run| run.name == name)
}

/// A row of the kept results.
fn row<'a>(results: &'a Folder, line: &Line, peer: &str) -> Option<&'a Measured> {
    kept(results, line.run)?.rows.iter().find(|row| {
        row.peer == peer && row.operation == line.operation && row.payload == line.payload
    })
}

fn results() -> Folder {
    let results = Folder::read(&root().join("bench/results")).unwrap();
    assert_eq!(results.left_out, [], "no result");
    results
}

/// The ratio to bare sockets, with its quartiles.
fn ratio(row: &Measured) -> Option<String> {
    let number = |name| row.number(name);
    let (ratio, low, high) = (number("ratio_to_raw")?, number("ratio_q1")?, number("ratio_q3")?);
    Some(format!("{ratio:.2} ({low:.2} to {high:.2})"))
}

/// The median time in units of so many to the microsecond, with its quartiles.
fn time(row: &Measured, units: f64) -> Option<String> {
    let number = |name| row.number(name).map(|micros| micros * units);
    let (time, low, high) = (number("p50_us")?, number("p50_q1_us")?, number("p50_q3_us")?);
    Some(format!("{time:.1} ({low:.1} to {high:.1})"))
}

/// A table with a column for Zorb and each of `peers`; a peer without the row has an empty cell.
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
    made
}

#[test]
fn the_times_of_the_readme_are_those_measured() {
    check("README.md", "times", &table(&TIMES, &["omniORB", "ACE"], ratio));
}

#[test]
fn the_rates_of_the_readme_are_those_measured() {
    check("README.md", "rates", &table(&RATES, &["omniORB", "ACE"], ratio));
}

#[test]
fn the_local_calls_of_the_readme_are_those_measured() {
    check("README.md", "local", &table(&LOCAL, &["omniORB"], |row| time(row, 1000.0)));
}

#[test]
fn the_dynamic_calls_of_the_readme_are_those_measured() {
    check("README.md", "dynamic", &table(&DYNAMIC, &["omniORB"], |row| time(row, 1.0)));
}

/// What was expected of a run, and what it found.
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
        let holds = if word("holds") == "true" { "yes" } else { "**no**" };
        let cells = [word("what"), word("expected"), word("found"), holds];
        let _ = writeln!(made, "| {} |", cells.join(" | "));
    }
    made
}

/// The median of a call over each transport, in microseconds, and of nothing beside the bare program.
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
    made += "void, beside the bare program |\n|---|";
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
        // Who spins is compared with a bare program that does.
        let own = times.first().unwrap();
        let (words, ratio) = match peer.strip_prefix("zorb") {
            Some("") => {
                let row = cell(peer, "cube_void", 0);
                (String::new(), row.number("ratio_to_raw").unwrap())
            }
            spins => {
                let raw = format!("raw{}", spins.unwrap_or_default());
                let raw = cell(&raw, "cube_void", 0).number("p50_us").unwrap();
                (", both sides spin".to_owned(), own.parse::<f64>().unwrap() / raw)
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
fn what_a_bridge_adds_is_what_was_measured() {
    check("docs/src/bridge.md", "added", &checks("bridge"));
}
