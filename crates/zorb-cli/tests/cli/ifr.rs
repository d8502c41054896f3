//! `zorb ifr`, and calls with types from it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use zorb::dynamic::Dynamic;
use zorb::{ObjectRef, Orb};

use crate::call::{Counter, IDL};
use crate::program::{Finished, command, file, folder, line_of, run, signal};

/// A running repository.
struct Repository {
    process: Child,
    reference: String,
}

impl Repository {
    fn start(words: &[&str]) -> Self {
        let always = ["ifr", "--listen", "iiop://127.0.0.1:0"];
        let mut command = command(&[&always, words].concat());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (line, _) = line_of(process.stdout.take().unwrap(), |line| line.starts_with("IOR:"));
        Self { process, reference: line.trim().to_owned() }
    }

    /// Ends it as an operator does.
    fn end(mut self) -> Option<i32> {
        signal(&self.process, "TERM");
        self.process.wait().unwrap().code()
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A server of the object whose IDL the repository has, and the object's reference.
fn counter(repository: Option<&str>) -> (Orb, String) {
    let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
    let builder = match repository {
        Some(reference) => builder.init_ref("InterfaceRepository", reference),
        None => builder,
    };
    let orb = builder.build().unwrap();
    let counter: ObjectRef = orb.root_poa().activate(Dynamic(Counter)).unwrap();
    let reference = counter.to_ior_string();
    (orb, reference)
}

#[test]
fn a_call_needs_no_idl_where_the_server_knows_the_repository() {
    let idl = file("ifr-told", "shop.idl", IDL);
    let repository = Repository::start(&["--idl", &idl]);
    let (orb, reference) = counter(Some(&repository.reference));
    let call = |words: &[&str]| run(&[&["call", &*reference], words].concat());
    let order = call(&["order", "green tea", "-3", "--compact"]);
    assert_eq!(order.stdout, "{\"result\": \"green tea\", \"count\": -3, \"price\": 2.5}\n");
    assert_eq!(call(&["tint"]).json(), json!("green"));
    assert_eq!(call(&["order", "air", "1"]).status, Some(3), "the exception has a type as well");
    // Names in anys are looked up too.
    let any = json!({"type": "Shop::Colour", "value": "red"});
    let echo = call(&["echo", &any.to_string()]);
    assert_eq!(echo.json()["value"], "red", "{}", echo.stderr);
    let list = call(&[]);
    assert!(list.stdout.contains("Shop::Items turned(in Shop::Items list) raises (Shop::Unknown)"));
    let other = call(&["--interface", "Shop::Unrelated", "nothing"]);
    assert_eq!(other.json()["name"], json!("BAD_OPERATION"));
    assert_eq!(call(&["--interface", "Shop::Item", "nothing"]).status, Some(2));
    orb.shutdown(true).unwrap();
    assert_eq!(repository.end(), Some(0));
}

#[test]
fn a_repository_can_be_named() {
    let idl = file("ifr-named", "shop.idl", IDL);
    let ior = folder("ifr-named").join("repository.ior");
    let ior = ior.to_str().unwrap();
    let repository = Repository::start(&["--idl", &idl, "--ior", ior]);
    let (orb, reference) = counter(None);
    let order = run(&["call", &reference, "--ifr", ior, "order", "tea", "1", "-c"]);
    assert_eq!(order.stdout, "{\"result\": \"tea\", \"count\": 1, \"price\": 2.5}\n");
    let named = format!("InterfaceRepository={}", repository.reference);
    let label = run(&["call", &reference, "label", "-ORBInitRef", &named]);
    assert_eq!(label.json(), json!("the counter"));
    let untyped = run(&["call", &reference, "order", "tea", "1"]);
    assert_eq!(untyped.status, Some(1));
    assert!(untyped.stderr.contains("--ifr REFERENCE"), "{}", untyped.stderr);
    // The repository's own definition is not in it.
    let own = run(&["call", &repository.reference, "--ifr", ior, "lookup_id", "x"]);
    assert_eq!(own.status, Some(1));
    assert!(own.stderr.contains("the interface repository lacks it"), "{}", own.stderr);
    let no_repository = run(&["call", &reference, "--ifr", &reference, "tint"]);
    assert_eq!(no_repository.status, Some(1));
    orb.shutdown(true).unwrap();
}

#[test]
fn definitions_are_kept_over_restarts() {
    let idl = file("ifr-kept", "shop.idl", IDL);
    let state = folder("ifr-kept").join("definitions.ifr");
    let _ = std::fs::remove_file(&state);
    let state = state.to_str().unwrap();
    assert_eq!(Repository::start(&["--idl", &idl, "--state", state]).end(), Some(0));
    let repository = Repository::start(&["--state", state]);
    let (orb, reference) = counter(Some(&repository.reference));
    assert_eq!(run(&["call", &reference, "label"]).json(), json!("the counter"));
    orb.shutdown(true).unwrap();
    drop(repository);
    let other = file("ifr-kept", "other.ifr", "not definitions");
    let refused = run(&["ifr", "--state", &other]);
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.contains("no stored interface repository"), "{}", refused.stderr);
}

/// JacORB's program that writes the IDL of a definition, if it is installed.
fn query_ir(repository: &Repository, id: &str) -> Option<Finished> {
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache/zorb/jacorb-3.9"));
    let folder = std::env::var_os("ZORB_JACORB_LIB").map(PathBuf::from).or(home)?;
    if !folder.join("jacorb-3.9.jar").exists() {
        eprintln!("JacORB is not installed: its client was not run");
        return None;
    }
    let finished = Command::new("java")
        .arg("-cp")
        .arg(folder.join("*"))
        .arg("-Dorg.omg.CORBA.ORBClass=org.jacorb.orb.ORB")
        .arg("-Dorg.omg.CORBA.ORBSingletonClass=org.jacorb.orb.ORBSingleton")
        .arg(format!("-DORBInitRef.InterfaceRepository={}", repository.reference))
        .args(["org.jacorb.ir.QueryIR", id])
        .output();
    finished.ok().map(Finished::from)
}

#[test]
fn another_orbs_client_reads_the_repository() {
    let idl = file("ifr-jacorb", "shop.idl", IDL);
    let repository = Repository::start(&["--idl", &idl]);
    let Some(written) = query_ir(&repository, "IDL:test/Shop:1.0") else { return };
    let words: Vec<_> = written.stdout.split_whitespace().collect();
    let text = words.join(" ");
    for expected in [
        "enum Colour {red,green};",
        "struct Item { string name; long long stock; test::Shop::Colour hue; sequence <octet> code; };",
        "typedef sequence <test::Shop::Item> Items;",
        "exception Unknown { string name; long code; };",
        "readonly attribute string label;",
        "attribute test::Shop::Colour tint;",
        "order(in string name,inout long count,out double price) raises (test::Shop::Unknown);",
        "oneway void forget(in string name);",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in {text}\n{}", written.stderr);
    }
}

#[test]
fn clients_add_definitions_where_they_may() {
    let module = ["create_module", "IDL:New:1.0", "New", "1.0"];
    let ir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../idl/InterfaceRepository.idl");
    let call = |repository: &Repository, words: &[&str]| {
        run(&[&["call", &*repository.reference, "--idl", ir], words].concat())
    };
    let repository = Repository::start(&[]);
    assert_eq!(call(&repository, &module).json()["name"], "NO_PERMISSION");
    let repository = Repository::start(&["--writable"]);
    let made = call(&repository, &module);
    assert_eq!(made.status, Some(0), "{}", made.stderr);
    assert_eq!(call(&repository, &["lookup", "New"]).json(), made.json());
}
