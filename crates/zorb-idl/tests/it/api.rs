//! The public API: files in, model, diagnostics and dependencies out.

mod diagnostics;
mod files;

use std::path::Path;

use zorb_idl::model::{DefinitionKind, Export, TypeFacts};
use zorb_idl::{Code, Compilation, MemoryLoader, Model, Options, Type, compile_with};

fn one(text: &str) -> Compilation {
    compile_with(&Options::new(), &MemoryLoader::new().with("main.idl", text), &["main.idl"])
}

fn with_files(files: &[(&str, &str)], main: &str) -> Compilation {
    let loader = files.iter().fold(MemoryLoader::new(), |all, (path, text)| all.with(*path, *text));
    compile_with(&Options::new().include_path("."), &loader, &[main])
}

fn model(text: &str) -> Model {
    let compilation = one(text);
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
    compilation.model
}

fn names(model: &Model, ids: &[zorb_idl::DefId]) -> Vec<String> {
    ids.iter().map(|id| model.scoped_name(*id)).collect()
}

#[test]
fn ancestors_are_unique_and_precede_derived_interfaces() {
    let model = model(
        "interface A { void op_a(); };
         interface B : A { attribute long attr_b; };
         interface C : A { void op_c(); };
         interface D : B, C { void op_d(); };",
    );
    let d = model.find("D").expect("defined");
    let a = model.find("::A").expect("defined");
    assert_eq!(names(&model, &model.ancestors(d)), ["A", "B", "C"]);
    let operations = model.all_operations(d);
    let operations: Vec<_> = operations
        .iter()
        .map(|(owner, operation)| format!("{}.{}", model.scoped_name(*owner), operation.name))
        .collect();
    assert_eq!(operations, ["A.op_a", "C.op_c", "D.op_d"]);
    let attributes = model.all_attributes(d);
    assert_eq!(attributes.len(), 1);
    assert_eq!(attributes[0].1.name, "attr_b");
    assert_eq!(model.all_exports(d).len(), 4);
    assert!(model.is_a(d, a) && model.is_a(a, a) && !model.is_a(a, d));
}

#[test]
fn facts_follow_members_typedefs_and_elements() {
    let model = model(
        "struct Flat { long a; double b[4]; };
         struct Deep { sequence<Flat, 3> flats; };
         typedef Deep Alias;
         struct Node { sequence<Node> children; Object peer; };
         union U switch (boolean) { case TRUE: wstring<2> text; };
         struct Holder { Node held; };",
    );
    let facts = |name: &str| model.definition_facts(model.find(name).expect("defined"));
    let flat = TypeFacts { floating: true, array: true, ..TypeFacts::default() };
    assert_eq!(facts("Flat"), flat);
    assert!(flat.is_fixed_size() && flat.is_plain_data());
    assert_eq!(facts("Alias"), TypeFacts { sequence: true, bounded: true, ..flat });
    assert!(!facts("Alias").is_fixed_size());
    let node = facts("Node");
    assert!(node.recursive && node.object_reference && node.sequence);
    assert!(facts("U").union && facts("U").wstring && facts("U").bounded);
    let recursive = |name: &str| model.is_recursive(model.find(name).expect("defined"));
    assert!(recursive("Node") && !recursive("Holder") && !recursive("Flat"));
    assert!(facts("Holder").recursive, "it contains a recursive value");
}

#[test]
fn typedefs_resolve_to_the_aliased_type() {
    let model = model("enum E { a }; typedef E F; typedef F G; typedef sequence<G> H;");
    let named = |name: &str| Type::Named(model.find(name).expect("defined"));
    assert_eq!(*model.resolve(&named("G")), named("E"));
    assert_eq!(model.resolved_definition(&named("G")).map(|item| &*item.name), Some("E"));
    assert_eq!(model.type_name(model.resolve(&named("H"))), "sequence<G>");
}

