//! The times of a graph with one way to carry messages, over several runs.

use serde::Serialize;

use super::model::SEGMENTS;
use super::plan::{Timed, Topology, Way};
use super::program::{Node, Run};
use crate::statistics::{Interval, median};

/// A graph and what carries its messages. Each list has a number per round; times are in microseconds.
#[derive(Clone, Debug, Serialize)]
pub struct DbaRow {
    /// The number of nodes.
    pub nodes: u64,
    /// What carries the messages.
    pub way: &'static str,
    /// Whether segments were timed; otherwise only whole cycles, and times of segments are empty.
    pub segments: bool,
    /// The cycle time: of the nodes' medians, the middle one.
    pub median_us: Vec<f64>,
    /// The mean cycle time, of all nodes.
    pub mean_us: Vec<f64>,
    /// The standard deviation of the cycle times, of the middle node: the jitter.
    pub deviation_us: Vec<f64>,
    /// Percentiles of the cycle times, of the middle node.
    pub p1_us: Vec<f64>,
    /// The 10th.
    pub p10_us: Vec<f64>,
    /// The lower quartile.
    pub q1_us: Vec<f64>,
    /// The upper one.
    pub q3_us: Vec<f64>,
    /// The 90th percentile.
    pub p90_us: Vec<f64>,
    /// The distance of the quartiles, of the middle node.
    pub quartiles_us: Vec<f64>,
    /// The 99th percentile of the cycle times, of the middle node.
    pub p99_us: Vec<f64>,
    /// The 99th percentile of the time that a cycle waits for messages, of the middle node.
    pub wait_p99_us: Vec<f64>,
    /// The longest time that sending a message to all neighbors took, of the middle node: the jitter of sending.
    pub longest_send_us: Vec<f64>,
    /// The processor time that a node uses per cycle.
    pub processor_us: Vec<f64>,
    /// How often a node encodes a message per cycle.
    pub encodings: Vec<f64>,
    /// The names of the fourteen segments.
    pub segments_of: Vec<String>,
    /// The mean time of each segment per cycle.
    pub segments_us: Vec<[f64; SEGMENTS]>,
    /// The mean time of each stage per cycle, in the order of `STAGES`.
    pub stages_us: Vec<[f64; STAGES.len()]>,
    /// By which part the segments of a node's cycles add up to more or less than the cycles, at most.
    pub gap: f64,
    /// The number of messages that nodes have refused.
    pub refused: u64,
}

/// By how much timing the segments makes cycles longer: in a run that alternates, the median cycle time with segments timed
/// in relation to that without, of the middle node.
pub(super) fn instrumentation(run: &Run) -> f64 {
    let nodes = run.reports.iter();
    median(nodes.map(|node| node.median_ns as f64 / node.untimed_median_ns.max(1) as f64))
}

/// Stages, each with the beginning of the names of its segments. What has none of these is computing.
pub(super) const STAGES: [&str; 6] = ["marshal", "send", "await", "dispatch", "store", "compute"];

/// The place of the first of these.
pub(super) const MARSHAL: usize = 0;

impl DbaRow {
    pub(super) fn new(topology: Topology, way: Way, timed: Timed) -> Self {
        Self {
            nodes: topology.nodes,
            way: way.name,
            segments: timed == Timed::Segments,
            median_us: Vec::new(),
            mean_us: Vec::new(),
            deviation_us: Vec::new(),
            p1_us: Vec::new(),
            p10_us: Vec::new(),
            q1_us: Vec::new(),
            q3_us: Vec::new(),
            p90_us: Vec::new(),
            quartiles_us: Vec::new(),
            p99_us: Vec::new(),
            wait_p99_us: Vec::new(),
            longest_send_us: Vec::new(),
            processor_us: Vec::new(),
            encodings: Vec::new(),
            segments_of: Vec::new(),
            segments_us: Vec::new(),
            stages_us: Vec::new(),
            gap: 0.0,
            refused: 0,
        }
    }

