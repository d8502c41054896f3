//! Compiles the fixtures of the IDL compiler for the interpretive engine, and those with types for both engines.

use std::path::PathBuf;

use zorb_build::{Config, Marshal};

fn main() {
    let fixtures = "../../crates/zorb-idl-rust/tests/fixtures";
    let path = |name: &str| format!("{fixtures}/{name}.idl");
    let interpretive = Config::new().marshal(Marshal::Interpretive);
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
    compile(&interpretive, &tested.map(path));
    // The valuetypes of the fixtures have operations, which only the tests implement.
    let compared = [
        "ami",
        "any",
        "bank",
        "deferred",
        "edges",
        "extended",
        "interfaces",
        "names",
        "reopened",
        "types",
        "unions",
    ];
    let mut files = compared.map(path).to_vec();
    files.push("idl/chunks.idl".to_owned());
    let Some(folder) = std::env::var_os("OUT_DIR").map(PathBuf::from) else {
        eprintln!("OUT_DIR is not set");
        std::process::exit(1);
    };
    for (name, config) in [("compiled", Config::new()), ("interpretive", interpretive)] {
        let folder = folder.join(name);
        if let Err(error) = std::fs::create_dir_all(&folder) {
            eprintln!("{}: {error}", folder.display());
            std::process::exit(1);
        }
        compile(&config.out_dir(folder), &files);
    }
}

/// Some fixtures cause warnings, which the tests of the IDL compiler expect.
fn compile(config: &Config, files: &[String]) {
    if let Err(error) = config.try_compile(files) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
