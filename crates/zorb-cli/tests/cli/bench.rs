//! `zorb bench`: the format of rows, and the termination of all processes.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::certificates::Authority;
use crate::program::{Finished, command, folder, line_of, run, signal};

const ROW: [&str; 15] = [
    "experiment",
    "peer",
    "transport",
    "operation",
    "payload",
    "rounds",
    "calls",
    "mean_us",
    "p50_us",
    "p99_us",
    "p999_us",
    "max_us",
    "calls_per_s",
    "mb_per_s",
    "ratio_to_raw",
];

/// The rows of a successful run, with their format checked.
pub(crate) fn rows(finished: &Finished) -> Vec<Value> {
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    let json = finished.json();
    let parts: BTreeSet<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = BTreeSet::from(["details", "machine", "rows"]);
    // Experiments with expectations report whether they are met.
    if let Some(checks) = json["checks"].as_array() {
        expected.insert("checks");
        for check in checks {
            assert!(check["holds"].is_boolean() && check["verdict"].is_string(), "{check}");
        }
    }
    // Experiments that count instructions do so where valgrind is installed.
    if json["instructions"].is_array() {
        expected.insert("instructions");
    }
    assert_eq!(parts, expected);
    let machine = json["machine"].as_object().unwrap();
    for known in ["cpu", "cores", "kernel", "governor", "pin", "date"] {
        assert!(machine.contains_key(known), "{known}");
    }
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(json["details"].as_array().unwrap().len(), rows.len());
    for row in rows {
        let keys: BTreeSet<_> = row.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, BTreeSet::from(ROW));
        assert!(row["calls"].as_u64().unwrap() > 0, "{row}");
        assert!(row["mean_us"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["calls_per_s"].as_f64().unwrap() > 0.0, "{row}");
        if let (Some(p50), Some(p99)) = (row["p50_us"].as_f64(), row["p99_us"].as_f64()) {
            assert!(p50 > 0.0 && p50 <= p99, "{row}");
        }
    }
    rows.clone()
}

/// The measurements of a peer: operation and payload.
pub(crate) fn works<'a>(rows: &'a [Value], peer: &str) -> Vec<(&'a str, u64)> {
    let of_peer = rows.iter().filter(|row| row["peer"] == peer);
    of_peer
        .map(|row| (row["operation"].as_str().unwrap(), row["payload"].as_u64().unwrap()))
        .collect()
}

/// A quick run. Its Zorb peers have `name` in their command lines, and a number that no other run of these tests has.
pub(crate) fn quick(name: &str, words: &[&str]) -> Finished {
    let name = format!("{name}-{}", std::process::id());
    let finished = run(&[&["bench"], words, &["--quick", "--json", "-", "-ORBId", &name]].concat());
    assert_eq!(running(&name), Vec::<String>::new());
    without_note(finished)
}

/// A program with probes prints a note on standard error first; the tests work with both builds.
fn without_note(mut finished: Finished) -> Finished {
    if cfg!(feature = "probes")
        && let Some((note, rest)) = finished.stderr.split_once('\n')
        && note.contains("time probes")
    {
        finished.stderr = rest.to_owned();
    }
    finished
}

/// The command lines of processes with `name` as an argument.
fn running(name: &str) -> Vec<String> {
    let lines = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let line = fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).into_owned())
    });
    lines.filter(|line| line.split('\0').any(|word| word == name)).collect()
}

#[test]
fn latency() {
    let finished = quick("bench-latency", &["latency", "--payload", "4,4096"]);
    let rows = rows(&finished);
    let expected = [
        ("ping", 0),
        ("echo_octets", 4),
        ("echo_octets", 4096),
        ("echo_structs", 24),
        ("echo_structs", 4080),
        ("echo_longs", 4),
        ("echo_longs", 4096),
        ("echo_doubles", 8),
        ("echo_doubles", 4096),
    ];
    assert_eq!(works(&rows, "raw"), expected);
    assert_eq!(works(&rows, "zorb"), expected);
    for row in rows {
        assert_eq!((&row["experiment"], &row["transport"]), (&"latency".into(), &"iiop".into()));
        assert!(row["ratio_to_raw"].as_f64().unwrap() > 0.0, "{row}");
    }
    assert_eq!(finished.stderr, "");
}

#[test]
fn latency_over_unix_domain_sockets() {
    let words = ["latency", "--payload", "4", "--transport", "uiop", "--pin", "none"];
    let rows = rows(&quick("bench-uiop", &words));
    assert_eq!(works(&rows, "zorb").len(), 5);
    assert_eq!(works(&rows, "raw"), works(&rows, "zorb"));
    assert!(rows.iter().all(|row| row["transport"] == "uiop"));
}

