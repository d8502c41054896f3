//! `cargo xtask ci`: the steps of the CI run. `.ci/run` and `.github/workflows/ci.yml` run them by name.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use clap::Args;

/// Run the steps of the CI run, all or some by name
///
/// Stops at the first step that fails. A step whose tool is not installed is skipped with a message; if it was named
/// explicitly, it fails. Set REQUIRE_PEERS=1 to make missing interop peers failures, and REQUIRE_TOOLS=1 missing strace,
/// valgrind and network namespaces, as .ci/run does.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Names of steps; all by default
    #[arg(value_name = "STEP", value_parser = step)]
    steps: Vec<&'static Step>,
    /// List the steps
    #[arg(long)]
    list: bool,
}

/// The step of this name.
fn step(name: &str) -> Result<&'static Step, String> {
    let named = STEPS.iter().find(|step| step.name == name);
    named.ok_or_else(|| "there is no such step: see --list".to_owned())
}

/// One or more command lines with their environment.
#[derive(Debug)]
struct Step {
    name: &'static str,
    lines: &'static [&'static str],
    /// (name, value).
    environment: &'static [(&'static str, &'static str)],
    /// A command that succeeds if the tool of the step is installed.
    tool: Option<&'static str>,
}

/// In the order of execution: fast steps and likely failures first.
const STEPS: &[Step] = &[
    Step { name: "format", lines: &["cargo fmt --all --check"], environment: &[], tool: None },
    Step {
        name: "clippy",
        lines: &["cargo clippy --workspace --all-targets -- -D warnings"],
        environment: &[],
        tool: None,
    },
    // Nobody reads the documentation of the programs, and rustdoc takes more than a second for each.
    Step {
        name: "docs",
        lines: &["cargo doc --no-deps --workspace --lib"],
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
        tool: None,
    },
    Step {
        name: "licenses",
        lines: &["cargo deny check licenses bans sources"],
        environment: &[],
        tool: Some("cargo deny --version"),
    },
    // With the snapshot in xtask/advisories; `cargo xtask advisories --update` refreshes it.
    Step {
        name: "advisories",
        lines: &["cargo xtask advisories"],
        environment: &[],
        tool: Some("cargo deny --version"),
    },
    Step {
        name: "bill-of-materials",
        lines: &["cargo xtask dist --sbom-only"],
        environment: &[],
        tool: None,
    },
    // The workspace's tests build the facade with all features; these, with none and with the default ones.
    Step {
        name: "no-features",
        lines: &[
            "cargo check --package zorb --no-default-features",
            "cargo test --package zorb --no-default-features --test it",
            "cargo test --package zorb --test it",
        ],
        environment: &[],
        tool: None,
    },
    // The ORB with time probes, which the workspace's tests are without.
    Step {
        name: "probes",
        lines: &["cargo test --package zorb-cli --all-features --test cli probes"],
        environment: &[],
        tool: None,
    },
    Step {
        name: "stub-sizes",
        lines: &["cargo xtask stubsize --check"],
        environment: &[],
        tool: Some("size --version"),
    },
    // The tests include those with loom and those for bare targets.
    Step { name: "tests", lines: &["cargo test --workspace"], environment: &[], tool: None },
    // The suites whose generated code is compiled otherwise; in a folder of its own, since both are used in turn.
    // `tests/engines` and `tests/interop-interpretive` are the same for the IDL compiler's fixtures and for other ORBs.
    Step {
        name: "interpretive",
        lines: &[
            "cargo test --package zorb-conformance --package zorb-wire-tests --package zorb-poa-tests \
             --package zorb-sched-service --package zorb-cli --package accounts --package avstream --package dba \
             --package deferred --package hello --package lanes --package upcalls --package values \
             --package web",
            // A page shows compiled code.
            "cargo test --package zorb-book-tests -- --skip every_rust_and_idl_block_is_part_of_a_compiled_file",
            "cargo test --package zorb-naming --package zorb-imr --features zorb-naming/server,zorb-imr/server",
        ],
        environment: &[
            ("IDL_MARSHAL", "interpretive"),
            ("CARGO_TARGET_DIR", "target/interpretive"),
        ],
        tool: None,
    },
    Step {
        name: "minimum-rust",
        lines: &["cargo +1.88 check --workspace --all-targets"],
        environment: &[("CARGO_TARGET_DIR", "target/minimum-rust")],
        tool: Some("cargo +1.88 --version"),
    },
    Step {
        name: "miri",
        // Of the unsafe code, what miri can run: it knows neither shared mappings nor descriptor sets, and loom brings
        // its own stacks.
        lines: &[
            "cargo +nightly miri test --package zorb-interp --package zorb-types --lib",
            "cargo +nightly miri test --package zorb-os --lib -- slot:: scoped:: typed::",
        ],
        environment: &[
            ("CARGO_TARGET_DIR", "target/miri"),
            ("MIRIFLAGS", "-Zmiri-disable-isolation"),
            ("PROPTEST_CASES", "4"),
        ],
        tool: Some("cargo +nightly miri --version"),
    },
];

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    if options.list {
        for step in STEPS {
            writeln!(out, "{:18} {}", step.name, step.lines.join(" && "))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let named = &options.steps;
    let run_all = named.is_empty();
    for step in STEPS.iter().filter(|step| run_all || named.iter().any(|it| it.name == step.name)) {
        if step.tool.is_some_and(|tool| !succeeds(root, tool)) && run_all {
            writeln!(out, "== {}: skipped, its tool is not installed", step.name)?;
            continue;
        }
        if !step.run(root, out)? {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Step {
    fn run(&self, root: &Path, out: &mut dyn Write) -> io::Result<bool> {
        let begin = Instant::now();
        for line in self.lines {
            writeln!(out, "== {}: {line}", self.name)?;
            out.flush()?;
            let environment = self.environment.iter().copied();
            let status = command_of(root, line).envs(environment).status()?;
            if !status.success() {
                writeln!(out, "== {}: failed after {} s", self.name, begin.elapsed().as_secs())?;
                return Ok(false);
            }
        }
        writeln!(out, "== {}: passed after {} s", self.name, begin.elapsed().as_secs())?;
        Ok(true)
    }
}

fn succeeds(root: &Path, line: &str) -> bool {
    let mut command = command_of(root, line);
    // Prevents rustup from installing a missing toolchain.
    command.env("RUSTUP_AUTO_INSTALL", "0").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// `cargo` from the path, not the one that runs this program: only rustup's understands `+nightly`.
fn command_of(root: &Path, line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).current_dir(root).stdin(Stdio::null());
    // These variables of `cargo xtask` would override the toolchain.
    command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    command
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_workflow_runs_every_step() {
        let path = crate::root().join(".github/workflows/ci.yml");
        let workflow = std::fs::read_to_string(path).expect("the workflow");
        for step in STEPS {
            let listed = workflow.lines().any(|line| line.trim() == format!("- {}", step.name));
            assert!(listed, "`{}` is not in the matrix of the workflow", step.name);
        }
    }

    /// So that no step of its own tests the facade with all of them.
    #[test]
    fn the_tests_of_the_workspace_have_all_features_of_the_facade() {
        let line = "cargo metadata --locked --format-version 1";
        let output = command_of(&crate::root(), line).output().expect("cargo");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata");
        let of_facade = |list: &Value, name: &str| {
            let is_it = |id: &str| id.contains("/crates/zorb#");
            let list = list.as_array().expect("a list");
            let found = list.iter().find(|it| it["id"].as_str().is_some_and(is_it));
            found.expect("the facade")[name].clone()
        };
        let declared = of_facade(&metadata["packages"], "features");
        let used = of_facade(&metadata["resolve"]["nodes"], "features");
        let used: Vec<_> = used.as_array().expect("features").iter().collect();
        let unused = declared.as_object().expect("features").keys();
        let unused: Vec<_> =
            unused.filter(|name| !used.iter().any(|it| *it == name.as_str())).collect();
        assert!(unused.is_empty(), "no member of the workspace uses {unused:?}");
    }

    #[test]
    fn the_script_ends_with_the_tests_of_the_readme() {
        let read = |path| std::fs::read_to_string(crate::root().join(path)).expect(path);
        let script = read(".ci/run");
        let last: Vec<_> =
            script.lines().skip_while(|line| !line.starts_with("cargo test")).collect();
        assert!(
            last.first()
                .is_some_and(|line| line.starts_with("cargo test --workspace --no-fail-fast"))
        );
        assert_eq!(last.last(), Some(&"exit \"$status\""), "it ends as the tests do");
        assert!(read("README.md").contains("\ncargo test --workspace\n"));
        for strict in ["REQUIRE_PEERS=1", "REQUIRE_TOOLS=1"] {
            assert!(script.contains(strict), "CI sets {strict}");
        }
    }
}
