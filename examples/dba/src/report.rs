//! How nodes have ended, for programs and for people.

use std::fmt::Write as _;

use dba_algorithm::{CycleTimes, Driver, Graph, Links, Outcome, Segment};

use crate::clock::Start;
use crate::dba::Report;

/// How a node has ended that has been timed by the processor's counter since `start`.
pub(crate) fn of<L: Links>(driver: &Driver<L>, outcome: Outcome, start: Start) -> Report {
    let scale = start.scale();
    let (node, segments) = (driver.node(), driver.segments());
    let [cycles, untimed, waits] =
        [segments.cycles(), segments.untimed(), segments.waits()].map(CycleTimes::sorted);
    let at = |percent| scale.percentile(&cycles, percent);
    Report {
        id: node.id(),
        color: node.color(),
        is_solved: outcome == Outcome::Solved,
        cycles: node.cycles(),
        time: scale.nanos(segments.cycles().total()),
        p1: at(1),
        p10: at(10),
        first_quartile: at(25),
        median: at(50),
        third_quartile: at(75),
        p90: at(90),
        p99: at(99),
        longest: at(100),
        deviation: scale.nanos(deviation(&cycles)),
        untimed_median: scale.percentile(&untimed, 50),
        wait_median: scale.percentile(&waits, 50),
        wait_p99: scale.percentile(&waits, 99),
        segments: Segment::ALL.map(|segment| scale.nanos(segments.total(segment))),
        longest_segments: Segment::ALL.map(|segment| scale.nanos(segments.longest(segment))),
        processor: segments.processor_time(),
        marshals: segments.marshals(),
        refused: driver.refused(),
    }
}

/// The standard deviation of times, in their unit; 0 of none.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most as large as the times, and not negative"
)]
fn deviation(times: &[u64]) -> u64 {
    let count = times.len().max(1) as f64;
    let mean = times.iter().map(|&time| time as f64).sum::<f64>() / count;
    let squares = times.iter().map(|&time| (time as f64 - mean).powi(2));
    (squares.sum::<f64>() / count).sqrt().round() as u64
}

/// A table of the segments of some nodes: mean and maximum per cycle, and the share in the cycle.
pub(crate) fn segment_table(reports: &[Report]) -> String {
    let cycles: u64 = reports.iter().map(|report| u64::from(report.cycles)).sum();
    let time: u64 = reports.iter().map(|report| report.time).sum();
    let mut table = String::from("  #  segment                  mean us    max us  share\n");
    for (index, segment) in Segment::ALL.into_iter().enumerate() {
        let total: u64 = reports.iter().filter_map(|report| report.segments.get(index)).sum();
        let longest = reports.iter().filter_map(|report| report.longest_segments.get(index)).max();
        let longest = longest.copied().unwrap_or_default();
        let (mean, share) = (per(total, cycles) / 1e3, 100.0 * per(total, time));
        let (number, name) = (index + 1, segment.name());
        let longest = longest as f64 / 1e3;
        let _ =
            writeln!(table, " {number:>2}  {name:<20} {mean:>11.1} {longest:>9.1} {share:>5.1}%");
    }
    let _ = writeln!(table, "     cycle                {:>11.1}", per(time, cycles) / 1e3);
    table
}

