//! A test that is switched off says why.

use super::super::{Finding, Rule, Source, Tree};

pub(super) const RULE: Rule = Rule {
    name: "ignore",
    why: "an ignored test says why: `#[ignore = \"reason\"]`",
    excusable: false,
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.sources() {
        let offsets = source.words("ignore").filter(|at| is_bare_attribute(source, *at));
        findings.extend(offsets.map(|at| {
            let advice = "say why: `#[ignore = \"reason\"]`";
            Finding::new(source.path(), source.line_of(at), advice)
        }));
    }
    findings
}

/// `#[ignore]`, `#[cfg_attr(…, ignore)]`, or a reason that is empty.
fn is_bare_attribute(source: &Source, at: usize) -> bool {
    let code = source.code();
    let before = code[..at].trim_end();
    let in_cfg_attr = || {
        let attribute = code[..at].rfind("#[cfg_attr(");
        before.ends_with(',') && attribute.is_some_and(|start| !code[start..at].contains(']'))
    };
    if !before.ends_with("#[") && !in_cfg_attr() {
        return false;
    }
    let after = source.text()[at + "ignore".len()..].trim_start();
    match after.strip_prefix('=') {
        Some(reason) => reason.trim_start().starts_with("\"\""),
        None => after.starts_with([']', ')', ',']),
    }
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    fn hits(text: &str) -> usize {
        places(&RULE, &[("tests/a/tests/b.rs", text)]).len()
    }

    #[test]
    fn an_ignored_test_without_a_reason_fires() {
        for bad in [
            "#[ignore]\nfn a() {}",
            "#[ignore = \"\"]\nfn a() {}",
            "#[cfg_attr(miri, ignore)]\nfn a() {}",
        ] {
            assert_eq!(hits(bad), 1, "{bad}");
        }
    }

    #[test]
    fn a_reason_and_other_uses_of_the_word_pass() {
        for good in [
            "#[ignore = \"needs omniNames\"]\nfn a() {}",
            "#[cfg_attr(miri, ignore = \"sockets\")]\nfn a() {}",
            "// #[ignore]\nlet s = \"#[ignore]\"; f(a, ignore);",
            "trial.with_ignored_flag(true)",
        ] {
            assert_eq!(hits(good), 0, "{good}");
        }
    }
}
