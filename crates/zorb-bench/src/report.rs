//! What an experiment found: rows, and what lies behind them.

mod row;
mod table;

use serde::Serialize;

use crate::machine::Machine;

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
}

impl Report {
    /// The rows for people.
    #[must_use]
    pub fn table(&self) -> String {
        table::table(self)
    }
}
