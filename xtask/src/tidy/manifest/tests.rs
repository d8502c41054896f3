use super::*;

fn parse(text: &str) -> Manifest {
    Manifest::parse("crates/a/Cargo.toml", text, &BTreeMap::new())
}

#[test]
fn the_package_and_its_lints_are_read() {
    let manifest = parse("[package]\nname = \"a\"\n[lints]\nworkspace = true\n");
    assert_eq!(manifest.package, Some(("a".to_owned(), 2)));
    assert!(manifest.workspace_lints);
    assert!(!parse("[package]\nname = \"a\"\n").workspace_lints);
}

#[test]
fn dependencies_of_every_kind_and_form_are_read() {
    let text = "\
[dependencies]
a = \"1\"
b = { package = \"b-real\", path = \"../b\" }
[dependencies.c]
workspace = true
[dev-dependencies]
d.workspace = true
[target.'cfg(unix)'.build-dependencies]
e = \"1\"
";
    let found: Vec<(String, DependencyKind, usize, bool)> = parse(text)
        .dependencies
        .into_iter()
        .map(|d| (d.package, d.kind, d.line, d.local))
        .collect();
    let expected = [
        ("a", DependencyKind::Normal, 2, false),
        ("b-real", DependencyKind::Normal, 3, true),
        ("c", DependencyKind::Normal, 4, true),
        ("d", DependencyKind::Dev, 7, true),
        ("e", DependencyKind::Build, 9, false),
    ];
    let mut found_sorted = found;
    found_sorted.sort_by_key(|entry| entry.2);
    assert_eq!(found_sorted, expected.map(|(n, k, l, p)| (n.to_owned(), k, l, p)));
}

#[test]
fn names_that_the_workspace_renames_are_resolved() {
    let renames = workspace_renames(
        "[workspace.dependencies]\nwire = { package = \"zorb-giop\", path = \"x\" }\n",
    );
    let text = "[dependencies]\nwire = { workspace = true }\n";
    let manifest = Manifest::parse("Cargo.toml", text, &renames);
    assert_eq!(manifest.dependencies[0].package, "zorb-giop");
}

#[test]
fn invalid_toml_is_reported_with_its_position() {
    let broken = parse("[package]\nname = \n").broken;
    assert_eq!(broken.map(|(line, _)| line), Some(2));
}
