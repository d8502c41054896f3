//! Cargo skips the unit tests of a target with `test = false`: it has none.

use super::super::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "untested",
    why: "a library or program with `test = false` contains no unit tests: they would not run",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in tree.manifests() {
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        for target in &manifest.untested {
            let root = format!("{folder}{}", target.root);
            // A library's modules are all files beside it; a program of one file has no others.
            let modules = root.strip_suffix("lib.rs").map(str::to_owned);
            let of_target = |path: &str| match &modules {
                Some(folder) => {
                    path.strip_prefix(folder).is_some_and(|rest| !rest.starts_with("bin/"))
                }
                None => path == root,
            };
            for file in tree.files().iter().filter(|file| of_target(&file.path)) {
                let tests = |line: &str| line.trim_start().starts_with("#[test]");
                if let Some(line) = file.text.lines().position(tests) {
                    let advice = format!(
                        "remove `test = false` from line {} of {}, or move this test to `tests/`",
                        target.line, manifest.path
                    );
                    findings.push(Finding::new(&file.path, line + 1, advice));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::positions;
    use super::*;

    const LIBRARY: &str = "[package]\nname = \"a\"\n[lib]\ntest = false\n";
    const TEST: &str = "fn a() {}\n    #[test]\n";

    #[test]
    fn unit_tests_of_untested_targets_are_found() {
        let program = "[[bin]]\nname = \"b\"\ntest = false\n";
        for (manifest, path) in [
            (LIBRARY, "crates/a/src/lib.rs"),
            (LIBRARY, "crates/a/src/c/d.rs"),
            (program, "crates/a/src/bin/b.rs"),
        ] {
            let files = [("crates/a/Cargo.toml", manifest), (path, TEST)];
            assert_eq!(positions(&RULE, &files), [format!("{path}:2")]);
        }
    }

    #[test]
    fn other_targets_may_have_unit_tests() {
        let tested = "[lib]\ntest = true\n[[bin]]\nname = \"b\"\n";
        for (manifest, path) in [
            (tested, "crates/a/src/lib.rs"),
            (tested, "crates/a/src/bin/b.rs"),
            (LIBRARY, "crates/a/src/bin/b.rs"),
            (LIBRARY, "crates/a/tests/it/main.rs"),
            (LIBRARY, "crates/b/src/lib.rs"),
        ] {
            assert!(
                positions(&RULE, &[("crates/a/Cargo.toml", manifest), (path, TEST)]).is_empty()
            );
        }
    }
}
