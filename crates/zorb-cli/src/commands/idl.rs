//! `zorb idl`: checks IDL, and compiles it to Rust.

mod dump;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use zorb_idl::diagnostics::{JsonDiagnostic, JsonLabel};
use zorb_idl::{Compilation, Severity};

use crate::definitions::definition;
use crate::failure::{FAILED, Failure, OK, Outcome, USAGE};
use crate::screen::{self, ERROR, GOOD, WARNING, counted, paint};

/// Check IDL files, compile them to Rust, print their model, or explain a diagnostic
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  zorb idl check hello.idl
  zorb idl compile hello.idl -o src
  zorb idl dump hello.idl
  zorb idl --explain E0401")]
pub(crate) struct IdlArgs {
    /// Explain a diagnostic's code at length
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
    /// Print the explanation as JSON
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
}

/// Report every error of the files; exit status 1 when there is one
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb idl check hello.idl
  zorb idl check -I idl -D DEBUG=1 shop.idl stock.idl
  zorb idl check --json shop.idl")]
struct CheckArgs {
    #[command(flatten)]
    input: Input,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// Write the Rust of the files, one for each; a build script does the same with `zorb-build`
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb idl compile hello.idl -o src
  zorb idl compile hello.idl -o - | less
  zorb idl compile shop.idl --extern CosNaming=::zorb_naming::cos_naming")]
struct CompileArgs {
    #[command(flatten)]
    input: Input,
    /// Folder to write to; `-` is standard output
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Make no code for an IDL module, and refer to the Rust module PATH instead
    #[arg(long = "extern", value_name = "MODULE=PATH", value_parser = extern_module)]
    externs: Vec<(String, String)>,
}

/// Print what the files define as JSON: names resolved, constants computed, repository ids
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb idl dump hello.idl
  zorb idl dump -I idl shop.idl | jq '.files[0].definitions[].name'")]
struct DumpArgs {
    #[command(flatten)]
    input: Input,
    /// With the definitions of the built-in files, such as orb.idl
    #[arg(long)]
    built_in: bool,
}

#[derive(Args, Debug)]
struct Input {
    /// IDL files, each compiled on its own
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder to search for included files
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Define a preprocessor macro, as 1 unless a value is given
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = definition)]
    defines: Vec<(String, Option<String>)>,
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
        (None, Some(code)) => explain(code, args.json),
        (None, None) => Ok(USAGE),
    }
}

fn explain(code: &str, json: bool) -> Outcome {
    let info = zorb_idl::explain(code).ok_or_else(|| {
        Failure::new(format!("there is no diagnostic {code:?}"))
            .hint("a code looks like E0401; it stands in brackets after `error` or `warning`")
    })?;
    if json {
        screen::print_json(&json!({
            "code": info.text,
            "severity": info.severity.to_string(),
            "title": info.title,
            "explanation": info.explanation,
        }))?;
    } else {
        screen::print(&format!("{}\n", info.explanation.trim_end()))?;
    }
    Ok(OK)
}

/// The files, each compiled on its own.
fn compile_each(input: &Input) -> Vec<(String, Compilation)> {
    let mut options = zorb_idl::Options::new();
    options.include_paths.clone_from(&input.include);
    options.defines.clone_from(&input.defines);
    let compile =
        |file: &PathBuf| (file.display().to_string(), zorb_idl::compile(&options, &[file]));
    input.files.iter().map(compile).collect()
}

/// Errors and warnings.
fn count(results: &[(String, Compilation)]) -> (usize, usize) {
    let found = |severity| {
        let diagnostics = results.iter().flat_map(|(_, compilation)| &compilation.diagnostics);
        diagnostics.filter(|item| item.severity == severity).count()
    };
    (found(Severity::Error), found(Severity::Warning))
}

/// Findings go to standard error; with an error among them there is no JSON.
fn dump(args: &DumpArgs) -> Outcome {
    let results = compile_each(&args.input);
    for (_, compilation) in &results {
        let findings = compilation.render();
        if !findings.is_empty() {
            screen::tell(&painted(&findings));
        }
    }
    let (errors, warnings) = count(&results);
    if errors > 0 {
        tell_count(errors, warnings);
        return Ok(FAILED);
    }
    let files = results.iter().map(|(file, compilation)| {
        json!({ "file": file, "definitions": dump::model(compilation, args.built_in) })
    });
    screen::print_json(&json!({ "files": files.collect::<Vec<_>>() }))?;
    Ok(OK)
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
                screen::tell(&painted(&findings));
            }
            if !compilation.has_errors() {
                screen::print(&format!("{file}: {}\n", paint(GOOD, "ok")))?;
            }
        }
        if errors > 0 {
            tell_count(errors, warnings);
        }
    }
    Ok(if errors > 0 { FAILED } else { OK })
}

fn compile(args: &CompileArgs) -> Outcome {
    let mut config = zorb_build::Config::new();
    for folder in &args.input.include {
        config = config.include_path(folder);
    }
    for (name, value) in &args.input.defines {
        config = match value {
            Some(value) => config.define_as(name, value),
            None => config.define(name),
        };
    }
    for (module, path) in &args.externs {
        config = config.extern_module(module, path);
    }
    let outputs = match config.generate(&args.input.files) {
        Ok(outputs) => outputs,
        Err(zorb_build::Error::Idl(findings)) => {
            screen::tell(&painted(&findings));
            let starting = |word| findings.lines().filter(|line| line.starts_with(word)).count();
            tell_count(starting("error["), starting("warning["));
            return Ok(FAILED);
        }
        Err(error) => return Err(Failure::new(error.to_string())),
    };
    for output in &outputs {
        output.warnings.iter().for_each(|warning| screen::tell(&painted(warning)));
        if args.output.as_os_str() == "-" {
            screen::print(&output.text)?;
            continue;
        }
        let path = args.output.join(format!("{}.rs", output.name));
        std::fs::create_dir_all(&args.output)
            .and_then(|()| std::fs::write(&path, &output.text))
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
        screen::tell(&format!("wrote {}", path.display()));
    }
    Ok(OK)
}

fn tell_count(errors: usize, warnings: usize) {
    let mut line = counted(errors, "error");
    if warnings > 0 {
        line = format!("{line}, {}", counted(warnings, "warning"));
    }
    screen::tell(&format!("{line}; `zorb idl --explain CODE` tells more about each"));
}

/// Findings with their first words in colour.
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
