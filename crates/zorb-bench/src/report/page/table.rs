//! Tables: the numbers behind the charts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::super::results::{Cell, Measured};
use super::looks::Looks;
use super::text::{Escaped, in_table};

/// Columns that are known, in their order: names, headings, decimals.
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

/// The rows of an experiment.
pub(super) fn rows(rows: &[&Measured], looks: &Looks) -> String {
    let columns = columns(rows.iter().map(|row| &row.cells));
    let mut html = String::from("<thead><tr><th scope=\"col\">operation</th>");
    let with_payload = rows.iter().any(|row| row.payload > 0);
    if with_payload {
        html += "<th scope=\"col\" class=\"n\">payload, octets</th>";
    }
    html += "<th scope=\"col\">peer</th>";
    headings(&mut html, &columns);
    html += "</tr></thead>\n<tbody>\n";
    let mut before = None;
    for row in rows {
        let work = (row.operation.as_str(), row.payload);
        let first = before.replace(work) != Some(work);
        let class = if first { " class=\"first\"" } else { "" };
        let _ = write!(html, "<tr{class}><th scope=\"row\">{}</th>", Escaped(&row.operation));
        if with_payload {
            let _ = write!(html, "<td class=\"n\">{}</td>", in_table(row.payload as f64, 0));
        }
        let _ = write!(
            html,
            "<td class=\"peer {}\">{}</td>",
            looks.look(&row.peer).class(),
            Escaped(&row.peer)
        );
        cells(&mut html, &columns, &row.cells);
        html += "</tr>\n";
    }
    html + "</tbody>"
}

/// A table that an experiment brought along.
pub(super) fn other(rows: &[BTreeMap<String, Cell>]) -> String {
    let columns = columns(rows.iter());
    let mut html = String::from("<thead><tr>");
    headings(&mut html, &columns);
    html += "</tr></thead>\n<tbody>\n";
    for row in rows {
        html += "<tr>";
        cells(&mut html, &columns, row);
        html += "</tr>\n";
    }
    html + "</tbody>"
}

/// In a box that scrolls by itself, so that the page does not.
pub(super) fn boxed(caption: &str, table: &str) -> String {
    format!(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\
         <caption>{0}</caption>{table}</table></div>\n",
        Escaped(caption),
    )
}

/// A column: its name, its heading, its decimals, and whether it has numbers alone.
struct Column<'a> {
    name: &'a str,
    heading: &'a str,
    decimals: Option<usize>,
    numbers: bool,
}

/// The columns that say anything: words first, then the known numbers, then others.
fn columns<'a>(rows: impl Iterator<Item = &'a BTreeMap<String, Cell>>) -> Vec<Column<'a>> {
    let mut numbers = BTreeSet::new();
    let mut words = BTreeSet::new();
    let mut largest: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, cell) in rows.flatten() {
        if let Cell::Number(number) = cell {
            let largest = largest.entry(name).or_default();
            *largest = largest.max(number.abs());
        }
        match cell {
            // A known number that is 0 everywhere was not asked for.
            Cell::Number(number) if *number == 0.0 && name == "mb_per_s" => {}
            Cell::Number(_) => _ = numbers.insert(name.as_str()),
            Cell::Word(_) => _ = words.insert(name.as_str()),
        }
    }
    let known = KNOWN.iter().filter(|(name, ..)| numbers.contains(name) && !words.contains(name));
    let mut columns: Vec<Column<'a>> = words.iter().map(|name| column(name, false)).collect();
    columns.extend(known.map(|(name, heading, decimals)| Column {
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
    columns.extend(others.map(|name| column(name, true)));
    columns
}

fn column(name: &str, numbers: bool) -> Column<'_> {
    Column { name, heading: name, decimals: None, numbers }
}

fn headings(html: &mut String, columns: &[Column<'_>]) {
    for column in columns {
        let class = if column.numbers { " class=\"n\"" } else { "" };
        let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", Escaped(column.heading));
    }
}

fn cells(html: &mut String, columns: &[Column<'_>], row: &BTreeMap<String, Cell>) {
    for column in columns {
        let class = if column.numbers { " class=\"n\"" } else { "" };
        let _ = write!(html, "<td{class}>");
        match row.get(column.name) {
            Some(Cell::Number(number)) => {
                let decimals = column.decimals.unwrap_or(if number.fract() == 0.0 { 0 } else { 3 });
                *html += &in_table(*number, decimals);
            }
            Some(Cell::Word(word)) => _ = write!(html, "{}", Escaped(word)),
            None => *html += "\u{2013}",
        }
        *html += "</td>";
    }
}
