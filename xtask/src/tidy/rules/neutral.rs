//! The ORB uses protocols through their traits: its code does not distinguish them by name.

use super::super::{Finding, Rule, Tree, is_test_path};

pub(super) const RULE: Rule = Rule {
    name: "neutral",
    why: "the ORB's core names no protocol, so that any can be added without touching it",
    check,
};

const CORE: [&str; 5] = [
    "crates/zorb-base/src/",
    "crates/zorb-core/src/",
    "crates/zorb-invocation/src/",
    "crates/zorb-poa/src/",
    "crates/zorb-serving/src/",
];
/// Help texts of options show endpoints.
const OPTIONS: &str = "crates/zorb-base/src/options";

/// Protocols as in URLs and constants; they are also found within longer names.
const NAMES: [&str; 7] = ["iiop", "uiop", "shmiop", "ssliop", "diop", "miop", "sciop"];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let core = tree.files().iter().filter(|file| {
        CORE.iter().any(|core| file.path.starts_with(core))
            && !file.path.starts_with(OPTIONS)
            && !is_test_path(&file.path)
    });
    for file in core {
        for (line, text) in (1..).zip(file.text.lines()) {
            if text == "#[cfg(test)]" {
                break;
            }
            // Comments may name protocols. `://` does not start a comment.
            let code = text.split(" //").next().unwrap_or_default().trim_start();
            let code = code.to_ascii_lowercase();
            if !code.starts_with("//") && NAMES.iter().any(|name| code.contains(name)) {
                let advice = "use a method of the protocol's trait";
                findings.push(Finding::new(&file.path, line, advice));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::positions;
    use super::*;

    #[test]
    fn names_of_protocols_fire_in_code_and_in_its_texts() {
        for line in ["if url == \"iiop://a\" {", "ProfileTag::TAO_UIOP,", "SsliopKey => 1,"] {
            let text = format!("// why\n{line}\n");
            let found = positions(&RULE, &[("crates/zorb-core/src/a.rs", &text)]);
            assert_eq!(found, ["crates/zorb-core/src/a.rs:2"]);
        }
    }

    #[test]
    fn prose_tests_and_other_crates_pass() {
        let prose = "/// As `iiop://host` is.\nfn a() {} // not of uiop\n#[cfg(test)]\n\"iiop\"\n";
        assert!(positions(&RULE, &[("crates/zorb-core/src/a.rs", prose)]).is_empty());
        let code = "const SCHEME: &str = \"iiop\";\n";
        for path in ["crates/zorb-core/src/a/tests.rs", "crates/zorb-tcp/src/a.rs"] {
            assert!(positions(&RULE, &[(path, code)]).is_empty());
        }
    }
}
