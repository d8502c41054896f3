//! `zorb rt`: what real-time calls need.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use zorb_rt::{Finding, Verdict};

use crate::failure::{FAILED, Failure, OK, Outcome};
use crate::screen::{self, FAINT, HEADING, paint};

/// See what this machine can promise to real-time calls
#[derive(Args, Debug)]
pub(crate) struct RtArgs {
    #[command(subcommand)]
    command: RtCommand,
}

#[derive(Debug, Subcommand)]
enum RtCommand {
    Check(CheckArgs),
}

/// Say what this machine promises to real-time threads, and what to do about the rest
///
/// Looks at permissions, throttling, kernel, memory and processors. Changes nothing. The exit status is
/// 1 where priorities do not hold at all, or something that is required is not good.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb rt check
  zorb rt check --json
  zorb rt check --require kernel,memory-locking
  zorb rt check --require all")]
struct CheckArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// Fail unless these are good, by the names in the first column (`memory-locking`, or as it is
    /// printed), or `all`; may be repeated
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

/// What has to be good, by its names.
fn required<'f>(findings: &'f [Finding], names: &[String]) -> Result<Vec<&'f Finding>, Failure> {
    let mut required = Vec::new();
    for name in names {
        let wanted = name.trim().replace('-', " ");
        let before = required.len();
        required.extend(findings.iter().filter(|it| wanted == "all" || it.subject == wanted));
        if required.len() == before {
            let subjects: Vec<String> =
                findings.iter().map(|finding| finding.subject.replace(' ', "-")).collect();
            let story = format!("--require: nothing is looked at that is named {name:?}");
            let hint = format!("all, or some of {}", subjects.join(", "));
            return Err(Failure::new(story).hint(hint).into_usage());
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
        true => "Priorities hold on this machine; what is limited makes calls late now and then.",
        false => "Priorities do not hold on this machine: calls run, in any order.",
    };
    let _ = writeln!(text, "\n{summary}");
    if !lacking.is_empty() {
        let _ = writeln!(text, "Required, and not good: {}.", lacking.join(", "));
    }
    text
}
