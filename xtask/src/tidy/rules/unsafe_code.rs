//! Unsafe code is in the crates and modules that are known for it.

use super::super::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "unsafe",
    why: "unsafe code is in few places, each with a reason, and every other crate forbids it",
    check,
};

/// Crates that do not forbid it, and in which files it may be.
const ALLOWED: [(&str, &str); 2] = [
    ("crates/zorb-os/", "crates/zorb-os/src/"),
    // By its layout tables, the engine reads and writes values in memory.
    ("crates/zorb-interp/", "crates/zorb-interp/src/memory"),
];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| file.path.starts_with("crates/")) {
        let allowed = ALLOWED.iter().find(|(package, _)| file.path.starts_with(package));
        match allowed {
            None => {
                let is_root =
                    file.path.ends_with("/src/lib.rs") || file.path.ends_with("/src/main.rs");
                if is_root && !file.text.contains("#![forbid(unsafe_code)]") {
                    findings.push(Finding::new(&file.path, 1, "add `#![forbid(unsafe_code)]`"));
                }
            }
            Some((_, path)) if !file.path.starts_with(path) && file.path.contains("/src/") => {
                for (line, text) in (1..).zip(file.text.lines()) {
                    let code = text.split("//").next().unwrap_or_default();
                    if code.split_whitespace().any(|word| word == "unsafe") {
                        let advice = format!("move unsafe code to {path}");
                        findings.push(Finding::new(&file.path, line, advice));
                    }
                }
            }
            Some(_) => {}
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::positions;
    use super::*;

    #[test]
    fn roots_forbid_it() {
        let forbids = "//! A crate.\n#![forbid(unsafe_code)]\n";
        for root in ["crates/zorb-a/src/lib.rs", "crates/zorb-a/src/main.rs"] {
            assert!(positions(&RULE, &[(root, forbids)]).is_empty());
            assert_eq!(positions(&RULE, &[(root, "//! A crate.\n")]), [format!("{root}:1")]);
        }
        assert!(positions(&RULE, &[("crates/zorb-os/src/lib.rs", "//! A crate.\n")]).is_empty());
    }

    #[test]
    fn it_is_in_the_modules_known_for_it() {
        let text = "fn f() {\n    // SAFETY: none\n    unsafe { g() }\n}\n";
        let path = "crates/zorb-interp/src/memory/read.rs";
        assert!(positions(&RULE, &[(path, text)]).is_empty());
        let other = "crates/zorb-interp/src/run.rs";
        assert_eq!(positions(&RULE, &[(other, text)]), [format!("{other}:3")]);
        assert!(positions(&RULE, &[(other, "#[allow(unsafe_code)] // unsafe\n")]).is_empty());
    }
}
