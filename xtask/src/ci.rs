//! `cargo xtask ci`: the steps of `.ci/run`, without installing the peers. A test keeps the two alike.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

const HELP: &str = "\
Run what .ci/run runs after installing the interop peers: format, clippy, docs,
the time probes, tests.

Usage: cargo xtask ci

Stops at the first step that fails. Set ZORB_REQUIRE_PEERS=1 to make missing peers failures, and
ZORB_REQUIRE_TOOLS=1 missing strace and valgrind, as .ci/run does.
";

/// One command line, with the environment it wants as (name, value).
struct Step {
    line: &'static str,
    environment: &'static [(&'static str, &'static str)],
}

const STEPS: &[Step] = &[
    Step { line: "cargo fmt --all --check", environment: &[] },
    Step { line: "cargo clippy --workspace --all-targets -- -D warnings", environment: &[] },
    Step {
        line: "cargo doc --no-deps --workspace",
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
    },
    // Another build of the ORB, whose probes nothing else compiles.
    Step {
        line: "cargo test --package zorb-cli --features probes --test cli probes",
        environment: &[],
    },
    Step { line: "cargo test --workspace", environment: &[] },
];

pub(crate) fn command(root: &Path, args: &[String], out: &mut dyn Write) -> io::Result<ExitCode> {
    match args {
        [] => {}
        [help] if help == "--help" || help == "-h" => {
            out.write_all(HELP.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        other => return crate::usage_error(&format!("ci does not know {other:?}"), HELP),
    }
    for step in STEPS {
        writeln!(out, "== {}", step.line)?;
        out.flush()?;
        let begin = Instant::now();
        let mut words = step.line.split_whitespace();
        let status = Command::new(words.next().unwrap_or_default())
            .args(words)
            .envs(step.environment.iter().copied())
            .current_dir(root)
            .status()?;
        let verdict = if status.success() { "passed" } else { "failed" };
        writeln!(out, "== {verdict} after {} s: {}", begin.elapsed().as_secs(), step.line)?;
        if !status.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_runs_the_same_steps_in_the_same_order() {
        let script = std::fs::read_to_string(crate::root().join(".ci/run")).expect(".ci/run");
        let mut rest = script.as_str();
        for step in STEPS {
            let at = rest.find(step.line);
            assert!(at.is_some(), "`{}` is not in .ci/run, or out of order", step.line);
            rest = &rest[at.unwrap_or_default()..];
            for (name, value) in step.environment {
                assert!(script.contains(&format!("{name}='{value}'")), "{name} is not set");
            }
        }
        for strict in ["ZORB_REQUIRE_PEERS=1", "ZORB_REQUIRE_TOOLS=1"] {
            assert!(script.contains(strict), "CI asks for {strict}");
        }
    }
}
