//! The public API: files in, model, diagnostics and dependencies out.

use std::path::{Path, PathBuf};

use zorb_idl::model::{ConstValue, DefinitionKind, Export, TypeFacts};
use zorb_idl::{
    Code, Compilation, MemoryLoader, Model, Options, Severity, Type, compile, compile_with,
};

fn one(text: &str) -> Compilation {
    compile_with(&Options::new(), &MemoryLoader::new().with("main.idl", text), &["main.idl"])
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
fn every_file_read_is_a_dependency() {
    let loader = MemoryLoader::new()
        .with("idl/main.idl", "#include \"a.idl\"\n#include <b.idl>\n#include <orb.idl>")
        .with("idl/a.idl", "#include \"../idl/./a2.idl\"")
        .with("idl/a2.idl", "")
        .with("std/b.idl", "");
    let options = Options::new().include_path("none").include_path("std");
    let compilation = compile_with(&options, &loader, &["idl/main.idl", "missing.idl"]);
    let found: Vec<_> = compilation.dependencies().iter().map(PathBuf::as_path).collect();
    let expected = ["idl/main.idl", "idl/a.idl", "idl/../idl/./a2.idl", "std/b.idl", "missing.idl"];
    assert_eq!(found, expected.map(Path::new));
    assert_eq!(compilation.diagnostics.len(), 1);
    assert_eq!(compilation.diagnostics[0].code, Code::FileUnreadable);
}

#[test]
fn files_named_together_are_one_specification() {
    let loader = MemoryLoader::new()
        .with("common.idl", "#pragma prefix \"x\"\nstruct Common { long x; };")
        .with("a.idl", "#include \"common.idl\"\ninterface A { void f(in Common c); };")
        .with("b.idl", "#include \"common.idl\"\ninterface B { void f(in Common c); };");
    for files in [["common.idl", "a.idl", "b.idl"], ["a.idl", "b.idl", "common.idl"]] {
        let compilation = compile_with(&Options::new(), &loader, &files);
        assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
        let common = compilation.model.find("Common").expect("defined once");
        assert!(!compilation.model[common].from_include);
        assert_eq!(compilation.model[common].repository_id, "IDL:x/Common:1.0");
        assert_eq!(compilation.model.roots().len(), 3);
    }
    let compilation = compile_with(&Options::new(), &loader, &["a.idl", "b.idl"]);
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
    let common = compilation.model.find("Common").expect("defined once");
    assert!(compilation.model[common].from_include);
}

#[test]
fn diagnostics_render_with_source_carets_and_hint() {
    let compilation = one("struct Item { long price; };\n\tstruct S {\tItme i; };\n");
    let expected = "\
error[E0401]: `Itme` is not defined
 --> main.idl:2:13
  |
2 |     struct S {    Itme i; };
  |                   ^^^^ not found in this scope
  = hint: did you mean `Item`?

";
    assert_eq!(compilation.render(), expected);
}

#[test]
fn misspelt_clauses_and_scoped_keywords_have_hints() {
    let clause = one("exception E {};\ninterface I { void f() raise (E); };\n").render();
    assert!(clause.contains("hint: did you mean `raises`?"), "{clause}");
    let scoped = one("interface I { void f(in std::string s); };\n").render();
    assert!(scoped.contains("hint: write `string` without a scope"), "{scoped}");
}

#[test]
fn diagnostics_show_labels_macros_and_includes() {
    let loader = MemoryLoader::new()
        .with("main.idl", "\n#include \"inc.idl\"\n")
        .with("inc.idl", "#define TWICE struct A { long x; };\nTWICE\nTWICE\n");
    let compilation = compile_with(&Options::new(), &loader, &["main.idl"]);
    let expected = "\
error[E0402]: `A` is already defined in this scope
 --> inc.idl:3:1
  |
3 | TWICE
  | ^^^^^
  = included from main.idl:2
 ::: inc.idl:2:1
  |
2 | TWICE
  | ----- first defined here
 ::: inc.idl:1:9
  |
1 | #define TWICE struct A { long x; };
  |         ----- `TWICE` is a macro defined here

";
    assert_eq!(compilation.render(), expected);
    let once = one("#define TWO struct A { long x; }; struct A { long y; };\nTWO\n");
    let note = &once.diagnostics[0].note;
    assert_eq!(note, "the macro defines it twice, or the file is included twice");
}

#[test]
fn control_characters_and_long_lines_stay_off_the_terminal() {
    let long = format!("{}Missing\u{1b}[31m x;", "/* a long comment */ ".repeat(100));
    let compilation = one(&format!("struct S {{ {long} }};"));
    let text = compilation.render();
    assert!(!text.contains('\u{1b}'));
    assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
    assert!(text.contains("Missing"));
}

#[test]
fn diagnostics_convert_to_plain_data() {
    let compilation = one("struct S { long a; string a; };");
    let [diagnostic] = &compilation.to_json()[..] else { panic!("{}", compilation.render()) };
    assert_eq!((&*diagnostic.code, &*diagnostic.severity), ("E0422", "error"));
    let [primary, secondary] = &diagnostic.labels[..] else { panic!("two labels") };
    assert!(primary.primary && !secondary.primary);
    assert_eq!((&*primary.file, primary.line, primary.column), ("main.idl", 1, 27));
    assert_eq!((primary.end_line, primary.end_column), (1, 28));
    assert_eq!(secondary.column, 17);
}

#[test]
fn warnings_are_not_errors() {
    let compilation = one("#warning careful\ninterface A {};");
    assert!(!compilation.has_errors());
    assert_eq!(compilation.diagnostics[0].severity, Severity::Warning);
}

#[test]
fn latin_1_and_utf_8_are_both_accepted() {
    for bytes in [&b"const string S = \"\xe9\";"[..], "\u{feff}const string S = \"é\";".as_bytes()]
    {
        let loader = MemoryLoader::new().with("main.idl", bytes);
        let compilation = compile_with(&Options::new(), &loader, &["main.idl"]);
        assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
        let id = compilation.model.find("S").expect("defined");
        let DefinitionKind::Const(item) = &compilation.model[id].kind else { panic!("a const") };
        assert_eq!(item.value, ConstValue::String("é".into()));
    }
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
fn files_on_disk_are_found_in_the_same_folder_and_on_the_path() {
    let root = std::env::temp_dir().join(format!("zorb-idl-{}", std::process::id()));
    let write = |name: &str, text: &str| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path
    };
    let main = write("a/main.idl", "#include \"beside.idl\"\n#include <far.idl>\n");
    write("a/beside.idl", "struct Beside { long x; };");
    write("b/far.idl", "struct Far { long x; };");
    // A folder is not a file.
    std::fs::create_dir_all(root.join("a/far.idl")).expect("a folder");
    let options = Options::new().include_path(root.join("a")).include_path(root.join("b"));
    let compilation = compile(&options, &[&main]);
    std::fs::remove_dir_all(&root).expect("removed");
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
    assert_eq!(compilation.model.roots().len(), 2);
    assert_eq!(compilation.dependencies().len(), 3);
}

fn with_files(files: &[(&str, &str)], main: &str) -> Compilation {
    let loader = files.iter().fold(MemoryLoader::new(), |all, (path, text)| all.with(*path, *text));
    compile_with(&Options::new().include_path("."), &loader, &[main])
}

#[test]
fn components_need_no_include() {
    let model = model("interface Timer {}; component Clock { uses multiple Timer t; };");
    assert!(model.find("Components::CCMObject").is_some());
}

#[test]
fn names_of_the_module_corba_need_no_include() {
    let model = model("interface Types { CORBA::OctetSeq f(in ::CORBA::TypeCode t); };");
    assert!(model[model.find("CORBA::OctetSeq").expect("read")].built_in);
    // The predefined name needs no file, and a module of this name is the tree's own.
    for text in [
        "interface A { CORBA::TypeCode f(); };",
        "module CORBA { typedef long Own; }; interface A { CORBA::Own f(); };",
    ] {
        assert!(one(text).diagnostics.is_empty(), "{text}");
        assert!(one(text).model.find("CORBA::OctetSeq").is_none(), "{text}");
    }
    assert!(one("interface A { CORBA::Missing f(); };").has_errors());
    // As IDL for TAO has it.
    let twice = "#include <tao/orb.idl>\n#include <orb.idl>\ninterface A { CORBA::OctetSeq f(); };";
    assert!(one(twice).diagnostics.is_empty(), "{}", one(twice).render());
}

#[test]
fn a_tree_may_have_standard_files_of_its_own() {
    let main = "#include <orb.idl>
        interface A { CORBA::OctetSeq f(in CORBA::Policy p, in CORBA::Own o); };
        #include <Components.idl>
        eventtype E {};
        component C { publishes E ticks; };";
    let own = "#ifndef ORB_IDL\n#define ORB_IDL\n#pragma prefix \"omg.org\"\nmodule CORBA {
        typedef sequence<octet> OctetSeq;
        interface TypeCode;
        local interface Policy { void destroy(); };
        typedef sequence<Policy> PolicyList, Others;
        interface InterfaceDef { void own(); };
        enum DefinitionKind { dk_none };
        enum completion_status { COMPLETED_YES, COMPLETED_NO, COMPLETED_MAYBE };
        exception Failed { completion_status completed; };
        union Done switch (completion_status) { case COMPLETED_YES: long result; };
        struct Own { OctetSeq o; };
    };\n#endif";
    for (orb, has_own) in [("", false), (own, true)] {
        let main = if has_own { main.to_owned() } else { main.replace(", in CORBA::Own o", "") };
        let files = [("main.idl", &*main), ("orb.idl", orb), ("Components.idl", "")];
        let compilation = with_files(&files, "main.idl");
        assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
        let model = &compilation.model;
        assert_eq!(model.find("CORBA::Own").is_some(), has_own);
        let policy = model.find("CORBA::PolicyList").expect("defined");
        assert_eq!(model[policy].repository_id, "IDL:omg.org/CORBA/PolicyList:1.0");
        let interface = model.find("CORBA::InterfaceDef").expect("declared");
        assert_eq!(model[interface].kind.is_forward_only(), !has_own);
    }
    // One without an include guard is read once, also if components imply the standard one.
    let unguarded = "module CORBA { interface Mine {}; };";
    let component = "component C { uses CORBA::Mine own; };";
    for includes in [
        "#include <orb.idl>\n",
        "#include <orb.idl>\n#include <Components.idl>\n",
        "#include <Components.idl>\n#include <orb.idl>\n",
    ] {
        let main = format!("{includes}{component}");
        let compilation = with_files(&[("main.idl", &main), ("orb.idl", unguarded)], "main.idl");
        assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
    }
    let main = "#include <orb.idl>\n#include <orb.idl>\ninterface I { CORBA::Mine f(); };";
    let compilation = with_files(&[("main.idl", main), ("orb.idl", unguarded)], "main.idl");
    let codes: Vec<_> = compilation.diagnostics.iter().map(|item| item.code).collect();
    assert_eq!(codes, [Code::Redefinition]);
    assert_eq!(compilation.diagnostics[0].note, "the file is included twice");
    // Other definitions are still unique.
    let twice = "module CORBA { typedef long Mine; typedef short Mine; };";
    assert!(one(&format!("#include <orb.idl>\n{twice}")).has_errors());
}

