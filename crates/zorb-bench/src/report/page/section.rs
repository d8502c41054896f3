//! One experiment of one run: what it is, its charts, its numbers.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::super::results::{Measured, Run};
use super::bars::{self, Bar, Group, Meaning};
use super::course;
use super::distribution;
use super::figure::Figure;
use super::looks::Looks;
use super::metric::Metric;
use super::sweep;
use super::table;
use super::text::Escaped;
use super::work::{Sweep, Work, sweeps, works};

/// Distributions that are drawn of one experiment; the numbers of all are in the table.
const MOST_DISTRIBUTIONS: usize = 12;
/// Curves that can be told apart in one of them.
const MOST_CURVES: usize = 8;
/// Figures of curves, and groups of bars, likewise.
const MOST_SWEEPS: usize = 16;
const MOST_GROUPS: usize = 60;
/// Longer tables are folded where there are charts of them.
const OPEN_ROWS: usize = 12;

/// The rows of an experiment over a transport, out of one file.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) run: &'a Run,
    pub(super) experiment: &'a str,
    pub(super) transport: &'a str,
    pub(super) rows: Vec<&'a Measured>,
    /// The rows as the charts show them.
    pub(super) charted: Vec<Measured>,
}

impl<'a> Section<'a> {
    /// All of a run, in the order of their first rows.
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

    /// Known experiments in the order in which people read them, others behind; of each, the known
    /// transports first, and of each of these what was measured in most ways.
    pub(super) fn place(&self) -> impl Ord + use<> {
        let among = |known: &[&str], name| {
            known.iter().position(|known| *known == name).unwrap_or(known.len())
        };
        let experiment = among(&ORDER, self.experiment);
        (experiment, among(&TRANSPORTS, self.transport), Reverse(self.rows.len()))
    }

