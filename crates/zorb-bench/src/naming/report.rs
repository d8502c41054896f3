//! What has been measured, and what is claimed.

use std::fmt::Write as _;

use serde::Serialize;

use crate::machine::Machine;
use crate::pin::Pin;
use crate::statistics::{Interval, median};

/// What is said beside the numbers of bind.
const REMARK: &str = "omniNames never calls fsync: what it has bound survives the end of its process, as with `os`. With \
                      `grouped`, Zorb's bindings survive a loss of power.";

/// The calls per second of both services.
#[derive(Clone, Debug, Serialize)]
pub struct NamingReport {
    /// The machine.
    pub machine: Machine,
    /// Whether it was a quick run.
    pub quick: bool,
    /// The operations.
    pub rows: Vec<NamingRow>,
    /// What very many names cost Zorb's service.
    pub limits: Vec<NamingLimit>,
    /// What the numbers do not say.
    pub remark: &'static str,
}

/// An operation, by so many clients.
#[derive(Clone, Debug, Serialize)]
pub struct NamingRow {
    /// Its name.
    pub operation: &'static str,
    /// How many clients call at the same time.
    pub clients: usize,
    /// The durability of Zorb's store.
    pub durability: &'static str,
    /// Zorb's calls per second, of each round.
    pub zorb: Vec<f64>,
    /// The same of omniNames.
    pub omninames: Vec<f64>,
}

/// A cost of very many names, and the most that is claimed.
#[derive(Clone, Debug, Serialize)]
pub struct NamingLimit {
    /// What is measured, with its unit.
    pub what: &'static str,
    /// The maximum.
    pub limit: f64,
    /// The measured values, one per round.
    pub measured: Vec<f64>,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Holds,
    Fails,
    Unclear,
}

impl NamingReport {
    pub(super) fn new(pin: Pin, quick: bool) -> Self {
        let machine = Machine::with(pin, None);
        Self { machine, quick, rows: Vec::new(), limits: Vec::new(), remark: REMARK }
    }

    pub(super) fn finish(&mut self) {
        self.machine.finish();
    }

    /// The numbers as text, with a claim for each row: more calls per second than omniNames.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = format!(
            "{:<9} {:>7}  {:<10} {:>10} {:>10}  {:>6}  claim\n",
            "operation", "clients", "durability", "zorb/s", "omniNames/s", "ratio"
        );
        for row in &self.rows {
            let claim = match row.verdict(self.quick) {
                Verdict::Holds => "ahead",
                Verdict::Fails => "ahead: NO",
                Verdict::Unclear => "ahead: ?",
            };
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{:<9} {:>7}  {:<10} {:>10.0} {:>11.0}  {:>6.2}  {claim}",
                row.operation,
                row.clients,
                row.durability,
                median(row.zorb.iter().copied()),
                median(row.omninames.iter().copied()),
                row.ratio().median,
            );
        }
        text += REMARK;
        text += "\n";
        for limit in &self.limits {
            let claim = match limit.verdict(self.quick) {
                Verdict::Holds => "",
                Verdict::Fails => ": NO",
                Verdict::Unclear => ": ?",
            };
            let NamingLimit { what, limit: most, measured } = limit;
            let measured = median(measured.iter().copied());
            let _ = writeln!(text, "{what:<54} {measured:>7.2}  at most {most}{claim}");
        }
        text
    }

    /// The claims that fail.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let failed = self.rows.iter().filter(|row| row.verdict(self.quick) == Verdict::Fails);
        let behind = failed.map(|row| {
            let NamingRow { operation, clients, durability, .. } = row;
            format!("{operation} by {clients} with {durability} is behind omniNames")
        });
        let over = self.limits.iter().filter(|limit| limit.verdict(self.quick) == Verdict::Fails);
        behind.chain(over.map(|over| format!("{}: more than {}", over.what, over.limit))).collect()
    }
}

impl NamingLimit {
    fn verdict(&self, quick: bool) -> Verdict {
        let measured = Interval::of(self.measured.iter().copied());
        match () {
            () if quick || measured.contains(self.limit) => Verdict::Unclear,
            () if measured.median <= self.limit => Verdict::Holds,
            () => Verdict::Fails,
        }
    }
}

impl NamingRow {
    pub(super) fn new(operation: &'static str, clients: usize, durability: &'static str) -> Self {
        Self { operation, clients, durability, zorb: Vec::new(), omninames: Vec::new() }
    }

    /// Adds a round.
    pub(super) fn add(&mut self, zorb: f64, omninames: f64) {
        self.zorb.push(zorb);
        self.omninames.push(omninames);
    }

    /// How many calls Zorb answers for one of omniNames.
    fn ratio(&self) -> Interval {
        let rounds = self.zorb.iter().zip(&self.omninames);
        Interval::of(rounds.map(|(zorb, omninames)| zorb / omninames.max(f64::MIN_POSITIVE)))
    }

    fn verdict(&self, quick: bool) -> Verdict {
        let ratio = self.ratio();
        match () {
            () if quick || ratio.contains(1.0) => Verdict::Unclear,
            () if ratio.median > 1.0 => Verdict::Holds,
            () => Verdict::Fails,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(quick: bool, ratios: &[f64]) -> NamingReport {
        let mut report = NamingReport::new(Pin::Same, quick);
        let mut row = NamingRow::new("bind", 32, "grouped");
        ratios.iter().for_each(|ratio| row.add(ratio * 100.0, 100.0));
        report.rows.push(row);
        report
    }

    #[test]
    fn a_service_that_is_behind_fails_the_claim() {
        let behind = report(false, &[0.8, 0.9, 0.85, 0.95, 0.9, 0.8, 0.9, 0.85, 0.9]);
        assert_eq!(behind.failures(), ["bind by 32 with grouped is behind omniNames"]);
        assert!(behind.table().contains("ahead: NO\n"), "{}", behind.table());
        let ahead = report(false, &[1.2, 1.3, 1.2, 1.4, 1.2, 1.5, 1.3, 1.2, 1.3]);
        assert!(ahead.failures().is_empty() && ahead.table().contains("1.30  ahead\n"));
        assert!(ahead.table().contains("never calls fsync"));
    }

    #[test]
    fn a_cost_beyond_its_limit_fails_the_claim() {
        let with = |quick, measured: &[f64]| {
            let mut report = NamingReport::new(Pin::Same, quick);
            let (what, measured) = ("seconds of a start", measured.to_vec());
            report.limits.push(NamingLimit { what, limit: 3.0, measured });
            report
        };
        let slow = with(false, &[3.1]);
        assert_eq!(slow.failures(), ["seconds of a start: more than 3"]);
        assert!(slow.table().contains("3.10  at most 3: NO\n"), "{}", slow.table());
        let fast = with(false, &[1.5]);
        assert!(fast.failures().is_empty() && fast.table().contains("1.50  at most 3\n"));
        for unclear in [with(true, &[3.1]), with(false, &[2.9, 3.1, 2.9, 3.1, 3.1])] {
            assert!(unclear.failures().is_empty());
            assert!(unclear.table().contains("at most 3: ?\n"), "{}", unclear.table());
        }
    }

    #[test]
    fn what_a_run_cannot_decide_does_not_fail() {
        for unclear in [
            report(false, &[0.8, 1.2, 0.9, 1.1, 0.8, 1.3, 0.9, 1.2, 0.9]),
            report(true, &[0.5, 0.5, 0.5]),
        ] {
            assert!(unclear.failures().is_empty());
            assert!(unclear.table().contains("ahead: ?\n"), "{}", unclear.table());
        }
    }
}
