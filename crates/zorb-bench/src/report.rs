//! Results of experiments: rows, details, checks, and the HTML page.

mod page;
mod results;
mod row;
mod table;

use serde::Serialize;

use crate::machine::Machine;

pub use page::page;
pub use results::{Cell, Folder, Measured, Run};
pub use row::{Detail, Figure, Row, Subject, rows};

/// The results of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The machine.
    pub machine: Machine,
    /// One row for each peer and workload.
    pub rows: Vec<Row>,
    /// Details of each row, in the same order.
    pub details: Vec<Detail>,
    /// The claims of the experiment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The table, for experiments with one of their own.
    #[serde(skip)]
    pub text: Option<String>,
}

/// A claim, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The subject.
    pub what: String,
    /// The expectation.
    pub expected: String,
    /// The result.
    pub found: String,
    /// Whether the result meets the expectation.
    pub holds: bool,
}

impl Report {
    /// The table and the checks as text.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = self.text.clone().unwrap_or_else(|| table::table(&self.rows, &self.details));
        if !self.checks.is_empty() {
            text.push_str("\nExpected\n");
        }
        for Check { what, expected, found, holds } in &self.checks {
            let verdict = if *holds { "yes" } else { "NO " };
            text += &format!("{verdict} {what}: {found} (expected: {expected})\n");
        }
        text
    }
}
