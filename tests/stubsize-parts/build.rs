//! Generates the code of one part, which `cargo xtask stubsize` names in the environment: its IDL files in
//! `STUBSIZE_FILES`, separated by colons, a folder of IDL that they include in `STUBSIZE_INCLUDE`, the engine in
//! `STUBSIZE_ENGINE`, and in `STUBSIZE_ROLE` what uses the code.
//! Without them, the part is empty. `STUBSIZE_COUNTS` is the file for what the IDL contains.
#![allow(clippy::expect_used, reason = "a build script has nobody to return errors to")]

mod part;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use part::Role;
use zorb_build::{Config, Marshal};
use zorb_idl::{Compilation, DefinitionKind, Type};

fn main() {
    for name in ["FILES", "INCLUDE", "ENGINE", "ROLE", "COUNTS"] {
        println!("cargo::rerun-if-env-changed=STUBSIZE_{name}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=part.rs");
    let out = PathBuf::from(variable("OUT_DIR").expect("Cargo sets it")).join("part.rs");
    std::fs::write(out, text()).expect("the part is written");
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn text() -> String {
    let Some(files) = variable("STUBSIZE_FILES") else { return part::using(&[]) };
    let files: Vec<PathBuf> = files.split(':').map(PathBuf::from).collect();
    let folder = files.first().and_then(|file| file.parent()).expect("a file in a folder");
    let marshal = match variable("STUBSIZE_ENGINE").as_deref() {
        Some("interpretive") => Marshal::Interpretive,
        _ => Marshal::Compiled,
    };
    let role = match variable("STUBSIZE_ROLE").as_deref() {
        Some("client") => Role::Client,
        Some("server") => Role::Server,
        _ => Role::Servant,
    };
    let included = variable("STUBSIZE_INCLUDE").map_or_else(|| folder.to_owned(), PathBuf::from);
    let config = Config::new().include_path(folder).include_path(&included);
    let config = config.marshal(marshal).combined("part");
    let outputs = config.generate(&files).expect("IDL without errors");
    let generated: String = outputs.into_iter().map(|output| output.text).collect();

    let options = zorb_idl::Options::new().include_path(folder).include_path(&included);
    let compilation = zorb_idl::compile(&options, &files);
    if let Some(path) = variable("STUBSIZE_COUNTS") {
        let [structs, sequences, operations] = counts(&compilation);
        std::fs::write(path, format!("{structs} {sequences} {operations}\n")).expect("counts");
    }
    let own = interfaces(&compilation, &files);
    part::with_users(&generated, role, &|path| own.contains(&part::plain(path)))
}

/// The interfaces of the files themselves, not of those that they include.
fn interfaces(compilation: &Compilation, files: &[impl AsRef<Path>]) -> HashSet<String> {
    assert!(!files.is_empty(), "a part has files");
    let own = compilation.model.definitions().filter(|definition| !definition.from_include);
    let own = own.filter(|definition| matches!(definition.kind, DefinitionKind::Interface(_)));
    own.map(|definition| part::plain(&definition.scoped_name.join("::"))).collect()
}

/// Structs, sequences that have a name, and operations and attributes.
fn counts(compilation: &Compilation) -> [usize; 3] {
    let mut counts = [0; 3];
    for definition in compilation.model.definitions().filter(|one| !one.from_include) {
        match &definition.kind {
            DefinitionKind::Struct(_) => counts[0] += 1,
            DefinitionKind::Typedef(alias) if matches!(alias.ty, Type::Sequence { .. }) => {
                counts[1] += 1
            }
            DefinitionKind::Interface(interface) => {
                counts[2] += interface.operations().count() + interface.attributes().count();
            }
            _ => {}
        }
    }
    counts
}
