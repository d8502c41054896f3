use super::*;

const GOOD: &str = r#"{"machine": {"cpu": "a", "cores": 2, "governor": null},
    "rows": [{"experiment": "new", "peer": "zorb", "transport": "iiop", "operation": "ping",
              "payload": 4, "p50_us": 1.5, "note": "warm", "p99_us": null}],
    "details": [{"ratio_q1": 0.5, "histogram": "5:2,7:1", "course": "2;5:6"}],
    "layers": [{"layer": "cdr", "ns": 12}]}"#;

#[test]
fn rows_are_joined_with_what_lies_behind_them() {
    let run = Run::parse("a.json", GOOD).unwrap();
    let [row] = run.rows.as_slice() else { panic!("{run:?}") };
    assert_eq!((row.experiment.as_str(), row.operation.as_str(), row.payload), ("new", "ping", 4));
    assert_eq!((row.number("p50_us"), row.number("ratio_q1")), (Some(1.5), Some(0.5)));
    assert_eq!(row.cells.get("note"), Some(&Cell::Word("warm".to_owned())));
    assert_eq!(row.cells.get("p99_us"), None);
    assert_eq!(row.histogram.as_ref().map(Histogram::total), Some(3));
    assert_eq!(row.timeline.as_ref().map(|timeline| timeline.steps.clone()), Some(vec![(5, 6)]));
    let machine = BTreeMap::from([("cpu", "a"), ("cores", "2")]);
    let owned = machine.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(run.machine, owned.collect());
    let [(name, rows)] = run.tables.as_slice() else { panic!("{run:?}") };
    assert_eq!((name.as_str(), rows[0].get("ns")), ("layers", Some(&Cell::Number(12.0))));
}

#[test]
fn the_demo_has_one_peer_and_no_machine() {
    let text = r#"{"rows": [{"operation": "void", "transport": "iiop", "p50_us": 14.8}]}"#;
    let run = Run::parse("demo.json", text).unwrap();
    let [row] = run.rows.as_slice() else { panic!("{run:?}") };
    assert_eq!((row.experiment.as_str(), row.peer.as_str()), ("demo", "zorb"));
    assert_eq!(run.machine, BTreeMap::new());
}

#[test]
fn errors_name_their_cause() {
    for (text, expected) in [
        ("", "it is no JSON"),
        ("{\"rows\": [", "it is no JSON"),
        ("[1, 2]", "it has no `rows`"),
        ("{\"name\": \"package\", \"version\": 3}", "it has no `rows`"),
        ("{\"rows\": []}", "it has no rows"),
        ("{\"rows\": [4]}", "row 1: it is no object"),
        ("{\"rows\": [{\"a\": 4}]}", "row 1: it has no `operation`"),
        ("{\"rows\": [{\"operation\": 4}]}", "row 1: `operation` is no text"),
        ("{\"rows\": [{\"operation\": \"a\", \"payload\": -4}]}", "row 1: `payload`"),
        ("{\"rows\": [{\"operation\": \"a\"}], \"details\": [{}, {}]}", "2 details for 1 rows"),
        ("{\"rows\": [{\"operation\": \"a\"}], \"details\": 1}", "its `details` are no list"),
        (
            "{\"rows\": [{\"operation\": \"a\"}], \"details\": [1]}",
            "row 1: its detail is no object",
        ),
        (
            "{\"rows\": [{\"operation\": \"a\"}], \"details\": [{\"histogram\": \"4:x\"}]}",
            "row 1: its histogram: \"4:x\" is no INDEX:COUNT",
        ),
        (
            "{\"rows\": [{\"operation\": \"a\"}], \"details\": [{\"course\": \"4\"}]}",
            "row 1: its course: \"4\" is no CALLS;MEDIAN:LONGEST",
        ),
    ] {
        let reason = Run::parse("x.json", text).unwrap_err();
        assert!(reason.contains(expected), "{text}: {reason}");
    }
    let deep = "[".repeat(100_000);
    assert!(Run::parse("x.json", &deep).is_err());
}

#[test]
fn a_folder_keeps_the_good_and_names_the_bad() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, octets: &[u8]| fs::write(folder.path().join(name), octets).unwrap();
    write("b.json", GOOD.as_bytes());
    write("a.json", b"{}");
    write("c.json", &[0xff]);
    write("README.md", b"# Results");
    fs::create_dir(folder.path().join("d.json")).unwrap();
    let found = Folder::read(folder.path()).unwrap();
    let runs: Vec<&str> = found.runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(runs, ["b.json"]);
    let left_out: Vec<&str> = found.left_out.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(left_out, ["a.json", "c.json", "d.json"]);
    assert!(Folder::read(&folder.path().join("nowhere")).is_err());
}
