//! Rows as a text table.

use std::fmt::Write as _;

use super::row::{Detail, Row};

/// A table with a heading; one each for calls and floods.
pub(super) fn table(rows: &[Row], details: &[Detail]) -> String {
    let rows: Vec<(&Row, &Detail)> = std::iter::zip(rows, details).collect();
    let (calls, floods): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|(row, _)| row.p50_us.is_some());
    if floods.is_empty() {
        return part(&calls, CALL_HEADING, call);
    }
    let floods = part(&floods, FLOOD_HEADING, flood);
    if calls.is_empty() { floods } else { part(&calls, CALL_HEADING, call) + "\n" + &floods }
}

fn part(rows: &[(&Row, &Detail)], heading: &str, cells: fn(&Row, &Detail) -> String) -> String {
    let width = |of: fn(&Row) -> usize, least: usize| {
        rows.iter().map(|(row, _)| of(row)).max().unwrap_or_default().max(least)
    };
    let operation = width(|row| row.operation.len(), "operation".len());
    // With several transports, the name of a peer includes its transport.
    let first = rows.first().map(|(row, _)| row.transport.as_str());
    let several = rows.iter().any(|(row, _)| Some(row.transport.as_str()) != first);
    let transport = if several { width(|row| row.transport.len() + 1, 0) } else { 0 };
    let peer = transport + width(|row| row.peer.len(), "peer".len());
    let mut text = format!("{:operation$} {:>8} {:peer$} ", "operation", "payload", "peer");
    text += heading;
    text.push('\n');
    for (row, detail) in rows {
        let name = match several {
            true => format!("{:transport$}{}", row.transport, row.peer),
            false => row.peer.clone(),
        };
        let _ = write!(text, "{:operation$} {:>8} {name:peer$} ", row.operation, row.payload);
        text += &cells(row, detail);
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

const CALL_HEADING: &str =
    "  p50 us  quartiles          p99 us   p99.9 us   calls/s     MB/s  ratio  quartiles";

fn call(row: &Row, detail: &Detail) -> String {
    let quartiles = range(detail.p50_q1_us, detail.p50_q3_us, 2);
    format!(
        "{:>8}  {quartiles:15} {:>9}  {:>9} {:>9.0} {:>8.1} {}",
        number(row.p50_us, 2),
        number(row.p99_us, 2),
        number(row.p999_us, 2),
        row.calls_per_s,
        row.mb_per_s,
        ratio(row, detail),
    )
}

const FLOOD_HEADING: &str =
    "   calls/s      MB/s  client ns/octet  server ns/octet  ratio  quartiles";

fn flood(row: &Row, detail: &Detail) -> String {
    format!(
        "{:>10.0} {:>9.1} {:>16} {:>16} {}",
        row.calls_per_s,
        row.mb_per_s,
        number(detail.client_cpu_ns_per_octet, 3),
        number(detail.server_cpu_ns_per_octet, 3),
        ratio(row, detail),
    )
}

fn ratio(row: &Row, detail: &Detail) -> String {
    if row.peer == "raw" {
        return String::new();
    }
    format!("{:>6}  {}", number(row.ratio_to_raw, 2), range(detail.ratio_q1, detail.ratio_q3, 2))
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

fn range(low: Option<f64>, high: Option<f64>, digits: usize) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("{low:.digits$}..{high:.digits$}"),
        _ => String::new(),
    }
}
