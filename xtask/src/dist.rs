//! `cargo xtask dist`: the program `zorb` with its licenses and a software bill of materials.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Error, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;
use serde_json::{Value, json};

/// Build the program `zorb` for distribution, with its licenses and a bill of materials (SBOM)
///
/// Writes to target/dist: `zorb` (profile `lto`), LICENSE-MIT, LICENSE-APACHE, and zorb.cdx.json, the bill of
/// materials in CycloneDX 1.5. It lists every crate of the program and of its build scripts with version, license,
/// package URL, checksum and dependencies, and is the same for the same Cargo.lock.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Write only the bill of materials
    #[arg(long)]
    sbom_only: bool,
}

/// The package of the program.
const PACKAGE: &str = "zorb-cli";

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    let folder = root.join("target/dist");
    fs::create_dir_all(&folder)?;
    let mut written = Vec::new();
    let bill = serde_json::to_string_pretty(&bill(root)?)? + "\n";
    written.push(folder.join("zorb.cdx.json"));
    fs::write(folder.join("zorb.cdx.json"), bill)?;
    if !options.sbom_only {
        cargo(root, &["build", "--profile=lto", "--locked", "--package", PACKAGE])?;
        for (from, name) in [
            (root.join("target/lto/zorb"), "zorb"),
            (root.join("LICENSE-MIT"), "LICENSE-MIT"),
            (root.join("LICENSE-APACHE"), "LICENSE-APACHE"),
        ] {
            let to: PathBuf = folder.join(name);
            fs::copy(from, &to)?;
            written.push(to);
        }
    }
    for file in written {
        writeln!(out, "{}", file.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The bill of materials of the program, from Cargo's own view of it.
fn bill(root: &Path) -> io::Result<Value> {
    let tree = ["tree", "--locked", "--package", PACKAGE, "--edges", "normal,build"];
    let tree = cargo(root, &[&tree[..], &["--prefix", "none", "--format", "{p}"]].concat())?;
    let metadata = cargo(root, &["metadata", "--locked", "--format-version", "1"])?;
    let lock = fs::read_to_string(root.join("Cargo.lock"))?;
    let lock: toml::Table = lock.parse().map_err(Error::other)?;
    Ok(bill_of(&crates(&tree), &serde_json::from_str(&metadata)?, &lock))
}

/// The crates in the output of `cargo tree`: name and version.
fn crates(tree: &str) -> BTreeSet<(&str, &str)> {
    let words = tree.lines().map(|line| line.split(' '));
    words.filter_map(|mut words| Some((words.next()?, words.next()?.strip_prefix('v')?))).collect()
}

/// The bill of materials: the packages of Cargo's metadata that are in `crates`.
fn bill_of(crates: &BTreeSet<(&str, &str)>, metadata: &Value, lock: &toml::Table) -> Value {
    let list = |of: &Value, key: &str| of[key].as_array().cloned().unwrap_or_default();
    let known = |package: &Value| {
        let key = (text(package, "name"), text(package, "version"));
        crates.contains(&key)
    };
    let mut packages = list(metadata, "packages");
    packages.retain(known);
    packages.sort_by_key(|package| (text(package, "name").to_owned(), url(package)));
    let reference = |id: &Value| {
        let package = packages.iter().find(|package| package["id"] == *id);
        package.map(url)
    };
    let mut dependencies = Vec::new();
    for node in list(&metadata["resolve"], "nodes") {
        let Some(of) = reference(&node["id"]) else { continue };
        // Development dependencies are not part of the program.
        let used = list(&node, "deps")
            .into_iter()
            .filter(|used| list(used, "dep_kinds").iter().any(|kind| kind["kind"] != "dev"));
        let on: BTreeSet<String> = used.filter_map(|used| reference(&used["pkg"])).collect();
        dependencies.push(json!({ "ref": of, "dependsOn": on }));
    }
    dependencies.sort_by_key(|entry| text(entry, "ref").to_owned());
    let (own, others): (Vec<&Value>, Vec<&Value>) =
        packages.iter().partition(|package| text(package, "name") == PACKAGE);
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": own.first().map(|own| component(own, "application", lock)) },
        "components": others.iter().map(|of| component(of, "library", lock)).collect::<Vec<_>>(),
        "dependencies": dependencies,
    })
}

