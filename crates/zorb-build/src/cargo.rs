//! What a build script says to Cargo, on its standard output.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks")]

use std::path::Path;

/// Run the script again when this file changes.
pub(crate) fn rerun_if_changed(path: &Path) {
    println!("cargo:rerun-if-changed={}", path.display());
}

/// Show the user a warning.
pub(crate) fn warning(text: &str) {
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        println!("cargo:warning={line}");
    }
}