    /// Adds a round.
    pub(super) fn add(&mut self, run: &Run) {
        let nodes = &run.reports;
        let middle = |of: fn(&Node) -> u64| median(nodes.iter().map(|node| of(node) as f64)) / 1e3;
        let cycles: u64 = nodes.iter().map(|node| node.cycles).sum();
        let mean = |of: &dyn Fn(&Node) -> u64| {
            nodes.iter().map(of).sum::<u64>() as f64 / cycles.max(1) as f64
        };
        self.median_us.push(middle(|node| node.median_ns));
        self.mean_us.push(mean(&|node| node.total_ns) / 1e3);
        self.deviation_us.push(middle(|node| node.deviation_ns));
        self.p1_us.push(middle(|node| node.p1_ns));
        self.p10_us.push(middle(|node| node.p10_ns));
        self.q1_us.push(middle(|node| node.q1_ns));
        self.q3_us.push(middle(|node| node.q3_ns));
        self.p90_us.push(middle(|node| node.p90_ns));
        self.quartiles_us.push(middle(|node| node.q3_ns.saturating_sub(node.q1_ns)));
        self.p99_us.push(middle(|node| node.p99_ns));
        self.processor_us.push(mean(&|node| node.processor_ns) / 1e3);
        self.encodings.push(mean(&|node| node.marshals));
        self.refused += nodes.iter().map(|node| node.refused).sum::<u64>();
        if self.segments {
            self.wait_p99_us.push(middle(|node| node.wait_p99_ns));
            self.longest_send_us.push(middle(longest_send));
            let segment = |index: usize| {
                let time = |node: &Node| node.segments.get(index).map_or(0, |one| one.total_ns);
                mean(&time) / 1e3
            };
            let first = nodes.first().map(|node| &*node.segments).unwrap_or_default();
            self.segments_of = first.iter().map(|segment| segment.name.clone()).collect();
            self.segments_us.push(std::array::from_fn(segment));
            let stage = |stage| mean(&|node: &Node| of_stage(node, stage)) / 1e3;
            self.stages_us.push(std::array::from_fn(stage));
            self.gap = nodes.iter().map(gap).fold(self.gap, f64::max);
        }
    }

    /// Each segment of a median cycle, of each round: the cycle's median time, divided as all cycles together are. The means
    /// themselves include the few cycles in which something else had the processor.
    pub(super) fn median_segments(&self) -> Vec<[f64; SEGMENTS]> {
        let rounds = self.segments_us.iter().zip(&self.median_us);
        let of_round = |(segments, median): (&[f64; SEGMENTS], &f64)| {
            let sum: f64 = segments.iter().sum();
            segments.map(|time| median * time / sum.max(f64::MIN_POSITIVE))
        };
        rounds.map(of_round).collect()
    }

    /// The mean time of a stage per cycle in the middle round.
    pub(super) fn stage(&self, stage: usize) -> f64 {
        median(self.of_stage(stage))
    }

    /// The mean time of a stage per cycle, of each round.
    pub(super) fn of_stage(&self, stage: usize) -> Vec<f64> {
        self.stages_us.iter().filter_map(|stages| stages.get(stage).copied()).collect()
    }

    /// The share of marshalling in the cycles of the middle round.
    pub(super) fn marshalling(&self) -> f64 {
        median(self.stages_us.iter().map(|stages| {
            let marshal = stages.get(MARSHAL).copied().unwrap_or_default();
            marshal / stages.iter().sum::<f64>().max(f64::MIN_POSITIVE)
        }))
    }
}

/// How many times the numbers of another series, round by round.
pub(super) fn ratio(these: &[f64], others: &[f64]) -> Interval {
    let rounds = these.iter().zip(others);
    Interval::of(rounds.map(|(one, other)| one / other.max(f64::MIN_POSITIVE)))
}

/// The time of a node in all segments of a stage.
fn of_stage(node: &Node, stage: usize) -> u64 {
    let segments = node.segments.iter();
    let times = segments.filter(|segment| stage_of(&segment.name) == stage);
    times.map(|segment| segment.total_ns).sum()
}

/// The longest time of a node in a segment of sending.
fn longest_send(node: &Node) -> u64 {
    let sends = node.segments.iter().filter(|segment| segment.name.starts_with("send"));
    sends.map(|segment| segment.max_ns).max().unwrap_or_default()
}

