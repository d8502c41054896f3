//! Exceptions: `// tidy: allow(RULE): reason` on a finding's line or in the comment just above it.
//! An exception without a reason, or one that hides nothing, is a finding itself.

use std::collections::BTreeSet;

use super::rules;
use super::{Finding, Tree};

const RULE: &str = "allow";

/// One written exception.
#[derive(Debug)]
pub(super) struct Excuse {
    path: String,
    /// Where the comment stands.
    line: usize,
    /// The first line after it that holds code: the one it speaks of when it stands alone.
    target: usize,
    rule: String,
}

impl Excuse {
    pub(super) fn covers(&self, finding: &Finding) -> bool {
        self.path == finding.path
            && self.rule == finding.rule
            && (finding.line == self.line || finding.line == self.target)
    }
}

/// Every exception in the Rust files, and findings for those that are not written well.
pub(super) fn collect(tree: &Tree) -> (Vec<Excuse>, Vec<Finding>) {
    let mut excuses = Vec::new();
    let mut findings = Vec::new();
    for source in tree.sources() {
        for (index, comment) in source.comments().lines().enumerate() {
            let Some(rest) = comment.trim_start().strip_prefix("// tidy:") else { continue };
            let line = index + 1;
            match parse(rest) {
                Ok(rule) => excuses.push(Excuse {
                    path: source.path().to_owned(),
                    line,
                    target: source.next_code_line(line),
                    rule: rule.to_owned(),
                }),
                Err(advice) => {
                    findings
                        .push(Finding { rule: RULE, ..Finding::new(source.path(), line, advice) });
                }
            }
        }
    }
    (excuses, findings)
}

/// Findings for the exceptions that hid nothing.
pub(super) fn stale(excuses: &[Excuse], used: &BTreeSet<usize>) -> Vec<Finding> {
    let unused = excuses.iter().enumerate().filter(|(index, _)| !used.contains(index));
    unused
        .map(|(_, excuse)| Finding {
            rule: RULE,
            ..Finding::new(
                &excuse.path,
                excuse.line,
                format!("this exception to `{}` hides no finding: remove it", excuse.rule),
            )
        })
        .collect()
}

/// Takes ` allow(RULE): reason` apart; the error says what to do.
fn parse(text: &str) -> Result<&str, String> {
    let form = "write `// tidy: allow(RULE): reason`";
    let inner = text.trim_start().strip_prefix("allow(").ok_or(form)?;
    let (name, reason) = inner.split_once(')').ok_or(form)?;
    let rule = rules::ALL.iter().find(|rule| rule.name == name);
    let rule = rule.ok_or_else(|| format!("no rule is named `{name}`: see --list"))?;
    if !rule.excusable {
        return Err(format!("`{name}` takes no exceptions: change the code or the rule's table"));
    }
    match reason.strip_prefix(':').map(str::trim) {
        Some(reason) if !reason.is_empty() => Ok(rule.name),
        _ => Err(format!("say why: `// tidy: allow({name}): reason`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(text: &str) -> String {
        let tree = Tree::from_texts(&[("crates/zorb-cdr/src/a.rs", text)]);
        let found = super::super::findings(&tree);
        found.iter().filter(|f| f.rule == RULE).map(|f| f.advice.clone()).collect()
    }

    #[test]
    fn a_reason_is_asked_for() {
        assert!(advice("// tidy: allow(panic)\nx.unwrap();\n").contains("say why"));
        assert!(advice("// tidy: allow(panic): \nx.unwrap();\n").contains("say why"));
    }

    #[test]
    fn unknown_names_and_forms_are_told() {
        assert!(advice("// tidy: allow(colour): red\n").contains("no rule is named"));
        assert!(advice("// tidy: permit\n").contains("write"));
    }

    #[test]
    fn an_excuse_for_nothing_is_stale() {
        assert!(advice("// tidy: allow(panic): once needed\nlet x = 1;\n").contains("hides no"));
    }

    #[test]
    fn the_line_itself_and_a_comment_of_two_lines_work() {
        assert_eq!(advice("x.unwrap(); // tidy: allow(panic): why\n"), "");
        assert_eq!(advice("// tidy: allow(panic): why that\n// goes on\nx.unwrap();\n"), "");
    }

    #[test]
    fn text_in_a_string_is_no_excuse() {
        assert_eq!(advice("let s = \"\n// tidy: allow(panic)\n\";\n"), "");
    }
}
