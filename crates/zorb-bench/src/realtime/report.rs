//! What all experiments found, as JSON, as text and as a page.

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
    /// What it is about.
    pub title: &'static str,
    /// The URL scheme of the transport.
    pub transport: String,
    /// Whether what is expected was seen.
    pub holds: bool,
    /// Whether the set-up that is known to fail was seen to fail.
    pub control_detected: bool,
    /// How many of the expectations another run may see otherwise: their limits lie in the intervals of
    /// what was found.
    pub unclear: usize,
    /// Why it was not run, or how it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
    /// Numbers, each experiment's own.
    pub measured: Map<String, Value>,
    /// What was expected, and found.
    pub checks: Vec<Judged>,
    /// What was expected of the set-up that is known to fail, and found.
    pub controls: Vec<Judged>,
}

/// What all experiments found.
#[derive(Clone, Debug, Serialize)]
pub struct RtReport {
    /// What was measured on.
    pub machine: Machine,
    /// Whether runs were short.
    pub quick: bool,
    /// Each experiment over each transport.
    pub experiments: Vec<Outcome>,
    /// Times of calls, one row for each set-up.
    pub rows: Vec<Row>,
    /// What lies behind each row, in the same order.
    pub details: Vec<Detail>,
}

impl RtReport {
    pub(super) fn new(quick: bool) -> Self {
        let machine = Machine::with(Pin::Split, None);
        Self { machine, quick, experiments: Vec::new(), rows: Vec::new(), details: Vec::new() }
    }

    /// Takes over what an experiment found, or how it failed.
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

    /// Whether all that was run holds, and all controls were detected.
    #[must_use]
    pub fn all_hold(&self) -> bool {
        self.experiments.iter().all(|outcome| outcome.holds && outcome.control_detected)
    }

    /// For people.
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
