//! Rows as a text table.

use super::row::{Detail, Row};
use super::text_table::TextTable;

/// Columns of calls that were timed individually, after operation, payload and peer.
const CALL: [&str; 8] =
    ["p50 us", "quartiles", "p99 us", "p99.9 us", "calls/s", "MB/s", "ratio", "quartiles"];
/// Columns of floods.
const FLOOD: [&str; 6] =
    ["calls/s", "MB/s", "client ns/octet", "server ns/octet", "ratio", "quartiles"];

/// A table each for calls and floods.
pub(super) fn table(rows: &[Row], details: &[Detail]) -> String {
    // With several transports, the name of a peer includes its transport.
    let several = rows.windows(2).any(|two| matches!(two, [a, b] if a.transport != b.transport));
    let part = |columns: &[&str], timed: bool| {
        let mut table =
            TextTable::new(["operation", "payload", "peer"].iter().chain(columns).copied());
        let of_kind = |(row, _): &(&Row, &Detail)| row.p50_us.is_some() == timed;
        for (row, detail) in std::iter::zip(rows, details).filter(of_kind) {
            let peer = match several {
                true => format!("{} {}", row.transport, row.peer),
                false => row.peer.clone(),
            };
            let numbers = if timed { call(row, detail) } else { flood(row, detail) };
            let ratio = match row.peer.as_str() {
                "raw" => [String::new(), String::new()],
                _ => [number(row.ratio_to_raw, 2), range(detail.ratio_q1, detail.ratio_q3)],
            };
            let cells = [row.operation.clone(), row.payload.to_string(), peer];
            table.row(cells.into_iter().chain(numbers).chain(ratio));
        }
        table.to_string()
    };
    let kinds = [(true, &CALL[..]), (false, &FLOOD[..])].into_iter();
    let kinds = kinds.filter(|(timed, _)| rows.iter().any(|row| row.p50_us.is_some() == *timed));
    kinds.map(|(timed, columns)| part(columns, timed)).collect::<Vec<_>>().join("\n")
}

fn call(row: &Row, detail: &Detail) -> Vec<String> {
    vec![
        number(row.p50_us, 2),
        range(detail.p50_q1_us, detail.p50_q3_us),
        number(row.p99_us, 2),
        number(row.p999_us, 2),
        number(Some(row.calls_per_s), 0),
        number(Some(row.mb_per_s), 1),
    ]
}

fn flood(row: &Row, detail: &Detail) -> Vec<String> {
    vec![
        number(Some(row.calls_per_s), 0),
        number(Some(row.mb_per_s), 1),
        number(detail.client_cpu_ns_per_octet, 3),
        number(detail.server_cpu_ns_per_octet, 3),
    ]
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

fn range(low: Option<f64>, high: Option<f64>) -> String {
    low.zip(high).map_or_else(String::new, |(low, high)| format!("{low:.2}..{high:.2}"))
}
