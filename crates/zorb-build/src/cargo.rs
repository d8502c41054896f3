//! Instructions of a build script to Cargo, on standard output.
#![allow(clippy::print_stdout, reason = "a build script talks to Cargo on standard output")]

use std::path::Path;

/// Reruns the script when this file changes.
pub(crate) fn rerun_if_changed(path: &Path) {
    println!("cargo:rerun-if-changed={}", path.display());
}

/// Reruns the script when this variable changes.
pub(crate) fn rerun_if_env_changed(name: &str) {
    println!("cargo:rerun-if-env-changed={name}");
}

/// Shows the user a warning.
pub(crate) fn warning(text: &str) {
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        println!("cargo:warning={line}");
    }
}
