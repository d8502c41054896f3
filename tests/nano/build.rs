//! Compiles the IDL for both ORBs.

use std::path::Path;

use zorb_build::{Config, Target};

#[allow(clippy::expect_used, reason = "a panic is how a build script fails")]
fn main() {
    Config::new().compile(&["idl/meter.idl"]);
    // The generated file has the name of the source.
    let folder = std::env::var("OUT_DIR").expect("Cargo sets OUT_DIR");
    let copy = Path::new(&folder).join("small.idl");
    std::fs::copy("idl/meter.idl", &copy).expect("idl/meter.idl can be copied");
    Config::new().target(Target::Nano).compile(&[copy]);
}