#[test]
fn latency_over_tls() {
    let folder = folder("bench-ssliop");
    let authority = Authority::new("authority");
    let roots = authority.write(&folder);
    authority.server().write(&folder, "peer");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (certificate, key) = (path("peer.pem"), path("peer.key"));
    let mut words = vec!["latency", "--payload", "4", "--transport", "ssliop"];
    words.extend(["-ORBSsliopRoots", roots.to_str().unwrap()]);
    words.extend(["-ORBSsliopCertificate", &certificate, "-ORBSsliopKey", &key]);
    let rows = rows(&quick("bench-ssliop", &words));
    assert_eq!(works(&rows, "zorb").len(), 5);
    assert_eq!(works(&rows, "raw"), works(&rows, "zorb"));
    assert!(rows.iter().all(|row| row["ratio_to_raw"].is_number()), "all compare with raw");
    // Without a certificate, the failure has a hint.
    let finished = run(&["bench", "latency", "--quick", "--transport", "ssliop"]);
    assert!(finished.stderr.contains("ssliop"), "{}", finished.stderr);
}

#[test]
fn latency_through_shared_memory() {
    let words = ["latency", "--payload", "4", "--transport", "shmiop", "--busy-wait", "20"];
    let rows = rows(&quick("bench-shmiop", &words));
    for peer in ["zorb", "raw-busy-wait", "zorb-busy-wait"] {
        assert_eq!(works(&rows, peer), works(&rows, "raw"), "{peer}");
    }
    assert!(rows.iter().all(|row| row["transport"] == "shmiop"));
}

#[test]
fn peers_with_busy_waiting() {
    let words = ["latency", "--payload", "4", "--busy-wait", "50"];
    let rows = rows(&quick("bench-busy-wait", &words));
    for peer in ["zorb", "raw-busy-wait", "zorb-busy-wait"] {
        assert_eq!(works(&rows, peer), works(&rows, "raw"), "{peer}");
    }
    assert!(rows.iter().all(|row| row["ratio_to_raw"].is_number()), "all compare with raw");
}

#[test]
fn ttcp() {
    let rows = rows(&quick("bench-ttcp", &["ttcp"]));
    assert_eq!(works(&rows, "zorb").len(), 7 * 3);
    for peer in ["raw", "zorb-interpretive"] {
        assert_eq!(works(&rows, peer), works(&rows, "zorb"), "{peer}");
    }
    assert_eq!(works(&rows, "zorb-view").len(), 2 * 3, "two operations have structs");
    for row in rows {
        assert!(row["mb_per_s"].as_f64().unwrap() > 0.0 && row["p50_us"].is_null(), "{row}");
    }
}

#[test]
fn threads() {
    let rows = rows(&quick("bench-threads", &["threads", "--calls", "30"]));
    let expected =
        ["1/own", "2/own", "1/shared", "2/shared"].map(|how| format!("ping/threads={how}"));
    let found = works(&rows, "zorb");
    assert_eq!(found.iter().map(|(operation, _)| *operation).collect::<Vec<_>>(), expected);
    assert_eq!(works(&rows, "raw"), found);
}

#[test]
fn connections() {
    let rows = rows(&quick("bench-connections", &["connections"]));
    assert_eq!(works(&rows, "zorb"), [("ping/idle=1", 0), ("ping/idle=10", 0)]);
    assert_eq!(works(&rows, "raw"), works(&rows, "zorb"));
}

#[test]
fn pending() {
    let finished = quick("bench-pending", &["pending"]);
    let rows = rows(&finished);
    let found = works(&rows, "zorb");
    let operations = ["ping/in-flight=1", "ping/in-flight=250", "ping/threads=8/shared"];
    assert_eq!(found, operations.map(|operation| (operation, 0)));
    assert_eq!(works(&rows, "raw"), found);
    assert_eq!(finished.json()["checks"].as_array().unwrap().len(), 3);
}

#[test]
fn first_call() {
    let finished = quick("bench-first-call", &["first-call"]);
    let rows = rows(&finished);
    let expected = ["1/unbound", "1/bound", "100/bound"].map(|how| format!("ping/call={how}"));
    let found = works(&rows, "zorb");
    assert_eq!(found.iter().map(|(operation, _)| *operation).collect::<Vec<_>>(), expected);
    assert_eq!(works(&rows, "raw"), found);
    assert_eq!(finished.json()["checks"].as_array().unwrap().len(), 1);
}

