//! Generates Rust from every IDL file of Debian's package `omniorb-idl`, each as a separate module as it would be in a
//! program, and a list of those that are refused. Without the package there is none.
#![allow(clippy::expect_used, clippy::print_stdout, reason = "a build script talks to Cargo")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the package has its files.
const FOLDER: &str = "/usr/share/idl/omniORB";

/// The Rust module of `CORBA`, for files that use definitions of `orb.idl` but include it only through another file,
/// for which the back end generates no code.
const INDIRECT: [(&str, &str); 2] = [
    ("COS/CosCompoundLifeCycle.idl", "crate::idl::cos_cosgraphs_idl::corba"),
    ("COS/CosStream.idl", "crate::idl::cos_cosgraphs_idl::corba"),
];

/// Files that contain the definitions they include, because no single module has all of `CORBA` that they use.
const ALONE: [&str; 4] = ["NRService", "SecurityAdmin", "SecurityLevel2", "SecurityReplaceable"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = Path::new(FOLDER);
    let files = if folder.is_dir() { files(folder) } else { Vec::new() };
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets it"));
    let (mut modules, mut compiled, mut refused) = (String::new(), String::new(), String::new());
    let mut accepted = Vec::new();
    for file in &files {
        println!("cargo::rerun-if-changed={}", folder.join(file).display());
        let name = file.display();
        match check(folder, file) {
            Ok(compilation) => {
                let _ = writeln!(compiled, "    \"{name}\",");
                accepted.push((file, compilation));
            }
            Err(codes) => _ = writeln!(refused, "    (\"{name}\", &{codes:?}),"),
        }
    }
    for (file, compilation) in &accepted {
        // What other files define is compiled once, in their modules.
        let alone = file.file_stem().is_some_and(|stem| ALONE.iter().any(|name| stem == *name));
        let others = accepted.iter().filter(|(other, _)| {
            // The compiler uses its own orb.idl, whose definitions each file gets that needs some.
            other != file && !alone && other.as_path() != Path::new("orb.idl")
        });
        let options = others.fold(zorb_idl_rust::Options::new(), |options, (other, _)| {
            options
                .extern_file(other.display().to_string(), format!("crate::idl::{}", module(other)))
        });
        let indirect = INDIRECT.iter().filter(|(name, _)| Path::new(name) == file.as_path());
        let options =
            indirect.fold(options, |options, (_, corba)| options.extern_module("CORBA", *corba));
        let text = zorb_idl_rust::generate(compilation, &options).text;
        let module = module(file);
        std::fs::write(out.join(&module).with_extension("rs"), text).expect("written");
        let path = format!("concat!(env!(\"OUT_DIR\"), \"/{module}.rs\")");
        let _ = writeln!(modules, "mod {module} {{ include!({path}); }}");
    }
    let lists = format!(
        "/// Files whose Rust is here.\npub(super) const COMPILED: &[&str] = &[\n{compiled}];\n\
         /// Files that are refused, and the codes of what is found.\n\
         pub(super) const REFUSED: &[(&str, &[&str])] = &[\n{refused}];\n"
    );
    std::fs::write(out.join("corpora.rs"), modules + &lists).expect("written");
}

/// All IDL files, from the folder on.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut work = vec![folder.to_owned()];
    while let Some(at) = work.pop() {
        for entry in std::fs::read_dir(&at).expect("a readable folder") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|extension| extension == "idl") {
                found.push(path.strip_prefix(folder).expect("inside").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// `cos_cosnaming_idl` for `COS/CosNaming.idl`.
fn module(file: &Path) -> String {
    let name = file.display().to_string();
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_").to_lowercase()
}

/// A file without errors, or the codes of those in it, each once.
fn check(folder: &Path, file: &Path) -> Result<zorb_idl::Compilation, Vec<String>> {
    // Files in `COS` include each other, and the built-in `orb.idl`.
    let beside = folder.join(file.parent().unwrap_or(Path::new("")));
    let options = zorb_idl::Options::new().include_path(beside);
    let compilation = zorb_idl::compile(&options, &[folder.join(file)]);
    let mut findings = compilation.diagnostics.clone();
    if !compilation.has_errors() {
        let back = zorb_idl_rust::Options::new();
        findings.extend(zorb_idl_rust::unsupported(&compilation, &back));
    }
    let mut codes: Vec<String> = findings.iter().map(|found| found.code.as_str().into()).collect();
    codes.retain(|code| code.starts_with('E'));
    codes.sort();
    codes.dedup();
    if codes.is_empty() { Ok(compilation) } else { Err(codes) }
}
