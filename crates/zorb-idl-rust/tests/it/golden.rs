//! The code generated from each fixture equals its golden file.
//!
//! After an intended change run the tests with `UPDATE_GOLDEN=1` and review the differences.

use std::path::{Path, PathBuf};

use zorb_idl::implied::{self, Contents};
use zorb_idl_rust::{Generated, Lookup, Marshal, Options, Target};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn generate(fixture: &str, options: &Options) -> Generated {
    let file = folder("fixtures").join(fixture).with_extension("idl");
    let compilation = zorb_idl::compile(&zorb_idl::Options::new(), &[file]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    zorb_idl_rust::generate(&compilation, options)
}

fn check(fixture: &str) -> Generated {
    check_with(fixture, &Options::new())
}

fn check_with(fixture: &str, options: &Options) -> Generated {
    check_generated(fixture, generate(fixture, options))
}

fn check_generated(fixture: &str, generated: Generated) -> Generated {
    let path = folder("golden").join(fixture).with_extension("rs");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(folder("golden")).expect("a folder");
        std::fs::write(&path, &generated.text).expect("the golden file is written");
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = recorded.lines().zip(generated.text.lines()).position(|(old, new)| old != new);
    if let Some(line) = differs {
        panic!(
            "{fixture}: line {} was\n{}\nand is now\n{}",
            line + 1,
            recorded.lines().nth(line).unwrap_or_default(),
            generated.text.lines().nth(line).unwrap_or_default()
        );
    }
    assert_eq!(recorded.lines().count(), generated.text.lines().count(), "{fixture}: length");
    generated
}

#[test]
fn generated_code_equals_the_golden_files() {
    for fixture in [
        "ami",
        "any",
        "bank",
        "deferred",
        "edges",
        "extended",
        "hello",
        "interfaces",
        "local",
        "reserved",
        "types",
        "unions",
        "upcalls",
        "views",
        "valuetypes",
    ] {
        let generated = check(fixture);
        assert_eq!(generated.warnings, [], "{fixture}");
    }
}

#[test]
fn code_for_reply_handlers_equals_its_golden_file() {
    let file = folder("fixtures").join("handlers.idl");
    let idl = std::fs::read_to_string(&file).expect("the fixture");
    let options = zorb_idl::Options::new();
    let compilation = zorb_idl::compile(&options, &[&file]);
    let implied = implied::text(&compilation, &[], Contents::Handlers);
    let files = zorb_idl::MemoryLoader::new().with("handlers.idl", idl).with("implied", implied);
    let compilation = zorb_idl::compile_with(&options, &files, &["handlers.idl", "implied"]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    let options = Options::new().extern_file("Messaging.idl", "::zorb");
    let generated = zorb_idl_rust::generate(&compilation, &options);
    assert_eq!(check_generated("handlers", generated).warnings, []);
}

/// `crates/zorb-nano/tests/it/generated.rs` compiles and runs it.
#[test]
fn code_for_the_small_orb_equals_its_golden_file() {
    let generated = check_with("nano", &Options::new().target(Target::Nano));
    assert_eq!(generated.warnings, []);
    let by_tables = Options::new().target(Target::Nano).marshal(Marshal::Interpretive);
    assert_eq!(generate("nano", &by_tables).text, generated.text, "it has no tables");
    let sending = Options::new().target(Target::Nano).ami("Plant");
    assert_eq!(generate("nano", &sending).text, generated.text, "it has no pending calls");
    let fast = Options::new().target(Target::Nano).lookup(Lookup::PerfectHash);
    let fast = generate("nano", &fast).text;
    assert_eq!(fast.replace("perfect_hash", "linear").replace(char::is_whitespace, ""), {
        generated.text.replace(char::is_whitespace, "")
    });
    assert_eq!(fast.matches("perfect_hash").count(), 3);
}

#[test]
fn included_definitions_are_generated_and_reopened_modules_merge() {
    let generated = check("reopened");
    for once in ["pub mod common {", "pub mod first {", "pub mod second {"] {
        assert_eq!(generated.text.matches(once).count(), 1, "{once}");
    }
}

#[test]
fn renamed_items_are_reported() {
    let generated = check("names");
    let messages: Vec<&str> =
        generated.warnings.iter().map(|warning| warning.message.as_str()).collect();
    for expected in [
        "`fooBar` and `foo_bar` both map to `FooBar` in Rust: `foo_bar` is renamed to `FooBar_`",
        "`aB` and `a_b` both map to `a_b` in Rust: `a_b` is renamed to `a_b_`",
        "`lockedUp` and `locked_up` both map to `LockedUp` in Rust: `locked_up` is renamed to `LockedUp_`",
        "`getURL` and `get_url` both map to `get_url` in Rust: `get_url` is renamed to `get_url_`",
        "`theURL` and `the_url` both map to `the_url` in Rust: `the_url` is renamed to `the_url_`",
        "`set_x` and `set_x` both map to `set_x` in Rust: `set_x` is renamed to `set_x_`",
    ] {
        assert!(messages.contains(&expected), "{expected}: {messages:#?}");
    }
    let mut unique = messages.clone();
    unique.dedup();
    assert_eq!(unique.len(), messages.len());
}

#[test]
fn external_definitions_are_referenced() {
    let mapped = generate("reopened", &Options::new().extern_module("Common", "::common_idl::it"));
    assert!(!mapped.text.contains("pub mod common"));
    assert!(mapped.text.contains("pub at: ::common_idl::it::Stamp"), "{}", mapped.text);
    assert!(mapped.text.contains("Late(::common_idl::it::Late)"), "{}", mapped.text);
    let by_file = generate("reopened", &Options::new().extern_file("common.idl", "crate::shared"));
    assert!(!by_file.text.contains("pub mod common"));
    assert!(by_file.text.contains("pub at: crate::shared::common::Stamp"), "{}", by_file.text);
    assert!(by_file.text.contains(": crate::shared::common::ClockServant {"), "{}", by_file.text);
}

/// The standard's files are generated with the files that use them.
#[test]
fn definitions_of_the_standards_files_are_external_if_wanted() {
    let idl = "#include <orb.idl>\nstruct Named { CORBA::StringSeq names; };";
    let files = zorb_idl::MemoryLoader::new().with("a.idl", idl.to_owned());
    let compilation = zorb_idl::compile_with(&zorb_idl::Options::new(), &files, &["a.idl"]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    let own = zorb_idl_rust::generate(&compilation, &Options::new()).text;
    assert!(own.contains("pub type StringSeq") && own.contains("pub mod corba {"), "{own}");
    let options = Options::new().extern_file("orb.idl", "crate::shared");
    let shared = zorb_idl_rust::generate(&compilation, &options).text;
    assert!(!shared.contains("pub type StringSeq"), "{shared}");
    assert!(shared.contains("pub names: crate::shared::corba::StringSeq"), "{shared}");
}

#[test]
fn the_runtime_can_be_another_crate() {
    let generated = generate("bank", &Options::new().runtime("crate::orb"));
    assert!(!generated.text.contains("::zorb"));
    assert!(generated.text.contains("crate::orb::codegen::structure!"));
    let small = Options::new().target(Target::Nano);
    let before = generate("nano", &Options::new().runtime("crate::orb").target(Target::Nano)).text;
    assert_eq!(before, generate("nano", &small.runtime("crate::orb")).text, "in either order");
    assert!(!before.contains("::zorb") && before.contains("crate::orb::codegen::structure!"));
}

/// Generates code for IDL text in memory.
fn of_text(idl: String) -> Generated {
    of_text_with(idl, &Options::new())
}

fn of_text_with(idl: String, options: &Options) -> Generated {
    let files = zorb_idl::MemoryLoader::new().with("a.idl", idl);
    let compilation = zorb_idl::compile_with(&zorb_idl::Options::new(), &files, &["a.idl"]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    zorb_idl_rust::generate(&compilation, options)
}

#[test]
fn the_client_of_a_stub_for_the_small_orb_has_its_own_name() {
    let idl = "interface I { void f(in long client, in long client_); };";
    let text = of_text_with(idl.to_owned(), &Options::new().target(Target::Nano)).text;
    assert!(text.contains("client_2: &mut ::zorb_nano::Client<__O>"), "{text}");
    assert!(text.contains("client: i32") && text.contains("client_: i32"), "{text}");
    let text = text.replace(char::is_whitespace, "");
    assert!(text.contains("(self,client_2,\"f\""), "{text}");
}

#[test]
fn hostile_files_take_bounded_time() {
    // Names that all map to the same name.
    let name = |number: u32| -> String {
        let gap = |bit: u32| if number >> bit & 1 == 1 { "__" } else { "_" };
        (0..12).map(|bit| format!("a{}", gap(bit))).collect::<String>() + "a"
    };
    let members: String = (0..4096).map(|number| format!("long {};", name(number))).collect();
    let generated = of_text(format!("struct S {{ {members} }};"));
    assert_eq!(generated.warnings.len(), 4095);
    assert!(generated.text.len() < 1 << 20);
    // Structs that double in size: facts of a type are computed once.
    let mut idl = String::from("struct S0 { long a; };");
    for level in 1..200 {
        idl.push_str(&format!("struct S{level} {{ S{0} a; S{0} b; }};", level - 1));
    }
    assert!(of_text(idl).text.contains("pub struct S199 {"));
}

/// The number of non-blank lines.
fn lines(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

#[test]
fn the_generated_code_is_short() {
    let (mut all_idl, mut all_rust) = (0, 0);
    for fixture in ["bank", "extended", "types", "unions", "interfaces"] {
        let file = folder("fixtures").join(fixture).with_extension("idl");
        let idl = lines(&std::fs::read_to_string(file).expect("the fixture"));
        let rust = lines(&generate(fixture, &Options::new()).text);
        println!("{fixture}: {idl} lines of IDL, {rust} of Rust: {:.1}", rust as f64 / idl as f64);
        // In a file of interfaces only, one line of IDL becomes a stub, a servant method and a
        // skeleton row.
        assert!(rust < 8 * idl || fixture == "interfaces", "{fixture}: {rust} for {idl}");
        all_idl += idl;
        all_rust += rust;
    }
    assert!(all_rust < 6 * all_idl, "{all_rust} lines of Rust for {all_idl} of IDL");
}
