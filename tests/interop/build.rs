//! Compiles the IDL that the peers share, and that of some seeds of the random tests, for the marshalling engine that a
//! feature chooses. `zorb-interop-tests` and `zorb-interop-interpretive-tests` run it in folders that are neighbours.

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "tests/interop/random/generator.rs"]
mod generator;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "tests/interop/random/idl.rs"]
mod idl;

use std::path::Path;

use zorb_build::{Config, Marshal, Target};

/// The seeds whose Rust is compiled: see `seeds.rs`.
const SEEDS: [u64; 4] = [1, 2, 3, 4];

#[allow(clippy::panic, reason = "a panic is how a build script fails")]
fn main() {
    let marshal = match std::env::var_os("CARGO_FEATURE_INTERPRETIVE") {
        Some(_) => Marshal::Interpretive,
        None => Marshal::Compiled,
    };
    let config = Config::new().marshal(marshal);
    let idl = "../interop/idl";
    let shared = ["interop", "random"].map(|name| format!("{idl}/{name}.idl"));
    config.clone().include_path(idl).compile(&shared);
    let asynchronous = config.clone().ami("Interop").reply_handlers();
    asynchronous.compile(&[format!("{idl}/asynchronous.idl")]);
    Config::new().target(Target::Nano).compile(&[format!("{idl}/small.idl")]);
    let folder = std::env::var("OUT_DIR").unwrap_or_default();
    let mut files = Vec::new();
    for seed in SEEDS {
        let (file, text) =
            (Path::new(&folder).join(format!("seed{seed}.idl")), idl::of_seed(seed).text);
        // A file that is written anew looks changed to the next build.
        if std::fs::read_to_string(&file).ok().as_ref() != Some(&text) {
            std::fs::write(&file, text)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
        files.push(file);
    }
    // Without its warnings, of names that are renamed.
    if let Err(error) = config.try_compile(&files) {
        panic!("{error}");
    }
}
