//! `zorb sched`.

use std::process::Stdio;

use serde_json::json;

use crate::program::{command, file, folder, line_of, run, run_with_input, signal};

const FLIGHT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/flight.toml");

/// The process set A of Burns and Wellings, whose slowest process misses its deadline.
const LATE: &str = r#"
[[operation]]
name = "a"
worst = "12 ms"
period = "50 ms"

[[operation]]
name = "b"
worst = "10 ms"
period = "40 ms"

[[operation]]
name = "c"
worst = "10 ms"
period = "30 ms"
"#;

#[test]
fn a_schedulable_set_gets_priorities() {
    let folder = folder("sched-flight");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (svg, table, rust) = (path("f.svg"), path("f.toml"), path("f.rs"));
    let words = ["sched", "analyze", FLIGHT, "--svg", &svg, "--write", &table, "--rust", &rust];
    let done = run(&words);
    assert_eq!(done.status, Some(0), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.ends_with("schedulable: every deadline is met\n"), "{}", done.stdout);
    assert!(done.stdout.contains("Log::append <- Control::step"), "{}", done.stdout);
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("Imu::sample 2: "), "{svg}");
    let table = std::fs::read_to_string(table).unwrap();
    let table = zorb_sched::PriorityTable::from_toml(&table).unwrap();
    let priority = |name: &str| table.entry(table.lookup(name).unwrap()).unwrap().priority;
    assert_eq!(priority("Imu::sample"), 80);
    assert_eq!(priority("Filter::update"), 80, "that of its most urgent caller");
    assert_eq!(priority("Control::step"), 79);
    assert_eq!(priority("Display::refresh"), 78);
    let rust = std::fs::read_to_string(rust).unwrap();
    assert!(rust.contains("pub const CONTROL_STEP: usize = 2;"), "{rust}");
}

#[test]
fn an_unschedulable_set_has_a_reason() {
    let path = file("sched-late", "late.toml", LATE);
    let table = folder("sched-late").join("late-table.toml");
    let done = run(&["sched", "analyze", &path, "--write", table.to_str().unwrap()]);
    assert_eq!(done.status, Some(1));
    let why =
        "error: deadline_miss: a has a response time of up to 52 ms and a deadline of 50 ms\n";
    assert!(done.stdout.contains(why), "{}", done.stdout);
    assert!(done.stderr.contains("no priorities written"), "{}", done.stderr);
    assert!(!table.exists());

    let done = run_with_input(&["sched", "analyze", "-", "--json"], LATE);
    assert_eq!(done.status, Some(1));
    let report = done.json();
    assert_eq!(report["schedulable"], json!(false));
    let task = &report["tasks"][0];
    assert_eq!((&task["response_ns"], &task["in_time"]), (&json!(52_000_000), &json!(false)));
    assert_eq!(report["anomalies"][0]["name"], json!("deadline_miss"));

    let edf = LATE.replace(
        "\n[[operation]]\nname = \"a\"",
        "[system]\npreemptive = true\n[[operation]]\nname = \"a\"",
    );
    let done = run_with_input(&["sched", "analyze", "-", "--json", "--strategy", "edf"], &edf);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    assert_eq!(
        done.json()["queues"],
        json!([{"queue": 0, "priority": 89, "dispatching": "deadline"}])
    );
}

#[test]
fn an_invalid_set_is_reported_by_name() {
    let circle = r#"
        [[operation]]
        name = "a"
        worst = "1 ms"
        period = "5 ms"
        calls = [{ operation = "a" }]
    "#;
    let done = run_with_input(&["sched", "analyze", "-"], circle);
    assert_eq!((done.status, done.stdout.as_str()), (Some(1), ""));
    assert!(done.stderr.contains("cycle: the calls form a cycle: a -> a"));
    let done = run_with_input(&["sched", "analyze", "-", "--json"], circle);
    assert_eq!(done.json()["anomalies"][0]["severity"], json!("fatal"));
    let done = run_with_input(&["sched", "analyze", "-"], "[system]\nspeed = 1\n");
    assert_eq!(done.status, Some(2));
    assert!(done.stderr.contains("-: line 2: unknown field `speed`"), "{}", done.stderr);
    assert_eq!(run(&["sched", "analyze", "nowhere.toml"]).status, Some(2));
}

