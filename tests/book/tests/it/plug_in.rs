//! Builds and runs the example outside the workspace, like a third party's program.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::pages::{read, root};

/// Maximum number of lines of a transport or messaging protocol.
const MAX_LINES: usize = 300;

/// Runs Cargo for the example. It shares this test's target folder, so that common dependencies are
/// built once and nothing needs to be downloaded.
fn cargo(words: &[&str]) -> Output {
    let example = root().join("examples/plug-in");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(words).arg("--offline").current_dir(example).env("CARGO_TARGET_DIR", target());
    command.output().expect("cargo")
}

/// The target folder of this test.
fn target() -> &'static Path {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    folder.parent().expect("a target folder")
}

#[test]
fn transport_and_messaging_are_short() {
    for half in ["hail", "brief"] {
        let lines = read(format!("examples/plug-in/src/{half}.rs")).lines().count();
        assert!(lines < MAX_LINES, "{half}: {lines} lines");
    }
}

#[test]
fn it_depends_only_on_the_public_crate() {
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
