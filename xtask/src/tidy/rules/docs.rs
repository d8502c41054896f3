//! Documentation: the workspace turns on the compiler's `missing_docs`; this rule sees to it that
//! every crate takes part and none switches it off.

use super::super::manifest::Manifest;
use super::super::{Finding, Rule, Source, Tree};

pub(super) const RULE: Rule = Rule {
    name: "docs",
    why: "library roots open with `//!`, crates take the workspace's lints, none allows missing docs",
    excusable: false,
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in tree.manifests() {
        check_manifest(manifest, tree, &mut findings);
    }
    for source in tree.sources().iter().filter(|source| !source.is_generated()) {
        let offsets = source.words("missing_docs").filter(|at| is_allowed(source.code(), *at));
        findings.extend(offsets.map(|at| {
            Finding::new(source.path(), source.line_of(at), "document the items instead")
        }));
    }
    findings
}

fn check_manifest(manifest: &Manifest, tree: &Tree, findings: &mut Vec<Finding>) {
    let Some((_, line)) = &manifest.package else { return };
    // Examples show what a user writes, and the fuzz targets are a workspace of their own.
    let in_house = ["crates/", "tests/", "xtask/"].iter().any(|top| manifest.path.starts_with(top));
    if in_house && !manifest.workspace_lints {
        let advice = "add `[lints]` with `workspace = true`";
        findings.push(Finding::new(&manifest.path, *line, advice));
    }
    let folder = manifest.path.trim_end_matches("Cargo.toml");
    let lib = format!("{folder}{}", manifest.lib_path.as_deref().unwrap_or("src/lib.rs"));
    if let Some(source) = tree.source(&lib)
        && !opens_with_docs(source)
    {
        let advice = "open the crate with `//!`: what it is, in the standard's words and in Rust's";
        findings.push(Finding::new(&lib, 1, advice));
    }
}

/// The first line that is neither blank nor a plain comment is documentation.
fn opens_with_docs(source: &Source) -> bool {
    let mut lines = source.text().lines().map(str::trim);
    let first = lines.find(|line| {
        let plain_comment = line.starts_with("//") && !line.starts_with("//!");
        !line.is_empty() && !plain_comment
    });
    first.is_some_and(|line| {
        let text = line.strip_prefix("//!").or_else(|| line.strip_prefix("/*!"));
        text.is_some_and(|text| !text.trim().is_empty()) || line.starts_with("#![doc")
    })
}

/// Whether the lint's name at `at` stands in an `allow(…)` or `expect(…)`.
fn is_allowed(code: &str, at: usize) -> bool {
    let before = code[..at].rsplit_once('(').map(|(before, _)| before.trim_end());
    before.is_some_and(|before| before.ends_with("allow") || before.ends_with("expect"))
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\n[lints]\nworkspace = true\n";

    fn lib(text: &str) -> Vec<String> {
        places(&RULE, &[("crates/a/Cargo.toml", GOOD), ("crates/a/src/lib.rs", text)])
    }

    #[test]
    fn a_library_opens_with_docs() {
        for good in
            ["//! What it is.\n", "\n// a note\n//! What.\n", "#![doc = include_str!(\"a\")]\n"]
        {
            assert!(lib(good).is_empty(), "{good}");
        }
        for bad in ["", "mod a;\n//! late\n", "//!\nmod a;\n", "/// an item's\nmod a;\n"] {
            assert_eq!(lib(bad), ["crates/a/src/lib.rs:1"], "{bad}");
        }
    }

    #[test]
    fn the_lints_of_the_workspace_are_taken() {
        let bare = "[package]\nname = \"a\"\n";
        for path in ["crates/a/Cargo.toml", "tests/a/Cargo.toml", "xtask/Cargo.toml"] {
            assert_eq!(places(&RULE, &[(path, bare)]), [format!("{path}:2")]);
            assert!(places(&RULE, &[(path, GOOD)]).is_empty());
        }
        assert!(places(&RULE, &[("examples/a/Cargo.toml", bare)]).is_empty());
        assert!(places(&RULE, &[("Cargo.toml", "[workspace]\n")]).is_empty());
    }

    #[test]
    fn nobody_switches_the_lint_off() {
        let path = "crates/a/src/b.rs";
        for bad in ["#![allow(missing_docs)]\n", "#[expect(dead_code, missing_docs)]\n"] {
            assert_eq!(places(&RULE, &[(path, bad)]), [format!("{path}:1")]);
        }
        assert!(places(&RULE, &[(path, "#![warn(missing_docs)]\n")]).is_empty());
        let generated = "crates/a/src/generated/b.rs";
        assert!(places(&RULE, &[(generated, "#![allow(missing_docs)]\n")]).is_empty());
    }
}
