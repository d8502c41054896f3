//! The ORB knows protocols by their traits: no code of it tells one from another by name.

use super::super::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "neutral",
    why: "the ORB's core names no protocol, so that any can be added without touching it",
    excusable: true,
    check,
};

/// Where no protocol is named.
const NEUTRAL: &str = "crates/zorb-core/src/";

/// Protocols as URLs and constants have them; each is found within longer names too.
const NAMES: [&str; 7] = ["iiop", "uiop", "shmiop", "ssliop", "diop", "miop", "sciop"];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.sources().iter().filter(|source| source.path().starts_with(NEUTRAL)) {
        let pairs = source.text().lines().zip(source.comments().lines());
        for (line, (text, comment)) in (1..).zip(pairs) {
            // What is no comment is code or text that code holds.
            let said = text.chars().zip(comment.chars());
            let said: String = said.map(|(c, prose)| if prose == ' ' { c } else { ' ' }).collect();
            let said = said.to_ascii_lowercase();
            if !source.is_test_line(line) && NAMES.iter().any(|name| said.contains(name)) {
                let advice = "ask the protocol, by a method of its trait";
                findings.push(Finding::new(source.path(), line, advice));
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
    fn names_of_protocols_fire_in_code_and_in_its_texts() {
        for line in ["if scheme == \"iiop\" {", "ProfileTag::TAO_UIOP,", "SsliopKey => 1,"] {
            let text = format!("// why\n{line}\n");
            let found = places(&RULE, &[("crates/zorb-core/src/a.rs", &text)]);
            assert_eq!(found, ["crates/zorb-core/src/a.rs:2"]);
        }
    }

    #[test]
    fn prose_tests_and_other_crates_pass() {
        let prose = "/// As `iiop://host` is.\nfn a() {} // not of uiop\n";
        assert!(places(&RULE, &[("crates/zorb-core/src/a.rs", prose)]).is_empty());
        let code = "const SCHEME: &str = \"iiop\";\n";
        for path in ["crates/zorb-core/src/a/tests.rs", "crates/zorb-tcp/src/a.rs"] {
            assert!(places(&RULE, &[(path, code)]).is_empty());
        }
    }
}
