//! Files, includes and imports.

use std::path::PathBuf;

use zorb_idl::compile;
use zorb_idl::model::ConstValue;

use super::*;

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