#[test]
fn collocated() {
    let rows = rows(&quick("bench-collocated", &["collocated"]));
    let expected = [("ping", 0), ("cube_long", 4), ("echo_string", 32), ("echo_octets", 4096)];
    for strategy in ["thru_poa", "direct", "marshalled"] {
        assert_eq!(works(&rows, &format!("zorb/{strategy}")), expected);
    }
    assert_eq!(rows.len(), 3 * 4, "nothing to compare with");
    assert!(rows.iter().all(|row| row["ratio_to_raw"].is_null()));
}

#[test]
fn every_experiment_takes_the_common_options() {
    for (experiment, operation, calls) in [
        ("latency", "echo_octets", 16 * 2),
        ("cubit", "cube_octets", 16 * 2),
        ("ttcp", "send_octets", 16 * 2),
        ("threads", "echo_octets/threads=2/own", 2 * 16 * 2),
        ("first-call", "echo_octets/call=1/bound", 16 * 2),
        ("connections", "echo_octets/idle=10", 16 * 2),
        ("collocated", "echo_octets", 100 * 2),
        ("dynamic", "dii_octets", 16 * 2),
        ("demux", "object/objects=10", 128 * 2),
    ] {
        let options = ["--calls", "16", "--rounds", "1", "--pin", "none", "--vs", "none"];
        let words = [&[experiment, "--payload", "40"], &options[..]].concat();
        let finished = quick(&format!("bench-options-{experiment}"), &words);
        let zorb = if experiment == "collocated" { "zorb/thru_poa" } else { "zorb" };
        let mut rows = rows(&finished);
        assert_eq!(finished.json()["machine"]["pin"], "none");
        rows.retain(|row| row["operation"] == operation && row["peer"] == zorb);
        rows.retain(|row| experiment != "cubit" || row["transport"] == "iiop");
        let [row] = rows.as_slice() else { panic!("{experiment}: {rows:?}") };
        assert_eq!((&row["calls"], &row["rounds"]), (&calls.into(), &1.into()), "{experiment}");
        if experiment != "demux" {
            assert_eq!(row["payload"], 40, "{experiment}");
        }
        assert!(row["ratio_to_raw"].is_null(), "{experiment}");
    }
}

#[test]
fn demux() {
    let finished = quick("bench-demux", &["demux"]);
    let rows = rows(&finished);
    let counts = ["binary", "linear", "hash", "zorb", "de-layered"]
        .map(|search| (search, works(&rows, search).len()));
    // 5 numbers of objects, 6 of operations, 9 of both.
    let expected = [("binary", 6), ("linear", 20), ("hash", 20), ("zorb", 20), ("de-layered", 9)];
    assert_eq!(counts, expected);
    let zorb = works(&rows, "zorb");
    assert_eq!(zorb.first(), Some(&("object/objects=1", 0)));
    assert_eq!(zorb.last(), Some(&("request/objects=10000/operations=500", 0)));
    assert!(rows.iter().all(|row| row["ratio_to_raw"].is_null() && row["transport"] == "none"));
    assert_eq!(finished.json()["checks"].as_array().unwrap().len(), 5);
    assert_eq!(finished.stderr, "");
}

/// Whether the claims hold depends on the machine; the exit status says it.
#[test]
fn a_claim_that_fails_fails_the_command() {
    let finished = run(&["bench", "demux", "--rounds", "1", "--calls", "128", "--json", "-"]);
    let json = finished.json();
    let claims = json["checks"].as_array().unwrap();
    let failed = claims.iter().filter(|claim| claim["verdict"] == "fails").count();
    assert_eq!(finished.status, Some(i32::from(failed > 0)), "{claims:?}");
    assert_eq!(
        finished.stderr.contains(&format!("{failed} claim")),
        failed > 0,
        "{}",
        finished.stderr
    );
}

#[test]
fn copies() {
    let finished = quick("bench-copies", &["copies", "--payload", "65536"]);
    let rows = rows(&finished);
    for (way, copies) in [("copy", "2"), ("single-copy", "1"), ("zero-copy", "0")] {
        let [(there, 65_536), (back, 65_536)] = works(&rows, way)[..] else { panic!("{rows:?}") };
        assert!(there.starts_with(&format!("take_octets/copies={copies}.0")), "{there}");
        assert!(back.starts_with(&format!("give_octets/copies={copies}.0")), "{back}");
    }
    let checks = finished.json()["checks"].clone();
    let checks = checks.as_array().unwrap();
    let hold = checks.iter().all(|check| check["verdict"] == "holds");
    assert!(checks.len() == 6 && hold, "{checks:?}");
}

