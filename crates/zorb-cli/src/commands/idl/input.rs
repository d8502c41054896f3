//! The IDL files of a command, and their diagnostics on the terminal.

use std::path::PathBuf;

use clap::Args;
use zorb_idl::{Compilation, Severity};

use crate::definitions::FrontEnd;
use crate::screen::{self, ERROR, WARNING, counted, paint};

#[derive(Args, Debug)]
pub(super) struct Input {
    /// IDL files, each compiled separately
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) front_end: FrontEnd,
}

impl Input {
    /// Compiles each file separately.
    pub(super) fn compile_each(&self) -> Vec<(String, Compilation)> {
        let options = self.front_end.options();
        let compile =
            |file: &PathBuf| (file.display().to_string(), zorb_idl::compile(&options, &[file]));
        self.files.iter().map(compile).collect()
    }
}

/// The numbers of errors and warnings.
pub(super) fn count(results: &[(String, Compilation)]) -> (usize, usize) {
    let found = |severity| {
        let diagnostics = results.iter().flat_map(|(_, compilation)| &compilation.diagnostics);
        diagnostics.filter(|item| item.severity == severity).count()
    };
    (found(Severity::Error), found(Severity::Warning))
}

/// Prints the diagnostics of all files on standard error. Returns whether there is no error.
pub(super) fn are_valid(results: &[(String, Compilation)]) -> bool {
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

pub(super) fn print_count(errors: usize, warnings: usize) {
    let mut line = counted(errors, "error");
    if warnings > 0 {
        line = format!("{line}, {}", counted(warnings, "warning"));
    }
    screen::print_stderr(&format!("{line}; `zorb idl --explain CODE` explains them"));
}

/// Rendered diagnostics with colored severities.
pub(super) fn painted(findings: &str) -> String {
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
