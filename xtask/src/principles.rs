//! `cargo xtask principles`: the tables of the book's chapter on performance.

use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::Args;

/// Measure the patterns of docs/src/performance.md, before and after, and write the chapter's tables
///
/// Requires valgrind, binutils and an idle machine, and takes about ten seconds after the build.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Print the tables without changing the chapter
    #[arg(long)]
    dry_run: bool,
}

const PAGE: &str = "docs/src/performance.md";

pub(crate) fn command(root: &Path, options: &Options) -> io::Result<ExitCode> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).env("CARGO_INCREMENTAL", "0");
    cargo.args([
        "run",
        "--profile=lto",
        "--package=zorb-costs",
        "--bin=zorb-costs-principles",
        "--",
    ]);
    if !options.dry_run {
        cargo.args(["--write", PAGE]);
    }
    Ok(if cargo.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
