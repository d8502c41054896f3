//! What has been measured, and what is claimed.

use serde::Serialize;

use super::model::{Complete, Rule, SEGMENTS};
use super::plan::{FULL, FULL_MEMO, FULL_QUEUED, Group, NANO, NANO_MEMO, RAW, Way};
use super::program::Run;
use super::row::{DbaRow, MARSHAL, STAGES, ratio};
use crate::machine::Machine;
use crate::pin::Pin;
use crate::report::{Claim, TextTable};
use crate::statistics::{Interval, median};

/// The cycle times of graph coloring, and claims about them.
#[derive(Clone, Debug, Serialize)]
pub struct DbaReport {
    /// The machine.
    pub machine: Machine,
    /// Whether it was a quick run.
    pub quick: bool,
    /// Each graph with each way to carry messages, without and with segments timed.
    pub rows: Vec<DbaRow>,
    /// How many times as long cycles of four nodes over sockets take if their segments are timed, of each round: a run
    /// alternates between the two.
    pub instrumentation: Vec<f64>,
    /// Predictions of the segments of four nodes from those of two.
    pub predictions: Vec<DbaPrediction>,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// A prediction of the performance model. Times are in microseconds.
#[derive(Clone, Debug, Serialize)]
pub struct DbaPrediction {
    /// What carries the messages.
    pub way: &'static str,
    /// The segments.
    pub segments: Vec<DbaSegment>,
    /// The predicted cycle time of four nodes, the sum of the segments, of each round.
    pub predicted_us: Vec<f64>,
    /// The measured one, with segments timed.
    pub measured_us: Vec<f64>,
}

/// A segment of a median cycle, in the middle round. Times are in microseconds.
#[derive(Clone, Debug, Serialize)]
pub struct DbaSegment {
    /// Its name.
    pub name: String,
    /// How the prediction follows from two nodes: per neighbor, per cycle, waiting.
    pub rule: &'static str,
    /// Of two nodes.
    pub two_us: f64,
    /// Predicted for four nodes.
    pub predicted_us: f64,
    /// Measured with four nodes.
    pub measured_us: f64,
}

/// The medians in microseconds that Table 1 of the literature has for 2, 4 and 100 nodes: with ACE, nORB and TAO.
const TABLE_1: [(Way, [(u64, f64); 3]); 3] = [
    (RAW, [(2, 128.0), (4, 227.0), (100, 6978.0)]),
    (NANO, [(2, 189.0), (4, 384.0), (100, 13210.0)]),
    (FULL, [(2, 164.0), (4, 410.0), (100, 12667.0)]),
];

/// The largest cycle time in relation to sockets.
const LIMITS: [(Way, f64); 2] = [(NANO, 1.3), (FULL, 1.4)];

impl DbaReport {
    pub(super) fn new(quick: bool) -> Self {
        let machine = Machine::with(Pin::None, None);
        Self {
            machine,
            quick,
            rows: Vec::new(),
            instrumentation: Vec::new(),
            predictions: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// The row of a way of a group, a new one if there is none.
    pub(super) fn row_mut(&mut self, group: &Group, way: Way) -> &mut DbaRow {
        let rows = &mut self.rows;
        let new = DbaRow::new(group.topology, way, group.timed);
        let is_same =
            |row: &DbaRow| (row.nodes, row.way, row.segments) == (new.nodes, new.way, new.segments);
        let index = rows.iter().position(is_same).unwrap_or(rows.len());
        if index == rows.len() {
            rows.push(new);
        }
        &mut rows[index]
    }

    /// A mesh was to be colored.
    pub(super) fn add_coloring(&mut self, way: Way, run: &Run) {
        let (nodes, conflicts) = (run.reports.len(), run.conflicts);
        let what =
            format!("{nodes} nodes, {}: conflicts when all know that there are none", way.name);
        self.claims.push(Claim::new(what, "0", conflicts, run.solved && conflicts == 0));
    }

    /// Judges the claims.
    pub(super) fn finish(&mut self) {
        self.machine.finish();
        self.rows.sort_by_key(|row| row.nodes);
        self.predictions =
            [RAW, NANO, FULL].into_iter().filter_map(|way| self.predict(way)).collect();
        let counted = self.counted();
        let timed = self.timed().into_iter().map(|claim| claim.unclear_if(self.quick));
        let all: Vec<Claim> = counted.into_iter().chain(timed).collect();
        self.claims.extend(all);
    }

    fn row(&self, nodes: u64, way: Way, segments: bool) -> Option<&DbaRow> {
        self.rows
            .iter()
            .find(|row| (row.nodes, row.way, row.segments) == (nodes, way.name, segments))
    }

    /// The number of nodes of the mesh.
    fn mesh(&self) -> u64 {
        self.rows.iter().map(|row| row.nodes).max().unwrap_or_default()
    }

    /// The segments of four nodes from those of two.
    fn predict(&self, way: Way) -> Option<DbaPrediction> {
        let (two, four) = (self.row(2, way, true)?, self.row(4, way, true)?);
        let names = &two.segments_of;
        let rule = |index: usize| {
            let name = names.get(index).map(String::as_str);
            Rule::of(name.unwrap_or_default(), way.is_memo())
        };
        let rules: [Rule; SEGMENTS] = std::array::from_fn(rule);
        let graph = Complete { nodes: 4, processors: self.machine.cores };
        let (pairs, measured) = (two.median_segments(), four.median_segments());
        let predicted: Vec<_> = pairs.iter().map(|pair| graph.predict(pair, &rules)).collect();
        let middle = |rounds: &[[f64; SEGMENTS]], index: usize| {
            median(rounds.iter().filter_map(|round| round.get(index).copied()))
        };
        let segments = names.iter().zip(rules).enumerate();
        let segments = segments.map(|(index, (name, rule))| DbaSegment {
            name: name.clone(),
            rule: rule.name(),
            two_us: middle(&pairs, index),
            predicted_us: middle(&predicted, index),
            measured_us: middle(&measured, index),
        });
        Some(DbaPrediction {
            way: way.name,
            segments: segments.collect(),
            predicted_us: predicted.iter().map(|round| round.iter().sum()).collect(),
            measured_us: four.median_us.clone(),
        })
    }

    /// Claims that every run decides.
    fn counted(&self) -> Vec<Claim> {
        let gap = self.rows.iter().map(|row| row.gap).fold(0.0, f64::max);
        let what = "difference of the segments' sum from the cycles, of all nodes";
        let percent = format!("{:.3} %", 100.0 * gap);
        let refused: u64 = self.rows.iter().map(|row| row.refused).sum();
        let mut claims = vec![
            Claim::new(what, "at most 1 %", percent, gap <= 0.01),
            Claim::new("messages that nodes refuse", "0", refused, refused == 0),
        ];
        let ways = [(RAW, 2.0), (NANO, 6.0), (NANO_MEMO, 2.0), (FULL, 6.0), (FULL_MEMO, 2.0)];
        for (way, expected) in ways {
            let Some(row) = self.row(4, way, false) else { continue };
            let found = median(row.encodings.iter().copied());
            // Connections may begin with other octets.
            let holds = (expected..expected + 0.1).contains(&found);
            let what = format!("4 nodes, {}: encodings per node and cycle", way.name);
            claims.push(Claim::new(what, expected.to_string(), format!("{found:.2}"), holds));
        }
        claims
    }

    /// Claims about times.
    fn timed(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        for (way, limit) in LIMITS {
            for nodes in [4, self.mesh()] {
                let rows = self.row(nodes, way, false).zip(self.row(nodes, RAW, false));
                let Some((row, raw)) = rows else { continue };
                let what = format!("{nodes} nodes, {}: cycle time in relation to raw", way.name);
                claims.push(Claim::at_most(what, limit, ratio(&row.median_us, &raw.median_us)));
            }
        }
        if !self.instrumentation.is_empty() {
            let what = "4 nodes, raw: cycle time with segments timed in relation to that without";
            let found = Interval::of(self.instrumentation.iter().copied());
            claims.push(Claim::at_most(what, 1.02, found));
        }
        for way in [NANO, FULL] {
            let rows = self.row(4, RAW, true).zip(self.row(4, way, true));
            let Some((raw, row)) = rows else { continue };
            let what = format!("4 nodes, raw: quartile distance in relation to {}", way.name);
            claims.push(Claim::at_most(what, 1.0, ratio(&raw.quartiles_us, &row.quartiles_us)));
            let [marshals, others] = [raw, row].map(|row| row.of_stage(MARSHAL));
            let what = format!("4 nodes, raw: time of marshalling in relation to {}", way.name);
            claims.push(Claim::at_most(what, 1.0, ratio(&marshals, &others)));
        }
        for way in [NANO_MEMO, FULL_MEMO] {
            let rows = self.row(4, RAW, true).zip(self.row(4, way, true));
            let Some((raw, row)) = rows else { continue };
            let [marshals, others] = [row, raw].map(|row| row.of_stage(MARSHAL));
            let what = format!("4 nodes, {}: time of marshalling in relation to raw", way.name);
            claims.push(Claim::at_most(what, 1.3, ratio(&marshals, &others)));
        }
        claims.extend(self.waiting());
        claims.extend(self.predictions.iter().map(DbaPrediction::claim));
        claims
    }

    /// The literature's claim about how long calls that wait for nothing make the neighbor wait. With its ORB, which keeps
    /// them in a buffer, it holds. With sync buffered there is none: it would compare the time that a call is held back, which
    /// is a constant, with a shorter one.
    fn waiting(&self) -> Option<Claim> {
        let (row, queued) = (self.row(2, FULL, true)?, self.row(2, FULL_QUEUED, true)?);
        let what = "2 nodes, full: p99 of waiting with sync none in relation to transport";
        Some(Claim::at_least(what, 2.0, ratio(&queued.wait_p99_us, &row.wait_p99_us)))
    }

    /// The numbers as text, with the claims.
    #[must_use]
    pub fn table(&self) -> String {
        let claims: String = self.claims.iter().map(|claim| claim.line("")).collect();
        let (cycles, spread, stages) = (self.cycles(), self.spread(), self.stages());
        let model = self.model();
        format!(
            "Cycle times: table 1 of the literature (paper us: ACE, nORB and TAO on other machines)\n\
             {cycles}\n\
             Distributions of the cycle times, us, and their standard deviations: figure 2\n\
             {spread}\n\
             Stages of a cycle with segments timed, mean us: figures 3 (marshal), 4 (dispatch) and 5 (await)\n\
             {stages}\n\
             Median cycles of four nodes, predicted from two segment by segment, us\n{model}\n{claims}"
        )
    }

    fn cycles(&self) -> TextTable {
        let columns = ["nodes", "way", "median us", "mean us", "of raw", "paper us"];
        let mut table = TextTable::new(columns);
        for row in self.rows.iter().filter(|row| !row.segments) {
            let times = [&row.median_us, &row.mean_us]
                .map(|times| format!("{:.1}", median(times.iter().copied())));
            let raw = self.row(row.nodes, RAW, false);
            let of_raw =
                raw.map(|raw| format!("{:.2}", ratio(&row.median_us, &raw.median_us).median));
            let paper = paper(row).map_or_else(|| "-".to_owned(), |time| time.to_string());
            let first = [row.nodes.to_string(), row.way.to_owned()];
            let last = [of_raw.unwrap_or_default(), paper];
            table.row(first.into_iter().chain(times).chain(last));
        }
        table
    }

    fn spread(&self) -> TextTable {
        let percents = ["1 %", "10 %", "25 %", "50 %", "75 %", "90 %", "99 %"];
        let columns = ["nodes", "way"].into_iter().chain(percents).chain(["deviation"]);
        let mut table = TextTable::new(columns);
        for row in self.rows.iter().filter(|row| !row.segments) {
            let low = [&row.p1_us, &row.p10_us, &row.q1_us, &row.median_us];
            let high = [&row.q3_us, &row.p90_us, &row.p99_us, &row.deviation_us];
            let times = low.into_iter().chain(high);
            let times = times.map(|times| format!("{:.1}", median(times.iter().copied())));
            let first = [row.nodes.to_string(), row.way.to_owned()];
            table.row(first.into_iter().chain(times));
        }
        table
    }

    fn stages(&self) -> TextTable {
        let columns = ["nodes", "way"].into_iter().chain(STAGES).chain([
            "marshal %",
            "await p99",
            "longest send",
        ]);
        let mut table = TextTable::new(columns);
        for row in self.rows.iter().filter(|row| row.segments) {
            let stages = (0..STAGES.len()).map(|stage| format!("{:.2}", row.stage(stage)));
            let share = format!("{:.1}", 100.0 * row.marshalling());
            let [wait, send] = [&row.wait_p99_us, &row.longest_send_us]
                .map(|times| format!("{:.1}", median(times.iter().copied())));
            let first = [row.nodes.to_string(), row.way.to_owned()];
            table.row(first.into_iter().chain(stages).chain([share, wait, send]));
        }
        table
    }

    fn model(&self) -> TextTable {
        let mut table = TextTable::new(["way", "segment", "rule", "two", "predicted", "measured"]);
        for one in &self.predictions {
            let segments = one.segments.iter().map(|segment| {
                let times = [segment.two_us, segment.predicted_us, segment.measured_us];
                (&*segment.name, segment.rule, times)
            });
            let two = one.segments.iter().map(|segment| segment.two_us).sum();
            let [predicted, measured] =
                [&one.predicted_us, &one.measured_us].map(|times| median(times.iter().copied()));
            let all = [("cycle", "sum", [two, predicted, measured])];
            for (name, rule, times) in segments.chain(all) {
                let words = [one.way, name, rule].map(str::to_owned);
                table.row(words.into_iter().chain(times.map(|time| format!("{time:.2}"))));
            }
        }
        table
    }

    /// The claims that fail.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let failed = self.claims.iter().filter(|claim| claim.fails());
        failed.map(|claim| format!("{}: {}", claim.what, claim.found)).collect()
    }
}

impl DbaPrediction {
    fn claim(&self) -> Claim {
        let found = ratio(&self.predicted_us, &self.measured_us);
        let what =
            format!("4 nodes, {}: predicted cycle time in relation to the measured", self.way);
        let holds = (0.75..=1.25).contains(&found.median);
        let claim = Claim::new(what, "0.75 to 1.25", two_digits(found), holds);
        claim.unclear_if(found.contains(0.75) || found.contains(1.25))
    }
}

fn two_digits(found: Interval) -> String {
    let Interval { low, median, high } = found;
    format!("{median:.2} ({low:.2} to {high:.2})")
}

fn paper(row: &DbaRow) -> Option<f64> {
    let (_, times) = TABLE_1.iter().find(|(way, _)| way.name == row.way)?;
    times.iter().find(|(nodes, _)| *nodes == row.nodes).map(|&(_, time)| time)
}

#[cfg(test)]
mod tests;
