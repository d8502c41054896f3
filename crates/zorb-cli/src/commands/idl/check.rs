//! `zorb idl check`: the diagnostics of IDL files.

use clap::Args;
use serde_json::json;
use zorb_idl::diagnostics::{JsonDiagnostic, JsonLabel};

use super::input::{Input, count, painted, print_count};
use crate::failure::{FAILED, OK, Outcome};
use crate::screen::{self, GOOD, paint};

/// Check IDL files and report all errors
///
/// Exit status 1 if there are errors.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb idl check hello.idl
  zorb idl check -I idl -D DEBUG=1 shop.idl stock.idl
  zorb idl check --json shop.idl")]
pub(super) struct CheckArgs {
    #[command(flatten)]
    input: Input,
    /// JSON output
    #[arg(long)]
    json: bool,
}

pub(super) fn check(args: &CheckArgs) -> Outcome {
    let results = args.input.compile_each();
    let (errors, warnings) = count(&results);
    if args.json {
        let files = results.iter().map(|(file, compilation)| {
            let diagnostics: Vec<_> = compilation.to_json().iter().map(diagnostic_json).collect();
            json!({ "file": file, "ok": !compilation.has_errors(), "diagnostics": diagnostics })
        });
        let files: Vec<_> = files.collect();
        screen::print_json(&json!({ "files": files, "errors": errors, "warnings": warnings }))?;
    } else {
        for (file, compilation) in &results {
            let findings = compilation.render();
            if !findings.is_empty() {
                screen::print_stderr(&painted(&findings));
            }
            if !compilation.has_errors() {
                screen::print(&format!("{file}: {}\n", paint(GOOD, "ok")))?;
            }
        }
        if errors > 0 {
            print_count(errors, warnings);
        }
    }
    Ok(if errors > 0 { FAILED } else { OK })
}

fn diagnostic_json(item: &JsonDiagnostic) -> serde_json::Value {
    json!({
        "code": item.code,
        "severity": item.severity,
        "message": item.message,
        "hint": item.hint,
        "labels": item.labels.iter().map(label_json).collect::<Vec<_>>(),
    })
}

fn label_json(label: &JsonLabel) -> serde_json::Value {
    json!({
        "primary": label.primary,
        "file": label.file,
        "line": label.line,
        "column": label.column,
        "end_line": label.end_line,
        "end_column": label.end_column,
        "message": label.message,
    })
}
