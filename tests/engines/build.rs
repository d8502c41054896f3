//! Compiles the fixtures of the IDL compiler for the interpretive engine, some by profile, and those with types, and
//! random types, for both engines.

mod compared;
mod random;

use zorb_build::{Config, Marshal};

/// The fixtures that are compiled by profile, too: of most interfaces, some operations are hot.
const PROFILED: [&str; 6] = ["any", "bank", "interfaces", "types", "unions", "upcalls"];

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
        "views",
    ];
    let interpretive = Config::new().marshal(Marshal::Interpretive);
    // Some fixtures cause warnings, which the tests of the IDL compiler expect.
    if let Err(error) = interpretive.try_compile(&tested.map(path)) {
        eprintln!("{error}");
        std::process::exit(1);
    }
    let handlers = interpretive.reply_handlers();
    if let Err(error) = handlers.try_compile(&[path("handlers")]) {
        eprintln!("{error}");
        std::process::exit(1);
    }
    let profiled = Config::new().marshal(Marshal::Profile).usage_file("fixtures.usage");
    let folder = compared::folder("profiled");
    if let Err(error) = profiled.out_dir(folder).try_compile(&PROFILED.map(path)) {
        eprintln!("{error}");
        std::process::exit(1);
    }
    compared::compile("../..");
    random::compile();
}
