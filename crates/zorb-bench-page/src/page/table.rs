//! Tables of the numbers behind the charts.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::chart::Styles;
use super::text::in_table;
use crate::results::{Cell as Value, Measured};

/// Known values in their order: names, headings, decimals.
const KNOWN: [(&str, &str, usize); 21] = [
    ("p50_us", "p50, µs", 2),
    ("p50_q1_us", "p50, lower quartile", 2),
    ("p50_q3_us", "p50, upper quartile", 2),
    ("mean_us", "mean, µs", 2),
    ("p99_us", "p99, µs", 2),
    ("p999_us", "p99.9, µs", 2),
    ("max_us", "max, µs", 1),
    ("calls_per_s", "calls/s", 0),
    ("mb_per_s", "MB/s", 1),
    ("ratio_to_raw", "ratio to bare", 3),
    ("ratio_q1", "ratio, lower quartile", 3),
    ("ratio_q3", "ratio, upper quartile", 3),
    ("client_cpu_ns_per_call", "client CPU, ns a call", 0),
    ("server_cpu_ns_per_call", "server CPU, ns a call", 0),
    ("client_cpu_ns_per_octet", "client CPU, ns an octet", 3),
    ("server_cpu_ns_per_octet", "server CPU, ns an octet", 3),
    ("calls", "calls", 0),
    ("rounds", "rounds", 0),
    ("raw_p50_us", "bare p50, µs", 2),
    ("p50_ns", "p50, ns", 1),
    ("mean_ns", "mean, ns", 1),
];

/// A table as the template shows it.
#[derive(Template)]
#[template(path = "table.html")]
pub(super) struct Table {
    pub(super) caption: String,
    /// Whether the first cell of each row is its heading.
    pub(super) row_headings: bool,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Line>,
}

/// A column of a table.
pub(super) struct Column {
    heading: String,
    number: bool,
}

/// A row of a table.
pub(super) struct Line {
    /// Whether it is the first of its group.
    pub(super) first: bool,
    pub(super) cells: Vec<Cell>,
}

/// A cell of a table.
pub(super) struct Cell {
    text: String,
    class: String,
}

impl Column {
    pub(super) fn text(heading: &str) -> Self {
        Self { heading: heading.to_owned(), number: false }
    }

    pub(super) fn number(heading: &str) -> Self {
        Self { heading: heading.to_owned(), number: true }
    }
}

impl Cell {
    pub(super) fn text(text: &str) -> Self {
        Self { text: text.to_owned(), class: String::new() }
    }

    pub(super) fn number(text: String) -> Self {
        Self { text, class: "n".to_owned() }
    }
}

/// The rows of an experiment.
pub(super) fn rows(caption: String, rows: &[&Measured], styles: &Styles) -> Table {
    let fields = fields(rows.iter().map(|row| &row.cells));
    let with_payload = rows.iter().any(|row| row.payload > 0);
    let mut columns = vec![Column::text("operation")];
    columns.extend(with_payload.then(|| Column::number("payload, octets")));
    columns.push(Column::text("peer"));
    columns.extend(fields.iter().map(Field::column));
    let mut before = None;
    let line = |row: &&Measured| {
        let work = (row.operation.clone(), row.payload);
        let first = before.as_ref() != Some(&work);
        before = Some(work);
        let mut cells = vec![Cell::text(&row.operation)];
        cells.extend(with_payload.then(|| Cell::number(in_table(row.payload as f64, 0))));
        let class = format!("peer {}", styles.style(&row.peer).class());
        cells.push(Cell { text: row.peer.clone(), class });
        cells.extend(fields.iter().map(|field| field.cell(&row.cells)));
        Line { first, cells }
    };
    let rows = rows.iter().map(line).collect();
    Table { caption, row_headings: true, columns, rows }
}

/// A table that a result file contains in addition to its rows.
pub(super) fn other(caption: String, rows: &[BTreeMap<String, Value>]) -> Table {
    let fields = fields(rows.iter());
    let cells = |row| fields.iter().map(|field| field.cell(row)).collect();
    Table {
        caption,
        row_headings: false,
        columns: fields.iter().map(Field::column).collect(),
        rows: rows.iter().map(|row| Line { first: false, cells: cells(row) }).collect(),
    }
}

/// A value of the rows: its name, heading and decimals, and whether it is always a number.
struct Field<'a> {
    name: &'a str,
    heading: &'a str,
    decimals: Option<usize>,
    numbers: bool,
}

/// The values to show: words first, then known numbers, then others.
fn fields<'a>(rows: impl Iterator<Item = &'a BTreeMap<String, Value>>) -> Vec<Field<'a>> {
    let mut numbers = BTreeSet::new();
    let mut words = BTreeSet::new();
    let mut largest: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, cell) in rows.flatten() {
        if let Value::Number(number) = cell {
            let largest = largest.entry(name).or_default();
            *largest = largest.max(number.abs());
        }
        match cell {
            // A known number that is 0 everywhere was not asked for.
            Value::Number(number) if *number == 0.0 && name == "mb_per_s" => {}
            Value::Number(_) => _ = numbers.insert(name.as_str()),
            Value::Word(_) => _ = words.insert(name.as_str()),
        }
    }
    let known = KNOWN.iter().filter(|(name, ..)| numbers.contains(name) && !words.contains(name));
    let mut fields: Vec<Field<'a>> = words.iter().map(|name| field(name, false)).collect();
    fields.extend(known.map(|(name, heading, decimals)| Field {
        name,
        heading,
        // Short times have more of them.
        decimals: Some(match largest.get(name) {
            Some(largest) if *largest < 10.0 && name.ends_with("_us") => *decimals + 2,
            _ => *decimals,
        }),
        numbers: true,
    }));
    let is_known = |name: &str| KNOWN.iter().any(|(known, ..)| *known == name);
    let others = numbers.iter().filter(|name| !words.contains(*name) && !is_known(name));
    fields.extend(others.map(|name| field(name, true)));
    fields
}

fn field(name: &str, numbers: bool) -> Field<'_> {
    Field { name, heading: name, decimals: None, numbers }
}

impl Field<'_> {
    fn column(&self) -> Column {
        Column { heading: self.heading.to_owned(), number: self.numbers }
    }

    fn cell(&self, row: &BTreeMap<String, Value>) -> Cell {
        let text = match row.get(self.name) {
            Some(Value::Number(number)) => {
                let decimals = self.decimals.unwrap_or(if number.fract() == 0.0 { 0 } else { 3 });
                in_table(*number, decimals)
            }
            Some(Value::Word(word)) => word.clone(),
            None => "\u{2013}".to_owned(),
        };
        Cell { text, class: if self.numbers { "n".to_owned() } else { String::new() } }
    }
}
