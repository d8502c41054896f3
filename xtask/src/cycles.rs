//! `cargo xtask cycles`: which modules of a crate need each other, and by which paths.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::tidy::Tree;
use crate::tidy::rules::cycles;

const HELP: &str = "\
Show the groups of modules that need each other, with a path for every need.

Usage: cargo xtask cycles [CRATE]
       cargo xtask cycles --update

Options:
  --update    Write the groups that are left to xtask/cycles.toml
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
        other => return crate::usage_error(&format!("cycles does not know {other:?}"), HELP),
    }
    Ok(ExitCode::SUCCESS)
}
