//! `zorb rt`: what real-time calls need.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use zorb_rt::{Finding, Verdict};

use crate::failure::{FAILED, OK, Outcome};
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
/// 1 where priorities do not hold at all.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb rt check
  zorb rt check --json")]
struct CheckArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &RtArgs) -> Outcome {
    let RtCommand::Check(check) = &args.command;
    let findings = zorb_rt::examine();
    let holds = findings.iter().all(|finding| finding.verdict != Verdict::Bad);
    if check.json {
        let rows: Vec<Value> = findings.iter().map(finding_json).collect();
        screen::print_json(&json!({ "findings": rows, "priorities_hold": holds }))?;
    } else {
        screen::print(&table(&findings, holds))?;
    }
    Ok(if holds { OK } else { FAILED })
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "subject": finding.subject,
        "verdict": finding.verdict.to_string(),
        "found": finding.found,
        "advice": finding.advice,
    })
}

fn table(findings: &[Finding], holds: bool) -> String {
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
    text
}
