//! Results of experiments: rows, details, and checks.

mod claim;
mod instructions;
mod row;
mod table;
mod text_table;

use serde::Serialize;

use crate::machine::Machine;

pub use claim::{Claim, Verdict};
pub use instructions::Instructions;
pub use row::{Detail, Figure, Row, Subject, rows};
pub(crate) use text_table::TextTable;

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
    pub checks: Vec<Claim>,
    /// The table, for experiments with one of their own.
    #[serde(skip)]
    pub text: Option<String>,
    /// Instructions of marshalling, in the experiment that counts them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<Instructions>,
}

impl Report {
    /// The table and the checks as text.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = self.text.clone().unwrap_or_else(|| table::table(&self.rows, &self.details));
        if !self.checks.is_empty() {
            text.push_str("\nExpected\n");
        }
        for claim in &self.checks {
            text += &claim.line("");
        }
        text
    }

    /// The claims that fail.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        self.checks.iter().filter(|claim| claim.fails()).map(|claim| claim.what.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pin::Pin;

    /// The table and the exit status agree.
    #[test]
    fn a_claim_is_printed_as_failed_exactly_if_it_is_a_failure() {
        let claim = |what, holds| Claim::new(what, "a", "b", holds);
        let checks = vec![
            claim("good", true),
            claim("bad", false),
            claim("open", false).unclear_if(true),
            claim("worse", false),
        ];
        let machine = Machine::with(Pin::Split, None);
        let rows = Vec::new();
        let (details, instructions) = (Vec::new(), Vec::new());
        let report = Report { machine, rows, details, checks, text: None, instructions };
        assert_eq!(report.failures(), ["bad", "worse"]);
        let table = report.table();
        let printed: Vec<_> = table.lines().filter(|line| line.starts_with("NO  ")).collect();
        assert_eq!(printed, ["NO   bad: b (expected: a)", "NO   worse: b (expected: a)"]);
    }
}
