//! `cargo xtask api`: the public API of the crates that users depend on, as Rust without bodies. It
//! is read from the source, not from rustdoc's JSON, which only nightly compilers write.

mod interface;
mod macros;
mod outline;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use crate::tidy::Tree;
use interface::Workspace;

/// Compare the public API with its record, crates/CRATE/api.txt
///
/// Exits with 1 if an API differs from the record, or an item has two paths.
#[derive(Args, Debug, Default)]
pub(crate) struct Options {
    /// Rewrite the record
    #[arg(long)]
    update: bool,
}

/// The crates that users name in their manifests.
const PUBLISHED: [&str; 2] = ["zorb", "zorb-build"];

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    let workspace = Workspace::read(&Tree::load(root)?);
    let mut faults = Vec::new();
    for name in PUBLISHED {
        let api = workspace.api(name);
        faults.extend(api.duplicates.iter().map(|duplicate| format!("{name}: {duplicate}")));
        let path = root.join(format!("crates/{name}/api.txt"));
        if options.update {
            std::fs::write(path, api.text)?;
        } else if std::fs::read_to_string(path).ok() != Some(api.text) {
            faults.push(format!("{name}: the API has changed: run cargo xtask api --update"));
        }
    }
    for fault in &faults {
        writeln!(out, "{fault}")?;
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_current_and_every_item_has_one_path() {
        let mut out = Vec::new();
        let code = command(&crate::root(), &Options::default(), &mut out)
            .expect("the workspace is readable");
        assert_eq!(code, ExitCode::SUCCESS, "{}", String::from_utf8_lossy(&out));
    }
}
