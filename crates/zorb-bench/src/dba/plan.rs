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
/// Of two nodes only.
pub(super) const FULL_BUFFERED: Way =
    Way { name: "full, sync buffered", options: &["--over", "full", "--sync", "buffered"] };
/// Of four nodes only.
pub(super) const FULL_PENDING: Way =
    Way { name: "full, pending", options: &["--over", "full", "--calls", "pending"] };
/// Of four nodes only.
pub(super) const FULL_THREADS: Way =
    Way { name: "full, threads", options: &["--over", "full", "--threads", "per-connection"] };
/// Of four nodes and the mesh only.
pub(super) const RAW_THREADS: Way = Way {
    name: "raw, threads",
    options: &["--over", "raw", "--memo", "--threads", "per-connection"],
};
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

impl Way {
    /// Whether a message is encoded once for all neighbors.
    pub(super) fn is_memo(self) -> bool {
        self.options.contains(&"--memo")
    }
}

const WAYS: [Way; 5] = [RAW, NANO, NANO_MEMO, FULL, FULL_MEMO];

/// Whether segments are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timed {
    Cycles,
    Segments,
    /// In every other block of cycles.
    Alternating,
}

/// Runs of one graph whose times are compared: they follow each other in each round.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) topology: Topology,
    pub(super) timed: Timed,
    pub(super) ways: Vec<Way>,
    pub(super) rounds: usize,
}

impl DbaPlan {
    /// Two nodes, four that are all neighbors, and a mesh.
    pub(super) fn topologies(&self) -> [Topology; 3] {
        let complete =
            |nodes, words, cycles| Topology { nodes, words, cycles: self.or_quick(cycles, 200) };
        let mesh = match self.quick {
            true => Topology { nodes: 16, words: &["mesh", "4", "4"], cycles: 20 },
            false => Topology { nodes: 100, words: &["mesh", "10", "10"], cycles: 100 },
        };
        [complete(2, &["complete", "2"], 10_000), complete(4, &["complete", "4"], 4_000), mesh]
    }

    fn or_quick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    /// The groups of runs, without those that only count. What is claimed has more rounds than what is only shown.
    pub(super) fn groups(&self) -> Vec<Group> {
        let topologies = self.topologies();
        let [two, four, mesh] = topologies;
        let (claimed, shown) = (self.or_quick(25, 1), self.or_quick(5, 1));
        let group = |topology, timed, ways: &[Way], rounds| Group {
            topology,
            timed,
            ways: ways.to_vec(),
            rounds,
        };
        let mut groups = vec![
            group(two, Timed::Cycles, &[RAW, NANO, FULL], claimed),
            group(four, Timed::Cycles, &[RAW, NANO, FULL], claimed),
            group(mesh, Timed::Cycles, &[RAW, NANO, FULL], self.or_quick(15, 1)),
            group(four, Timed::Alternating, &[RAW], claimed),
            group(two, Timed::Segments, &[RAW, NANO, FULL, FULL_QUEUED], claimed),
            group(four, Timed::Segments, &[RAW, NANO, FULL, NANO_MEMO, FULL_MEMO], claimed),
        ];
        for topology in topologies {
            groups.push(group(topology, Timed::Cycles, &[NANO_MEMO, FULL_MEMO], shown));
        }
        // Its cycles take milliseconds, whatever the processor does.
        let slow = Topology { cycles: self.or_quick(1_000, 20), ..two };
        groups.push(group(slow, Timed::Segments, &[FULL_BUFFERED], shown));
        let others = [
            FULL_PENDING,
            RAW_THREADS,
            FULL_THREADS,
            NANO_THREADS,
            NANO_TWO,
            FULL_TWO,
            RAW_GROUP,
            FULL_GROUP,
        ];
        groups.push(group(four, Timed::Cycles, &others, shown));
        groups.push(group(mesh, Timed::Cycles, &[RAW_THREADS], shown));
        groups.push(group(two, Timed::Segments, &[NANO_MEMO, FULL_MEMO], shown));
        groups.push(group(four, Timed::Segments, &[NANO_LINEAR], shown));
        groups.push(group(mesh, Timed::Segments, &WAYS, shown));
        groups
    }

    /// The ways by which the mesh is colored until it is.
    pub(super) fn coloring() -> [Way; 3] {
        [RAW, NANO, FULL]
    }
}

/// The order of so many runs in a round: each is first, last and after each other one in turn.
pub(super) fn order(count: usize, round: usize) -> impl Iterator<Item = usize> {
    let first = round / 2;
    (0..count).map(move |number| {
        let place = if round.is_multiple_of(2) { number } else { count - 1 - number };
        (first + place) % count
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_has_a_fixed_place() {
        let orders: Vec<Vec<usize>> = (0..6).map(|round| order(3, round).collect()).collect();
        assert_eq!(orders, [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [2, 0, 1], [1, 0, 2]]);
    }

    #[test]
    fn a_quick_plan_has_the_same_runs_once() {
        let groups = |quick| DbaPlan { program: PathBuf::new(), quick }.groups();
        let shape = |groups: &[Group]| -> Vec<(Timed, Vec<Way>)> {
            groups.iter().map(|group| (group.timed, group.ways.clone())).collect()
        };
        assert_eq!(shape(&groups(true)), shape(&groups(false)));
        assert!(groups(true).iter().all(|group| group.rounds == 1));
    }
}
