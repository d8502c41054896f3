//! The same graph in several ways, one run after the other.

use std::fmt::Write as _;

use dba_algorithm::{Graph, Segment};

use crate::arguments::{Calls, Options, Over, Sync, Threads};
use crate::dba::Report;
use crate::report::per;
use crate::run::reports;
use crate::{Failure, output};

/// The ways, of which the first is the measure for the others: sockets, and each message encoded once.
const WAYS: [(&str, Way); 8] = [
    ("raw --memo", Way { over: Over::Raw, memo: true, ..FULL }),
    ("nano", Way { over: Over::Nano, ..FULL }),
    ("nano --memo", Way { over: Over::Nano, memo: true, ..FULL }),
    ("full", FULL),
    ("full --memo", Way { memo: true, ..FULL }),
    ("full --memo --sync none", Way { memo: true, sync: Sync::None, ..FULL }),
    ("full --memo --calls pending", Way { memo: true, calls: Calls::Pending, ..FULL }),
    (
        "full --memo --threads per-connection",
        Way { memo: true, threads: Threads::PerConnection, ..FULL },
    ),
];

/// The options in which ways differ.
#[derive(Clone, Copy)]
struct Way {
    over: Over,
    memo: bool,
    sync: Sync,
    calls: Calls,
    threads: Threads,
}

/// Those of a program that gives none.
const FULL: Way = Way {
    over: Over::Full,
    memo: false,
    sync: Sync::Transport,
    calls: Calls::OneWay,
    threads: Threads::One,
};

/// What is compared.
struct Row {
    way: &'static str,
    /// The middle one of the nodes' median cycle times, and of their 99th percentiles, in nanoseconds.
    median: u64,
    p99: u64,
    /// The number of encodings per node and cycle.
    encodings: f64,
    /// The share of marshalling in the cycles.
    marshalling: f64,
}

impl Row {
    fn new(way: &'static str, reports: &[Report]) -> Self {
        let sum = |of: &dyn Fn(&Report) -> u64| reports.iter().map(of).sum::<u64>();
        let marshalling = sum(&|report| {
            let of = |segment: Segment| report.segments.get(segment as usize).copied();
            of(Segment::MarshalValue).unwrap_or(0) + of(Segment::MarshalImprovement).unwrap_or(0)
        });
        Self {
            way,
            median: middle(reports.iter().map(|report| report.median)),
            p99: middle(reports.iter().map(|report| report.p99)),
            encodings: per(sum(&|report| report.marshals), sum(&|report| report.cycles.into())),
            marshalling: per(marshalling, sum(&|report| report.time)),
        }
    }
}

fn middle(numbers: impl Iterator<Item = u64>) -> u64 {
    let mut sorted: Vec<u64> = numbers.collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Runs a graph in all ways, and prints a table or JSON.
pub(crate) fn run(graph: &Graph, options: &Options) -> Result<(), Failure> {
    let mut rows: Vec<Row> = Vec::new();
    for (way, Way { over, memo, sync, calls, threads }) in WAYS {
        let options = Options { over, memo, sync, calls, threads, ..options.clone() };
        let reports = reports(graph, &options).map_err(|failure| format!("{way}: {failure}"))?;
        rows.push(Row::new(way, &reports));
    }
    let first = rows.first().map_or(0, |row| row.median);
    if options.json {
        let rows = rows.iter().map(|row| json(row, first)).collect::<Vec<_>>().join(",");
        return output::print(format_args!("[{rows}]\n"));
    }
    let mut table =
        format!("{:<37} median us     p99 us  of first  encodings  marshalling\n", "way");
    for row in &rows {
        let [median, p99] = [row.median, row.p99].map(|time| time as f64 / 1e3);
        let (way, encodings, share) = (row.way, row.encodings, 100.0 * row.marshalling);
        let of_first = per(row.median, first);
        let _ = writeln!(
            table,
            "{way:<37} {median:>9.1}  {p99:>9.1}  {of_first:>8.2}  {encodings:>9.2}  {share:>10.1}%"
        );
    }
    output::print(format_args!("{table}"))
}

fn json(row: &Row, first: u64) -> String {
    let Row { way, median, p99, encodings, marshalling } = row;
    let of_first = per(*median, first);
    format!(
        "{{\"way\":\"{way}\",\"median_ns\":{median},\"p99_ns\":{p99},\"of_first\":{of_first:.3},\
         \"encodings\":{encodings:.3},\"marshalling\":{marshalling:.4}}}"
    )
}
