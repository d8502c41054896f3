//! Every package uses the lints of the workspace, which check most of the rules.

use super::super::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "lints",
    why: "packages use the lints of the workspace: documentation, panics, unsafe code, locks, sleeps",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in tree.manifests() {
        let Some((_, line)) = manifest.package else { continue };
        // Examples show what users write, and the fuzz targets are a separate workspace.
        let ours = ["crates/", "tests/", "xtask/"].iter().any(|top| manifest.path.starts_with(top));
        if ours && !manifest.workspace_lints {
            let advice = "add `[lints]` with `workspace = true`";
            findings.push(Finding::new(&manifest.path, line, advice));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::positions;
    use super::*;

    #[test]
    fn packages_of_ours_take_the_lints() {
        let bare = "[package]\nname = \"a\"\n";
        let good = format!("{bare}[lints]\nworkspace = true\n");
        for path in ["crates/a/Cargo.toml", "tests/a/Cargo.toml", "xtask/Cargo.toml"] {
            assert_eq!(positions(&RULE, &[(path, bare)]), [format!("{path}:2")]);
            assert!(positions(&RULE, &[(path, &good)]).is_empty());
        }
        assert!(positions(&RULE, &[("examples/a/Cargo.toml", bare)]).is_empty());
    }
}
