use std::collections::BTreeSet;

use super::*;

#[test]
fn the_workspace_is_tidy() {
    let tree = Tree::load(&crate::root()).expect("the workspace is readable");
    assert!(tree.contains("xtask/src/main.rs"), "the tree holds this very package");
    let findings: Vec<String> = findings(&tree).iter().map(Finding::to_string).collect();
    assert!(findings.is_empty(), "cargo xtask tidy has findings:\n{}", findings.join("\n"));
}

#[test]
fn a_finding_is_one_line_with_place_rule_and_advice() {
    let finding = Finding { rule: "length", ..Finding::new("a/b.rs", 7, "split it") };
    assert_eq!(finding.to_string(), "a/b.rs:7: length: split it");
}

#[test]
fn rule_names_are_unique() {
    let names: BTreeSet<&str> = rules::ALL.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), rules::ALL.len());
}

#[test]
fn the_list_of_cycles_is_current() {
    let tree = Tree::load(&crate::root()).expect("the workspace is readable");
    let listed = tree.files().iter().find(|file| file.path == rules::cycles::LIST);
    let current = listed.is_some_and(|file| file.text == rules::cycles::list(&tree));
    assert!(current, "the cycles have changed: run cargo xtask cycles --update");
}