#[test]
fn a_module_may_consist_of_included_files() {
    let orb = "#ifndef ORB\n#define ORB\n#include <defines.idl>\n#pragma prefix \"omg.org\"\n
        module CORBA {
            interface Policy; interface TypeCode; typedef string RepositoryId;
            #include <CORBA_Policy.idl>
            #include <CORBA_TypeCode.idl>
        };\n#endif";
    let policy = "interface Policy { Policy copy(); };\ntypedef sequence<Policy> PolicyList;";
    let type_code =
        "#ifdef BEFORE_3\n#pragma prefix \"omg.org\"\n#else\ntypeprefix CORBA \"omg.org\";
        #endif
        interface TypeCode { exception BadKind {}; RepositoryId id() raises (BadKind); };";
    let main = "#include <orb.idl>\ninterface A { CORBA::TypeCode f(in CORBA::PolicyList p); };";
    let files = [
        ("main.idl", main),
        ("orb.idl", orb),
        ("defines.idl", "#define BEFORE_3"),
        ("CORBA_Policy.idl", policy),
        ("CORBA_TypeCode.idl", type_code),
    ];
    let compilation = with_files(&files, "main.idl");
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
    let model = &compilation.model;
    let id = |name| &*model[model.find(name).expect("defined")].repository_id;
    assert_eq!(id("CORBA::Policy"), "IDL:omg.org/CORBA/Policy:1.0");
    assert_eq!(id("A"), "IDL:A:1.0");
}

