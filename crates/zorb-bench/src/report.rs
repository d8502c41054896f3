//! What an experiment found: rows, and what lies behind them; and the page that shows it.

mod page;
mod results;
mod row;
mod table;

use serde::Serialize;

use crate::machine::Machine;

pub use page::page;
pub use results::{Cell, Folder, Measured, Run};
pub use row::{Detail, Figure, Row, Subject, rows};

/// All that an experiment found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What was measured on.
    pub machine: Machine,
    /// One row for each peer and kind of work.
    pub rows: Vec<Row>,
    /// What lies behind each row, in the same order.
    pub details: Vec<Detail>,
    /// What the numbers were expected to show, of experiments that expect something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The rows for people, of experiments whose rows are not like the others'.
    #[serde(skip)]
    pub text: Option<String>,
}

/// Something that the numbers were expected to show.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// About what.
    pub what: String,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// Whether that is as expected.
    pub holds: bool,
}

impl Report {
    /// The rows for people.
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
