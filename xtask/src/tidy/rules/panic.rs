//! No panic in the crates that users link: bytes from outside must never end a process.

use super::super::{Finding, Rule, Source, Tree};
use super::crate_of;

pub(super) const RULE: Rule = Rule {
    name: "panic",
    why: "code that outside bytes can reach returns errors: no unwrap, expect or panic outside tests",
    excusable: true,
    check,
};

/// Failing is what it is for.
const TEST_CRATES: &[&str] = &["zorb-conformance", "zorb-testkit"];

const MACROS: [&str; 4] = ["panic!", "todo!", "unimplemented!", "unreachable!"];

fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources().iter().filter(|source| applies(source.path())).flat_map(check_source).collect()
}

fn applies(path: &str) -> bool {
    let Some(name) = crate_of(path) else { return false };
    let inside = &path["crates/".len() + name.len()..];
    inside.starts_with("/src/") && !TEST_CRATES.contains(&name)
}

fn check_source(source: &Source) -> Vec<Finding> {
    let macros = MACROS.iter().flat_map(|name| source.words(name).map(move |at| (at, *name)));
    let unwraps = source.words(".unwrap()").map(|at| (at, ".unwrap()"));
    let expects = source
        .words(".expect(")
        .filter(|at| is_on_a_result(source, *at))
        .map(|at| (at, ".expect()"));
    let all = macros.chain(unwraps).chain(expects);
    let outside_tests = all.map(|(at, what)| (source.line_of(at), what));
    outside_tests
        .filter(|(line, _)| !source.is_test_line(*line))
        .map(|(line, what)| {
            let advice = format!("return an error instead of `{what}`");
            Finding::new(source.path(), line, advice)
        })
        .collect()
}

/// Tells `Option::expect` and `Result::expect`, which take a message, from a parser's own method.
/// clippy, which knows types, finds what this leaves.
fn is_on_a_result(source: &Source, at: usize) -> bool {
    let argument = source.text()[at + ".expect(".len()..].trim_start();
    let message = ["\"", "&", "r\"", "r#", "concat!"].iter();
    let mut message = message.filter(|start| argument.starts_with(**start));
    let receiver = source.code()[..at].rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next();
    message.next().is_some() && receiver != Some("self")
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    const PATH: &str = "crates/zorb-cdr/src/reader.rs";

    fn lines(text: &str) -> usize {
        places(&RULE, &[(PATH, text)]).len()
    }

    #[test]
    fn every_way_to_panic_fires() {
        for bad in [
            "a.unwrap();",
            "a\n    .expect(\"b\");",
            "a.expect(&format!(\"b\"));",
            "panic!(\"a\");",
            "core::panic!();",
            "todo!()",
            "unimplemented!()",
            "_ => unreachable!(),",
        ] {
            assert_eq!(lines(bad), 1, "{bad}");
        }
    }

    #[test]
    fn words_that_only_look_alike_pass() {
        for good in [
            "a.unwrap_or(b);",
            "a.unwrap_or_default();",
            "self.expect(Token::Semicolon)?;",
            "self.expect(\"a semicolon\")?;",
            "parser.expect(Kind::Name)?;",
            "std::panic::catch_unwind(f);",
            "// never .unwrap()\nlet s = \"panic!\";",
            "/// ```\n/// a.unwrap();\n/// ```\nfn a() {}",
            "my_panic!();",
        ] {
            assert_eq!(lines(good), 0, "{good}");
        }
    }

    #[test]
    fn tests_and_test_crates_may() {
        assert_eq!(lines("#[cfg(test)]\nmod tests {\n    fn a() { b.unwrap(); }\n}\n"), 0);
        assert_eq!(lines("#[test]\nfn a() { b.unwrap(); }\nfn c() { d.unwrap(); }\n"), 1);
        for path in [
            "crates/zorb-cdr/src/reader/tests.rs",
            "crates/zorb-cdr/tests/a.rs",
            "crates/zorb-testkit/src/lib.rs",
            "crates/zorb-naming/build.rs",
            "tests/e2e/src/lib.rs",
            "xtask/src/a.rs",
        ] {
            assert!(places(&RULE, &[(path, "a.unwrap();")]).is_empty(), "{path}");
        }
    }
}
