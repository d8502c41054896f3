use zorb_idl::{MemoryLoader, compile_with};

use super::Names;
use super::case::{Case, convert, escape};
use crate::Options;

#[test]
fn names_follow_rust_conventions() {
    for (idl, snake, pascal, screaming) in [
        ("hello", "hello", "Hello", "HELLO"),
        ("sayHello", "say_hello", "SayHello", "SAY_HELLO"),
        ("HTTPServer", "http_server", "HttpServer", "HTTP_SERVER"),
        ("getURL", "get_url", "GetUrl", "GET_URL"),
        ("MAX_SIZE", "max_size", "MaxSize", "MAX_SIZE"),
        ("IOR", "ior", "Ior", "IOR"),
        ("a__b_", "a_b", "AB", "A_B"),
        ("x", "x", "X", "X"),
        ("vec3", "vec3", "Vec3", "VEC3"),
        ("type", "r#type", "Type", "TYPE"),
        ("gen", "r#gen", "Gen", "GEN"),
        ("self", "self_", "Self_", "SELF"),
        ("Self", "self_", "Self_", "SELF"),
        ("crate", "crate_", "Crate", "CRATE"),
        ("super", "super_", "Super", "SUPER"),
        ("u8", "u8", "U8", "U8"),
    ] {
        let rust = |case| escape(convert(idl, case), case);
        assert_eq!(rust(Case::Snake), snake);
        assert_eq!(rust(Case::Pascal), pascal);
        assert_eq!(rust(Case::Screaming), screaming);
    }
}

#[test]
fn a_module_does_not_hide_a_primitive_type() {
    let module = |idl| escape(convert(idl, Case::Module), Case::Module);
    assert_eq!(module("i32"), "i32_");
    assert_eq!(module("bool"), "bool_");
    assert_eq!(module("i33"), "i33");
    assert_eq!(module("match"), "r#match");
}

/// The paths of `targets` from the module of `from`, and the warnings.
fn paths(idl: &str, from: &str, targets: &[&str]) -> (Vec<String>, Vec<String>) {
    let files = MemoryLoader::new().with("a.idl", idl);
    let compilation = compile_with(&zorb_idl::Options::new(), &files, &["a.idl"]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    let options = Options::new().extern_module("Far::Away", "::far::away");
    let (names, warnings) = Names::new(&compilation, &options);
    let find = |name: &str| compilation.model.find(name).expect(name);
    let module = (!from.is_empty()).then(|| find(from));
    let paths = targets.iter().map(|name| names.path(find(name), module)).collect();
    (paths, warnings.into_iter().map(|warning| warning.message).collect())
}

#[test]
fn paths_climb_to_the_shared_module() {
    let idl = "module A { struct S { long x; }; module B { struct T { long x; }; };
                          interface I { struct N { long x; }; }; };
               module Far { module Away { struct U { long x; }; interface J { struct V { long x; }; }; }; };
               struct R { long x; };";
    let targets = ["A::S", "A::B::T", "A::I", "A::I::N", "R", "Far::Away::U", "Far::Away::J::V"];
    let (from_root, _) = paths(idl, "", &targets);
    assert_eq!(
        from_root,
        ["a::S", "a::b::T", "a::I", "a::i::N", "R", "::far::away::U", "::far::away::j::V"]
    );
    let (from_b, _) = paths(idl, "A::B", &targets[..5]);
    assert_eq!(from_b, ["super::S", "T", "super::I", "super::i::N", "super::super::R"]);
    let (from_i, _) = paths(idl, "A::I", &targets[..5]);
    assert_eq!(from_i, ["super::S", "super::b::T", "super::I", "N", "super::super::R"]);
}

#[test]
fn clashes_get_an_underscore_and_a_warning() {
    let idl = "struct fooBar { long x; }; struct foo_bar { long x; }; struct Foo_Bar_ { long x; };";
    let (paths, warnings) = paths(idl, "", &["fooBar", "foo_bar", "Foo_Bar_"]);
    assert_eq!(paths, ["FooBar", "FooBar_", "FooBar_2"]);
    assert_eq!(
        warnings,
        [
            "`fooBar` and `foo_bar` both map to `FooBar` in Rust: `foo_bar` is renamed to `FooBar_`",
            "`fooBar` and `Foo_Bar_` both map to `FooBar` in Rust: `Foo_Bar_` is renamed to `FooBar_2`",
        ]
    );
}

#[test]
fn generated_names_yield_to_names_of_the_idl() {
    let idl = "interface I {}; interface IServant {};
               module M { interface Clock { struct S { long x; }; }; module Clock_ { struct T { long x; }; }; };";
    let files = MemoryLoader::new().with("a.idl", idl);
    let compilation = compile_with(&zorb_idl::Options::new(), &files, &["a.idl"]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    let (names, warnings) = Names::new(&compilation, &Options::new());
    let find = |name: &str| compilation.model.find(name).expect(name);
    assert_eq!(names.own(find("IServant")), "IServant");
    assert_eq!(names.servant(find("I")), "IServant_");
    assert_eq!(names.servant(find("IServant")), "IServantServant");
    assert_eq!(names.path(find("M::Clock_::T"), None), "m::clock::T");
    assert_eq!(names.path(find("M::Clock::S"), None), "m::clock_::S");
    assert!(warnings.is_empty(), "{warnings:?}");
}
