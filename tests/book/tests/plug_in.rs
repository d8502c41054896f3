//! The example outside the workspace is built and run, as a program of somebody else's would be.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test may")]

mod support;

use std::path::Path;
use std::process::{Command, Output};

use support::pages::{read, root};

/// Lines that each half of a protocol may take.
const MOST_LINES: usize = 300;

/// Runs Cargo for the example. It shares the folder that this test was built in, so that what both
/// take from others is built once, and needs nothing that building the workspace did not fetch.
fn cargo(words: &[&str]) -> Output {
    let example = root().join("examples/plug-in");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(words).arg("--offline").current_dir(example).env("CARGO_TARGET_DIR", target());
    command.output().expect("cargo")
}

/// The folder that Cargo builds this test in.
fn target() -> &'static Path {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    folder.parent().expect("a target folder")
}

#[test]
fn each_half_of_a_protocol_is_short() {
    for half in ["hail", "brief"] {
        let lines = read(format!("examples/plug-in/src/{half}.rs")).lines().count();
        assert!(lines < MOST_LINES, "{half}: {lines} lines");
    }
}

#[test]
fn it_uses_what_everybody_may_use() {
    let manifest = read("examples/plug-in/Cargo.toml");
    assert!(manifest.contains("\n[workspace]\n"), "it is a member of nothing");
    let (_, dependencies) = manifest.split_once("[dependencies]\n").unwrap();
    let (dependencies, _) = dependencies.split_once("\n\n").unwrap();
    assert_eq!(dependencies, "zorb = { path = \"../../crates/zorb\" }");
}

#[test]
fn it_passes_the_suites_and_calls_over_every_protocol() {
    // One after the other: both build.
    let tests = cargo(&["test", "--quiet"]);
    let (out, err) =
        (String::from_utf8_lossy(&tests.stdout), String::from_utf8_lossy(&tests.stderr));
    assert!(tests.status.success(), "{out}\n{err}");
    let run = cargo(&["run", "--quiet"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let lines: Vec<String> =
        ["iiop", "hail", "brief+hail", "brief+iiop"].map(|it| format!("{it}: -8.5 degrees")).into();
    assert_eq!(String::from_utf8_lossy(&run.stdout).lines().collect::<Vec<_>>(), lines);
}
