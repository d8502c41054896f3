//! `zorb store`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use zorb_store::{Batch, FileStore, FileStoreOptions, Schema, Store};

use crate::program::{folder, run};

/// A folder with a store of two entries, and that of its service's schema.
fn stored(name: &str) -> String {
    let path = folder(name).join("store");
    let _ = fs::remove_dir_all(&path);
    let store = open(&path);
    Schema::new("naming", &[]).open(&store).unwrap();
    let batch = Batch::new().put("naming.bindings", "one", "1").put("naming.bindings", "two", "2");
    store.commit(batch).unwrap();
    path.to_str().unwrap().to_owned()
}

fn open(path: &Path) -> FileStore {
    FileStore::open(path, &FileStoreOptions::new().dump_interval(None)).unwrap()
}

/// The output of a command that succeeds.
#[track_caller]
fn output(words: &[&str]) -> String {
    let run = run(&[&["store"], words].concat());
    assert_eq!(run.status, Some(0), "{}{}", run.stdout, run.stderr);
    run.stdout
}

#[track_caller]
fn json(words: &[&str]) -> Value {
    serde_json::from_str(&output(&[words, &["--json"]].concat())).unwrap()
}

#[test]
fn a_store_is_checked_dumped_and_restored() {
    let store = stored("store-whole");
    let checked = json(&["check", &store]);
    assert_eq!(checked["tables"][0]["name"], "naming.bindings");
    assert_eq!(checked["tables"][0]["entries"], 2);
    assert_eq!(checked["schemas"]["naming"], 1);
    assert!(output(&["check", &store]).contains("table naming.bindings: 2 entries, 8 octets"));

    assert_eq!(json(&["dump", &store])["entries"], 3);
    let dumped = output(&["dump", &store, "--to", "-"]);
    assert!(dumped.contains(r#"{"table":"naming.bindings","key":"two","value":"2"}"#), "{dumped}");
    assert_eq!(json(&["info", &store])["dumps"][0]["octets"], dumped.len());

    let data = Path::new(&store).join("store.redb");
    fs::write(&data, "not a database").unwrap();
    let refused = run(&["store", "check", &store]);
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.contains("store.redb: cannot open the store"), "{}", refused.stderr);
    assert!(refused.stderr.contains("zorb store restore"), "{}", refused.stderr);
    assert!(output(&["restore", &store]).contains("restored 3 entries"));
    let restored = open(Path::new(&store));
    assert_eq!(restored.get("naming.bindings", b"two").unwrap().as_deref(), Some(&b"2"[..]));
}

#[test]
fn a_dump_in_a_file_makes_another_store() {
    let store = stored("store-moved");
    let (file, copy) = (format!("{store}.jsonl"), format!("{store}-copy"));
    let _ = fs::remove_dir_all(&copy);
    output(&["dump", &store, "--to", &file]);
    assert_eq!(json(&["restore", &copy, "--from", &file])["entries"], 3);
    assert_eq!(json(&["check", &copy])["tables"], json(&["check", &store])["tables"]);
}

#[test]
fn a_store_in_use_is_only_described() {
    let store = stored("store-used");
    let used = open(Path::new(&store));
    assert_eq!(json(&["info", &store])["process"], std::process::id());
    for command in ["check", "dump", "restore"] {
        let refused = run(&["store", command, &store]);
        assert_eq!(refused.status, Some(1));
        let expected = format!("process {} has the store open", std::process::id());
        assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
    }
    drop(used);
}

#[test]
fn a_broken_dump_fails_the_check() {
    let store = stored("store-dump");
    output(&["dump", &store]);
    fs::write(Path::new(&store).join("dump.jsonl"), "{}\n").unwrap();
    let checked = run(&["store", "check", &store]);
    assert_eq!(checked.status, Some(1));
    assert!(checked.stdout.contains("line 1: this is not a dump of a store"), "{}", checked.stdout);
}

#[test]
fn a_dump_that_fails_leaves_the_earlier_one() {
    let store = stored("store-earlier");
    let file = folder("store-earlier").join("dump.jsonl");
    let file = file.to_str().unwrap();
    output(&["dump", &store, "--to", file]);
    let earlier = fs::read(file).unwrap();
    let in_use = open(Path::new(&store));
    let refused = run(&["store", "dump", &store, "--to", file]);
    assert_eq!(refused.status, Some(1), "{}", refused.stderr);
    assert_eq!(fs::read(file).unwrap(), earlier);
    assert!(!Path::new(&format!("{file}.new")).exists());
    drop(in_use);
}