#[test]
fn an_imported_module_is_read_from_its_file() {
    let main = "import ::CORBA;\nmodule Time { module Base {}; };\nimport Time::Base;
        import ::Dynamic;
        module M { struct S { CORBA::PolicyList p; CORBA::OctetSeq o; Dynamic::Bound b; }; };";
    let dynamic = "import ::Limits;\nmodule Dynamic { typedef Limits::Bound Bound; };";
    let limits = "module Limits { typedef long Bound; };";
    let files = [("main.idl", main), ("Dynamic.idl", dynamic), ("Limits.idl", limits)];
    let compilation = with_files(&files, "main.idl");
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
    // A tree's own comes with the standard one.
    let orb = "module CORBA { typedef long Own; };";
    let main = "import ::CORBA;\nstruct S { CORBA::Own own; CORBA::OctetSeq o; };";
    let compilation = with_files(&[("main.idl", main), ("orb.idl", orb)], "main.idl");
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
    // Without a file it is unknown.
    assert!(one("import ::Other;").has_errors());
    // A keyword can be escaped, a module of another one is not that of the file, and an instance has its own name.
    let main = "import ::_module;\nmodule Other { module Limits {}; };\nimport ::Limits;
        module Lib<typename T> { typedef T V; };\nmodule ::Lib<long> Inst;\nimport ::Inst;
        struct S { _module::Own own; Limits::Bound bound; Inst::V v; };";
    let module = "module _module { typedef long Own; };";
    let files = [
        ("main.idl", main),
        ("module.idl", module),
        ("Limits.idl", limits),
        ("Inst.idl", "it is not read"),
    ];
    let compilation = with_files(&files, "main.idl");
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
}

