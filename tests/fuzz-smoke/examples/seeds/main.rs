//! Makes the seed corpora in `fuzz/corpus`: from the golden vectors, the fixtures of the IDL front
//! end, recorded calls, and a few inputs written by hand. Seeds of other names are left alone.
//!
//! ```sh
//! cargo run -p zorb-fuzz-smoke --example seeds
//! ```
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a tool for developers"
)]

mod calls;
mod connections;
mod definitions;
mod dynamic;
mod engines;
mod idl;
mod imr;
mod naming;
mod nano;
mod rings;
mod text;
mod vectors;
mod views;

use std::path::{Path, PathBuf};

use zorb_fuzz_smoke::corpus::folder;

fn main() {
    vectors::write();
    idl::write();
    text::write();
    calls::write();
    connections::write();
    dynamic::made();
    dynamic::values();
    engines::write();
    views::write();
    definitions::write();
    rings::write();
    imr::write();
    naming::write();
    nano::write();
}

/// Writes one seed.
fn seed(target: &str, name: &str, octets: impl AsRef<[u8]>) {
    let folder = folder(target);
    std::fs::create_dir_all(&folder).expect("a folder for the seeds");
    std::fs::write(folder.join(name), octets).expect("a writable seed");
}

/// A file or folder of the project.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// What is in a folder, by name.
fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}
