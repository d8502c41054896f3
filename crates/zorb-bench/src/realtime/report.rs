//! The results of all experiments as JSON and text.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Finding;
use crate::error::Result;
use crate::machine::Machine;
use crate::pin::Pin;
use crate::report::{Claim, Detail, Row};

/// One experiment over one transport.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Its short name.
    pub name: &'static str,
    /// A short description.
    pub title: &'static str,
    /// The URL scheme of the transport.
    pub transport: String,
    /// Whether the property holds.
    pub holds: bool,
    /// Whether the failure of the control was detected.
    pub control_detected: bool,
    /// Number of claims whose confidence interval contains the limit, so that another run could decide
    /// otherwise.
    pub unclear: usize,
    /// Why it was skipped, or how it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
    /// Whether it failed, and thus has no claims.
    #[serde(skip)]
    pub failed: bool,
    /// The experiment's numbers.
    pub measured: Map<String, Value>,
    /// Claims about the property.
    pub checks: Vec<Claim>,
    /// Claims about the control.
    pub controls: Vec<Claim>,
}

impl Outcome {
    /// The verdict in words, consistent with [`RtReport::failures`]: a claim that this run cannot decide is not
    /// reported as one that does not hold.
    fn verdict(&self) -> String {
        let fail = |claims: &[Claim]| claims.iter().any(Claim::fails);
        match &self.not_run {
            Some(reason) if self.failed => format!("FAILED: {reason}"),
            Some(reason) => format!("not run: {reason}"),
            None if fail(&self.checks) => "DOES NOT HOLD".to_owned(),
            None if fail(&self.controls) => "INCONCLUSIVE: the control did not fail".to_owned(),
            None if self.holds && self.control_detected => "holds".to_owned(),
            None => "undecided".to_owned(),
        }
    }
}

/// The results of all experiments.
#[derive(Clone, Debug, Serialize)]
pub struct RtReport {
    /// The machine.
    pub machine: Machine,
    /// Whether it was a quick run.
    pub quick: bool,
    /// Each experiment over each transport.
    pub experiments: Vec<Outcome>,
    /// Times of calls, one row for each configuration.
    pub rows: Vec<Row>,
    /// Details of each row, in the same order.
    pub details: Vec<Detail>,
}

impl RtReport {
    pub(super) fn new(quick: bool) -> Self {
        let machine = Machine::with(Pin::Split, None);
        Self { machine, quick, experiments: Vec::new(), rows: Vec::new(), details: Vec::new() }
    }

    /// Adds the result or the failure of an experiment.
    pub(super) fn add(
        &mut self,
        name: &'static str,
        title: &'static str,
        transport: &str,
        found: Result<Finding>,
    ) {
        let failed = found.is_err();
        let finding = found.unwrap_or_else(|error| Finding::not_run(&error.to_string()));
        let (holds, control_detected) = (finding.holds(), finding.control_detected());
        let unclear = finding.unclear();
        for (mut row, detail) in finding.rows {
            transport.clone_into(&mut row.transport);
            row.operation = format!("{name} {}", row.operation);
            self.rows.push(row);
            self.details.push(detail);
        }
        self.experiments.push(Outcome {
            name,
            title,
            transport: transport.to_owned(),
            holds,
            control_detected,
            unclear,
            not_run: finding.not_run,
            failed,
            measured: finding.measured,
            checks: finding.checks,
            controls: finding.controls,
        });
    }

    /// The experiments that failed, and the claims that fail, including those about controls.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let failures = |outcome: &Outcome| -> Vec<String> {
            let name = format!("{} over {}", outcome.name, outcome.transport);
            let error = outcome.not_run.iter().filter(|_| outcome.failed).cloned();
            let claims =
                outcome.checks.iter().chain(&outcome.controls).filter(|claim| claim.fails());
            let reasons = error.chain(claims.map(|claim| claim.what.clone()));
            reasons.map(|reason| format!("{name}: {reason}")).collect()
        };
        self.experiments.iter().flat_map(failures).collect()
    }

    /// The results as text.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::new();
        for outcome in &self.experiments {
            let verdict = outcome.verdict();
            let (name, transport) = (outcome.name, &outcome.transport);
            let unclear = match outcome.unclear {
                0 => String::new(),
                count => format!(", {count} unclear"),
            };
            text += &format!("{name:<4} {transport:<7} {}: {verdict}{unclear}\n", outcome.title);
            text.extend(outcome.checks.iter().map(|claim| format!("       {}", claim.line(""))));
            let controls = outcome.controls.iter();
            text.extend(controls.map(|claim| format!("       {}", claim.line("control: "))));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn failed_claims_controls_and_experiments_are_failures() {
        let mut finding = Finding::default();
        finding.check("holds", "a", "b", true);
        finding.check("fails", "a", "b", false);
        finding.checks.push(Claim::new("unclear", "a", "b", false).unclear_if(true));
        finding.control("undetected", "a", "b", false);
        let mut report = RtReport::new(true);
        report.add("E1", "title", "uiop", Ok(finding));
        report.add("E2", "title", "uiop", Ok(Finding::not_run("no permission")));
        report.add("E3", "title", "iiop", Err(Error::new("lost")));
        let expected = ["E1 over uiop: fails", "E1 over uiop: undetected", "E3 over iiop: lost"];
        assert_eq!(report.failures(), expected);
    }

    /// The table and the exit status agree.
    #[test]
    fn an_experiment_is_reported_as_failed_exactly_if_it_is_a_failure() {
        let claim =
            |fails: bool, unclear| Claim::new("claim", "a", "b", !fails).unclear_if(unclear);
        let verdict = |check: Claim, control: Claim| {
            let mut finding = Finding::default();
            finding.checks.push(check);
            finding.controls.push(control);
            let mut report = RtReport::new(false);
            report.add("E1", "title", "uiop", Ok(finding));
            (report.experiments[0].verdict(), report.failures().len())
        };
        let (good, bad, open) = (claim(false, false), claim(true, false), claim(true, true));
        let undetected = "INCONCLUSIVE: the control did not fail";
        assert_eq!(verdict(good.clone(), good.clone()), ("holds".to_owned(), 0));
        assert_eq!(verdict(bad.clone(), good.clone()), ("DOES NOT HOLD".to_owned(), 1));
        assert_eq!(verdict(bad.clone(), bad.clone()), ("DOES NOT HOLD".to_owned(), 2));
        assert_eq!(verdict(good.clone(), bad.clone()), (undetected.to_owned(), 1));
        assert_eq!(verdict(open.clone(), bad), (undetected.to_owned(), 1));
        assert_eq!(verdict(open.clone(), good.clone()), ("undecided".to_owned(), 0));
        assert_eq!(verdict(good, open), ("undecided".to_owned(), 0));

        let mut report = RtReport::new(false);
        report.add("E1", "title", "uiop", Ok(Finding::not_run("no permission")));
        report.add("E2", "title", "uiop", Err(Error::new("lost")));
        let verdicts: Vec<_> = report.experiments.iter().map(Outcome::verdict).collect();
        assert_eq!(verdicts, ["not run: no permission", "FAILED: lost"]);
        assert_eq!(report.failures(), ["E2 over uiop: lost"]);
    }
}
