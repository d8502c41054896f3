//! The results of the demo.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::screen::{HEADING, paint};

/// All rows.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) rows: Vec<Row>,
    /// The duration of the whole demo.
    #[serde(skip)]
    pub(super) elapsed: Duration,
}

/// The result of one operation.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) operation: &'static str,
    pub(super) transport: &'static str,
    /// Calls per second of one caller.
    pub(super) calls_per_s: f64,
    /// The median in microseconds.
    pub(super) p50_us: f64,
    /// The 99th percentile in microseconds.
    pub(super) p99_us: f64,
    /// The median of the ratios of a block's median to that of the adjacent bare block.
    pub(super) ratio_to_raw: f64,
    /// The median of the bare round trips in microseconds.
    #[serde(skip)]
    pub(super) raw_p50_us: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = format!(
            "{:10} {:9} {:>10} {:>9} {:>9} {:>11} {:>6}",
            "operation", "transport", "calls/s", "p50 us", "p99 us", "raw p50 us", "ratio"
        );
        writeln!(f, "{}", paint(HEADING, &heading))?;
        for row in &self.rows {
            let Row { operation, transport, calls_per_s, p50_us, p99_us, .. } = row;
            let Row { ratio_to_raw, raw_p50_us, .. } = row;
            writeln!(
                f,
                "{operation:10} {transport:9} {calls_per_s:>10.0} {p50_us:>9.1} {p99_us:>9.1} \
                 {raw_p50_us:>11.1} {ratio_to_raw:>6.2}"
            )?;
        }
        writeln!(
            f,
            "\nraw: a bare TCP ping-pong of the same sizes between the same two processes, in turns \
             with\nthe calls; ratio: that of the medians. callback: the servant calls back into \
             the client\nbefore it replies; its raw has a ping-pong inside a ping-pong. \
             Took {:.1} s.",
            self.elapsed.as_secs_f64()
        )
    }
}
