//! `cargo xtask principles`: the tables of the book's chapter on performance.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};

const HELP: &str = "\
Measure the patterns of docs/src/performance.md, before and after, and write the chapter's tables.

Usage: cargo xtask principles [--dry-run]

Requires valgrind, binutils and an idle machine, and takes about ten seconds after the build.
--dry-run prints the tables without changing the chapter.
";

const PAGE: &str = "docs/src/performance.md";

pub(crate) fn command(root: &Path, args: &[String], out: &mut dyn Write) -> io::Result<ExitCode> {
    let write = match args {
        [] => true,
        [option] if option == "--dry-run" => false,
        [help] if help == "--help" || help == "-h" => {
            out.write_all(HELP.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        other => {
            return crate::usage_error(&format!("principles: unknown arguments {other:?}"), HELP);
        }
    };
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).env("CARGO_INCREMENTAL", "0");
    cargo.args([
        "run",
        "--profile=lto",
        "--package=zorb-costs",
        "--bin=zorb-costs-principles",
        "--",
    ]);
    if write {
        cargo.args(["--write", PAGE]);
    }
    Ok(if cargo.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
