//! `unsafe` lives in few crates, and says there why it is sound.

use super::super::{Finding, Rule, Source, Tree};
use super::crate_of;

/// Crates that may hold `unsafe`: the machine's.
const MAY_BE_UNSAFE: &[&str] = &["zorb-os"];

pub(super) const RULE: Rule = Rule {
    name: "unsafe",
    why: "crate roots forbid unsafe code; where it is allowed a SAFETY comment says why it is sound",
    excusable: false,
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.sources() {
        let at = |offset, advice: &str| {
            Finding::new(source.path(), source.line_of(offset), advice.to_owned())
        };
        if crate_of(source.path()).is_some_and(|name| MAY_BE_UNSAFE.contains(&name)) {
            let unexplained = source.words("unsafe").filter(|offset| {
                opens_block_or_impl(source.code(), *offset) && !is_explained(source, *offset)
            });
            findings.extend(
                unexplained
                    .map(|offset| at(offset, "say `// SAFETY: …` just above: the fact relied on")),
            );
            continue;
        }
        if is_crate_root(source.path()) && !forbids_unsafe(source) {
            findings.push(at(0, "add `#![forbid(unsafe_code)]` to this crate root"));
        }
        let advice = "move this to zorb-os behind a safe API, or do without";
        findings.extend(source.words("unsafe").map(|offset| at(offset, advice)));
    }
    findings
}

/// Roots of libraries and programs. Examples are left out: readers see them as text, and the
/// `unsafe` word is a finding there anyway.
fn is_crate_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let (["crates" | "tests", _, inside @ ..] | ["xtask", inside @ ..]) = parts.as_slice() else {
        return false;
    };
    matches!(
        inside,
        ["src", "lib.rs" | "main.rs"] | ["src", "bin", _] | ["src", "bin", _, "main.rs"]
    )
}

fn forbids_unsafe(source: &Source) -> bool {
    let attributes = source.code().match_indices("#![forbid(").map(|(at, found)| {
        let inner = &source.code()[at + found.len()..];
        inner.split(')').next().unwrap_or_default()
    });
    attributes.flat_map(|names| names.split(',')).any(|name| name.trim() == "unsafe_code")
}

fn opens_block_or_impl(code: &str, offset: usize) -> bool {
    let after = code[offset + "unsafe".len()..].trim_start();
    after.starts_with('{') || after.starts_with("impl")
}

/// Whether a `SAFETY:` comment stands on the line or above its statement.
fn is_explained(source: &Source, offset: usize) -> bool {
    let line = source.line_of(offset);
    let lines: Vec<(&str, &str)> = source.code().lines().zip(source.comments().lines()).collect();
    let has_reason = |comment: &str| comment.contains("SAFETY:");
    let above = lines.iter().take(line - 1).rev();
    if lines.get(line - 1).is_some_and(|(_, comment)| has_reason(comment)) {
        return true;
    }
    for (code, comment) in above {
        let code = code.trim();
        if code.is_empty() && has_reason(comment) {
            return true;
        }
        // Go up through comments, attributes and the beginning of the same statement.
        let comment_line = code.is_empty() && !comment.trim().is_empty();
        let statement_ended = code.is_empty() || code.ends_with([';', '{', '}', ',']);
        if !comment_line && statement_ended {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    const ROOT: &str = "#![forbid(unsafe_code, unused_must_use)]\n";

    #[test]
    fn crate_roots_forbid() {
        for root in
            ["crates/zorb-cdr/src/lib.rs", "crates/zorb-cli/src/main.rs", "xtask/src/main.rs"]
        {
            assert!(places(&RULE, &[(root, ROOT)]).is_empty());
            assert_eq!(places(&RULE, &[(root, "//! a\n")]), [format!("{root}:1")]);
        }
        let in_comment = "// #![forbid(unsafe_code)]\n";
        assert_eq!(places(&RULE, &[("crates/zorb-cdr/src/lib.rs", in_comment)]).len(), 1);
    }

    #[test]
    fn only_roots_need_the_attribute_and_zorb_os_does_not() {
        let files = [
            ("crates/zorb-cdr/src/reader.rs", "fn a() {}\n"),
            ("crates/zorb-os/src/lib.rs", "//! a\n"),
            ("examples/01-hello/src/main.rs", "fn main() {}\n"),
        ];
        assert!(places(&RULE, &files).is_empty());
    }

    #[test]
    fn unsafe_outside_its_crates_is_a_finding() {
        let text = "// unsafe is not used\nfn a() { unsafe { b() } }\n";
        for path in ["crates/zorb-tcp/src/a.rs", "tests/e2e/src/a.rs", "examples/a/src/main.rs"] {
            assert_eq!(places(&RULE, &[(path, text)]), [format!("{path}:2")]);
        }
    }

    #[test]
    fn blocks_and_impls_in_zorb_os_are_explained() {
        let path = "crates/zorb-os/src/a.rs";
        for good in [
            "// SAFETY: the descriptor is ours.\nunsafe { a() }\n",
            "// SAFETY: the descriptor\n// is ours.\nlet x =\n    unsafe { a() };\n",
            "// SAFETY: no state.\n#[allow(x)]\nunsafe impl Send for A {}\n",
            "x(/* SAFETY: ours */ unsafe { a() });\n",
            "pub unsafe fn a() {}\n",
        ] {
            assert_eq!(places(&RULE, &[(path, good)]), [""; 0], "{good}");
        }
        for bad in [
            "unsafe { a() }\n",
            "// it is fine\nunsafe { a() }\n",
            "// SAFETY: the first\nlet a = 1;\nunsafe { b() }\n",
            "// SAFETY: far away\n\nunsafe impl Send for A {}\n",
        ] {
            assert_eq!(places(&RULE, &[(path, bad)]).len(), 1, "{bad}");
        }
    }
}
