//! `zorb demo`: the table, and the termination of all processes.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};

use crate::program::{command, line_of, run};

const OPERATIONS: [&str; 7] =
    ["void", "long", "string", "octets_4k", "structs", "exception", "callback"];

/// The process id in the line about the server.
fn server_id(line: &str) -> u32 {
    let rest = line.strip_prefix("server: process ").unwrap_or_else(|| panic!("{line:?}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn is_running(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

#[test]
fn the_table_as_json() {
    let demo = run(&["demo", "--quick", "--json"]);
    assert_eq!(demo.status, Some(0), "{}", demo.stderr);
    let json = demo.json();
    assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["rows"]);
    let rows = json["rows"].as_array().unwrap();
    let operations: Vec<_> = rows.iter().map(|row| row["operation"].as_str().unwrap()).collect();
    assert_eq!(operations, OPERATIONS);
    let expected = ["operation", "transport", "calls_per_s", "p50_us", "p99_us", "ratio_to_raw"];
    for row in rows {
        let keys: BTreeSet<_> = row.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, BTreeSet::from(expected));
        assert_eq!(row["transport"], "iiop");
        let of = |name: &str| row[name].as_f64().unwrap();
        assert!(of("calls_per_s") > 0.0 && of("ratio_to_raw") > 0.0, "{row}");
        assert!(of("p50_us") > 0.0 && of("p50_us") <= of("p99_us"), "{row}");
    }
    // No progress bar without a terminal.
    assert_eq!(demo.stderr.lines().count(), 1, "{}", demo.stderr);
    assert!(!is_running(server_id(&demo.stderr)));
}

#[test]
fn the_table_as_text() {
    let demo = run(&["demo", "--quick"]);
    assert_eq!(demo.status, Some(0), "{}", demo.stderr);
    let mut lines = demo.stdout.lines();
    let heading = lines.next().unwrap();
    assert!(heading.contains("calls/s") && heading.contains("ratio"), "{heading}");
    let firsts = lines.by_ref().take(OPERATIONS.len()).map(|line| line.split(' ').next().unwrap());
    assert_eq!(firsts.collect::<Vec<_>>(), OPERATIONS);
    assert!(!is_running(server_id(&demo.stderr)));
}

/// The README shows what its command prints: the same columns and operations.
#[test]
fn the_table_in_the_readme() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let (text, rest) = readme.split_once("what `cargo run --release -- demo` prints").unwrap();
    assert!(text.contains("cargo run --release -- demo\n"));
    let table = rest.split("```").nth(1).unwrap().trim_start_matches("text\n");
    let demo = run(&["demo", "--quick"]);
    let words = |text: &str| -> Vec<Vec<String>> {
        let rows = text.lines().map(|line| line.split_whitespace().map(str::to_owned));
        rows.enumerate().map(|(at, row)| row.take(if at == 0 { 99 } else { 2 }).collect()).collect()
    };
    let printed: Vec<_> = words(&demo.stdout).into_iter().take(1 + OPERATIONS.len()).collect();
    assert_eq!(words(table), printed);
}

/// A demo that would run for minutes, its server's process id, and the rest of its standard error.
fn long_demo() -> (Child, u32, impl Read) {
    let mut demo = command(&["demo", "--calls-seconds", "60"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stderr: ChildStderr = demo.stderr.take().unwrap();
    let (line, rest) = line_of(stderr, |line| line.starts_with("server: "));
    let server = server_id(&line);
    assert!(is_running(server));
    (demo, server, rest)
}

#[test]
fn an_interrupt_ends_both_processes() {
    let (mut demo, server, mut rest) = long_demo();
    crate::program::signal(&demo, "INT");
    let status = demo.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    // The first process has waited for the second, so the process id is free.
    assert!(!is_running(server));
    let mut text = String::new();
    rest.read_to_string(&mut text).unwrap();
    assert_eq!(text, "error: ended by SIGINT\n");
}

#[test]
fn the_server_does_not_outlive_a_killed_demo() {
    let (mut demo, _, mut rest) = long_demo();
    demo.kill().unwrap();
    demo.wait().unwrap();
    // The server holds the other end of this pipe: end of file means that it has ended.
    let mut text = String::new();
    rest.read_to_string(&mut text).unwrap();
    assert_eq!(text, "");
}

#[test]
fn the_server_ends_when_its_input_closes() {
    let server = run(&["demo-server"]);
    assert_eq!(server.status, Some(0), "{}", server.stderr);
    let words: Vec<_> = server.stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(words, ["lobby", "raw"]);
}
