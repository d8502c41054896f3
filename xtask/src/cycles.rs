//! `cargo xtask cycles`: the modules of a crate that depend on each other, and the paths that cause
//! it.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::tidy::Tree;
use crate::tidy::rules::cycles;

const HELP: &str = "\
Show the groups of modules that depend on each other, with a path for each dependency.

Usage: cargo xtask cycles [CRATE]
       cargo xtask cycles --update

Options:
  --update    Write the remaining groups to xtask/cycles.toml
  -h, --help  Show this text
";

pub(crate) fn command(root: &Path, args: &[String], out: &mut dyn Write) -> io::Result<ExitCode> {
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => out.write_all(cycles::explain(&Tree::load(root)?, None).as_bytes())?,
        ["--update"] => std::fs::write(root.join(cycles::LIST), cycles::list(&Tree::load(root)?))?,
        ["--help" | "-h"] => out.write_all(HELP.as_bytes())?,
        [name] if !name.starts_with('-') => {
            out.write_all(cycles::explain(&Tree::load(root)?, Some(name)).as_bytes())?;
        }
        other => return crate::usage_error(&format!("cycles: unknown arguments {other:?}"), HELP),
    }
    Ok(ExitCode::SUCCESS)
}