#[test]
fn a_module_is_read_at_its_first_import() {
    let message = "import ::Dyn;\nmodule Msg { typedef Dyn::T M; };";
    let files = |main| {
        [
            ("main.idl", main),
            ("Msg.idl", message),
            ("Dyn.idl", "#include \"part.idl\"\nmodule Dyn { typedef Part P; typedef long T; };"),
            ("part.idl", "typedef long Part;"),
            ("Here.idl", "import ::There;\nmodule Here { typedef long H; };"),
            ("There.idl", "import ::Here;\nmodule There { typedef long T; };"),
            ("Seq.idl", "import ::CORBA;\nmodule Seq { typedef CORBA::OctetSeq T; };"),
        ]
    };
    for main in [
        // Imported or included again, before and behind.
        "import ::Msg;\nimport ::Dyn;\nstruct Both { Msg::M m; Dyn::T t; };",
        "import ::Dyn;\nimport ::Msg;\nstruct Both { Msg::M m; Dyn::T t; };",
        "import ::Msg;\n#include <Dyn.idl>\n#include <part.idl>\nstruct Both { Msg::M m; Dyn::T t; };",
        "#include <Msg.idl>\n#include <Dyn.idl>\nstruct Both { Msg::M m; Dyn::T t; };",
        "#include <Seq.idl>\n#include <orb.idl>\nstruct Both { Seq::T t; CORBA::OctetSeq s; };",
        // A cycle ends.
        "import ::Here;\nstruct Both { Here::H h; There::T t; };",
        "import Later;\nmodule Later { interface I {}; };",
        // A file without a guard has been read before.
        "#include <part.idl>\nimport ::Dyn;\nstruct Both { Part p; Dyn::T t; };",
    ] {
        let compilation = with_files(&files(main), "main.idl");
        assert!(compilation.diagnostics.is_empty(), "{main}\n{}", compilation.render());
    }
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
fn misspelt_basic_types_are_recognized() {
    let compilation = one("struct S { lng x; };");
    assert_eq!(compilation.diagnostics[0].hint.as_deref(), Some("did you mean `long`?"));
}

#[test]
fn text_in_utf_16_is_named() {
    let text: Vec<u8> = "\u{feff}module M {};".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let compilation =
        compile_with(&Options::new(), &MemoryLoader::new().with("a.idl", text), &["a.idl"]);
    let message = &compilation.diagnostics[0].message;
    assert_eq!(message, "cannot read `a.idl`: it is UTF-16 text: convert it to UTF-8");
}

#[test]
fn tolerable_faults_can_be_warnings() {
    let faults = [
        ("#include orb.idl\ninterface A { void f(in CORBA::OctetSeq o); };", Code::BadDirective),
        ("#ifndef GUARD\n#define GUARD\ninterface A {};\n", Code::UnterminatedConditional),
        ("#pragma prefix \"example.org\";\ninterface A {};", Code::BadPragma),
        ("interface A; pseudo interface A { void f(); };", Code::UnexpectedToken),
        ("module A {}; typeprefix A \"example.org\"\ninterface B {};", Code::MissingSemicolon),
        (
            "porttype P { attribute short x; }; interface A {}; connector C { port P one; };",
            Code::EmptyDefinition,
        ),
        ("typeprefix A \"example.org\"; module A { interface B {}; };", Code::UnknownName),
        (
            "struct Data { long x; }; interface A { void f(in Data data); };",
            Code::RedefinedAfterUse,
        ),
        ("module b { interface B {}; }; typedef b::B A;", Code::SameNameAsScope),
        ("struct Never; interface A {};", Code::NeverCompleted),
        ("eventtype Event {}; interface A { void f(in Event e); };", Code::InheritedClash),
        ("exception E {}; interface A { oneway void f() raises (E); };", Code::BadOneway),
        (
            "native V; interface A; interface A { V f(); }; interface A; local interface B : A {};",
            Code::NativeUse,
        ),
        (
            "union U switch (octet) { case 1: @optional short a; }; interface A {};",
            Code::MisplacedAnnotation,
        ),
        ("const long A = 0xff00ff00;", Code::OutOfRange),
        ("const fixed A = -1.5;", Code::WrongValueType),
    ];
    assert!(Code::TOLERABLE.iter().map(|(code, _)| code).eq(faults.iter().map(|(_, code)| code)));
    for (text, code) in faults {
        let others = Code::TOLERABLE.iter().filter(|(other, _)| *other != code);
        for (other, _) in others {
            let loader = MemoryLoader::new().with("main.idl", text);
            let compilation = compile_with(&Options::new().allow(*other), &loader, &["main.idl"]);
            assert!(compilation.has_errors(), "{text} with {other} allowed");
        }
        let [strict, tolerant] = [Options::new(), Options::new().allow(code)].map(|options| {
            let loader = MemoryLoader::new().with("main.idl", text);
            compile_with(&options, &loader, &["main.idl"])
        });
        for (compilation, severity) in [(strict, Severity::Error), (tolerant, Severity::Warning)] {
            let found: Vec<_> =
                compilation.diagnostics.iter().map(|item| (item.code, item.severity)).collect();
            assert_eq!(found, [(code, severity)], "{text}");
            assert!(compilation.model.find("A").is_some(), "{text}");
        }
    }
    // Others with these codes are errors.
    for (text, code) in [
        ("#pragma prefix example", Code::BadPragma),
        ("interface interface A {};", Code::UnexpectedToken),
        ("typedef long T; module M { typedef T U; typedef short T; };", Code::RedefinedAfterUse),
        ("interface A {}\ninterface B {};", Code::MissingSemicolon),
        ("typeprefix Never \"example.org\"; interface A {};", Code::UnknownName),
        ("typeprefix A \"example.org\"; interface A {};", Code::UnknownName),
        ("module a { interface b { void b(); }; };", Code::SameNameAsScope),
        ("union Never;", Code::NeverCompleted),
        ("interface A { oneway long f(); };", Code::BadOneway),
        ("native V; interface A { void f(in V v); }; interface B : A {};", Code::NativeUse),
        ("native V; abstract interface A { void f(in V v); };", Code::NativeUse),
        // A native type makes an interface local after its first use.
        (
            "native V; interface A; interface B { void f(in A one); }; interface A { V f(); };",
            Code::NativeUse,
        ),
        (
            "native V; interface A; struct S { sequence<A> all; }; typedef S T; interface A { V f(); };
             interface B { readonly attribute T one; };",
            Code::NativeUse,
        ),
        (
            "native V; interface A { exception E { A one; }; V f(); }; interface B { void f() raises (A::E); };",
            Code::NativeUse,
        ),
        (
            "interface A; interface B { void f(in A one); }; pseudo interface A { void f(); };",
            Code::UnexpectedToken,
        ),
        ("native V; struct A { V v; };", Code::NativeUse),
        ("const long A = 0x100000000;", Code::OutOfRange),
        ("const unsigned long A = -1;", Code::OutOfRange),
        ("const long A = 1.5;", Code::WrongValueType),
        (
            "union U switch (octet) { case 1: @must_understand @key short a; };",
            Code::MisplacedAnnotation,
        ),
        ("porttype P {};", Code::EmptyDefinition),
        ("eventtype event {};", Code::InheritedClash),
        ("#include <orb.idl\ninterface A {};", Code::BadDirective),
    ] {
        let loader = MemoryLoader::new().with("main.idl", text);
        let compilation = compile_with(&Options::new().allow(code), &loader, &["main.idl"]);
        assert!(compilation.has_errors(), "{text}");
    }
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
