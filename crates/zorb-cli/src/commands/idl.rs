//! `zorb idl`: checks IDL and compiles it to Rust.

mod check;
mod compile;
mod dump;
mod input;
mod wcet;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use zorb_idl::implied::{self, Contents};
use zorb_idl_rust::marshal_bounds;

use crate::failure::{FAILED, Failure, OK, Outcome, USAGE};
use crate::screen;
use check::CheckArgs;
use compile::CompileArgs;
use input::Input;

/// Check IDL files, compile them to Rust, dump their model, bound their marshalling, or explain a diagnostic code
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  zorb idl check hello.idl
  zorb idl compile hello.idl -o src
  zorb idl dump hello.idl
  zorb idl wcet hello.idl
  zorb idl --explain E0401")]
pub(crate) struct IdlArgs {
    /// Diagnostic code to explain
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
    /// JSON output
    #[arg(long, requires = "explain")]
    json: bool,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    Check(CheckArgs),
    Compile(CompileArgs),
    Dump(DumpArgs),
    Wcet(WcetArgs),
}

/// Dump the model of IDL files as JSON: resolved names, constant values, repository ids; or the IDL that they imply
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb idl dump hello.idl
  zorb idl dump -I idl shop.idl | jq '.files[0].definitions[].name'
  zorb idl dump --implied shop.idl > shop_ami.idl")]
struct DumpArgs {
    #[command(flatten)]
    input: Input,
    /// Definitions of built-in files, such as orb.idl, too
    #[arg(long)]
    built_in: bool,
    /// The reply handlers and pollers of the standard's asynchronous calls (AMI) instead, as IDL
    #[arg(long, conflicts_with = "built_in")]
    implied: bool,
}

/// List upper bounds for the octets and steps of marshalling the arguments and results of each operation
///
/// Elements are what compiled code marshals: numbers, characters, booleans, enumerators, strings, lengths and
/// discriminators. Steps are those of the interpretive engine: uses of an entry of a table. An operation with a type that
/// has no bound is marked, with the reason.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb idl wcet sensor.idl
  zorb idl wcet --json sensor.idl | jq '.files[].operations[] | select(.request.unbounded)'")]
struct WcetArgs {
    #[command(flatten)]
    input: Input,
    /// JSON output
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &IdlArgs) -> Outcome {
    match (&args.action, &args.explain) {
        (Some(Action::Check(args)), _) => check::check(args),
        (Some(Action::Compile(args)), _) => compile::compile(args),
        (Some(Action::Dump(args)), _) => dump(args),
        (Some(Action::Wcet(args)), _) => bound(args),
        (None, Some(code)) => explain(code, args.json),
        (None, None) => Ok(USAGE),
    }
}

fn explain(code: &str, json: bool) -> Outcome {
    let info = zorb_idl::explain(code).ok_or_else(|| {
        Failure::new(format!("unknown diagnostic code {code:?}"))
            .hint("diagnostics show their code in brackets, as in error[E0401]")
    })?;
    // The explanations are test cases, too: what follows are the positions of the diagnostics.
    let explanation = info.explanation.split("\n```diagnostics").next().unwrap_or_default();
    if json {
        screen::print_json(&json!({
            "code": info.text,
            "severity": info.severity.to_string(),
            "title": info.title,
            "explanation": explanation,
        }))?;
    } else {
        screen::print(&format!("{}\n", explanation.trim_end()))?;
    }
    Ok(OK)
}

/// Prints diagnostics on standard error; after an error, nothing else.
fn dump(args: &DumpArgs) -> Outcome {
    let results = args.input.compile_each();
    if !input::are_valid(&results) {
        return Ok(FAILED);
    }
    if args.implied {
        for (file, compilation) in &results {
            let file = as_included(file, &args.input.front_end.include);
            screen::print(&implied::text(compilation, &[&file], Contents::HandlersAndPollers))?;
        }
        return Ok(OK);
    }
    let files = results.iter().map(|(file, compilation)| {
        json!({ "file": file, "definitions": dump::model(compilation, args.built_in) })
    });
    screen::print_json(&json!({ "files": files.collect::<Vec<_>>() }))?;
    Ok(OK)
}

/// The name by which others include a file: its path from the first of these folders that contains it, otherwise the path
/// that was given.
fn as_included(file: &str, folders: &[PathBuf]) -> String {
    let given = file.to_owned();
    let Ok(path) = Path::new(file).canonicalize() else { return given };
    let inside = folders.iter().find_map(|folder| {
        let rest = path.strip_prefix(folder.canonicalize().ok()?).ok()?;
        // As IDL spells it on all systems.
        let parts: Option<Vec<&str>> = rest.iter().map(|part| part.to_str()).collect();
        parts.map(|parts| parts.join("/"))
    });
    inside.unwrap_or(given)
}

/// Prints the bounds of all operations; after an error, none.
fn bound(args: &WcetArgs) -> Outcome {
    let results = args.input.compile_each();
    if !input::are_valid(&results) {
        return Ok(FAILED);
    }
    let files = results.iter().map(|(file, compilation)| (file, marshal_bounds(compilation)));
    if args.json {
        let files =
            files.map(|(file, bounds)| json!({ "file": file, "operations": wcet::json(&bounds) }));
        screen::print_json(&json!({ "files": files.collect::<Vec<_>>() }))?;
    } else {
        for (_, bounds) in files {
            screen::print(&wcet::table(&bounds))?;
        }
    }
    Ok(OK)
}
