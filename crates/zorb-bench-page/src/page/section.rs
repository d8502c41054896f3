//! One experiment of one run: description, charts and table.

use std::cmp::Reverse;

use super::bars::{self, Bar, Group, Meaning};
use super::chart::{Chart, Styles};
use super::distribution;
use super::metric::Metric;
use super::sweep;
use super::table::{self, Table};
use super::timeline;
use super::work::{Sweep, Workload, sweeps, workloads};
use crate::results::{Measured, Run};
use zorb_bench::catalog::EXPERIMENTS;

/// Maximum number of distributions of one experiment; the table has all numbers.
const MAX_DISTRIBUTIONS: usize = 12;
/// Maximum number of curves in a distribution.
const MAX_CURVES: usize = 8;
/// Maximum number of charts with curves, and of groups of bars.
const MAX_SWEEPS: usize = 16;
const MAX_GROUPS: usize = 60;
/// Longer tables are folded if there are charts.
const OPEN_ROWS: usize = 12;

/// Charts under a heading.
pub(super) struct Part {
    pub(super) heading: String,
    pub(super) note: String,
    pub(super) charts: Vec<Chart>,
}

/// A section as the template shows it.
pub(super) struct SectionView<'a> {
    pub(super) id: String,
    pub(super) title: &'a str,
    pub(super) experiment: &'a str,
    pub(super) transport: &'a str,
    pub(super) file: &'a str,
    /// Whether other sections have the same title.
    pub(super) ambiguous: bool,
    pub(super) rounds: Option<String>,
    pub(super) text: Option<&'static str>,
    pub(super) parts: Vec<Part>,
    pub(super) open: bool,
    pub(super) numbers: Table,
}

/// The rows of an experiment over a transport, from one file.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) run: &'a Run,
    pub(super) experiment: &'a str,
    pub(super) transport: &'a str,
    pub(super) rows: Vec<&'a Measured>,
    /// The rows for charts.
    pub(super) charted: Vec<Measured>,
}

impl<'a> Section<'a> {
    /// All sections of a run, in the order of their first rows.
    pub(super) fn all(run: &'a Run) -> Vec<Self> {
        let mut sections: Vec<Self> = Vec::new();
        for row in &run.rows {
            let same = |section: &&mut Self| {
                section.experiment == row.experiment && section.transport == row.transport
            };
            match sections.iter_mut().find(same) {
                Some(section) => section.rows.push(row),
                None => sections.push(Self {
                    run,
                    experiment: &row.experiment,
                    transport: &row.transport,
                    rows: vec![row],
                    charted: Vec::new(),
                }),
            }
        }
        for section in &mut sections {
            section.charted = charted(&section.rows);
        }
        sections
    }

    /// Its position in the page: known experiments first, then known transports, then the number of rows.
    pub(super) fn rank(&self) -> impl Ord + use<> {
        let experiment = known().position(|(name, ..)| name == self.experiment);
        let transport = TRANSPORTS.iter().position(|known| *known == self.transport);
        (
            experiment.unwrap_or(usize::MAX),
            transport.unwrap_or(TRANSPORTS.len()),
            Reverse(self.rows.len()),
        )
    }