#[test]
fn views() {
    let finished = quick("bench-views", &["views", "--payload", "2400"]);
    let rows = rows(&finished);
    for transport in ["iiop", "shmiop"] {
        let of: Vec<Value> =
            rows.iter().filter(|row| row["transport"] == transport).cloned().collect();
        let both = [("sum_structs", 2400), ("view_structs", 2400)];
        assert_eq!((works(&of, "zorb"), works(&of, "raw")), (both.into(), both.into()));
    }
    let checks = finished.json()["checks"].clone();
    assert_eq!(checks[0]["verdict"], "unclear", "a quick run is too short: {checks}");
}

#[test]
fn param() {
    let finished = quick("bench-param", &["param", "--calls", "2"]);
    let rows = rows(&finished);
    let compiled = works(&rows, "compiled");
    assert_eq!(works(&rows, "interpretive"), compiled);
    assert_eq!((compiled.len(), compiled[4]), (7 * 4, ("in_string", 128)));
    assert!(rows.iter().all(|row| row["calls_per_s"].as_f64().unwrap() > 0.0), "{rows:?}");
    let checks = finished.json()["checks"].clone();
    let checks = checks.as_array().unwrap();
    // A quick run is too short.
    let unclear = checks.iter().all(|check| check["verdict"] == "unclear");
    assert!(checks.len() == 7 * 4 && unclear, "{checks:?}");
    // Where valgrind is installed, or required.
    if let Some(counts) = finished.json()["instructions"].as_array() {
        let count = |row: &Value, engine: &str| row[engine].as_u64().unwrap();
        let is_counted = |row: &Value| count(row, "compiled").min(count(row, "interpretive")) > 0;
        assert!(counts.len() == 7 * 2 && counts.iter().all(is_counted), "{counts:?}");
        let of = |value: &str| counts.iter().find(|row| row["value"] == value).unwrap();
        assert!(count(of("structs"), "compiled") > count(of("strings"), "compiled"));
    } else {
        let tools = std::env::var("REQUIRE_TOOLS").unwrap_or_default();
        assert!(tools.is_empty() || tools == "0", "{}", finished.stderr);
    }
    let finished = run(&["bench", "param", "--quick", "--calls", "2", "--transport", "uiop"]);
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains("interpretive calls/s"), "{}", finished.stdout);
}

#[cfg(not(feature = "probes"))]
#[test]
fn without_probes_the_program_explains_how_to_build_them() {
    let nowhere = folder("bench").join("no-peers");
    let finished = run(&["bench", "probes", "--peers", nowhere.to_str().unwrap()]);
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
    assert!(finished.stderr.contains("has no time probes"), "{}", finished.stderr);
    assert!(finished.stderr.contains("hint: "), "{}", finished.stderr);
}

#[test]
fn the_table_and_the_file() {
    let file = folder("bench").join("rows.json");
    let name = file.to_str().unwrap();
    let finished = run(&["bench", "latency", "--quick", "--payload", "8", "--json", name]);
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    let heading = finished.stdout.lines().next().unwrap();
    assert!(heading.contains("p50 us") && heading.contains("ratio"), "{heading}");
    assert_eq!(finished.stdout.lines().count(), 1 + 5 * 2);
    let json: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 10);
}

/// Writes the script `$1` with the line `$2`.
const WRITE: &str = "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"";

/// A folder of peers with one that consists of two scripts.
fn scripted(test: &str, server: &str, client: &str) -> String {
    let folder = folder("bench").join(test);
    let scripts = folder.join("scripted");
    fs::create_dir_all(&scripts).unwrap();
    for (role, text) in [("server", server), ("client", client)] {
        // Written by another process: a process that another test starts meanwhile could inherit
        // the open file, and a file open for writing cannot be executed.
        let mut sh = Command::new("sh");
        sh.args(["-c", WRITE, "sh"]).arg(scripts.join(role)).arg(text);
        assert!(sh.status().unwrap().success());
    }
    folder.to_str().unwrap().to_owned()
}

const SERVER: &str = "echo ready somewhere; cat";

fn bench_with(peers: &str) -> Finished {
    let words = ["bench", "latency", "--quick", "--payload", "4", "--json", "-"];
    let others = ["--vs", "raw,scripted,absent", "--peers", peers];
    without_note(run(&[&words[..], &others].concat()))
}

