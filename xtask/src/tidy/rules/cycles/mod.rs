//! Modules of one crate form layers: no two depend on each other.

mod graph;
pub(crate) mod modules;
pub(crate) mod resolve;

use std::collections::{BTreeMap, BTreeSet};

use graph::Graph;
use modules::Modules;

use crate::tidy::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "cycles",
    why: "modules of one crate do not depend on each other; xtask/cycles.toml lists the remaining cycles",
    check,
};

/// The remaining cycles. The list may only shrink.
pub(crate) const LIST: &str = "xtask/cycles.toml";

/// By crate, the groups of modules that depend on each other.
pub(crate) type Components = BTreeMap<String, Vec<BTreeSet<String>>>;

fn check(tree: &Tree) -> Vec<Finding> {
    let allowed = match listed(tree) {
        Ok(allowed) => allowed,
        Err(reason) => return vec![Finding::new(LIST, 1, format!("make this valid: {reason}"))],
    };
    let mut findings = Vec::new();
    for krate in crates(tree) {
        let allowed = allowed.get(&krate.name).map(Vec::as_slice).unwrap_or_default();
        for component in krate.components() {
            if !allowed.iter().any(|old| component.is_subset(old)) {
                findings.push(Finding::new(&krate.root, 1, krate.advice(&component, allowed)));
            }
        }
    }
    findings
}

/// The cycles in the list; empty if the file does not exist.
pub(crate) fn listed(tree: &Tree) -> Result<Components, String> {
    let Some(file) = tree.files().iter().find(|file| file.path == LIST) else {
        return Ok(Components::new());
    };
    toml::from_str(&file.text).map_err(|error| error.to_string())
}

/// The text of the list for the current cycles.
pub(crate) fn list(tree: &Tree) -> String {
    let mut text = String::from(
        "# Groups of modules that depend on each other, by crate. `cargo xtask tidy` rejects others: the\n\
         # list may only shrink: break a cycle, then run `cargo xtask cycles --update`.\n",
    );
    for krate in crates(tree) {
        let components = krate.components();
        if components.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{} = [\n", krate.name));
        for component in components {
            text.push_str("    [\n");
            for module in component {
                text.push_str(&format!("        \"{module}\",\n"));
            }
            text.push_str("    ],\n");
        }
        text.push_str("]\n");
    }
    text
}

/// A report for breaking cycles: each module of a group with its dependencies in the group.
pub(crate) fn explain(tree: &Tree, name: Option<&str>) -> String {
    let mut text = String::new();
    for krate in crates(tree).iter().filter(|krate| name.is_none_or(|name| name == krate.name)) {
        for component in krate.graph.components() {
            let total = krate.graph.names.len();
            text.push_str(&format!("{}: {} of {total} modules\n", krate.name, component.len()));
            for id in &component {
                text.push_str(&format!("  {}\n", krate.graph.names[*id]));
                for (other, path) in &krate.graph.needs[*id] {
                    if component.contains(other) {
                        text.push_str(&format!("    -> {} ({path})\n", krate.graph.names[*other]));
                    }
                }
            }
        }
    }
    text
}

/// One crate with its graph.
struct Crate {
    name: String,
    root: String,
    graph: Graph,
}

impl Crate {
    fn components(&self) -> Vec<BTreeSet<String>> {
        let named = |ids: Vec<usize>| ids.iter().map(|id| self.graph.names[*id].clone()).collect();
        self.graph.components().into_iter().map(named).collect()
    }

    /// Names some of the dependencies that the list does not cover.
    fn advice(&self, component: &BTreeSet<String>, allowed: &[BTreeSet<String>]) -> String {
        let new: Vec<&String> = component
            .iter()
            .filter(|module| !allowed.iter().any(|old| old.contains(*module)))
            .collect();
        let shown: Vec<&str> = new.iter().take(5).map(|name| name.as_str()).collect();
        let what = match shown.as_slice() {
            [] => "separate groups of modules now depend on each other".to_owned(),
            names => format!("{} modules now in a cycle: {}", new.len(), names.join(", ")),
        };
        format!(
            "{what}: break it (`cargo xtask cycles {}` shows who needs whom; after moving files \
             of an old cycle, run `cargo xtask cycles --update`)",
            self.name
        )
    }
}

/// Reads every package below `crates/`, with one thread per processor.
fn crates(tree: &Tree) -> Vec<Crate> {
    let texts: BTreeMap<&str, &str> =
        tree.files().iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
    let roots: Vec<(&str, String)> = tree
        .manifests()
        .iter()
        .filter_map(|manifest| {
            let folder = manifest.path.strip_suffix("/Cargo.toml")?;
            let name = folder.strip_prefix("crates/").filter(|name| !name.contains('/'))?;
            let root = ["lib.rs", "main.rs"].map(|file| format!("{folder}/src/{file}"));
            Some((name, root.into_iter().find(|root| texts.contains_key(root.as_str()))?))
        })
        .collect();
    let read = |(name, root): &(&str, String)| {
        let modules = Modules::read(root, &|path| texts.get(path).copied());
        Crate { name: (*name).to_owned(), root: root.clone(), graph: Graph::of(&modules) }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = roots.iter().map(|root| scope.spawn(move || read(root))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

#[cfg(test)]
mod tests;
