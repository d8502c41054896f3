//! Tests do not sleep: they wait for the thing itself, or use the simulated clock.

use super::super::{Finding, Rule, Tree};

pub(super) const RULE: Rule = Rule {
    name: "sleep",
    why: "tests wait for an event or use the simulated clock; they do not sleep",
    excusable: true,
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.sources() {
        let lines = source.words("sleep(").map(|at| source.line_of(at));
        findings.extend(lines.filter(|line| source.is_test_line(*line)).map(|line| {
            let advice = "wait for the event itself, or use the simulated clock";
            Finding::new(source.path(), line, advice)
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    const SLEEP: &str = "fn a() {\n    thread::sleep(b);\n}\n";

    #[test]
    fn sleeping_tests_fire() {
        for path in ["tests/e2e/src/a.rs", "crates/a/tests/b.rs", "crates/a/src/b/tests.rs"] {
            assert_eq!(places(&RULE, &[(path, SLEEP)]), [format!("{path}:2")]);
        }
        let inside = format!("#[cfg(test)]\nmod tests {{\n{SLEEP}}}\n");
        assert_eq!(places(&RULE, &[("crates/a/src/b.rs", &inside)]), ["crates/a/src/b.rs:4"]);
    }

    #[test]
    fn the_product_may_and_other_names_pass() {
        assert!(places(&RULE, &[("crates/a/src/b.rs", SLEEP)]).is_empty());
        let other = "fn a() { no_sleep(b); /* sleep( */ }\n";
        assert!(places(&RULE, &[("tests/a/src/b.rs", other)]).is_empty());
    }
}
