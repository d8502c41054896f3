//! Compiles the fixtures of the IDL compiler for the interpretive engine.

use zorb_build::{Config, Marshal};

fn main() {
    let fixtures = "../../crates/zorb-idl-rust/tests/fixtures";
    let files = [
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
    let files = files.map(|name| format!("{fixtures}/{name}.idl"));
    // Some fixtures cause warnings, which the tests of the IDL compiler expect.
    if let Err(error) = Config::new().marshal(Marshal::Interpretive).try_compile(&files) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
