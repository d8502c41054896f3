//! `cargo xtask cycles`: the modules of a crate that depend on each other, and the paths that cause
//! it.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use crate::tidy::Tree;
use crate::tidy::rules::cycles;

/// Show the groups of modules that depend on each other, with a path for each dependency
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Only those of this crate
    #[arg(value_name = "CRATE")]
    name: Option<String>,
    /// Write the remaining groups to xtask/cycles.toml
    #[arg(long, conflicts_with = "name")]
    update: bool,
}

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    let tree = Tree::load(root)?;
    match options.update {
        true => std::fs::write(root.join(cycles::LIST), cycles::list(&tree))?,
        false => out.write_all(cycles::explain(&tree, options.name.as_deref()).as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
