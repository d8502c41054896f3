//! `zorb idl`: checks IDL and compiles it to Rust.

mod dump;
mod wcet;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use zorb_idl::diagnostics::{JsonDiagnostic, JsonLabel};
use zorb_idl::implied::{self, Contents};
use zorb_idl::{Compilation, Severity};
use zorb_idl_rust::marshal_bounds;

use crate::definitions::FrontEnd;
use crate::failure::{FAILED, Failure, OK, Outcome, USAGE};
use crate::screen::{self, ERROR, GOOD, WARNING, counted, paint};

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

/// Check IDL files and report all errors
///
/// Exit status 1 if there are errors.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb idl check hello.idl
  zorb idl check -I idl -D DEBUG=1 shop.idl stock.idl
  zorb idl check --json shop.idl")]
struct CheckArgs {
    #[command(flatten)]
    input: Input,
    /// JSON output
    #[arg(long)]
    json: bool,
}

/// Compile IDL files to Rust, one Rust file for each
///
/// Build scripts use the crate `zorb-build` instead.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb idl compile hello.idl -o src
  zorb idl compile hello.idl -o - | less
  zorb idl compile shop.idl --extern CosNaming=::zorb_naming::cos_naming
  zorb idl compile sensor.idl --target nano")]
struct CompileArgs {
    #[command(flatten)]
    input: Input,
    /// Output folder; `-` is standard output
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// IDL module for which no code is generated, and the Rust module to use instead
    #[arg(long = "extern", value_name = "MODULE=PATH", value_parser = extern_module)]
    externs: Vec<(String, String)>,
    /// Operation or attribute, or all of an interface or module, whose servants get the upcall; repeatable
    #[arg(long = "upcall", value_name = "NAME")]
    upcalls: Vec<String>,
    /// Interface, or all of a module, that gets servant traits whose methods answer later; repeatable
    #[arg(long = "deferred", value_name = "NAME")]
    deferred: Vec<String>,
    /// Operation or attribute, or all of an interface or module, that can be called without waiting; repeatable
    #[arg(long = "ami", value_name = "NAME")]
    ami: Vec<String>,
    /// Reply handlers, the interfaces `AMI_...Handler`, and for what `--ami` selects methods that pass results to them
    #[arg(long)]
    reply_handlers: bool,
    /// Engine that marshals: code for each type and operation, which is fast, or tables, which are small
    #[arg(long, value_enum, default_value_t = Engine::Compiled)]
    marshal: Engine,
    /// ORB that the code is for: the full ORB, or the small ORB, the crate zorb-nano
    #[arg(long, value_enum, default_value_t = TargetName::Zorb)]
    target: TargetName,
    /// How a server of the small ORB finds operations: one comparison after the other, which is small and the default,
    /// or one hash; needs `--target nano`
    #[arg(long, value_enum)]
    lookup: Option<LookupName>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TargetName {
    Zorb,
    Nano,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum LookupName {
    Linear,
    PerfectHash,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Engine {
    Compiled,
    Interpretive,
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

/// List the most octets and steps that marshalling the arguments and results of each operation takes
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

#[derive(Args, Debug)]
struct Input {
    /// IDL files, each compiled separately
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    front_end: FrontEnd,
}

fn extern_module(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((module, path)) if !module.is_empty() && !path.is_empty() => {
            Ok((module.to_owned(), path.to_owned()))
        }
        _ => Err("expected MODULE=PATH, as in CosNaming=::zorb_naming::cos_naming".to_owned()),
    }
}

pub(crate) fn run(args: &IdlArgs) -> Outcome {
    match (&args.action, &args.explain) {
        (Some(Action::Check(args)), _) => check(args),
        (Some(Action::Compile(args)), _) => compile(args),
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

/// Compiles each file separately.
fn compile_each(input: &Input) -> Vec<(String, Compilation)> {
    let options = input.front_end.options();
    let compile =
        |file: &PathBuf| (file.display().to_string(), zorb_idl::compile(&options, &[file]));
    input.files.iter().map(compile).collect()
}

/// The numbers of errors and warnings.
fn count(results: &[(String, Compilation)]) -> (usize, usize) {
    let found = |severity| {
        let diagnostics = results.iter().flat_map(|(_, compilation)| &compilation.diagnostics);
        diagnostics.filter(|item| item.severity == severity).count()
    };
    (found(Severity::Error), found(Severity::Warning))
}

/// Prints diagnostics on standard error; after an error, nothing else.
fn dump(args: &DumpArgs) -> Outcome {
    let results = compile_each(&args.input);
    if !are_valid(&results) {
        return Ok(FAILED);
    }
    if args.implied {
        for (file, compilation) in &results {
            screen::print(&implied::text(compilation, &[file], Contents::HandlersAndPollers))?;
        }
        return Ok(OK);
    }
    let files = results.iter().map(|(file, compilation)| {
        json!({ "file": file, "definitions": dump::model(compilation, args.built_in) })
    });
    screen::print_json(&json!({ "files": files.collect::<Vec<_>>() }))?;
    Ok(OK)
}

/// Prints the bounds of all operations; after an error, none.
fn bound(args: &WcetArgs) -> Outcome {
    let results = compile_each(&args.input);
    if !are_valid(&results) {
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

/// Prints the diagnostics of all files on standard error. Returns whether there is no error.
fn are_valid(results: &[(String, Compilation)]) -> bool {
    for (_, compilation) in results {
        let findings = compilation.render();
        if !findings.is_empty() {
            screen::print_stderr(&painted(&findings));
        }
    }
    let (errors, warnings) = count(results);
    if errors > 0 {
        print_count(errors, warnings);
    }
    errors == 0
}

fn check(args: &CheckArgs) -> Outcome {
    let results = compile_each(&args.input);
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

fn compile(args: &CompileArgs) -> Outcome {
    if args.lookup.is_some() && matches!(args.target, TargetName::Zorb) {
        return Err(Failure::new("`--lookup` needs `--target nano`: the full ORB has one lookup")
            .into_usage());
    }
    if matches!(args.target, TargetName::Nano) {
        let only_full = [
            ("--upcall", !args.upcalls.is_empty()),
            ("--deferred", !args.deferred.is_empty()),
            ("--ami", !args.ami.is_empty()),
            ("--reply-handlers", args.reply_handlers),
        ];
        if let Some((option, _)) = only_full.iter().find(|(_, is_given)| *is_given) {
            let message =
                format!("`{option}` needs `--target zorb`: the small ORB has no such calls");
            return Err(Failure::new(message).into_usage());
        }
    }
    let mut config = zorb_build::Config::new();
    for folder in &args.input.front_end.include {
        config = config.include_path(folder);
    }
    for (name, value) in &args.input.front_end.defines {
        config = match value {
            Some(value) => config.define_as(name, value),
            None => config.define(name),
        };
    }
    config = args.input.front_end.allow.iter().fold(config, |config, code| config.allow(*code));
    for (module, path) in &args.externs {
        config = config.extern_module(module, path);
    }
    config = args.upcalls.iter().fold(config, |config, name| config.upcall(name));
    config = args.deferred.iter().fold(config, |config, name| config.deferred(name));
    config = args.ami.iter().fold(config, |config, name| config.ami(name));
    if args.reply_handlers {
        config = config.reply_handlers();
    }
    config = config.marshal(match args.marshal {
        Engine::Compiled => zorb_build::Marshal::Compiled,
        Engine::Interpretive => zorb_build::Marshal::Interpretive,
    });
    config = config.target(match args.target {
        TargetName::Zorb => zorb_build::Target::Zorb,
        TargetName::Nano => zorb_build::Target::Nano,
    });
    config = config.lookup(match args.lookup {
        None | Some(LookupName::Linear) => zorb_build::Lookup::Linear,
        Some(LookupName::PerfectHash) => zorb_build::Lookup::PerfectHash,
    });
    let outputs = match config.generate(&args.input.files) {
        Ok(outputs) => outputs,
        Err(zorb_build::Error::Idl(findings)) => {
            screen::print_stderr(&painted(&findings));
            let starting = |word| findings.lines().filter(|line| line.starts_with(word)).count();
            print_count(starting("error["), starting("warning["));
            return Ok(FAILED);
        }
        Err(error) => return Err(Failure::new(error.to_string())),
    };
    for output in &outputs {
        output.warnings.iter().for_each(|warning| screen::print_stderr(&painted(warning)));
        if args.output.as_os_str() == "-" {
            screen::print(&output.text)?;
            continue;
        }
        let path = args.output.join(format!("{}.rs", output.name));
        std::fs::create_dir_all(&args.output)
            .and_then(|()| std::fs::write(&path, &output.text))
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
        screen::print_stderr(&format!("wrote {}", path.display()));
    }
    Ok(OK)
}

fn print_count(errors: usize, warnings: usize) {
    let mut line = counted(errors, "error");
    if warnings > 0 {
        line = format!("{line}, {}", counted(warnings, "warning"));
    }
    screen::print_stderr(&format!("{line}; `zorb idl --explain CODE` explains them"));
}

/// Rendered diagnostics with colored severities.
fn painted(findings: &str) -> String {
    let lines = findings.trim_end().lines().map(|line| {
        let word = line.split_inclusive(':').next().unwrap_or_default();
        let style = match line {
            _ if line.starts_with("error[") => ERROR,
            _ if line.starts_with("warning[") => WARNING,
            _ => return line.to_owned() + "\n",
        };
        format!("{}{}\n", paint(style, word), line.get(word.len()..).unwrap_or_default())
    });
    lines.collect()
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
