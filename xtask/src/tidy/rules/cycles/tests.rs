use super::super::positions;
use super::*;

const MANIFEST: (&str, &str) = ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n");

/// The groups of modules of a crate that consists of these files below `src`.
fn groups(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let paths: Vec<String> = files.iter().map(|(path, _)| format!("crates/a/src/{path}")).collect();
    let mut texts = vec![MANIFEST];
    texts.extend(paths.iter().zip(files).map(|(path, (_, text))| (path.as_str(), *text)));
    let tree = Tree::from_texts(&texts);
    let components = crates(&tree).remove(0).components();
    components.into_iter().map(|group| group.into_iter().collect()).collect()
}

#[test]
fn two_modules_that_import_from_each_other_are_a_group() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use super::a::A; pub struct B;"),
        ("c.rs", "use crate::a::A; pub struct C;"),
    ];
    assert_eq!(groups(&files), [["a", "b"]]);
}

#[test]
fn paths_in_code_and_in_macros_count_like_imports() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b; pub fn f() { b::g() }"),
        ("b.rs", "pub fn g() { assert_eq!(1, crate::a::f()) }"),
    ];
    assert_eq!(groups(&files), [["a", "b"]]);
    let types = "pub struct A { b: Option<crate::b::B> }";
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", types),
        ("b.rs", "use super::a::*; fn f(a: A) {} pub struct B;"),
    ];
    assert_eq!(groups(&files), [["a", "b"]]);
}

#[test]
fn a_reexport_leads_to_the_module_that_defines() {
    let files = [
        ("lib.rs", "mod a; pub use a::A;"),
        ("a.rs", "mod b; pub use b::B; pub struct A;"),
        ("a/b.rs", "use crate::A; pub struct B(A);"),
    ];
    assert!(groups(&files).is_empty());
    let files = [
        ("lib.rs", "mod a; mod c; pub use a::*;"),
        ("a.rs", "pub struct A(crate::c::C);"),
        ("c.rs", "pub struct C(Box<crate::A>);"),
    ];
    assert_eq!(groups(&files), [["a", "c"]]);
}

#[test]
fn a_parent_whose_code_uses_its_child_is_a_module_too() {
    let files = [
        ("lib.rs", "mod a; fn main() { a::f() }"),
        ("a/mod.rs", "mod b; pub fn f() { b::g() }"),
        ("a/b.rs", "pub fn g() { super::f() }"),
    ];
    assert_eq!(groups(&files), [["a", "a::b"]]);
}

#[test]
fn tests_and_other_crates_do_not_count() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        (
            "a.rs",
            "use crate::b::B; use std::b; #[cfg(test)] mod tests { use crate::b; } pub struct A;",
        ),
        (
            "b.rs",
            "#[cfg(test)] use crate::a::A; pub struct B; impl B { #[cfg(test)] fn a() -> crate::a::A {} }",
        ),
    ];
    assert!(groups(&files).is_empty());
}

#[test]
fn exported_macros_belong_to_their_module() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub struct A; #[macro_export] macro_rules! m { () => { $crate::b::B } }"),
        ("b.rs", "pub struct B; pub fn f() { crate::m!() }"),
    ];
    assert_eq!(groups(&files), [["a", "b"]]);
}

#[test]
fn listed_groups_pass_and_may_shrink() {
    let lib = (
        "crates/a/src/lib.rs",
        "mod a { use crate::b::B; pub struct A; } mod b { use crate::a::A; pub struct B; }",
    );
    let found = |list: &str| positions(&RULE, &[MANIFEST, lib, (LIST, list)]);
    assert_eq!(found(""), ["crates/a/src/lib.rs:1"]);
    assert_eq!(found("a = [[\"a\", \"c\"]]"), ["crates/a/src/lib.rs:1"]);
    assert!(found("a = [[\"a\", \"b\", \"c\"]]").is_empty());
    assert_eq!(found("a = 1"), ["xtask/cycles.toml:1"]);
}