#[test]
fn any_program_can_be_a_peer_and_missing_ones_are_named() {
    let answer = "done check=ok calls=20 wall_ns=9 cpu_ns=1 sum_ns=100 min_ns=5 max_ns=5 hist=5:20";
    let client = format!("echo ready; while read line; do echo {answer}; done");
    let finished = bench_with(&scripted("good", SERVER, &client));
    let rows = rows(&finished);
    assert_eq!(works(&rows, "scripted"), works(&rows, "zorb"));
    assert_eq!(works(&rows, "scripted").len(), 5);
    let lines: Vec<_> = finished.stderr.lines().collect();
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(line.starts_with("absent is skipped"), "{line}");
}

#[test]
fn unsupported_measurements_of_a_peer_are_skipped() {
    let client = "echo ready; while read line; do echo unsupported not here; done";
    let finished = bench_with(&scripted("unable", SERVER, client));
    assert_eq!(works(&rows(&finished), "scripted"), []);
    assert!(finished.stderr.contains("scripted skips ping: not here"), "{}", finished.stderr);
    let finished = bench_with(&scripted("refusing", "exit 3", client));
    assert_eq!(works(&rows(&finished), "scripted"), []);
    assert!(finished.stderr.contains("scripted is skipped"), "{}", finished.stderr);
}

#[test]
fn a_wrong_reply_is_a_failure() {
    let unchecked = "done calls=20 wall_ns=9 cpu_ns=1 sum_ns=100 min_ns=5 max_ns=5 hist=5:20";
    for (test, answer) in [("wrong", "failed a wrong reply"), ("unchecked", unchecked)] {
        let client = format!("echo ready; while read line; do echo {answer}; done");
        let finished = bench_with(&scripted(test, SERVER, &client));
        assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
        assert!(finished.stderr.contains("error: scripted: ping: "), "{}", finished.stderr);
    }
}

#[test]
fn an_interrupt_ends_all_processes() {
    let id = "bench-interrupt";
    let words = ["bench", "latency", "--rounds", "10000", "--vs", "raw,absent", "-ORBId", id];
    let mut bench = command(&words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Printed when the other peers run.
    let (_, mut rest) = line_of(bench.stderr.take().unwrap(), |line| line.starts_with("absent"));
    signal(&bench, "INT");
    assert_eq!(bench.wait().unwrap().code(), Some(130));
    assert_eq!(running(id), Vec::<String>::new());
    let mut text = String::new();
    // Every process of the run holds the other end: end of file means that all have ended.
    std::io::Read::read_to_string(&mut rest, &mut text).unwrap();
    assert_eq!(text, "error: ended by SIGINT\n");
}

#[test]
fn invalid_arguments_are_rejected() {
    for words in [
        &["bench"][..],
        &["bench", "speed"],
        &["bench", "latency", "--rounds", "0"],
        &["bench", "latency", "--payload", "0"],
        &["bench", "latency", "--vs", "../raw"],
        &["bench", "latency", "--fifo", "100"],
        &["bench-peer", "tao", "server"],
    ] {
        let finished = run(words);
        assert_eq!((finished.status, finished.stdout.as_str()), (Some(2), ""), "{words:?}");
    }
}

#[test]
fn the_book_has_every_experiment() {
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/benchmarks.md");
    let book = fs::read_to_string(book).unwrap();
    let help = run(&["bench", "--help"]).stdout;
    let commands = help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next());
    let names: Vec<&str> =
        commands.unwrap().lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"latency") && names.contains(&"probes"), "{help}");
    // A text that is not an experiment has no heading of its own.
    for name in names.into_iter().filter(|name| !["help", "report"].contains(name)) {
        assert!(book.contains(&format!("\n## {name}\n")), "{name}");
    }
}

#[test]
fn peers_are_not_shown() {
    let help = run(&["--help"]).stdout;
    assert!(help.contains("bench ") && !help.contains("bench-peer"), "{help}");
}

#[test]
fn naming_services_are_compared_with_omninames_only() {
    let mut bench = command(&["bench", "naming", "--quick"]);
    let finished: Finished = bench.env("PATH", "").output().unwrap().into();
    assert_eq!(finished.status, Some(1));
    assert!(finished.stderr.contains("omniorb-nameserver"), "{}", finished.stderr);
}

#[test]
fn graph_coloring_needs_its_program() {
    let finished = run(&["bench", "dba", "--quick", "--program", "missing/dba"]);
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
    assert!(finished.stderr.contains("`cargo build --profile lto -p dba`"), "{}", finished.stderr);
}

#[test]
fn the_ladder_needs_its_program() {
    let finished = run(&["bench", "ladder", "--quick", "--program", "missing/zorb-ladder"]);
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
    assert!(
        finished.stderr.contains("`cargo build --release -p zorb-ladder`"),
        "{}",
        finished.stderr
    );
}
