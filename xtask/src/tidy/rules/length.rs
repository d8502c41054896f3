//! File length: a file too long to read in one sitting needs a split.

use super::super::{Finding, Rule, Tree, is_written_by_hand};

/// The maximum lines of a hand-written Rust file. Aim at 150 to 350; consider a split at 500.
const MAX_LINES: usize = 800;

pub(super) const RULE: Rule =
    Rule { name: "length", why: "hand-written Rust files have at most 800 lines", check };

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().iter().filter(|file| is_written_by_hand(&file.path)) {
        let lines = file.text.lines().count();
        if lines > MAX_LINES {
            let advice =
                format!("split this file: it has {lines} lines, at most {MAX_LINES} are allowed");
            findings.push(Finding::new(&file.path, MAX_LINES + 1, advice));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::positions;
    use super::*;

    #[test]
    fn a_file_over_the_limit_is_a_finding() {
        let at_limit = "x\n".repeat(MAX_LINES);
        let over = "x\n".repeat(MAX_LINES + 1);
        assert!(positions(&RULE, &[("a.rs", &at_limit)]).is_empty());
        assert_eq!(positions(&RULE, &[("a.rs", &over)]), ["a.rs:801"]);
    }

    #[test]
    fn generated_files_and_other_languages_are_exempt() {
        let over = "x\n".repeat(MAX_LINES + 1);
        let files = [("a/src/generated/b.rs", over.as_str()), ("a.md", over.as_str())];
        assert!(positions(&RULE, &files).is_empty());
    }
}
