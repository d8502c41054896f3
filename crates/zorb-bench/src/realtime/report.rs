//! The results of all experiments as JSON, text and HTML.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Finding, Judged};
use crate::error::{Error, Result};
use crate::harness::Pin;
use crate::machine::Machine;
use crate::report::{Check, Detail, Folder, Row, Run, page};

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
    /// The experiment's numbers.
    pub measured: Map<String, Value>,
    /// Claims about the property.
    pub checks: Vec<Judged>,
    /// Claims about the control.
    pub controls: Vec<Judged>,
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
            measured: finding.measured,
            checks: finding.checks,
            controls: finding.controls,
        });
    }

    /// Whether all properties hold, and all controls were detected.
    #[must_use]
    pub fn all_hold(&self) -> bool {
        self.experiments.iter().all(|outcome| outcome.holds && outcome.control_detected)
    }

    /// The results as text.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::new();
        for outcome in &self.experiments {
            let verdict = match (&outcome.not_run, outcome.holds, outcome.control_detected) {
                (Some(reason), ..) => format!("not run: {reason}"),
                (None, true, true) => "holds".to_owned(),
                (None, true, false) => "UNPROVEN: the control was not detected".to_owned(),
                (None, false, _) => "DOES NOT HOLD".to_owned(),
            };
            let (name, transport) = (outcome.name, &outcome.transport);
            let unclear = match outcome.unclear {
                0 => String::new(),
                count => format!(", {count} unclear"),
            };
            text += &format!("{name:<4} {transport:<7} {}: {verdict}{unclear}\n", outcome.title);
            let lists = [("", &outcome.checks), ("control: ", &outcome.controls)];
            for (kind, check) in
                lists.iter().flat_map(|(kind, list)| list.iter().map(move |one| (kind, one)))
            {
                let Check { what, expected, found, .. } = &check.check;
                let mark = check.mark();
                text += &format!("       {mark} {kind}{what}: {found} (expected: {expected})\n");
            }
        }
        text
    }

    /// A page with tables and charts.
    ///
    /// # Errors
    /// Never for the reports of this crate.
    pub fn page(&self) -> Result<String> {
        let text = serde_json::to_string(self).map_err(|error| Error::new(error.to_string()))?;
        let run = Run::parse("rt", &text).map_err(Error::new)?;
        page(&Folder { runs: vec![run], left_out: Vec::new() })
    }
}
