// Compiles the types that are compared: a part of the build scripts of these tests and of the fuzz targets.

use std::path::PathBuf;

use zorb_build::{Config, Marshal};

/// Compiles the fixtures with types, in the project's root folder `root`, for both engines: to the folders `compiled` and
/// `interpretive` of `OUT_DIR`.
pub(crate) fn compile(root: &str) {
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
    let fixture = |name| format!("{root}/crates/zorb-idl-rust/tests/fixtures/{name}.idl");
    let mut files = compared.map(fixture).to_vec();
    files.extend(["bounded", "chunks"].map(|name| format!("{root}/tests/engines/idl/{name}.idl")));
    let [compiled, interpretive] =
        [Marshal::Compiled, Marshal::Interpretive].map(|marshal| Config::new().marshal(marshal));
    for (name, config) in [("compiled", compiled), ("interpretive", interpretive)] {
        // Some fixtures cause warnings, which the tests of the IDL compiler expect.
        if let Err(error) = config.out_dir(folder(name)).try_compile(&files) {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

/// The folder of this name in `OUT_DIR`, which it creates.
pub(crate) fn folder(name: &str) -> PathBuf {
    let Some(folder) = std::env::var_os("OUT_DIR").map(|folder| PathBuf::from(folder).join(name))
    else {
        eprintln!("OUT_DIR is not set");
        std::process::exit(1);
    };
    if let Err(error) = std::fs::create_dir_all(&folder) {
        eprintln!("{}: {error}", folder.display());
        std::process::exit(1);
    }
    folder
}