#[test]
fn the_service_serves_the_operations_of_a_file() {
    let words = ["sched", "serve", FLIGHT, "--listen", "iiop://127.0.0.1:0", "--strategy", "dm"];
    let mut serving = command(&words);
    let mut process = serving.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (reference, _) = line_of(process.stdout.take().unwrap(), |line| line.starts_with("IOR:"));
    let idl = concat!(env!("CARGO_MANIFEST_DIR"), "/../../idl/RtecScheduler.idl");
    let call = |words: &[&str]| run(&[&["call", reference.trim(), "--idl", idl], words].concat());
    assert_eq!(call(&["lookup", "Control::step"]).json(), json!(3));
    assert_eq!(call(&["priority", "3"]).status, Some(3), "NOT_SCHEDULED is an exception");
    let computed = call(&["compute_scheduling", "1", "50"]);
    assert_eq!(computed.json()["anomalies"], json!([]), "{}", computed.stderr);
    let priority = call(&["entry_point_priority", "Control::step"]);
    assert_eq!(priority.json()["o_priority"], json!(49), "{}", priority.stdout);
    signal(&process, "TERM");
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

#[test]
fn clients_that_the_option_does_not_name_change_no_operations() {
    let words = ["sched", "serve", "--listen", "iiop://127.0.0.1:0"];
    let mut serving = command(&[&words[..], &["-ORBServiceWriters", "CN=nobody"]].concat());
    let mut process = serving.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (reference, _) = line_of(process.stdout.take().unwrap(), |line| line.starts_with("IOR:"));
    let idl = concat!(env!("CARGO_MANIFEST_DIR"), "/../../idl/RtecScheduler.idl");
    let call = |words: &[&str]| run(&[&["call", reference.trim(), "--idl", idl], words].concat());
    assert_eq!(call(&["create", "x"]).json()["name"], "NO_PERMISSION");
    assert_eq!(call(&["get_dependency_set"]).json()["dependencies"], json!([]));
    signal(&process, "TERM");
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

#[test]
fn a_service_listens_at_the_loopback_interface_unless_told_otherwise() {
    for (more, endpoint) in [
        (&[][..], "iiop://localhost:"),
        (&["-ORBListenEndpoints", "iiop://127.0.0.3:0"], "iiop://127.0.0.3:"),
        (&["-ORBServerProtocols", "uiop"], "uiop:///"),
    ] {
        let mut serving = command(&[&["sched", "serve"], more].concat());
        let mut process = serving.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (line, _) = line_of(process.stderr.take().unwrap(), |line| line.starts_with("serving"));
        assert!(line.contains(&format!(" at {endpoint}")), "{line}");
        signal(&process, "TERM");
        assert_eq!(process.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn an_empty_set_is_not_a_success() {
    for (name, text) in
        [("nothing", ""), ("machine", "[system]\nprocessors = 2\n"), ("list", "operation = []\n")]
    {
        let path = file("sched-empty", &format!("{name}.toml"), text);
        let written = ["svg", "priorities", "rs"].map(|kind| format!("{path}.{kind}"));
        let [svg, table, rust] = &written;
        let done =
            run(&["sched", "analyze", &path, "--svg", svg, "--write", table, "--rust", rust]);
        assert_eq!((done.status, done.stdout.as_str()), (Some(1), ""), "{name}");
        assert!(done.stderr.contains("no_operations: there are no operations"), "{}", done.stderr);
        for path in written {
            assert!(!std::path::Path::new(&path).exists(), "{path}");
        }
        let done = run(&["sched", "analyze", &path, "--json"]);
        assert_eq!(done.status, Some(1));
        assert_eq!(done.json()["schedulable"], false);
        assert_eq!(done.json()["anomalies"][0]["name"], "no_operations");
    }
}