#[test]
fn a_reopened_module_is_one_definition() {
    let loader = MemoryLoader::new()
        .with("main.idl", "#include \"first.idl\"\nmodule M { interface B {}; };")
        .with("first.idl", "module M { interface A {}; }; module Only {};");
    let compilation = compile_with(&Options::new(), &loader, &["main.idl"]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    let model = &compilation.model;
    let module = model.find("M").expect("defined");
    assert_eq!(names(model, &model.children(module)), ["M::A", "M::B"]);
    let DefinitionKind::Module(inside) = &model[module].kind else { panic!("it is a module") };
    assert_eq!(inside.openings.len(), 2);
    let included = |name: &str| model[model.find(name).expect("defined")].from_include;
    assert!(!included("M") && included("M::A") && !included("M::B") && included("Only"));
    let path = |name: &str| {
        let file = model[model.find(name).expect("defined")].file;
        compilation.sources.file(file).path().to_owned()
    };
    assert_eq!(path("M::A"), Path::new("first.idl"));
    assert_eq!(path("M::B"), Path::new("main.idl"));
}

#[test]
fn exports_keep_their_order() {
    let model = model("interface I { void b(); typedef long T; attribute T a; void c(); };");
    let item = model.interface(model.roots()[0]).expect("an interface");
    let kinds: Vec<_> = item
        .exports
        .iter()
        .map(|export| match export {
            Export::Operation(item) => item.name.as_str(),
            Export::Attribute(item) => item.name.as_str(),
            Export::Definition(id) => model[*id].name.as_str(),
        })
        .collect();
    assert_eq!(kinds, ["b", "T", "a", "c"]);
}

#[test]
fn an_instance_around_its_own_template_ends() {
    let source = "module Lib { module E<typename T> { typedef T V; }; };
        module P { module ::Lib::E<long> M; };
        module P { module M { module N<typename U> { module M { typedef Foo X; }; }; }; };
        module P::M::N<long> P;";
    let compilation = with_files(&[("main.idl", source)], "main.idl");
    assert!(compilation.has_errors(), "{}", compilation.render());
}

#[test]
fn a_typeprefix_applies_to_a_declaration_and_its_definition() {
    let declared =
        "#pragma prefix \"example.org\"\nmodule M { interface A; };\n#pragma prefix \"\"\n";
    for rest in [
        "typeprefix M \"example.org\"; module M { interface A { void f(); }; };",
        "module M { typeprefix ::M \"example.org\"; interface A { void f(); }; };",
        "module M { interface A { void f(); }; typeprefix A \"example.org\"; };",
    ] {
        let model = model(&format!("{declared}{rest}"));
        let id = &model[model.find("M::A").expect("it is defined")].repository_id;
        assert_eq!(id, "IDL:example.org/M/A:1.0", "{rest}");
    }
    let without = format!("{declared}module M {{ interface A {{ void f(); }}; }};");
    assert_eq!(one(&without).diagnostics[0].code, Code::ForwardMismatch);
    // A tree's own definition of what the built-in file declares.
    let orb = "module CORBA { typeprefix CORBA \"omg.org\"; interface InterfaceDef;
        interface InterfaceDef { void own(); }; interface Policy; interface Policy { void own(); }; };";
    let main = "#include <orb.idl>\nstruct S { CORBA::InterfaceDef all; };";
    let compilation = with_files(&[("main.idl", main), ("orb.idl", orb)], "main.idl");
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
}

#[test]
fn the_built_in_module_has_the_types_that_others_name() {
    let model = model(
        "#include <orb.idl>
        local interface A {
            void f(in CORBA::AbstractBase b) raises (CORBA::PolicyError, CORBA::INV_OBJREF);
            CORBA::DomainManagersList managers(in CORBA::Repository r, in CORBA::ValueDef v);
            CORBA::RepositoryIdSeq ids(in CORBA::ParameterMode m, in CORBA::TCKind k);
            CORBA::CompletionStatus status(in CORBA::exception_type t);
            void poll(in CORBA::Pollable p);
        };",
    );
    let error = model.find("CORBA::PolicyError").expect("it is defined");
    assert_eq!(model[error].repository_id, "IDL:omg.org/CORBA/PolicyError:1.0");
}

#[test]
fn the_built_in_module_has_the_interface_repository_where_it_is_named() {
    let text = "module SendingContext {
            typedef sequence<CORBA::ValueDef::FullValueDescription> ValueDescSeq;
            interface CodeBase { CORBA::Repository get_ir(); ValueDescSeq metas(in CORBA::RepositoryIdSeq s); };
        };";
    for include in ["", "#include <orb.idl>\n"] {
        let model = model(&format!("{include}{text}"));
        let all = model.find("CORBA::ValueDef::FullValueDescription").expect("it is defined");
        let id = "IDL:omg.org/CORBA/ValueDef/FullValueDescription:1.0";
        assert_eq!(model[all].repository_id, id);
        let repository = model.find("CORBA::Repository").expect("it is defined");
        assert!(model.all_operations(repository).iter().any(|(_, item)| item.name == "lookup_id"));
    }
    // The name suffices for a reference to an object of the repository.
    let model = model("interface A { CORBA::InterfaceDef f(); };");
    assert!(model.find("CORBA::IDLType").is_none());
    // A tree's own module is complete.
    let own = one("module CORBA { interface ValueDef { struct Own { long a; }; }; };
        struct S { CORBA::ValueDef::Own a; CORBA::IDLType b; };");
    assert_eq!(
        own.diagnostics.iter().map(|item| item.code).collect::<Vec<_>>(),
        [Code::UnknownName]
    );
}

