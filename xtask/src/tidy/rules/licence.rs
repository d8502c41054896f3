//! Licences: every package has the workspace's, and the texts lie at the root.

use super::super::manifest::{Licence, Manifest};
use super::super::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "licence",
    why: "every package carries the workspace's licence, and its texts lie at the root",
    excusable: false,
    check,
};

const TEXTS: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

fn check(tree: &Tree) -> Vec<Finding> {
    let Some(root) = tree.manifests().iter().find(|manifest| manifest.path == "Cargo.toml") else {
        return Vec::new();
    };
    let Some(licence) = &root.shared_licence else {
        return vec![Finding::new("Cargo.toml", 1, "set `license` in [workspace.package]")];
    };
    let missing = TEXTS.iter().filter(|text| !tree.contains(text));
    let mut findings: Vec<Finding> =
        missing.map(|text| Finding::new(text, 1, "add this licence's text")).collect();
    let wrong = |manifest: &&Manifest| match &manifest.licence {
        Licence::Workspace => false,
        Licence::Text(text) => text != licence,
        Licence::Missing => true,
    };
    for manifest in tree.manifests().iter().filter(wrong) {
        if let Some((_, line)) = &manifest.package {
            let advice = format!("write `license.workspace = true` (or `license = \"{licence}\"`)");
            findings.push(Finding::new(&manifest.path, *line, advice));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    const ROOT: (&str, &str) = ("Cargo.toml", "[workspace.package]\nlicense = \"MIT OR X\"\n");

    fn with(text: &str) -> Vec<String> {
        let files = [ROOT, ("LICENSE-MIT", ""), ("LICENSE-APACHE", ""), ("a/Cargo.toml", text)];
        places(&RULE, &files)
    }

    #[test]
    fn the_licence_is_the_workspaces() {
        assert!(with("[package]\nname = \"a\"\nlicense.workspace = true\n").is_empty());
        assert!(with("[package]\nname = \"a\"\nlicense = \"MIT OR X\"\n").is_empty());
        assert_eq!(with("[package]\nname = \"a\"\nlicense = \"GPL\"\n"), ["a/Cargo.toml:2"]);
        assert_eq!(with("[package]\nname = \"a\"\n"), ["a/Cargo.toml:2"]);
    }

    #[test]
    fn the_texts_are_there_and_the_workspace_says_which() {
        assert_eq!(places(&RULE, &[ROOT]), ["LICENSE-APACHE:1", "LICENSE-MIT:1"]);
        assert_eq!(places(&RULE, &[("Cargo.toml", "[workspace]\n")]), ["Cargo.toml:1"]);
    }
}
