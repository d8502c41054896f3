//! The machines of the results, and the table of runs.

use std::collections::BTreeSet;

use super::table::{Cell, Column, Line, Table};
use super::text::in_table;
use crate::results::{Measured, Run};

/// What identifies a machine, with its label.
const MACHINE: [(&str, &str); 8] = [
    ("cpu", "Processor"),
    ("cores", "Cores"),
    ("kernel", "Kernel"),
    ("governor", "Clock governor"),
    ("zorb", "Zorb"),
    ("commit", "Commit"),
    ("rustc", "Compiler"),
    ("peers", "Other peers"),
];
/// What differs from run to run.
const STATE: [(&str, &str); 5] = [
    ("date", "date"),
    ("pin", "pinning"),
    ("fifo", "priority"),
    ("load", "load before"),
    ("load_after", "load after"),
];
const NONE: &str = "\u{2013}";

/// The names and values of a machine.
type Facts<'a> = Vec<(&'static str, &'a str)>;

/// Number of experiments and runs, and their dates.
pub(super) fn summary(runs: &[Run]) -> String {
    let experiments: BTreeSet<&str> =
        runs.iter().flat_map(|run| &run.rows).map(|row| row.experiment.as_str()).collect();
    let dates = runs.iter().filter_map(|run| run.machine.get("date")?.get(..10));
    let days: BTreeSet<&str> = dates.collect();
    let days = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first == last => format!(", {first}"),
        (Some(first), Some(last)) => format!(", {first} to {last}"),
        _ => String::new(),
    };
    let counted =
        |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    format!("{} of {}{days}", counted(experiments.len(), "experiment"), counted(runs.len(), "run"))
}

/// All different machines.
pub(super) fn distinct(runs: &[Run]) -> Vec<Facts<'_>> {
    let mut machines = Vec::new();
    for run in runs.iter().filter(|run| !run.machine.is_empty()) {
        let machine = facts(run);
        if !machines.contains(&machine) {
            machines.push(machine);
        }
    }
    machines
}

fn facts(run: &Run) -> Facts<'_> {
    let facts = MACHINE.iter();
    facts.filter_map(|(name, label)| Some((*label, run.machine.get(*name)?.as_str()))).collect()
}

/// The table of runs.
pub(super) fn runs(runs: &[Run], machines: &[Facts<'_>]) -> Table {
    let known = |name: &str| runs.iter().any(|run| run.machine.contains_key(name));
    let state: Vec<_> = STATE.iter().filter(|(name, _)| known(name)).collect();
    let several = machines.len() > 1;
    let mut columns = vec![Column::text("file")];
    columns.extend(several.then(|| Column::text("machine")));
    columns.extend([Column::text("experiments"), Column::text("peers"), Column::number("calls")]);
    columns.extend(state.iter().map(|(_, label)| Column::text(label)));
    let row = |run: &Run| {
        let own = facts(run);
        let number = machines.iter().position(|machine| *machine == own);
        let number = number.map_or_else(|| NONE.to_owned(), |index| (index + 1).to_string());
        let calls: f64 = run.rows.iter().filter_map(|row| row.number("calls")).sum();
        let calls = if calls > 0.0 { in_table(calls, 0) } else { NONE.to_owned() };
        let mut cells = vec![Cell::text(&run.name)];
        cells.extend(several.then(|| Cell::text(&number)));
        cells.push(Cell::text(&names(run, |row| &row.experiment)));
        cells.push(Cell::text(&names(run, |row| &row.peer)));
        cells.push(Cell::number(calls));
        cells.extend(state.iter().map(|(name, _)| match run.machine.get(*name) {
            Some(load) if *name == "load" && run.was_busy() => Cell::text(&format!("{load}, busy")),
            other => Cell::text(other.map_or(NONE, String::as_str)),
        }));
        Line { first: true, cells }
    };
    let rows = runs.iter().map(row).collect();
    Table { caption: "Runs".to_owned(), row_headings: true, columns, rows }
}

/// The different names of a run's rows, in their order.
fn names(run: &Run, of: fn(&Measured) -> &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in run.rows.iter().map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}