#[test]
fn the_built_in_module_has_pseudo_types_for_local_interfaces() {
    let pseudo = [
        "_Context",
        "Environment",
        "ExceptionList",
        "NamedValue",
        "NVList",
        "ORB",
        "Request",
        "ServerRequest",
    ];
    for name in pseudo {
        let text =
            |local: &str| format!("{local} interface A {{ void f(in CORBA::{name} one); }};");
        assert!(one(&text("local")).diagnostics.is_empty(), "{}", one(&text("local")).render());
        assert_eq!(one(&text("")).diagnostics[0].code, Code::NativeUse, "{name}");
    }
    // A tree may define one.
    let orb = "#pragma prefix \"omg.org\"\nmodule CORBA {
        interface ORB; typedef sequence<ORB> ORBSeq; interface NVList;
        interface ORB { typedef string ObjectId; ObjectId f(); }; };";
    let main = "#include <orb.idl>\ninterface A { CORBA::ORB::ObjectId f(in CORBA::ORBSeq o); };";
    let compilation = with_files(&[("main.idl", main), ("orb.idl", orb)], "main.idl");
    assert!(!compilation.has_errors(), "{}", compilation.render());
    let own = &compilation.model[compilation.model.find("CORBA::ORB").expect("it is defined")];
    assert!(
        !own.built_in && compilation.model.interface(own.id).is_some_and(|it| !it.forward_only)
    );
    let model = model(
        "local interface A : CORBA::Current {
            void f(in CORBA::Flags f) raises (CORBA::NO_PERMISSION, CORBA::TIMEOUT);
            void make(in CORBA::ConstructionPolicy p);
        };
        valuetype V supports A { private long a; void write(in CORBA::DataOutputStream s); };",
    );
    assert_eq!(model[model.find("A").expect("defined")].repository_id, "IDL:A:1.0");
}

#[test]
fn a_prefix_may_precede_its_module() {
    let text = "typeprefix M \"example.org\"\nmodule M { interface A {}; };";
    let loader = MemoryLoader::new().with("main.idl", text);
    let options = Options::new().allow(Code::UnknownName).allow(Code::MissingSemicolon);
    let model = compile_with(&options, &loader, &["main.idl"]).model;
    let id = &model[model.find("M::A").expect("it is defined")].repository_id;
    assert_eq!(id, "IDL:example.org/M/A:1.0");
}

#[test]
fn a_native_type_makes_the_whole_interface_local() {
    let text =
        "native V; interface A; interface B { void f(in A one); V g(); }; interface A { V f(); };
         interface C { attribute B one; void f(in V other); };";
    let loader = MemoryLoader::new().with("main.idl", text);
    let compilation = compile_with(&Options::new().allow(Code::NativeUse), &loader, &["main.idl"]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
}

#[test]
fn documentation_may_precede_annotations() {
    let model = model(
        "/// A struct.
         @final @nested struct S {
             /// A member.
             @key long x;
             @optional long y;
         };
         enum E {
             /// First.
             @value(1) a,
             @value(2) b
         };",
    );
    let s = &model[model.find("S").expect("defined")];
    assert_eq!(s.docs.as_deref(), Some("A struct."));
    let DefinitionKind::Struct(item) = &s.kind else { panic!("it is a struct") };
    let docs: Vec<_> = item.members.iter().map(|member| member.docs.as_deref()).collect();
    assert_eq!(docs, [Some("A member."), None]);
    let DefinitionKind::Enum(item) = &model[model.find("E").expect("defined")].kind else {
        panic!("it is an enum")
    };
    let docs: Vec<_> = item.enumerators.iter().map(|item| item.docs.as_deref()).collect();
    assert_eq!(docs, [Some("First."), None]);
}
