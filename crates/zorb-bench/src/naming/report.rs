//! What has been measured, and what is claimed.

use serde::Serialize;

use crate::machine::Machine;
use crate::pin::Pin;
use crate::report::{Claim, TextTable};
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
    /// The claims.
    pub checks: Vec<Claim>,
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

impl NamingReport {
    pub(super) fn new(pin: Pin, quick: bool) -> Self {
        let machine = Machine::with(pin, None);
        let (rows, limits, checks) = (Vec::new(), Vec::new(), Vec::new());
        Self { machine, quick, rows, limits, checks, remark: REMARK }
    }

    /// Ends the measurement: a claim for each row, that Zorb answers more calls per second, and one for each limit. A quick
    /// run decides none.
    pub(super) fn finish(&mut self) {
        self.machine.finish();
        let rows = self.rows.iter().map(NamingRow::claim);
        let limits = self.limits.iter().map(NamingLimit::claim);
        self.checks = rows.chain(limits).map(|claim| claim.unclear_if(self.quick)).collect();
    }

    /// The numbers as text, with the claims.
    #[must_use]
    pub fn table(&self) -> String {
        let columns = ["operation", "clients", "durability", "zorb/s", "omniNames/s"];
        let mut table = TextTable::new(columns);
        for row in &self.rows {
            let [zorb, omninames] = [&row.zorb, &row.omninames]
                .map(|rounds| format!("{:.0}", median(rounds.iter().copied())));
            let (operation, durability) = (row.operation.to_owned(), row.durability.to_owned());
            table.row([operation, row.clients.to_string(), durability, zorb, omninames]);
        }
        let claims = self.checks.iter().map(|claim| claim.line(""));
        format!("{table}{REMARK}\n\nExpected\n{}", claims.collect::<String>())
    }

    /// The claims that fail.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let failed = self.checks.iter().filter(|claim| claim.fails());
        failed.map(|claim| format!("{}: {}", claim.what, claim.found)).collect()
    }
}

impl NamingLimit {
    fn claim(&self) -> Claim {
        Claim::at_most(self.what, self.limit, Interval::of(self.measured.iter().copied()))
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

    /// Zorb answers at least as many calls as omniNames.
    fn claim(&self) -> Claim {
        let Self { operation, clients, durability, zorb, omninames } = self;
        let s = if *clients == 1 { "" } else { "s" };
        let what = format!(
            "{operation} by {clients} client{s} with `{durability}`, relative to omniNames"
        );
        let ratios = std::iter::zip(zorb, omninames);
        let ratios = ratios.map(|(zorb, omninames)| zorb / omninames.max(f64::MIN_POSITIVE));
        Claim::at_least(what, 1.0, Interval::of(ratios))
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
        report.finish();
        report
    }

    #[test]
    fn a_service_that_is_behind_fails_the_claim() {
        let behind = report(false, &[0.8, 0.9, 0.85, 0.95, 0.9, 0.8, 0.9, 0.85, 0.9]);
        let what = "bind by 32 clients with `grouped`, relative to omniNames";
        assert_eq!(behind.failures(), [format!("{what}: 0.90 (0.80 to 0.90)")]);
        assert!(behind.table().contains(&format!("\nNO   {what}: ")), "{}", behind.table());
        let ahead = report(false, &[1.2, 1.3, 1.2, 1.4, 1.2, 1.5, 1.3, 1.2, 1.3]);
        assert!(ahead.failures().is_empty() && ahead.table().contains(&format!("\nyes  {what}: ")));
        assert!(ahead.table().contains("never calls fsync"));
    }

    #[test]
    fn a_cost_beyond_its_limit_fails_the_claim() {
        let with = |quick, measured: &[f64]| {
            let mut report = NamingReport::new(Pin::Same, quick);
            let (what, measured) = ("seconds of a start", measured.to_vec());
            report.limits.push(NamingLimit { what, limit: 3.0, measured });
            report.finish();
            report
        };
        let slow = with(false, &[3.1]);
        assert_eq!(slow.failures(), ["seconds of a start: 3.10"]);
        assert!(slow.table().contains("\nNO   seconds of a start: 3.10"), "{}", slow.table());
        let fast = with(false, &[1.5]);
        assert!(fast.failures().is_empty() && fast.table().contains("\nyes  seconds of a start"));
        for unclear in [with(true, &[3.1]), with(false, &[2.9, 3.1, 2.9, 3.1, 3.1])] {
            assert!(unclear.failures().is_empty());
            assert!(unclear.table().contains("\nNO?  seconds"), "{}", unclear.table());
        }
    }

    #[test]
    fn what_a_run_cannot_decide_does_not_fail() {
        for unclear in [
            report(false, &[0.8, 1.2, 0.9, 1.1, 0.8, 1.3, 0.9, 1.2, 0.9]),
            report(true, &[0.5, 0.5, 0.5]),
        ] {
            assert!(unclear.failures().is_empty());
            assert!(unclear.table().contains("?  bind"), "{}", unclear.table());
        }
    }
}