    /// What it is called: in words, when it is known.
    pub(super) fn title(&self) -> &'a str {
        about(self.experiment).map_or(self.experiment, |(title, _)| title)
    }

    /// The element.
    pub(super) fn html(&self, id: &str, looks: &Looks) -> String {
        let mut html = format!(
            "<section id=\"{id}\">\n<h2>{}</h2>\n<p class=\"meta\">{}</p>\n",
            Escaped(self.title()),
            self.origin(),
        );
        if let Some((_, text)) = about(self.experiment) {
            let _ = writeln!(html, "<p>{text}</p>");
        }
        let mut number = 0;
        for (heading, note, figures) in self.charts(looks) {
            if figures.is_empty() {
                continue;
            }
            let _ = writeln!(
                html,
                "<h3>{}</h3>\n<p class=\"note\">{}</p>\n<div class=\"charts\">",
                Escaped(&heading),
                Escaped(&note)
            );
            for figure in figures {
                number += 1;
                html += &figure.html(&format!("{id}-{number}"), looks);
            }
            html += "</div>\n";
        }
        let count = self.rows.len();
        let caption = format!("All numbers of {}, {count} rows", self.title());
        let table = table::boxed(&caption, &table::rows(&self.rows, looks));
        let open = if number == 0 || count <= OPEN_ROWS { " open" } else { "" };
        let _ = write!(
            html,
            "<details{open}><summary>Numbers ({count} rows)</summary>\n{table}</details>\n</section>\n"
        );
        html
    }

    /// Experiment, transport, rounds and file.
    fn origin(&self) -> String {
        let mut parts = vec![format!("experiment <code>{}</code>", Escaped(self.experiment))];
        if !self.transport.is_empty() {
            parts.push(format!("transport <code>{}</code>", Escaped(self.transport)));
        }
        let rounds = self.rows.iter().find_map(|row| row.number("rounds"));
        parts.extend(rounds.map(|rounds| match rounds {
            1.0 => "1 round".to_owned(),
            rounds => format!("{rounds} rounds"),
        }));
        parts.push(format!("from <code>{}</code>", Escaped(&self.run.name)));
        parts.join(" \u{b7} ")
    }

    /// Charts under their headings.
    fn charts(&self, looks: &Looks) -> Vec<(String, String, Vec<Figure>)> {
        let rows: Vec<&Measured> = self.charted.iter().collect();
        let works = works(&rows);
        let (mut swept, alone) = sweeps(&works);
        swept.truncate(MOST_SWEEPS);
        let metric = Metric::of(self.experiment, &rows);
        let mut charts = Vec::new();
        charts.extend(self.bars(&swept, &alone, metric.as_ref(), looks));
        if let Some(metric) = &metric {
            charts.extend(sweep::figures(&swept, metric, looks));
        }
        // The ends of curves stand for what lies between.
        let ends = swept.iter().flat_map(|sweep| {
            let last = sweep.steps.last().filter(|_| sweep.steps.len() > 1);
            sweep.steps.first().into_iter().chain(last).map(|(_, work)| work)
        });
        let timed = alone.iter().chain(ends).filter_map(|work| {
            let rows = work.rows.iter().copied();
            let peers: Vec<_> =
                rows.filter_map(|row| Some((row.peer.as_str(), row.histogram.as_ref()?))).collect();
            (1..=MOST_CURVES)
                .contains(&peers.len())
                .then(|| distribution::figure(&work.name(), &peers, looks))
        });
        charts.push((
            "Distribution of all calls".to_owned(),
            "Share of calls over time, both axes logarithmic: each further nine is as wide as the \
             one before. Further left is faster. Marks at 50, 99 and 99.9 %."
                .to_owned(),
            timed.take(MOST_DISTRIBUTIONS).collect(),
        ));
        let courses = works.iter().filter_map(|work| {
            let rows = work.rows.iter();
            let peers: Vec<_> =
                rows.filter_map(|row| Some((row.peer.as_str(), row.course.as_ref()?))).collect();
            (1..=MOST_CURVES)
                .contains(&peers.len())
                .then(|| course::figure(&work.name(), &peers, looks))
        });
        charts.push((
            "Jitter".to_owned(),
            "Calls in their order: of each so many the longest, and below it the median. Lower is \
             better."
                .to_owned(),
            courses.take(MOST_DISTRIBUTIONS).collect(),
        ));
        charts
    }

    /// Bars of what has no curve, and of the last work of each curve: ratios, where there are any.
    fn bars(
        &self,
        swept: &[Sweep<'_>],
        alone: &[Work<'_>],
        metric: Option<&Metric>,
        looks: &Looks,
    ) -> Option<(String, String, Vec<Figure>)> {
        let ratio = Metric::ratio(metric.is_some_and(|metric| metric.more_is_better));
        let compared = |row: &Measured| row.peer != "raw" && ratio.value(row).is_some();
        let has_ratios = self.rows.iter().any(|row| compared(row));
        let metric = if has_ratios { &ratio } else { metric? };
        let last = swept.iter().filter_map(|sweep| sweep.steps.last().map(|(_, work)| work));
        let mut groups: Vec<Group<'_>> = Vec::new();
        for work in alone.iter().chain(last).take(MOST_GROUPS) {
            let rows = work.rows.iter().filter(|row| !has_ratios || compared(row));
            let bars = rows.filter_map(|row| {
                let value = metric.value(row)?;
                Some(Bar { peer: &row.peer, value, quartiles: metric.quartiles(row) })
            });
            let group = Group { name: work.name(), bars: bars.collect() };
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
            if has_ratios { " The line at 1 is the bare program of the same run." } else { "" },
            if swept.is_empty() { "" } else { " Of each series below, its last step." },
        );
        Some((metric.title.clone(), note, bars::figures(&meaning, &groups, looks)))
    }
}

/// Rows of one peer alone whose operations are `WORK/PART` or `WORK/SIDE/PART` show what a work is
/// made of: in charts, the parts stand side by side as peers do.
fn charted(rows: &[&Measured]) -> Vec<Measured> {
    let alone = rows.windows(2).all(|pair| matches!(pair, [a, b] if a.peer == b.peer));
    let part = |row: &&Measured| {
        let mut row = (*row).clone();
        if alone && !row.operation.contains('=') {
            let cut = match row.operation.match_indices('/').nth(1) {
                Some((cut, _)) => Some(cut),
                None => row.operation.find('/'),
            };
            if let Some((work, part)) = cut.and_then(|cut| row.operation.split_at_checked(cut)) {
                row.peer = part.trim_start_matches('/').to_owned();
                row.operation = work.to_owned();
            }
        }
        row
    };
    rows.iter().map(part).collect()
}

/// What the page begins with.
const ORDER: [&str; 13] = [
    "latency",
    "cubit",
    "ttcp",
    "threads",
    "first-call",
    "connections",
    "collocated",
    "dynamic",
    "demux",
    "copies",
    "probes",
    "rt",
    "demo",
];

/// Of one experiment, what is shown first: what most people call by.
const TRANSPORTS: [&str; 2] = ["iiop", "uiop"];

/// Titles and explanations of known experiments.
fn about(experiment: &str) -> Option<(&'static str, &'static str)> {
    let about = match experiment {
        "demo" => (
            "Demo",
            "Calls of <code>zorb demo</code>, client and server on one processor, beside a bare \
             exchange of as many octets.",
        ),
        "latency" => (
            "Two-way calls",
            "One client thread calls and waits for the reply, which is checked. Times are medians \
             of a call.",
        ),
        "cubit" => (
            "Cubes of numbers",
            "Two-way calls that return the cubes of their arguments, after the IDL_Cubit \
             benchmark.",
        ),
        "ttcp" => (
            "One-way floods",
            "One-way calls as fast as they go, after the TTCP benchmark; the server counts what \
             arrived.",
        ),
        "threads" => (
            "Threads",
            "Threads that call at the same time, each with a connection of its own or all over a \
             shared one.",
        ),
        "first-call" => (
            "First calls",
            "The first call of a reference that has a connection of its own: as it comes, and bound \
             before; beside a later call.",
        ),
        "connections" => (
            "Idle connections",
            "One busy client, while more and more idle connections are open to its server.",
        ),
        "dynamic" => (
            "Types known at run time",
            "Calls through the dynamic invocation interface, anys made octets and read again, and \
             values put together and taken apart leaf by leaf in a DynAny.",
        ),
        "demux" => (
            "Finding objects and operations",
            "Look-ups among more and more objects and operations, in several ways.",
        ),
        "copies" => (
            "Copies of arguments",
            "Octets passed over shared memory: without shared buffers, copied into one, and from one \
             that the client has drawn. How often they were copied stands in the row's name.",
        ),
        "probes" => (
            "Steps of a call",
            "What each layer of client and server takes of a call, from time probes in all of \
             them.",
        ),
        "rt" => (
            "Real-time experiments",
            "Calls of high priority without load and beside calls of low priority, in set-ups that \
             are to keep them apart and in set-ups that are known not to; each series is one. Which \
             experiments hold, and whether their controls were detected, is in the table.",
        ),
        "collocated" => ("Calls within a process", "Client and object are in the same process."),
        _ => return None,
    };
    Some(about)
}
