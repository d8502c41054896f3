//! The seeds of a target: the files in `fuzz/corpus/NAME`.

use std::path::PathBuf;

/// One seed: the name of its file and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The file's name.
    pub name: String,
    /// The input.
    pub octets: Vec<u8>,
}

/// The folder of a target's seeds.
#[must_use]
pub fn folder(target: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "fuzz", "corpus", target].iter().collect()
}

/// All seeds of a target, by name, so that every machine sees them in the same order.
///
/// # Panics
/// When the folder or a file in it cannot be read.
#[must_use]
pub fn seeds(target: &str) -> Vec<Seed> {
    let entries = std::fs::read_dir(folder(target)).expect("every target has a corpus");
    let mut seeds: Vec<Seed> = entries
        .map(|entry| {
            let entry = entry.expect("a readable folder");
            let name = entry.file_name().to_string_lossy().into_owned();
            Seed { name, octets: std::fs::read(entry.path()).expect("a readable seed") }
        })
        .collect();
    seeds.sort_by(|a, b| a.name.cmp(&b.name));
    seeds
}