    /// The section for the template.
    pub(super) fn view(&self, id: String, ambiguous: bool, styles: &Styles) -> SectionView<'a> {
        let about = known().find(|(name, ..)| *name == self.experiment);
        let title = about.map_or(self.experiment, |(_, title, _)| title);
        let mut parts = self.charts(styles);
        parts.retain(|part| !part.charts.is_empty());
        for (number, chart) in parts.iter_mut().flat_map(|part| &mut part.charts).enumerate() {
            chart.id = format!("{id}-{}", number + 1);
        }
        let count = self.rows.len();
        let caption = format!("All numbers of {title}, {count} rows");
        let rounds = self.rows.iter().find_map(|row| row.number("rounds"));
        SectionView {
            id,
            title,
            experiment: self.experiment,
            transport: self.transport,
            file: &self.run.name,
            ambiguous,
            rounds: rounds.map(|rounds| match rounds {
                1.0 => "1 round".to_owned(),
                rounds => format!("{rounds} rounds"),
            }),
            text: about.map(|(.., text)| text),
            open: parts.is_empty() || count <= OPEN_ROWS,
            parts,
            numbers: table::rows(caption, &self.rows, styles),
        }
    }

    /// All charts under their headings.
    fn charts(&self, styles: &Styles) -> Vec<Part> {
        let rows: Vec<&Measured> = self.charted.iter().collect();
        let workloads = workloads(&rows);
        let (mut swept, single) = sweeps(&workloads);
        swept.truncate(MAX_SWEEPS);
        let metric = Metric::of(self.experiment, &rows);
        let mut parts = Vec::new();
        parts.extend(self.bars(&swept, &single, metric.as_ref(), styles));
        if let Some(metric) = &metric {
            let charts = sweep::charts(&swept, metric, styles).into_iter();
            parts.extend(charts.map(|(heading, note, charts)| Part { heading, note, charts }));
        }
        // The first and the last workload of a curve.
        let ends = swept.iter().flat_map(|sweep| {
            let last = sweep.steps.last().filter(|_| sweep.steps.len() > 1);
            sweep.steps.first().into_iter().chain(last).map(|(_, workload)| workload)
        });
        let timed = single.iter().chain(ends).filter_map(|workload| {
            let peers = peers(workload, |row| row.histogram.as_ref())?;
            Some(distribution::chart(&workload.name(), &peers, styles))
        });
        parts.push(Part {
            heading: "Distribution of all calls".to_owned(),
            note: "Share of calls by time: 90 %, 99 % and 99.9 % are equally far apart. Further left is \
                   faster. Marks at 50, 99 and 99.9 %."
                .to_owned(),
            charts: timed.take(MAX_DISTRIBUTIONS).collect(),
        });
        let timelines = workloads.iter().filter_map(|workload| {
            let peers = peers(workload, |row| row.timeline.as_ref())?;
            Some(timeline::chart(&workload.name(), &peers, styles))
        });
        parts.push(Part {
            heading: "Jitter".to_owned(),
            note: "Maximum and median of successive calls. Lower is better.".to_owned(),
            charts: timelines.take(MAX_DISTRIBUTIONS).collect(),
        });
        parts
    }

    /// Bars of single workloads and of the last workload of each curve: ratios, if there are any.
    fn bars(
        &self,
        swept: &[Sweep<'_>],
        single: &[Workload<'_>],
        metric: Option<&Metric>,
        styles: &Styles,
    ) -> Option<Part> {
        let ratio = Metric::ratio(metric.is_some_and(|metric| metric.more_is_better));
        let compared = |row: &Measured| row.peer != "raw" && ratio.value(row).is_some();
        let has_ratios = self.rows.iter().any(|row| compared(row));
        let metric = if has_ratios { &ratio } else { metric? };
        let last =
            swept.iter().filter_map(|sweep| sweep.steps.last().map(|(_, workload)| workload));
        let mut groups: Vec<Group<'_>> = Vec::new();
        for workload in single.iter().chain(last).take(MAX_GROUPS) {
            let rows = workload.rows.iter().filter(|row| !has_ratios || compared(row));
            let bars = rows.filter_map(|row| {
                let value = metric.value(row)?;
                Some(Bar { peer: &row.peer, value, quartiles: metric.quartiles(row) })
            });
            let group = Group { name: workload.name(), bars: bars.collect() };
            if !group.bars.is_empty() {
                groups.push(group);
            }
        }
        if groups.is_empty() {
            return None;
        }
        let meaning = Meaning {
            title: metric.title.clone(),
            axis: metric.axis.clone(),
            quantity: metric.quantity,
            level: has_ratios.then_some(1.0),
        };
        let note = format!(
            "Bars are medians over blocks, whiskers their quartiles.{}{}",
            if has_ratios { " The line at 1 is the bare program in the same run." } else { "" },
            if swept.is_empty() { "" } else { " Of each curve below, the last workload is shown." },
        );
        let charts = bars::charts(&meaning, &groups, styles);
        Some(Part { heading: metric.title.clone(), note, charts })
    }
}

/// The peers of a workload with some data, if one chart can show them all.
fn peers<'a, T>(
    workload: &Workload<'a>,
    data: impl Fn(&'a Measured) -> Option<&'a T>,
) -> Option<Vec<(&'a str, &'a T)>> {
    let rows = workload.rows.iter();
    let peers: Vec<_> = rows.filter_map(|row| Some((row.peer.as_str(), data(row)?))).collect();
    (1..=MAX_CURVES).contains(&peers.len()).then_some(peers)
}

/// The rows for charts: rows of a single peer with operations `WORKLOAD/PART` or
/// `WORKLOAD/SIDE/PART` show the parts of a workload, which charts show side by side like peers.
fn charted(rows: &[&Measured]) -> Vec<Measured> {
    let single = rows.windows(2).all(|pair| matches!(pair, [a, b] if a.peer == b.peer));
    let part = |row: &&Measured| {
        let mut row = (*row).clone();
        if single && !row.operation.contains('=') {
            let cut = match row.operation.match_indices('/').nth(1) {
                Some((cut, _)) => Some(cut),
                None => row.operation.find('/'),
            };
            if let Some((workload, part)) = cut.and_then(|cut| row.operation.split_at_checked(cut))
            {
                row.peer = part.trim_start_matches('/').to_owned();
                row.operation = workload.to_owned();
            }
        }
        row
    };
    rows.iter().map(part).collect()
}

/// Other experiments of the page: names, titles, and descriptions in HTML.
const OTHERS: [(&str, &str, &str); 2] = [
    (
        "rt",
        "Real-time experiments",
        "Calls of high priority without load and beside calls of low priority, in configurations \
         that keep them apart and in control configurations that are known not to. The table shows \
         which properties hold, and whether the controls were detected.",
    ),
    (
        "demo",
        "Demo",
        "Calls of <code>zorb demo</code>, client and server on one processor, beside a bare exchange \
         of the same number of octets.",
    ),
];

/// Names, titles and descriptions in the order of the page.
fn known() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    EXPERIMENTS.iter().map(|one| (one.name, one.title, one.text)).chain(OTHERS)
}

/// The first transports of an experiment: those that most programs use.
const TRANSPORTS: [&str; 2] = ["iiop", "uiop"];
