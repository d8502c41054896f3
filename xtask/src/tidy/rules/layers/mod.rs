//! Layers: a crate depends on lower layers, and on the crates of its layer that [`table`] lists.

mod table;

use table::{CONCRETE_PROTOCOLS, CRATES, Crate, FACADE, Layer, SERVICES};

use crate::tidy::manifest::{Dependency, DependencyKind, Manifest};
use crate::tidy::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "layers",
    why: "a crate depends only on lower layers and along the edges of the table",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let members: Vec<&str> = tree
        .manifests()
        .iter()
        .filter_map(|manifest| Some(manifest.package.as_ref()?.0.as_str()))
        .collect();
    tree.manifests().iter().flat_map(|manifest| check_manifest(manifest, tree, &members)).collect()
}

fn check_manifest(manifest: &Manifest, tree: &Tree, members: &[&str]) -> Vec<Finding> {
    let at = |line, advice: String| Finding::new(&manifest.path, line, advice);
    if let Some((line, reason)) = &manifest.broken {
        return vec![at(*line, format!("make this valid TOML: {reason}"))];
    }
    let Some((name, name_line)) = &manifest.package else { return Vec::new() };
    let user = match location(&manifest.path) {
        Location::Crate(folder) if folder != name => {
            return vec![at(
                *name_line,
                format!("give folder and crate the same name: `{folder}`"),
            )];
        }
        Location::Crate(_) | Location::Xtask => match entry(name) {
            Some(entry) => User::Crate(entry),
            None => return vec![at(*name_line, unknown(name))],
        },
        Location::Leaf => User::Leaf,
        Location::Elsewhere => {
            let advice = "move this package to crates/, tests/, examples/, bench/peers/ or fuzz/";
            return vec![at(*name_line, advice.to_owned())];
        }
    };
    let ours = |d: &&Dependency| {
        d.local && members.contains(&d.package.as_str())
            || d.package == "zorb"
            || d.package.starts_with("zorb-")
            || entry(&d.package).is_some()
    };
    let judged = manifest.dependencies.iter().filter(ours).filter_map(|dependency| {
        let fault = check_edge(user, dependency, manifest, tree).err()?;
        Some(at(dependency.line, fault))
    });
    judged.collect()
}

/// The kind of a manifest, by its path.
enum Location<'a> {
    /// `crates/NAME/Cargo.toml`.
    Crate(&'a str),
    Xtask,
    /// Tests, examples, fuzz targets and peers of benchmarks: they may use anything, and nothing may use them.
    Leaf,
    Elsewhere,
}

fn location(path: &str) -> Location<'_> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["crates", name, "Cargo.toml"] => Location::Crate(name),
        ["xtask", "Cargo.toml"] => Location::Xtask,
        ["tests" | "examples" | "fuzz", ..]
        | ["bench", "peers", ..]
        | ["crates", _, "tests", ..] => Location::Leaf,
        _ => Location::Elsewhere,
    }
}

/// The user of a dependency.
#[derive(Clone, Copy)]
enum User {
    Crate(&'static Crate),
    Leaf,
}

fn entry(name: &str) -> Option<&'static Crate> {
    CRATES.iter().find(|entry| entry.name == name)
}

fn unknown(name: &str) -> String {
    format!("give `{name}` a row in the table xtask/src/tidy/rules/layers/table.rs")
}

/// Checks whether a dependency is allowed; the error is the advice.
fn check_edge(
    user: User,
    dependency: &Dependency,
    by: &Manifest,
    tree: &Tree,
) -> Result<(), String> {
    let name = dependency.package.as_str();
    let Some(used) = entry(name) else {
        let own = |m: &&Manifest| m.package.as_ref().is_some_and(|(n, _)| n == name);
        let manifest = tree.manifests().iter().find(own);
        return match manifest.map(|m| location(&m.path)) {
            // A package below the folder of another is a part of it.
            Some(Location::Leaf) if manifest.is_some_and(|m| is_below(&m.path, &by.path)) => Ok(()),
            Some(Location::Leaf) => Err(format!(
                "do not depend on `{name}`: nothing may depend on tests, examples and fuzz targets"
            )),
            _ => Err(unknown(name)),
        };
    };
    let User::Crate(user) = user else { return Ok(()) };
    if user.uses.contains(&name) {
        return Ok(());
    }
    let fault = |why: &str| Err(format!("`{}` may not use `{name}`: {why}", user.name));
    match (user.layer, used.layer, dependency.kind) {
        (_, _, DependencyKind::Dev) if name == "zorb-testkit" => Ok(()),
        (Layer::Orb(layer), _, DependencyKind::Build)
            if name == "zorb-build" && layer >= SERVICES =>
        {
            Ok(())
        }
        (_, Layer::Tool | Layer::Testkit | Layer::Xtask, _) => {
            fault("nothing may depend on tools, and only tests on `zorb-testkit`")
        }
        (Layer::Xtask, ..) => fault("xtask must work when the workspace does not compile"),
        (Layer::Tool, ..) => Ok(()),
        // The tests of the IDL crates compile and run generated code.
        (Layer::Idl, Layer::Orb(_), DependencyKind::Dev) => Ok(()),
        (Layer::Idl, ..) => {
            fault("the IDL compiler is connected to the ORB only through generated code")
        }
        (_, Layer::Idl, _) => {
            fault("only build scripts of services, and tools, may use the IDL compiler")
        }
        (Layer::Testkit, Layer::Orb(below), _) if below < FACADE => Ok(()),
        (Layer::Testkit, Layer::Orb(_), _) => {
            fault("the testkit may only use crates below the facade")
        }
        (Layer::Orb(layer), Layer::Orb(_), DependencyKind::Normal | DependencyKind::Build)
            if layer < FACADE && CONCRETE_PROTOCOLS.contains(&name) =>
        {
            fault("crates below the facade may not name a concrete protocol")
        }
        (Layer::Orb(layer), Layer::Orb(below), _) if below < layer => Ok(()),
        (Layer::Orb(layer), Layer::Orb(other), _) => {
            fault(&format!("layer {layer} may only use lower layers, not layer {other}"))
        }
    }
}

/// Whether a manifest is in a folder of the folder of `outer`, another manifest.
fn is_below(manifest: &str, outer: &str) -> bool {
    let folder = outer.strip_suffix("Cargo.toml").unwrap_or(outer);
    manifest.strip_prefix(folder).is_some_and(|rest| rest.contains('/'))
}

#[cfg(test)]
mod tests;
