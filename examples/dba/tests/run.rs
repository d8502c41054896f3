//! Runs the program as a user would: small graphs, over sockets and over the ORB.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// The program with these words. Nothing depends on the time limit, unless a test sets one.
fn dba(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dba"));
    command.args(["--time-limit", "300"]).args(words);
    command
}

/// Its output, or what it says about its failure.
fn output(words: &[&str]) -> Result<String, String> {
    let output = dba(words).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).unwrap())
    } else {
        Err(errors)
    }
}

/// A file with the graph that `dba graph WORDS` prints, for one test.
fn graph(test: &str, words: &[&str]) -> String {
    file(test, &output(&[&["graph"], words].concat()).unwrap())
}

fn file(test: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.graph"));
    // Whole at once, for other runs of these tests.
    let new = path.with_extension(std::process::id().to_string());
    std::fs::write(&new, text).unwrap();
    std::fs::rename(&new, &path).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The JSON that a run prints.
fn run(graph: &str, options: &[&str]) -> Value {
    let said = output(&[&["run", graph, "--json"], options].concat()).unwrap();
    serde_json::from_str(&said).unwrap()
}

/// Whether the fourteen segments, which are rounded to nanoseconds one by one, add up to a time.
fn is_sum(of_segments: u64, time: u64) -> bool {
    of_segments.abs_diff(time) <= 7
}

/// A number of each node.
fn of_nodes(result: &Value, name: &str) -> Vec<u64> {
    let reports = result["reports"].as_array().unwrap();
    reports.iter().map(|report| report[name].as_u64().unwrap()).collect()
}

/// The ways to carry messages.
const WAYS: [(&[&str], bool); 15] = [
    (&["--over", "raw"], false),
    (&["--over", "raw", "--memo"], true),
    (&["--over", "raw", "--threads", "per-connection"], false),
    (&["--over", "nano"], false),
    (&["--over", "nano", "--memo"], true),
    (&["--over", "full"], false),
    (&["--sync", "buffered"], false),
    (&["--over", "full", "--memo"], true),
    (&["--over", "nano", "--connections", "two"], false),
    (&["--over", "full", "--connections", "two"], false),
    (&["--threads", "per-connection", "--connections", "one"], false),
    (&["--threads", "per-connection", "--calls", "group"], true),
    (&["--over", "raw", "--calls", "group"], true),
    (&["--calls", "pending"], false),
    (&["--calls", "pending", "--memo"], true),
];

#[test]
fn two_and_four_nodes_run_to_the_cycle_limit() {
    for nodes in ["2", "4"] {
        let graph = graph(&format!("limit-{nodes}"), &["complete", nodes]);
        let neighbors: u64 = nodes.parse::<u64>().unwrap() - 1;
        for (way, memo) in WAYS {
            let options = [&["--no-terminate", "--cycles", "30"], way].concat();
            let result = run(&graph, &options);
            assert_eq!((&result["solved"], &result["colors"]), (&false.into(), &1.into()));
            for report in result["reports"].as_array().unwrap() {
                let number = |name: &str| report[name].as_u64().unwrap();
                assert_eq!((number("cycles"), number("refused")), (30, 0), "{way:?}");
                // Two messages a cycle, for each neighbor or once. Connections may begin with other octets.
                let least = 30 * 2 * if memo { 1 } else { neighbors };
                let marshals = number("marshals");
                assert!((least..=least + neighbors).contains(&marshals), "{way:?}: {marshals}");
                let segments = report["segments"].as_array().unwrap();
                let times = segments.iter().map(|segment| segment["total_ns"].as_u64().unwrap());
                assert_eq!(segments.len(), 14);
                assert!(is_sum(times.sum(), number("total_ns")), "{way:?}: {report}");
                let percentiles = [
                    "p1_ns",
                    "p10_ns",
                    "q1_ns",
                    "median_ns",
                    "q3_ns",
                    "p90_ns",
                    "p99_ns",
                    "max_ns",
                ]
                .map(number);
                assert!(number("deviation_ns") <= number("max_ns"), "{way:?}: {report}");
                assert!(percentiles.is_sorted(), "{way:?}: {percentiles:?}");
                let waits = ["wait_median_ns", "wait_p99_ns", "max_ns"].map(number);
                assert!(waits.is_sorted() && number("processor_ns") > 0, "{way:?}: {report}");
            }
        }
    }
}

#[test]
fn a_mesh_is_colored_as_in_the_simulation() {
    let graph = graph("mesh", &["mesh", "4", "3"]);
    let colors = simulated_colors(&graph, &["--colors", "3", "--seed", "7"]);
    assert_eq!(colors.len(), 12);
    let queued: (&[&str], bool) = (&["--sync", "none", "--no-segments"], false);
    let threads: (&[&str], bool) = (&["--threads", "per-connection"], false);
    let pending: (&[&str], bool) = (&["--calls", "pending"], false);
    let small: (&[&str], bool) = (&["--over", "nano", "--threads", "per-connection"], false);
    let linear: (&[&str], bool) = (&["--over", "nano", "--lookup", "linear"], false);
    let unix: (&[&str], bool) = (&["--transport", "uiop"], false);
    let small_unix: (&[&str], bool) = (&["--over", "nano", "--transport", "uiop"], false);
    let memory: (&[&str], bool) =
        (&["--transport", "shmiop", "--threads", "per-connection"], false);
    let others = [queued, pending, threads, small, linear, unix, small_unix, memory];
    for (way, _) in WAYS.into_iter().chain(others) {
        let options = [&["--colors", "3", "--seed", "7"], way].concat();
        let result = run(&graph, &options);
        assert_eq!((&result["solved"], &result["conflicts"]), (&true.into(), &0.into()), "{way:?}");
        assert_eq!(of_nodes(&result, "color"), colors, "{way:?}");
        assert_eq!(of_nodes(&result, "refused"), [0; 12], "{way:?}");
    }
}

#[test]
fn the_mesh_of_the_literature_is_colored_by_a_hundred_processes() {
    let graph = graph("hundred", &["mesh", "10", "10"]);
    color_as_in_the_simulation(&graph, "1");
}

#[test]
#[ignore = "30,000 processes, which take minutes"]
fn the_mesh_of_the_literature_is_colored_from_every_seed() {
    let graph = graph("seeds", &["mesh", "10", "10"]);
    for seed in (1..=100).map(|seed: u32| seed.to_string()) {
        color_as_in_the_simulation(&graph, &seed);
    }
}

/// Colors a mesh of a hundred nodes over sockets and both ORBs.
fn color_as_in_the_simulation(graph: &str, seed: &str) {
    let colors = simulated_colors(graph, &["--seed", seed]);
    assert_eq!(colors.len(), 100);
    for over in ["raw", "nano", "full"] {
        let result = run(graph, &["--seed", seed, "--over", over, "--no-segments"]);
        let found = (&result["solved"], &result["conflicts"], of_nodes(&result, "color"));
        assert_eq!(found, (&true.into(), &0.into(), colors.clone()), "{over}, seed {seed}");
    }
}

/// The colors that the nodes find in memory.
fn simulated_colors(graph: &str, options: &[&str]) -> Vec<u64> {
    let simulated = output(&[&["simulate", graph], options].concat()).unwrap();
    let word = |line: &str, index| line.split(' ').nth(index).unwrap().parse().unwrap();
    simulated.lines().filter(|line| line.starts_with("node")).map(|line| word(line, 3)).collect()
}

#[test]
fn people_get_a_table() {
    let graph = graph("table", &["mesh", "2", "2"]);
    let said = output(&["run", &graph, "--colors", "3"]).unwrap();
    for line in ["graph       4 nodes, 4 edges, 3 colors", "conflicts   0"] {
        assert!(said.lines().any(|said| said == line), "{said}");
    }
    assert!(said.contains("\n 14  marshal value "), "{said}");
}

/// What the program says about its failure, and its exit status, if nobody reads its output.
fn unread(words: &[&str]) -> (String, Option<i32>) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = dba(words).stdout(writer).output().unwrap();
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

#[test]
fn nobody_need_read_what_is_printed() {
    let graph = graph("unread", &["mesh", "2", "2"]);
    for words in
        [&["simulate", &graph][..], &["run", &graph, "--colors", "3"], &["graph", "complete", "4"]]
    {
        assert_eq!(unread(words), (String::new(), Some(0)), "{words:?}");
    }
}

#[test]
fn a_run_that_does_not_color_the_graph_fails_even_if_nobody_reads() {
    let graph = graph("unread-and-not-colored", &["complete", "3"]);
    for json in [&[][..], &["--json"]] {
        let words = [&["run", &graph, "--colors", "2", "--cycles", "5"], json].concat();
        let expected = "dba: not colored within the maximum number of cycles\n";
        assert_eq!(unread(&words), (expected.to_owned(), Some(1)), "{words:?}");
    }
}

#[test]
fn segments_are_timed_in_every_other_block_of_cycles() {
    let graph = graph("alternate", &["complete", "2"]);
    let options = ["--no-terminate", "--cycles", "200", "--alternate-segments"];
    for over in ["raw", "nano", "full"] {
        let result = run(&graph, &[&options[..], &["--over", over]].concat());
        for report in result["reports"].as_array().unwrap() {
            let number = |name: &str| report[name].as_u64().unwrap();
            assert_eq!((number("cycles"), number("refused")), (200, 0), "{over}");
            let segments = report["segments"].as_array().unwrap();
            let times = segments.iter().map(|segment| segment["total_ns"].as_u64().unwrap());
            assert!(is_sum(times.sum(), number("total_ns")), "{over}");
            assert!(number("untimed_median_ns") > 0 && number("median_ns") > 0, "{over}");
        }
    }
}

#[test]
fn nodes_use_the_processor_that_they_are_given() {
    let graph = graph("processor", &["complete", "2"]);
    let options = ["run", &graph, "--no-terminate", "--cycles", "20", "--processor"];
    let last = zorb_os::thread::affinity().unwrap().pop().unwrap().to_string();
    output(&[&options[..], &[&last]].concat()).unwrap();
    let said = output(&[&options[..], &["1023"]].concat()).unwrap_err();
    assert!(said.contains("processor 1023: "), "{said}");
}

#[test]
fn ways_to_carry_messages_are_compared() {
    let graph = graph("compare", &["complete", "4"]);
    let said = output(&["compare", &graph, "--no-terminate", "--cycles", "20", "--json"]).unwrap();
    let rows: Value = serde_json::from_str(&said).unwrap();
    let rows = rows.as_array().unwrap();
    let encodings = |index: usize| rows[index]["encodings"].as_f64().unwrap();
    assert_eq!((rows.len(), rows[0]["of_first"].as_f64()), (8, Some(1.0)));
    assert_eq!((&rows[0]["way"], &rows[1]["way"]), (&"raw --memo".into(), &"nano".into()));
    // Connections may begin with other octets.
    let found: Vec<f64> = (1..5).map(|way| encodings(way).floor()).collect();
    assert_eq!(found, [6.0, 2.0, 6.0, 2.0], "{said}");
    let said = output(&["compare", &graph, "--no-terminate", "--cycles", "5"]).unwrap();
    assert_eq!(said.lines().count(), 9, "{said}");
}

#[test]
fn nodes_started_by_hand_find_the_registry() {
    let graph = graph("hand", &["complete", "2"]);
    let start = |words: &[&str]| dba(words).stdout(Stdio::piped()).spawn().unwrap();
    let mut registry = start(&["registry", &graph, "--colors", "2", "--json"]);
    let mut said = BufReader::new(registry.stdout.take().unwrap());
    let mut url = String::new();
    said.read_line(&mut url).unwrap();
    let nodes: Vec<Child> = ["1", "0"].map(|id| start(&["node", id, url.trim()])).into();
    let mut result = String::new();
    said.read_to_string(&mut result).unwrap();
    assert!(registry.wait().unwrap().success(), "{result}");
    let result: Value = serde_json::from_str(&result).unwrap();
    let colors = of_nodes(&result, "color");
    for (node, id) in nodes.into_iter().zip([1, 0]) {
        let output = node.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let expected = format!("node {id} color {}", colors[id]);
        assert_eq!((output.status.success(), said.lines().next()), (true, Some(&*expected)));
    }
}

#[test]
fn a_run_ends_with_its_nodes_at_the_time_limit() {
    let graph = graph("endless", &["complete", "2"]);
    let cycles = ["--no-terminate", "--cycles", "4294967295", "--time-limit", "1"];
    // The nodes inherit the standard error: it ends when they have.
    let said = output(&[&["run", &graph], &cycles[..]].concat()).unwrap_err();
    assert!(said.contains("dba: "), "{said}");
    let said = output(&["registry", &graph, "--colors", "2", "--time-limit", "1"]).unwrap_err();
    assert_eq!(said, "dba: time limit: waiting for 2 nodes to enter\n");
}

#[test]
fn errors_say_what_to_do() {
    let one = graph("one-color", &["complete", "4"]);
    let wrong = file("wrong", "nodes 2\nedge 0 5\n");
    for (words, message) in [
        (vec!["run", &one], "one color is not enough for neighbors: give --colors N, or --no-term"),
        (vec!["run", &wrong], "wrong.graph, line 2: there is no node 5: ids start at 0"),
        (vec!["graph"], "graph needs complete N, or mesh W H"),
        (vec!["run", "missing.graph"], "missing.graph: No such file"),
        (vec!["run", &one, "--colors", "0"], "0 colors: a graph has 1 to 4096"),
        (vec!["node", "0", "corbaloc::127.0.0.1:1/dba"], "TRANSIENT"),
        (
            vec!["run", &one, "--colors", "2", "--cycles", "20"],
            "not colored within the maximum number of cycles",
        ),
    ] {
        let said = output(&words).unwrap_err();
        assert!(said.contains(message), "{words:?}: {said}");
    }
}
