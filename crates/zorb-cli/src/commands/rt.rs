//! `zorb rt`: real-time properties of this machine.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use zorb_rt::{Finding, Verdict};

use crate::failure::{FAILED, Failure, OK, Outcome};
use crate::screen::{self, FAINT, HEADING, paint};

/// Check the real-time properties of this machine
#[derive(Args, Debug)]
pub(crate) struct RtArgs {
    #[command(subcommand)]
    command: RtCommand,
}

#[derive(Debug, Subcommand)]
enum RtCommand {
    Check(CheckArgs),
}

/// Check what this machine guarantees to real-time threads, with advice
///
/// Checks permissions, throttling, kernel, memory and processors. Changes nothing. Exit status 1 if
/// priorities have no effect, or if a required subject is not good.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb rt check
  zorb rt check --json
  zorb rt check --require kernel,memory-locking
  zorb rt check --require all")]
struct CheckArgs {
    /// JSON output
    #[arg(long)]
    json: bool,
    /// Subjects that must be good, by their names in the first column (such as `memory-locking`),
    /// or `all`; repeatable
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',')]
    require: Vec<String>,
}

pub(crate) fn run(args: &RtArgs) -> Outcome {
    let RtCommand::Check(check) = &args.command;
    let findings = zorb_rt::examine();
    let required = required(&findings, &check.require)?;
    let lacking: Vec<&str> = required
        .iter()
        .filter(|finding| finding.verdict != Verdict::Good)
        .map(|finding| finding.subject)
        .collect();
    let holds = findings.iter().all(|finding| finding.verdict != Verdict::Bad);
    if check.json {
        let rows: Vec<Value> = findings.iter().map(finding_json).collect();
        let report = json!({ "findings": rows, "priorities_hold": holds, "lacking": lacking });
        screen::print_json(&report)?;
    } else {
        screen::print(&table(&findings, holds, &lacking))?;
    }
    Ok(if holds && lacking.is_empty() { OK } else { FAILED })
}

/// The findings for the required subjects.
fn required<'f>(findings: &'f [Finding], names: &[String]) -> Result<Vec<&'f Finding>, Failure> {
    let mut required = Vec::new();
    for name in names {
        let wanted = name.trim().replace('-', " ");
        let before = required.len();
        required.extend(findings.iter().filter(|it| wanted == "all" || it.subject == wanted));
        if required.len() == before {
            let subjects: Vec<String> =
                findings.iter().map(|finding| finding.subject.replace(' ', "-")).collect();
            let message = format!("--require: unknown subject {name:?}");
            let hint = format!("use `all`, or one or more of {}", subjects.join(", "));
            return Err(Failure::new(message).hint(hint).into_usage());
        }
    }
    required.sort_by_key(|finding| finding.subject);
    required.dedup_by_key(|finding| finding.subject);
    Ok(required)
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "subject": finding.subject,
        "verdict": finding.verdict.to_string(),
        "found": finding.found,
        "advice": finding.advice,
    })
}

fn table(findings: &[Finding], holds: bool, lacking: &[&str]) -> String {
    let width = findings.iter().map(|finding| finding.subject.len()).max().unwrap_or(0);
    let mut text = String::new();
    for finding in findings {
        let subject = paint(HEADING, &format!("{:width$}", finding.subject));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{subject}  {:7}  {}", finding.verdict, finding.found);
        if let Some(advice) = finding.advice {
            let _ = writeln!(text, "{:width$}           {}", "", paint(FAINT, advice));
        }
    }
    let summary = match holds {
        true => {
            "Priorities take effect on this machine; limited subjects may delay calls occasionally."
        }
        false => "Priorities have no effect on this machine: calls run in any order.",
    };
    let _ = writeln!(text, "\n{summary}");
    if !lacking.is_empty() {
        let _ = writeln!(text, "Required but not good: {}.", lacking.join(", "));
    }
    text
}
