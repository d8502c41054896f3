//! What the benchmark of graph coloring measures.

use std::path::PathBuf;

/// What is measured.
#[derive(Clone, Debug)]
pub struct DbaPlan {
    /// The program `dba` of `examples/dba`, built with optimizations.
    pub program: PathBuf,
    /// A small mesh, and fewer rounds of fewer cycles: too few for a claim about times.
    pub quick: bool,
}

/// A graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Topology {
    /// Its number of nodes.
    pub(super) nodes: u64,
    /// The words by which `dba graph` prints it.
    pub(super) words: &'static [&'static str],
    /// The cycles of a run.
    pub(super) cycles: u32,
}

/// What carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// Its name in tables.
    pub(super) name: &'static str,
    /// The options of `dba run`.
    pub(super) options: &'static [&'static str],
}

/// Sockets, with each message encoded once: the measure for the others.
pub(super) const RAW: Way = Way { name: "raw", options: &["--over", "raw", "--memo"] };
pub(super) const NANO: Way = Way { name: "nano", options: &["--over", "nano"] };
pub(super) const NANO_MEMO: Way =
    Way { name: "nano, memo", options: &["--over", "nano", "--memo"] };
pub(super) const FULL: Way = Way { name: "full", options: &["--over", "full"] };
pub(super) const FULL_MEMO: Way =
    Way { name: "full, memo", options: &["--over", "full", "--memo"] };
/// Of two nodes only.
pub(super) const FULL_QUEUED: Way =
    Way { name: "full, sync none", options: &["--over", "full", "--sync", "none"] };
/// Of four nodes only.
pub(super) const FULL_PENDING: Way =
    Way { name: "full, pending", options: &["--over", "full", "--calls", "pending"] };
/// Of four nodes only.
pub(super) const FULL_THREADS: Way =
    Way { name: "full, threads", options: &["--over", "full", "--threads", "per-connection"] };
/// Of four nodes only.
pub(super) const NANO_THREADS: Way =
    Way { name: "nano, threads", options: &["--over", "nano", "--threads", "per-connection"] };
/// Of four nodes only.
pub(super) const NANO_LINEAR: Way =
    Way { name: "nano, linear", options: &["--over", "nano", "--lookup", "linear"] };
/// Of four nodes only.
pub(super) const NANO_TWO: Way =
    Way { name: "nano, two connections", options: &["--over", "nano", "--connections", "two"] };
/// Of four nodes only.
pub(super) const FULL_TWO: Way =
    Way { name: "full, two connections", options: &["--over", "full", "--connections", "two"] };
/// Of four nodes only.
pub(super) const RAW_GROUP: Way =
    Way { name: "raw, group", options: &["--over", "raw", "--calls", "group"] };
/// Of four nodes only.
pub(super) const FULL_GROUP: Way = Way {
    name: "full, group",
    options: &["--over", "full", "--calls", "group", "--threads", "per-connection"],
};

const WAYS: [Way; 5] = [RAW, NANO, NANO_MEMO, FULL, FULL_MEMO];

/// Whether segments are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timed {
    Cycles,
    Segments,
}

impl DbaPlan {
    /// Two nodes, four that are all neighbors, and a mesh.
    pub(super) fn topologies(&self) -> [Topology; 3] {
        let (cycles, mesh): (_, (_, &[_], _)) = match self.quick {
            true => (200, (16, &["mesh", "4", "4"], 20)),
            false => (2000, (100, &["mesh", "10", "10"], 100)),
        };
        let complete = |nodes, words| Topology { nodes, words, cycles };
        let (nodes, words, cycles) = mesh;
        [
            complete(2, &["complete", "2"]),
            complete(4, &["complete", "4"]),
            Topology { nodes, words, cycles },
        ]
    }

    pub(super) fn rounds(&self) -> usize {
        if self.quick { 1 } else { 9 }
    }

    /// The runs of a round, without those that only count.
    pub(super) fn runs(&self) -> Vec<(Topology, Way, Timed)> {
        let topologies = self.topologies();
        let mut runs = Vec::new();
        for topology in topologies {
            for timed in [Timed::Cycles, Timed::Segments] {
                runs.extend(WAYS.map(|way| (topology, way, timed)));
            }
        }
        let [two, four, _] = topologies;
        runs.push((two, FULL_QUEUED, Timed::Segments));
        runs.push((four, FULL_PENDING, Timed::Cycles));
        runs.push((four, FULL_THREADS, Timed::Cycles));
        runs.push((four, NANO_THREADS, Timed::Cycles));
        runs.push((four, NANO_TWO, Timed::Cycles));
        runs.push((four, FULL_TWO, Timed::Cycles));
        runs.push((four, RAW_GROUP, Timed::Cycles));
        runs.push((four, FULL_GROUP, Timed::Cycles));
        runs.push((four, NANO_LINEAR, Timed::Segments));
        runs
    }

    /// The ways by which the mesh is colored until it is.
    pub(super) fn coloring() -> [Way; 3] {
        [RAW, NANO, FULL]
    }
}