fn component(package: &Value, kind: &str, lock: &toml::Table) -> Value {
    let (name, version) = (text(package, "name"), text(package, "version"));
    let mut component = json!({
        "type": kind,
        "bom-ref": url(package),
        "name": name,
        "version": version,
        "purl": url(package),
        "licenses": [{ "expression": text(package, "license").replace('/', " OR ") }],
    });
    if let Some(checksum) = checksum(lock, name, version) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

/// The package URL.
fn url(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(package, "name"), text(package, "version"))
}

/// The checksum of a crate from the registry.
fn checksum<'a>(lock: &'a toml::Table, name: &str, version: &str) -> Option<&'a str> {
    let of = |package: &'a toml::Value, key: &str| package.get(key).and_then(toml::Value::as_str);
    let packages = lock.get("package")?.as_array()?;
    let package = packages.iter().find(|package| {
        of(package, "name") == Some(name) && of(package, "version") == Some(version)
    });
    of(package?, "checksum")
}

fn text<'a>(of: &'a Value, key: &str) -> &'a str {
    of[key].as_str().unwrap_or_default()
}

/// The standard output of a Cargo command.
fn cargo(root: &Path, args: &[&str]) -> io::Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).current_dir(root).args(args).output()?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::other(format!("cargo {}: {reason}", args.join(" "))));
    }
    String::from_utf8(output.stdout).map_err(Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bill: &Value) -> BTreeSet<String> {
        let components = bill["components"].as_array().expect("a list");
        components.iter().map(|component| text(component, "name").to_owned()).collect()
    }

    #[test]
    fn the_bill_lists_what_the_program_is_made_of() {
        let bill = bill(&crate::root()).expect("a bill of materials");
        assert_eq!(bill["metadata"]["component"]["name"], PACKAGE);
        let names = names(&bill);
        for part in ["zorb", "zorb-cdr", "zorb-idl", "rustls", "clap", "syn"] {
            assert!(names.contains(part), "{part} is missing");
        }
        // They are used by tests only.
        for other in ["loom", "proptest", "zorb-testkit", "libtest-mimic"] {
            assert!(!names.contains(other), "{other} is not part of the program");
        }
        let components = bill["components"].as_array().expect("a list");
        for component in components {
            let name = text(component, "name");
            let license = text(&component["licenses"][0], "expression");
            assert!(!license.is_empty(), "{name} has no license");
            let hash = text(&component["hashes"][0], "content");
            assert_eq!(hash.len(), if name.starts_with("zorb") { 0 } else { 64 }, "{name}");
        }
    }

    #[test]
    fn dependencies_refer_to_components() {
        let bill = bill(&crate::root()).expect("a bill of materials");
        let mut known: BTreeSet<&str> = bill["components"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|component| text(component, "bom-ref"))
            .collect();
        known.insert(text(&bill["metadata"]["component"], "bom-ref"));
        let dependencies = bill["dependencies"].as_array().expect("a list");
        assert_eq!(dependencies.len(), known.len());
        for entry in dependencies {
            assert!(known.contains(text(entry, "ref")), "{entry}");
            for on in entry["dependsOn"].as_array().expect("a list") {
                assert!(known.contains(on.as_str().expect("text")), "{entry}");
            }
        }
    }

    #[test]
    fn development_dependencies_are_left_out() {
        let package = |name: &str| json!({ "name": name, "version": "1.0.0", "id": name });
        let uses =
            |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [package(PACKAGE), package("a"), package("b"), package("unrelated")],
            "resolve": { "nodes": [
                { "id": PACKAGE, "deps": [uses("a", Value::Null), uses("b", json!("dev"))] },
                { "id": "a", "deps": [uses("b", json!("build"))] },
                { "id": "b", "deps": [] },
                { "id": "unrelated", "deps": [] },
            ]},
        });
        let tree = "zorb-cli v1.0.0 (/some/where)\na v1.0.0\nb v1.0.0\na v1.0.0 (*)\n";
        let bill = bill_of(&crates(tree), &metadata, &toml::Table::new());
        assert_eq!(names(&bill), ["a", "b"].map(str::to_owned).into());
        let expected = json!([
            { "ref": "pkg:cargo/a@1.0.0", "dependsOn": ["pkg:cargo/b@1.0.0"] },
            { "ref": "pkg:cargo/b@1.0.0", "dependsOn": [] },
            { "ref": "pkg:cargo/zorb-cli@1.0.0", "dependsOn": ["pkg:cargo/a@1.0.0"] },
        ]);
        assert_eq!(bill["dependencies"], expected);
    }
}
