//! A clone stands alone: nothing reads a folder beside it.

use super::super::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "shared",
    why: "a clone stands alone: no file reads a shared folder beside the project",
    excusable: false,
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    // Put together, so that this file does not hold it.
    let needle = ["..", "shared"].join("/");
    let mut findings = Vec::new();
    for file in tree.files() {
        for (index, line) in file.text.lines().enumerate() {
            let ends = |at: usize| {
                let after = line[at + needle.len()..].chars().next();
                !after.is_some_and(|c| c.is_alphanumeric() || "_-.".contains(c))
            };
            if line.match_indices(&needle).any(|(at, _)| ends(at)) {
                let advice = "copy what is needed into the project and read it there";
                findings.push(Finding::new(&file.path, index + 1, advice));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    #[test]
    fn reading_beside_the_clone_fires() {
        let up = "..";
        for text in [format!("a(\"{up}/shared/b\")"), format!("{up}/{up}/shared")] {
            assert_eq!(places(&RULE, &[("a.rs", &text)]), ["a.rs:1"]);
        }
    }

    #[test]
    fn other_names_pass() {
        let up = "..";
        for text in [format!("{up}/shared-memory.md"), format!("{up}/shared.md"), "shared/a".into()]
        {
            assert!(places(&RULE, &[("a.md", &text)]).is_empty(), "{text}");
        }
    }
}
