//! `zorb names`.

use std::process::Stdio;

use serde_json::json;
use zorb_testkit::until;

use crate::program::{Finished, command, line_of, run, signal};
use crate::serve::Served;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../zorb-naming/tests/data/omninames.dat");

/// A naming service, and `zorb names` for it.
struct Names(Served);

impl Names {
    fn start() -> Self {
        Self(Served::start(&["naming"], 1))
    }

    fn run(&self, arguments: &[&str]) -> Finished {
        run(&[&["names", "--naming", &self.0.references[0]], arguments].concat())
    }

    /// The output of a command that succeeds.
    fn output(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert_eq!(done.status, Some(0), "{arguments:?}: {}{}", done.stdout, done.stderr);
        done.stdout
    }

    /// The message of a command that fails.
    fn failure(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert_eq!(done.status, Some(1), "{arguments:?}: {}{}", done.stdout, done.stderr);
        done.stderr
    }
}

#[test]
fn names_are_bound_shown_and_removed() {
    let names = Names::start();
    let object = "corbaloc::127.0.0.1:1/pump";
    let missing = names.failure(&["bind", "plant.area/north/pump.device", object]);
    assert!(missing.contains("--parents"), "{missing}");
    names.output(&["bind", "plant.area/north/pump.device", object, "--parents"]);
    names.output(&["bind", "spare", object]);
    assert!(names.failure(&["bind", "spare", object]).contains("--replace"));
    names.output(&["bind", "spare", object, "--replace"]);
    let root = names.0.references[0].clone();
    names.output(&["bind", "plant.area/top", &root, "--context"]);
    names.output(&["bind", "leased", object, "--lease", "3600"]);
    assert!(names.failure(&["bind", "leased", object, "--lease", "9"]).contains("--replace"));
    names.output(&["bind", "leased", object, "--lease", "1", "--replace"]);
    until(|| names.run(&["resolve", "leased"]).status != Some(0));
    assert!(names.failure(&["resolve", "leased"]).contains("there is no `leased`"));

    assert_eq!(names.output(&["ls"]), "plant.area/\nspare\n");
    let tree = "north/\n  pump.device\ntop/\n  plant.area/ (loop)\n  spare\n";
    assert_eq!(names.output(&["tree", "plant.area"]), tree);
    let listed = names.run(&["ls", "plant.area/north", "--json"]).json();
    let pump = json!({"name": "pump.device", "id": "pump", "kind": "device", "type": "object"});
    assert_eq!(listed, json!([pump]));
    let resolved = names.run(&["resolve", "--json", "plant.area/top/spare"]).json();
    assert_eq!(resolved["name"], json!("plant.area/top/spare"));
    let tree = names.run(&["tree", "--json"]).json();
    assert_eq!(tree[0]["bindings"][0]["bindings"], json!([pump]));
    assert_eq!(tree[0]["bindings"][1]["loop"], json!(true));

    let missing = names.failure(&["resolve", "plant.area/south/pump"]);
    assert!(missing.contains("plant.area/south/pump: there is no `south`"), "{missing}");
    assert!(names.failure(&["resolve", "spare/x"]).contains("`spare` is not a context"));
    assert!(names.failure(&["ls", "spare"]).contains("TRANSIENT"));
    assert_eq!(names.run(&["resolve", "a//b"]).status, Some(2));
    assert!(names.failure(&["rm", "plant.area/north", "--destroy"]).contains("not empty"));
    names.output(&["rm", "plant.area/north/pump.device"]);
    names.output(&["rm", "plant.area/north", "--destroy"]);
    assert_eq!(names.output(&["ls", "plant.area"]), "top/\n");
    names.0.end();
}

#[test]
fn a_shared_context_is_shown_once() {
    let names = Names::start();
    // Each level has two names for the next: the names double with each, and the contexts do not.
    let object = "corbaloc::127.0.0.1:1/x";
    let mut expected = String::new();
    for level in 0..8 {
        let parent = "a/".repeat(level);
        names.output(&["bind", &format!("{parent}a/x"), object, "--parents"]);
        let reference = names.output(&["resolve", &format!("{parent}a")]);
        names.output(&["bind", &format!("{parent}b"), reference.trim(), "--context"]);
        expected.push_str(&format!("{}a/\n", "  ".repeat(level)));
    }
    let lines = |count: usize| -> String {
        let level = |level: usize| {
            let indent = "  ".repeat(level);
            match level {
                0 => "b/ (shown above)\n".to_owned(),
                _ => format!("{indent}b/ (shown above)\n{indent}x\n"),
            }
        };
        (0..count).rev().map(level).collect()
    };
    expected.push_str(&format!("{}x\n{}", "  ".repeat(8), lines(8)));
    assert_eq!(names.output(&["tree"]), expected);
    let tree = names.run(&["tree", "--json"]).json();
    assert_eq!(tree[1]["shown"], json!(true));
    names.0.end();
}

#[test]
fn orphans_are_shown_and_removed() {
    let names = Names::start();
    assert_eq!(names.output(&["orphans"]), "");
    names.output(&["bind", "a/b/x", "corbaloc::127.0.0.1:1/x", "--parents"]);
    let context = names.output(&["resolve", "a"]);
    names.output(&["rm", "a"]);
    let orphans = names.run(&["orphans", "--json"]).json();
    let all = orphans.as_array().unwrap();
    assert_eq!(all.len(), 2, "{orphans}");
    let a = all.iter().find(|it| it["ior"] == json!(context.trim())).unwrap();
    assert_eq!(a["bindings"][0]["name"], json!("b"));
    assert!(names.output(&["orphans"]).contains(&format!("{context}  b/\n")));
    names.output(&["bind", "again", context.trim(), "--context"]);
    assert_eq!(names.output(&["orphans", "--remove"]), "0 contexts removed\n");
    assert_eq!(names.output(&["tree"]), "again/\n  b/\n    x\n");
    names.output(&["rm", "again"]);
    assert_eq!(names.output(&["orphans", "--remove"]), "2 contexts removed\n");
    assert_eq!(names.output(&["orphans"]), "");
    names.0.end();
}

#[test]
fn changes_are_shown_as_they_come() {
    let names = Names::start();
    names.output(&["bind", "a", "corbaloc::127.0.0.1:1/x"]);
    let arguments = ["names", "--naming", &names.0.references[0], "watch", "-i", "0.01"];
    let mut watch = command(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    let (_, lines) = line_of(watch.stdout.take().unwrap(), |line| line == "+ a\n");
    names.output(&["bind", "b", "corbaloc::127.0.0.1:1/x"]);
    let (_, lines) = line_of(lines, |line| line == "+ b\n");
    names.output(&["rm", "a"]);
    let (_, _lines) = line_of(lines, |line| line == "- a\n");
    signal(&watch, "INT");
    assert!(watch.wait().unwrap().success());
    names.0.end();
}

#[test]
fn the_data_of_omninames_are_imported() {
    let names = Names::start();
    let imported = run(&["naming", "--naming", &names.0.references[0], "import", FILE]);
    assert_eq!(imported.stdout, "6 bindings, with 2 contexts\n", "{}", imported.stderr);
    let tree = "a%b.k k\na.ctx/\n  inner/\n  up/ (loop)\n  x.obj\nsp ace\n";
    assert_eq!(names.output(&["tree"]), tree);
    let again = names.run(&["import", FILE, "--json"]).json();
    assert_eq!((&again["bindings"], &again["existing"]), (&json!(0), &json!(6)));
    assert!(names.failure(&["import", env!("CARGO_BIN_EXE_zorb")]).contains("line 1"));
    names.0.end();
}
