//! Layer edges: a crate uses lower floors, and what the table in [`rooms`] names beside that.

mod rooms;

use rooms::{CONCRETE_PROTOCOLS, FACADE, ROOMS, Room, SERVICES, Storey};

use crate::tidy::manifest::{Dependency, DependencyKind, Manifest};
use crate::tidy::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "layers",
    why: "an arrow between crates only points to a lower floor or along an edge of the table",
    excusable: false,
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
    let user = match home(&manifest.path) {
        Home::Crate(folder) if folder != name => {
            return vec![at(*name_line, format!("name folder and crate alike: `{folder}`"))];
        }
        Home::Crate(_) | Home::Xtask => match room(name) {
            Some(room) => User::Room(room),
            None => return vec![at(*name_line, unknown(name))],
        },
        Home::Leaf => User::Leaf,
        Home::Elsewhere => {
            let advice = "move this package to crates/, tests/, examples/ or fuzz/";
            return vec![at(*name_line, advice.to_owned())];
        }
    };
    let ours = |d: &&Dependency| {
        d.local && members.contains(&d.package.as_str())
            || d.package == "zorb"
            || d.package.starts_with("zorb-")
            || room(&d.package).is_some()
    };
    let judged = manifest.dependencies.iter().filter(ours).filter_map(|dependency| {
        let fault = judge(user, dependency, tree).err()?;
        Some(at(dependency.line, fault))
    });
    judged.collect()
}

/// Where a manifest lies.
enum Home<'a> {
    /// `crates/NAME/Cargo.toml`.
    Crate(&'a str),
    Xtask,
    /// Tests, examples and fuzz targets: they use anything, nothing uses them.
    Leaf,
    Elsewhere,
}

fn home(path: &str) -> Home<'_> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["crates", name, "Cargo.toml"] => Home::Crate(name),
        ["xtask", "Cargo.toml"] => Home::Xtask,
        ["tests" | "examples" | "fuzz", ..] | ["crates", _, "tests", ..] => Home::Leaf,
        _ => Home::Elsewhere,
    }
}

/// Who depends on something.
#[derive(Clone, Copy)]
enum User {
    Room(&'static Room),
    Leaf,
}

fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

fn unknown(name: &str) -> String {
    format!("give `{name}` a row in the table xtask/src/tidy/rules/layers/rooms.rs")
}

/// Whether the edge may be; the error says what to do.
fn judge(user: User, dependency: &Dependency, tree: &Tree) -> Result<(), String> {
    let name = dependency.package.as_str();
    let Some(used) = room(name) else {
        let own = |m: &&Manifest| m.package.as_ref().is_some_and(|(n, _)| n == name);
        let manifest = tree.manifests().iter().find(own);
        return match manifest.map(|m| home(&m.path)) {
            Some(Home::Leaf) => Err(format!(
                "do not depend on `{name}`: tests, examples and fuzz targets are used by nobody"
            )),
            _ => Err(unknown(name)),
        };
    };
    let User::Room(user) = user else { return Ok(()) };
    if user.uses.contains(&name) {
        return Ok(());
    }
    let fault = |why: &str| Err(format!("`{}` may not use `{name}`: {why}", user.name));
    match (user.storey, used.storey, dependency.kind) {
        (_, _, DependencyKind::Dev) if name == "zorb-testkit" => Ok(()),
        (Storey::Floor(floor), _, DependencyKind::Build)
            if name == "zorb-build" && floor >= SERVICES =>
        {
            Ok(())
        }
        (_, Storey::Tool | Storey::Testkit | Storey::Xtask, _) => {
            fault("tools are used by nobody, `zorb-testkit` by tests alone")
        }
        (Storey::Xtask, ..) => fault("xtask has to work when the workspace does not compile"),
        (Storey::Tool, ..) => Ok(()),
        // Its tests compile what it makes, and run it.
        (Storey::Idl, Storey::Floor(_), DependencyKind::Dev) => Ok(()),
        (Storey::Idl, ..) => fault("the IDL column meets the rest through generated text only"),
        (_, Storey::Idl, _) => {
            fault("the IDL column is for build scripts of services and for tools")
        }
        (Storey::Testkit, Storey::Floor(below), _) if below < FACADE => Ok(()),
        (Storey::Testkit, Storey::Floor(_), _) => {
            fault("the testkit uses what lies below the facade")
        }
        (
            Storey::Floor(floor),
            Storey::Floor(_),
            DependencyKind::Normal | DependencyKind::Build,
        ) if floor < FACADE && CONCRETE_PROTOCOLS.contains(&name) => {
            fault("below the facade nobody names a concrete protocol")
        }
        (Storey::Floor(floor), Storey::Floor(below), _) if below < floor => Ok(()),
        (Storey::Floor(floor), Storey::Floor(other), _) => {
            fault(&format!("floor {floor} may only use lower floors, this is floor {other}"))
        }
    }
}

#[cfg(test)]
mod tests;
