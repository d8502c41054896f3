use super::*;

#[test]
fn the_workspace_is_tidy() {
    let tree = Tree::load(&crate::root()).expect("the workspace can be read");
    assert!(tree.source("xtask/src/main.rs").is_some(), "the tree holds this very package");
    let findings: Vec<String> = findings(&tree).iter().map(Finding::to_string).collect();
    assert!(findings.is_empty(), "cargo xtask tidy has findings:\n{}", findings.join("\n"));
}

#[test]
fn a_finding_is_one_line_with_place_rule_and_advice() {
    let finding = Finding { rule: "length", ..Finding::new("a/b.rs", 7, "split it") };
    assert_eq!(finding.to_string(), "a/b.rs:7: length: split it");
}

#[test]
fn an_excuse_hides_its_finding_and_nothing_else() {
    let text = "fn f() {\n    // tidy: allow(panic): cannot happen, the caller counted\n    a.unwrap();\n\n    b.unwrap();\n}\n";
    let tree = Tree::from_texts(&[("crates/zorb-cdr/src/a.rs", text)]);
    let lines: Vec<usize> = findings(&tree).iter().map(|f| f.line).collect();
    assert_eq!(lines, [5]);
}

#[test]
fn a_rule_without_exceptions_keeps_its_finding() {
    let text = "// tidy: allow(unsafe): because\nunsafe fn f() {}\n";
    let tree = Tree::from_texts(&[("crates/zorb-cdr/src/a.rs", text)]);
    let rules: Vec<&str> = findings(&tree).iter().map(|f| f.rule).collect();
    assert_eq!(rules, ["allow", "unsafe"]);
}

#[test]
fn rule_names_are_unique() {
    let names: BTreeSet<&str> = rules::ALL.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), rules::ALL.len());
}
