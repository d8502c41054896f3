//! The program `dba`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use tempfile::TempDir;
use zorb_os::process::bind_to_this_process;

use super::plan::{DbaPlan, Group, Timed, Topology, Way};
use crate::{Error, Result};

/// The seconds after which a run ends in any case.
const TIME_LIMIT: &str = "300";

/// The program with the files of the graphs.
pub(super) struct Program {
    path: PathBuf,
    folder: TempDir,
}

/// The result of a run.
#[derive(Debug, Deserialize)]
pub(super) struct Run {
    pub(super) solved: bool,
    pub(super) conflicts: u64,
    pub(super) reports: Vec<Node>,
}

/// How a node has ended. Times are in nanoseconds.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Node {
    pub(super) cycles: u64,
    pub(super) total_ns: u64,
    pub(super) p1_ns: u64,
    pub(super) p10_ns: u64,
    pub(super) q1_ns: u64,
    pub(super) median_ns: u64,
    pub(super) q3_ns: u64,
    pub(super) p90_ns: u64,
    pub(super) p99_ns: u64,
    pub(super) deviation_ns: u64,
    pub(super) untimed_median_ns: u64,
    pub(super) wait_p99_ns: u64,
    /// Of all cycles.
    pub(super) processor_ns: u64,
    pub(super) marshals: u64,
    pub(super) refused: u64,
    pub(super) segments: Vec<Segment>,
}

/// A part of the cycles.
#[derive(Debug, Deserialize)]
pub(super) struct Segment {
    pub(super) name: String,
    /// In all cycles.
    pub(super) total_ns: u64,
    /// In the cycle with most of it.
    pub(super) max_ns: u64,
}

impl Program {
    pub(super) fn new(plan: &DbaPlan) -> Result<Self> {
        let program = Self { path: plan.program.clone(), folder: tempfile::tempdir()? };
        for topology in plan.topologies() {
            let graph = program.output(&[&["graph"], topology.words].concat())?;
            std::fs::write(program.graph(topology), graph)?;
        }
        Ok(program)
    }

    /// Runs a graph that is not to end before its cycles are over.
    pub(super) fn measure(&self, group: &Group, way: Way) -> Result<Run> {
        let Group { topology, timed, .. } = *group;
        let cycles = topology.cycles.to_string();
        let mut options = vec!["--no-terminate", "--cycles", &cycles];
        options.extend(match timed {
            Timed::Cycles => Some("--no-segments"),
            Timed::Segments => None,
            Timed::Alternating => Some("--alternate-segments"),
        });
        self.run(topology, way, &options)
    }

    /// Runs a graph until it is colored.
    pub(super) fn color(&self, topology: Topology, way: Way) -> Result<Run> {
        self.run(topology, way, &[])
    }

    fn run(&self, topology: Topology, way: Way, options: &[&str]) -> Result<Run> {
        let graph = self.graph(topology);
        let graph = graph.to_str().ok_or_else(|| Error::new("the temporary folder is not text"))?;
        let words = [&["run", graph, "--json", "--time-limit", TIME_LIMIT], way.options, options];
        let printed = self.output(&words.concat())?;
        serde_json::from_slice(&printed).map_err(|error| Error::new(format!("`dba run`: {error}")))
    }

    fn graph(&self, topology: Topology) -> PathBuf {
        self.folder.path().join(topology.nodes.to_string())
    }

    fn output(&self, words: &[&str]) -> Result<Vec<u8>> {
        output(&self.path, words)
    }
}

/// What the program prints.
fn output(program: &Path, words: &[&str]) -> Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    let failed = |reason: &str| Error::new(format!("{}: {}", program.display(), reason.trim()));
    let output = bind_to_this_process(&mut command).output();
    let output = output.map_err(|error| {
        failed(&format!(
            "{error}; `cargo build --profile lto -p dba` in Zorb's source tree builds it"
        ))
    })?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(failed(&String::from_utf8_lossy(&output.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_is_reported_with_what_it_says() {
        let error = output(Path::new("sh"), &["-c", "echo wrong >&2; exit 1"]).unwrap_err();
        assert_eq!(error, Error::new("sh: wrong"));
        let error = output(Path::new("/missing/dba"), &[]).unwrap_err();
        assert!(error.to_string().ends_with("source tree builds it"), "{error}");
    }
}
