//! `cargo xtask tidy`: the rules that rustc, clippy, rustfmt and cargo-deny cannot check. A test
//! applies them to the workspace, so `cargo test --workspace` reports every finding.

mod manifest;
pub(crate) mod rules;
mod tree;

pub(crate) use tree::{Tree, is_test_path, is_written_by_hand};

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

/// Check the rules of the project in every file that git tracks or would track
///
/// Prints a line `path:line: rule: advice` for each finding.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// List the rules with their purpose
    #[arg(long)]
    list: bool,
}

/// A rule: name, purpose, and check.
pub(crate) struct Rule {
    /// The name in findings and exceptions.
    pub(crate) name: &'static str,
    /// The purpose, in one sentence.
    pub(crate) why: &'static str,
    /// Checks the tree, and returns the findings.
    pub(crate) check: fn(&Tree) -> Vec<Finding>,
}

/// A violation at one position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The path of the file from the workspace's root, with `/`.
    pub(crate) path: String,
    /// The line, from 1; 1 for a whole file.
    pub(crate) line: usize,
    /// The name of the rule, filled in by [`findings`].
    pub(crate) rule: &'static str,
    /// What to do.
    pub(crate) advice: String,
}

impl Finding {
    pub(crate) fn new(path: &str, line: usize, advice: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule: "", advice: advice.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.advice)
    }
}

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    if options.list {
        for rule in rules::ALL {
            writeln!(out, "{:10} {}", rule.name, rule.why)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let tree = Tree::load(root)?;
    let findings = findings(&tree);
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    let (files, rules) = (tree.files().len(), rules::ALL.len());
    writeln!(io::stderr(), "tidy: {} findings, {files} files, {rules} rules", findings.len())?;
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks all rules; sorts the findings by path and line.
pub(crate) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in rules::ALL {
        findings.extend((rule.check)(tree).into_iter().map(|f| Finding { rule: rule.name, ..f }));
    }
    findings.sort();
    findings
}

#[cfg(test)]
mod tests;
