use super::super::positions;
use super::*;

/// The findings for a crate with one dependency line in one section.
fn edge(user: &str, section: &str, used: &str) -> Vec<String> {
    let path = match user {
        "xtask" => "xtask/Cargo.toml".to_owned(),
        _ => format!("crates/{user}/Cargo.toml"),
    };
    let text = format!("[package]\nname = \"{user}\"\n[{section}]\n{used}.workspace = true\n");
    positions(&RULE, &[(&path, &text)])
}

fn allowed(user: &str, used: &str) -> bool {
    edge(user, "dependencies", used).is_empty()
}

#[test]
fn dependencies_point_down() {
    for (user, used) in [
        ("zorb-giop", "zorb-cdr"),
        ("zorb-transport", "zorb-os"),
        ("zorb-core", "zorb-transport"),
        ("zorb", "zorb-tcp"),
        ("zorb-naming", "zorb"),
        ("zorb-cli", "zorb-idl"),
    ] {
        assert!(allowed(user, used), "{user} -> {used}");
        assert!(!allowed(used, user), "{used} -> {user}");
    }
}

#[test]
fn edges_within_a_layer_are_those_of_the_table() {
    assert!(allowed("zorb-types", "zorb-cdr"));
    assert!(allowed("zorb-tcp", "zorb-transport"));
    assert!(allowed("zorb-build", "zorb-idl-rust"));
    assert!(!allowed("zorb-cdr", "zorb-types"));
    assert!(!allowed("zorb-tcp", "zorb-unix"));
    assert!(!allowed("zorb-idl", "zorb-build"));
}

#[test]
fn the_core_names_no_concrete_protocol() {
    assert_eq!(edge("zorb-core", "dependencies", "zorb-tcp"), ["crates/zorb-core/Cargo.toml:4"]);
    assert!(edge("zorb-core", "dev-dependencies", "zorb-tcp").is_empty());
}

#[test]
fn the_idl_compiler_stands_alone() {
    assert!(!allowed("zorb-idl", "zorb-cdr"));
    assert!(!allowed("zorb-build", "zorb"));
    assert!(edge("zorb-idl-rust", "dev-dependencies", "zorb-core").is_empty());
    assert!(!allowed("zorb-core", "zorb-idl"));
    assert!(edge("zorb-naming", "build-dependencies", "zorb-build").is_empty());
    assert!(!edge("zorb-naming", "dependencies", "zorb-build").is_empty());
    assert!(!edge("zorb-core", "build-dependencies", "zorb-build").is_empty());
}

#[test]
fn the_testkit_is_for_tests_and_uses_what_lies_below_the_facade() {
    assert!(edge("zorb-cdr", "dev-dependencies", "zorb-testkit").is_empty());
    assert!(!allowed("zorb-cdr", "zorb-testkit"));
    assert!(allowed("zorb-testkit", "zorb-core"));
    assert!(!allowed("zorb-testkit", "zorb"));
}

#[test]
fn tools_and_xtask_are_independent_of_each_other_and_the_product() {
    assert!(!allowed("zorb-naming", "zorb-cli"));
    assert!(!allowed("zorb-bench", "zorb-cli"));
    assert!(allowed("zorb-cli", "zorb-bench"));
    assert!(!allowed("xtask", "zorb-os"));
    assert!(allowed("zorb-os", "libc"));
}

#[test]
fn tests_and_examples_use_anything_and_nothing_uses_them() {
    let example = "[package]\nname = \"hello\"\n[dependencies]\nzorb.workspace = true\n[build-dependencies]\nzorb-build.workspace = true\n";
    let files = [("examples/01-hello/Cargo.toml", example)];
    assert!(positions(&RULE, &files).is_empty());
    let user = "[package]\nname = \"zorb-cli\"\n[dependencies]\nhello = { path = \"../../examples/01-hello\" }\n";
    let files = [files[0], ("crates/zorb-cli/Cargo.toml", user)];
    assert_eq!(positions(&RULE, &files), ["crates/zorb-cli/Cargo.toml:4"]);
}

#[test]
fn unknown_crates_and_places_are_findings() {
    let unknown = "[package]\nname = \"zorb-new\"\n";
    let place = ["crates/zorb-new/Cargo.toml:2"];
    assert_eq!(positions(&RULE, &[("crates/zorb-new/Cargo.toml", unknown)]), place);
    assert_eq!(positions(&RULE, &[("stray/Cargo.toml", unknown)]), ["stray/Cargo.toml:2"]);
    assert!(!allowed("zorb", "zorb-new"));
}

#[test]
fn folder_and_crate_are_named_alike() {
    let text = "[package]\nname = \"zorb-cdr\"\n";
    assert_eq!(positions(&RULE, &[("crates/cdr/Cargo.toml", text)]), ["crates/cdr/Cargo.toml:2"]);
}

#[test]
fn renaming_does_not_hide_an_edge() {
    let text = "[package]\nname = \"zorb-cdr\"\n[dependencies]\nwire = { package = \"zorb-giop\", path = \"x\" }\n";
    let files = [("crates/zorb-cdr/Cargo.toml", text)];
    assert_eq!(positions(&RULE, &files), ["crates/zorb-cdr/Cargo.toml:4"]);
}

#[test]
fn the_virtual_workspace_and_broken_files() {
    assert!(positions(&RULE, &[("Cargo.toml", "[workspace]\n")]).is_empty());
    assert_eq!(positions(&RULE, &[("Cargo.toml", "[\n")]).len(), 1);
}

#[test]
fn the_table_names_every_crate_once_and_only_existing_ones() {
    for (index, entry) in CRATES.iter().enumerate() {
        assert!(CRATES[..index].iter().all(|other| other.name != entry.name), "{}", entry.name);
        let known = |name: &str| CRATES.iter().any(|other| other.name == name);
        assert!(entry.uses.iter().all(|name| known(name)), "{:?}", entry.uses);
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let exists = |folder: &str| root.join(folder).exists();
        let name = entry.name;
        assert!(exists(name) || exists(&format!("crates/{name}")), "{name} does not exist");
    }
}

#[test]
fn a_package_below_an_example_is_its_own() {
    let part = "[package]\nname = \"part\"\n";
    let using = "[package]\nname = \"whole\"\n[dependencies]\npart = { path = \"part\" }\n";
    let part = ("examples/whole/part/Cargo.toml", part);
    assert!(positions(&RULE, &[part, ("examples/whole/Cargo.toml", using)]).is_empty());
    for other in ["examples/who/Cargo.toml", "tests/whole/Cargo.toml"] {
        assert_eq!(positions(&RULE, &[part, (other, using)]), [format!("{other}:4")]);
    }
}