/// One node as a JSON object.
pub(crate) fn json(report: &Report) -> String {
    let mut segments = String::new();
    for (segment, (total, longest)) in
        Segment::ALL.into_iter().zip(report.segments.iter().zip(&report.longest_segments))
    {
        let comma = if segments.is_empty() { "" } else { "," };
        let name = segment.name();
        let _ = write!(
            segments,
            "{comma}{{\"name\":\"{name}\",\"total_ns\":{total},\"max_ns\":{longest}}}"
        );
    }
    format!(
        "{{\"id\":{},\"color\":{},\"solved\":{},\"cycles\":{},\"total_ns\":{},\"p1_ns\":{},\"p10_ns\":{},\
         \"q1_ns\":{},\"median_ns\":{},\"q3_ns\":{},\"p90_ns\":{},\"p99_ns\":{},\"max_ns\":{},\
         \"deviation_ns\":{},\"untimed_median_ns\":{},\
         \"wait_median_ns\":{},\"wait_p99_ns\":{},\
         \"processor_ns\":{},\"marshals\":{},\"refused\":{},\"segments\":[{segments}]}}",
        report.id,
        report.color,
        report.is_solved,
        report.cycles,
        report.time,
        report.p1,
        report.p10,
        report.first_quartile,
        report.median,
        report.third_quartile,
        report.p90,
        report.p99,
        report.longest,
        report.deviation,
        report.untimed_median,
        report.wait_median,
        report.wait_p99,
        report.processor,
        report.marshals,
        report.refused,
    )
}

/// The result of a run.
pub(crate) struct Summary<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) reports: &'a [Report],
}

impl Summary<'_> {
    /// The number of edges whose nodes have the same color.
    pub(crate) fn conflicts(&self) -> usize {
        let colors: Vec<u32> = self.reports.iter().map(|report| report.color).collect();
        self.graph.conflicts(&colors).count()
    }

    /// Whether all nodes know that the graph is colored.
    pub(crate) fn is_solved(&self) -> bool {
        self.reports.iter().all(|report| report.is_solved) && self.conflicts() == 0
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let Self { graph, reports } = self;
        let mut text = String::new();
        let (nodes, edges, colors) = (graph.nodes(), graph.edges().count(), graph.colors());
        let _ = writeln!(text, "graph       {nodes} nodes, {edges} edges, {colors} colors");
        for (index, report) in reports.iter().enumerate() {
            let end = if index % 16 == 15 || index + 1 == reports.len() { "\n" } else { " " };
            let start = if index % 16 == 0 { "colors      " } else { "" };
            let _ = write!(text, "{start}{}{end}", report.color);
        }
        let least = reports.iter().map(|report| report.cycles).min().unwrap_or_default();
        let most = reports.iter().map(|report| report.cycles).max().unwrap_or_default();
        let _ = writeln!(text, "conflicts   {}", self.conflicts());
        let _ = writeln!(text, "cycles      {least} to {most}");
        let marshals: u64 = reports.iter().map(|report| report.marshals).sum();
        let cycles: u64 = reports.iter().map(|report| u64::from(report.cycles)).sum();
        let _ = writeln!(text, "encodings   {:.2} per node and cycle", per(marshals, cycles));
        let mut medians: Vec<u64> = reports.iter().map(|report| report.median).collect();
        medians.sort_unstable();
        let median = medians.get(medians.len() / 2).copied().unwrap_or_default() as f64 / 1e3;
        let longest = reports.iter().map(|report| report.longest).max().unwrap_or_default();
        let longest = longest as f64 / 1e3;
        let _ = writeln!(text, "cycle time  median {median:.1} us, longest {longest:.1} us");
        if reports.iter().any(|report| report.segments.iter().any(|&time| time > 0)) {
            text.push_str(&segment_table(reports));
        }
        text
    }

    /// For programs.
    pub(crate) fn json(&self) -> String {
        let nodes: Vec<String> = self.reports.iter().map(json).collect();
        format!(
            "{{\"nodes\":{},\"edges\":{},\"colors\":{},\"solved\":{},\"conflicts\":{},\"reports\":[{}]}}\n",
            self.graph.nodes(),
            self.graph.edges().count(),
            self.graph.colors(),
            self.is_solved(),
            self.conflicts(),
            nodes.join(","),
        )
    }
}

/// A quotient; 0 of nothing.
pub(crate) fn per(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::deviation;

    #[test]
    fn times_deviate_from_their_mean() {
        assert_eq!(deviation(&[2, 4, 4, 4, 5, 5, 7, 9]), 2);
        assert_eq!((deviation(&[7, 7]), deviation(&[])), (0, 0));
    }
}