fn stage_of(segment: &str) -> usize {
    let stage = STAGES.iter().position(|stage| segment.starts_with(stage));
    stage.unwrap_or(STAGES.len() - 1)
}

/// The part of a node's cycles by which the sum of its segments differs.
fn gap(node: &Node) -> f64 {
    let sum: u64 = node.segments.iter().map(|segment| segment.total_ns).sum();
    sum.abs_diff(node.total_ns) as f64 / node.total_ns.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dba::plan::RAW;
    use crate::dba::program::Segment;

    #[test]
    fn segments_belong_to_stages() {
        assert_eq!(["marshal value", "await improvement", "store value"].map(stage_of), [0, 2, 4]);
        assert_eq!(["evaluate", "choose", "compare", "change"].map(stage_of), [5; 4]);
    }

    #[test]
    fn nodes_of_a_run_make_a_round() {
        let segment = |name: &str, total_ns| Segment {
            name: name.to_owned(),
            total_ns,
            max_ns: total_ns / 2,
        };
        let node = |median_ns, total_ns| Node {
            cycles: 2,
            median_ns,
            total_ns,
            processor_ns: 1_000,
            marshals: 12,
            refused: 1,
            deviation_ns: 500,
            segments: vec![segment("await value", 3_000), segment("choose", 1_000)],
            ..Node::default()
        };
        let reports = vec![node(3_000, 4_000), node(1_000, 4_000), node(8_000, 5_000)];
        let topology = Topology { nodes: 3, words: &[], cycles: 2 };
        let mut row = DbaRow::new(topology, RAW, Timed::Segments);
        row.add(&Run { solved: false, conflicts: 3, reports });
        let [of_median] = row.median_segments()[..] else { panic!("one round") };
        assert_eq!((of_median[0], of_median[1]), (2.25, 0.75), "3 us, divided as 1.5 and 0.5");
        assert_eq!((row.median_us, row.encodings, row.refused), (vec![3.0], vec![6.0], 3));
        assert_eq!((row.processor_us, row.gap), (vec![0.5], 0.2));
        assert_eq!(row.stages_us, [[0.0, 0.0, 1.5, 0.0, 0.0, 0.5]]);
        assert_eq!(row.longest_send_us, [0.0], "nothing is sent");
        assert_eq!((&row.mean_us[..], &row.deviation_us[..]), (&[13.0 / 6.0][..], &[0.5][..]));
        let [segments] = row.segments_us[..] else { panic!("one round") };
        assert_eq!((segments[0], segments[1], segments[2]), (1.5, 0.5, 0.0));
    }

    #[test]
    fn the_jitter_of_sending_is_that_of_the_longer_segment() {
        let segment = |name: &str, max_ns| Segment { name: name.to_owned(), total_ns: 0, max_ns };
        let node = |value, improvement| Node {
            segments: vec![
                segment("send value", value),
                segment("await value", 9_000),
                segment("send improvement", improvement),
            ],
            ..Node::default()
        };
        let reports = vec![node(1_000, 2_000), node(4_000, 3_000), node(0, 1_000)];
        let topology = Topology { nodes: 3, words: &[], cycles: 2 };
        let mut row = DbaRow::new(topology, RAW, Timed::Segments);
        row.add(&Run { solved: false, conflicts: 0, reports });
        assert_eq!(row.longest_send_us, [2.0]);
    }

    #[test]
    fn timing_segments_costs_the_ratio_of_the_middle_node() {
        let node =
            |median_ns, untimed_median_ns| Node { median_ns, untimed_median_ns, ..Node::default() };
        let reports = vec![node(150, 100), node(102, 100), node(90, 100)];
        assert_eq!(instrumentation(&Run { solved: false, conflicts: 0, reports }), 1.02);
    }

    #[test]
    fn nodes_without_cycles_need_no_time() {
        let mut row =
            DbaRow::new(Topology { nodes: 1, words: &[], cycles: 0 }, RAW, Timed::Segments);
        row.add(&Run { solved: false, conflicts: 0, reports: vec![Node::default()] });
        assert_eq!((row.processor_us, row.encodings), (vec![0.0], vec![0.0]));
        assert_eq!(row.stages_us, [[0.0; STAGES.len()]]);
    }
}
