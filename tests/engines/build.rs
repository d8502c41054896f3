//! Compiles the fixtures of the IDL compiler for the interpretive engine, and those with types for both engines.

mod compared;

use zorb_build::{Config, Marshal};

fn main() {
    let path = |name| format!("../../crates/zorb-idl-rust/tests/fixtures/{name}.idl");
    let tested = [
        "ami",
        "any",
        "bank",
        "deferred",
        "edges",
        "extended",
        "hello",
        "interfaces",
        "local",
        "names",
        "reopened",
        "reserved",
        "types",
        "unions",
        "upcalls",
        "valuetypes",
    ];
    let interpretive = Config::new().marshal(Marshal::Interpretive);
    // Some fixtures cause warnings, which the tests of the IDL compiler expect.
    if let Err(error) = interpretive.try_compile(&tested.map(path)) {
        eprintln!("{error}");
        std::process::exit(1);
    }
    compared::compile("../..");
}
