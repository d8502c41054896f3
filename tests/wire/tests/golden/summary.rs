//! The table at the end.

use std::collections::BTreeMap;
use std::fmt;

use crate::check::Outcome;
use crate::exceptions::Allowance;

/// Outcomes counted.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    checked: usize,
    refused: usize,
    allowed: BTreeMap<Allowance, usize>,
    failed: usize,
}

impl Summary {
    pub(crate) fn of<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Self {
        let mut summary = Self::default();
        for outcome in outcomes {
            let count = match outcome {
                Outcome::Checked => &mut summary.checked,
                Outcome::Refused => &mut summary.refused,
                Outcome::Allowed(allowance) => summary.allowed.entry(*allowance).or_default(),
                Outcome::Failed(_) => &mut summary.failed,
            };
            *count += 1;
        }
        summary
    }

    /// Vectors of covered types that are as they should be.
    pub(crate) fn checked_in_all(&self) -> usize {
        self.checked + self.refused + self.allowed.values().sum::<usize>()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.checked_in_all() + self.failed;
        writeln!(f, "{all} vectors: {} checked, of which", self.checked_in_all())?;
        writeln!(f, "{:6}  decoded as recorded and written octet for octet", self.checked)?;
        for (allowance, count) in &self.allowed {
            writeln!(f, "{count:6}  decoded as recorded, written otherwise: {allowance}")?;
        }
        writeln!(f, "{:6}  malformed and refused for the right reason", self.refused)?;
        write!(f, "{} wrong", self.failed)
    }
}
