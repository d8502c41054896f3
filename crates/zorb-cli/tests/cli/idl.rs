//! `zorb idl`.

use crate::program::{file, folder, run};

const GOOD: &str = "module Shop { interface Till { long total(); }; };\n";
const BAD: &str =
    "module Shop {\n  interface Till {\n    Money total();\n    long count(in Coin c);\n  };\n};\n";

#[test]
fn valid_files_are_ok() {
    let good = file("good_files_are_ok", "shop.idl", GOOD);
    let check = run(&["idl", "check", &good]);
    assert_eq!((check.status, check.stderr.as_str()), (Some(0), ""));
    assert_eq!(check.stdout, format!("{good}: ok\n"));
}

#[test]
fn all_errors_of_invalid_files_are_shown() {
    let good = file("every_error", "good.idl", GOOD);
    let bad = file("every_error", "bad.idl", BAD);
    let check = run(&["idl", "check", &bad, &good]);
    assert_eq!(check.status, Some(1));
    assert_eq!(check.stdout, format!("{good}: ok\n"));
    for part in ["error[E0401]: `Money`", "error[E0401]: `Coin`", "bad.idl:3:5", "2 errors"] {
        assert!(check.stderr.contains(part), "{part}: {}", check.stderr);
    }
}

#[test]
fn diagnostics_as_json() {
    let bad = file("findings_as_json", "bad.idl", BAD);
    let check = run(&["idl", "check", "--json", &bad]);
    assert_eq!(check.status, Some(1));
    let json = check.json();
    assert_eq!((json["errors"].as_u64(), json["warnings"].as_u64()), (Some(2), Some(0)));
    let found = &json["files"][0];
    assert_eq!((found["file"].as_str(), found["ok"].as_bool()), (Some(&*bad), Some(false)));
    let finding = &found["diagnostics"][0];
    assert_eq!(
        (finding["code"].as_str(), finding["severity"].as_str()),
        (Some("E0401"), Some("error"))
    );
    let place = &finding["labels"][0];
    assert_eq!((place["primary"].as_bool(), place["file"].as_str()), (Some(true), Some(&*bad)));
    assert_eq!((place["line"].as_u64(), place["column"].as_u64()), (Some(3), Some(5)));
}

#[test]
fn missing_files_are_errors() {
    let check = run(&["idl", "check", "there-is-no-such.idl"]);
    assert_eq!(check.status, Some(1));
    assert!(check.stderr.contains("E0001") && check.stderr.contains("there-is-no-such.idl"));
}

#[test]
fn search_paths_and_macros_are_used() {
    let text = "#include <till.idl>\n#if SIZE == 3\ntypedef Till Tills[SIZE];\n#endif\ninterface Shop { Tills all(); };\n";
    file("search_paths/other", "till.idl", "interface Till {};\n");
    let shop = file("search_paths", "shop.idl", text);
    let include = folder("search_paths/other");
    let include = include.to_str().unwrap();
    assert_eq!(run(&["idl", "check", &shop, "-I", include, "-D", "SIZE=3"]).status, Some(0));
    assert_eq!(run(&["idl", "check", &shop, "-I", include]).status, Some(1));
    assert_eq!(run(&["idl", "check", &shop, "-D", "SIZE=3"]).status, Some(1));
}

#[test]
fn codes_are_explained() {
    let plain = run(&["idl", "--explain", "e0401"]);
    assert_eq!(plain.status, Some(0));
    assert!(plain.stdout.contains("```"), "there is an example: {}", plain.stdout);
    let json = run(&["idl", "--explain", "E0401", "--json"]).json();
    assert_eq!((json["code"].as_str(), json["severity"].as_str()), (Some("E0401"), Some("error")));
    assert_eq!(json["explanation"].as_str().unwrap().trim_end(), plain.stdout.trim_end());
    let unknown = run(&["idl", "--explain", "E9999"]);
    assert_eq!((unknown.status, unknown.stdout.as_str()), (Some(1), ""));
    assert!(unknown.stderr.contains("E9999") && unknown.stderr.contains("hint"));
}

#[test]
fn rust_is_written_to_a_folder_or_standard_output() {
    let idl = file("rust_goes", "shop.idl", GOOD);
    let shown = run(&["idl", "compile", &idl, "-o", "-"]);
    assert_eq!(shown.status, Some(0));
    assert!(shown.stdout.contains("pub struct Till"), "{}", shown.stdout);
    let out = folder("rust_goes").join("new/out");
    let written = run(&["idl", "compile", &idl, "-o", out.to_str().unwrap()]);
    assert_eq!((written.status, written.stdout.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(out.join("shop.rs")).unwrap(), shown.stdout);
}

#[test]
fn external_modules_get_no_code() {
    let text = "module Money { struct Coin { long value; }; };\nmodule Shop { interface Till { Money::Coin coin(); }; };\n";
    let idl = file("external", "shop.idl", text);
    let own = run(&["idl", "compile", &idl, "-o", "-"]);
    assert!(own.stdout.contains("pub struct Coin"));
    let external = ["idl", "compile", &idl, "-o", "-", "--extern", "Money=::coins::money"];
    let external = run(&external);
    assert!(!external.stdout.contains("pub struct Coin"));
    assert!(external.stdout.contains("::coins::money::Coin"), "{}", external.stdout);
}

#[test]
fn servants_get_upcalls_by_option_and_by_annotation() {
    const UPCALL: &str = "upcall: &::zorb::poa::Upcall<'_>";
    let text = |of_interface: &str, of_operation: &str| {
        format!(
            "module Shop {{ {of_interface} interface Till {{ {of_operation} long total(in string of); \
             attribute long change; }}; interface Door {{ void open(); }}; }};\n"
        )
    };
    let compile = |name: &str, text: &str, options: &[&str]| {
        let idl = file(name, "shop.idl", text);
        let compiled = run(&[&["idl", "compile", &idl, "-o", "-"], options].concat());
        assert_eq!(compiled.status, Some(0), "{}", compiled.stderr);
        (compiled.stdout, compiled.stderr)
    };
    let (plain, _) = compile("upcalls/plain", &text("", ""), &[]);
    assert!(!plain.contains("Upcall"), "{plain}");

    let by_option = |options: &[&str]| compile("upcalls/option", &text("", ""), options);
    let (operation, warnings) = by_option(&["--upcall", "Shop::Till::total"]);
    assert_eq!(warnings, "");
    let method = format!("fn total(&self, {UPCALL}, of: &str) -> ::zorb::Result<i32>;");
    assert!(operation.contains(&method), "{operation}");
    // The stub does not change.
    assert!(operation.contains("pub fn total(&self, of: &str) -> ::zorb::Result<i32>"));
    assert_eq!(operation, compile("upcalls/operation", &text("", "@upcall"), &[]).0);

    let (interface, _) = by_option(&["--upcall", "::Shop::Till"]);
    assert_eq!(interface.matches(UPCALL).count(), 3, "{interface}");
    assert_eq!(interface, compile("upcalls/interface", &text("@upcall", ""), &[]).0);
    // An annotation takes precedence.
    let except = compile("upcalls/except", &text("", "@upcall(FALSE)"), &["--upcall", "Shop"]).0;
    assert_eq!(except.matches(UPCALL).count(), 3, "{except}");
    assert!(except.contains("fn total(&self, of: &str) -> ::zorb::Result<i32>;"), "{except}");

    let (unchanged, warnings) = by_option(&["--upcall", "Shop::Tills"]);
    assert_eq!(unchanged, plain);
    assert!(warnings.contains("\"Shop::Tills\""), "{warnings}");
}

#[test]
fn structs_and_operations_get_views_by_option_and_by_annotation() {
    let text = |of_struct: &str, of_interface: &str| {
        format!(
            "module Shop {{ {of_struct} struct Item {{ long id; string name; }}; typedef sequence<Item> Items; \
             {of_interface} interface Till {{ long total(in Items of); Items all(); void open(); }}; }};\n"
        )
    };
    let compile = |name: &str, text: &str, options: &[&str]| {
        let idl = file(name, "shop.idl", text);
        let compiled = run(&[&["idl", "compile", &idl, "-o", "-"], options].concat());
        assert_eq!(compiled.status, Some(0), "{}", compiled.stderr);
        (compiled.stdout, compiled.stderr)
    };
    let plain = compile("views/plain", &text("", ""), &[]).0;
    assert!(!plain.contains("View"), "{plain}");
    let (all, warnings) = compile("views/option", &text("", ""), &["--view", "Shop"]);
    assert_eq!(warnings, "");
    assert!(all.contains("pub fn name(self) -> &'a str"), "{all}");
    assert!(all.contains("fn total(&self, of: ::zorb::SequenceView<'_, Item>)"), "{all}");
    assert!(all.contains("pub fn view_all<__T>"), "{all}");
    assert_eq!(all, compile("views/annotated", &text("@view", "@view"), &[]).0);
    // An annotation takes precedence.
    let except = compile("views/except", &text("", "@view(FALSE)"), &["--view", "Shop"]).0;
    assert!(except.contains("ItemView") && !except.contains("SequenceView"), "{except}");
    let (unchanged, warnings) = compile("views/other", &text("", ""), &["--view", "Shop::Till"]);
    assert_eq!(unchanged, plain);
    assert!(warnings.contains("\"Shop::Till\""), "{warnings}");
}

#[test]
fn invalid_files_generate_no_rust() {
    let bad = file("bad_files", "bad.idl", BAD);
    let out = folder("bad_files").join("out");
    let compile = run(&["idl", "compile", &bad, "-o", out.to_str().unwrap()]);
    assert_eq!((compile.status, compile.stdout.as_str()), (Some(1), ""));
    assert!(compile.stderr.contains("2 errors"), "{}", compile.stderr);
    assert!(!out.exists());
}

#[test]
fn the_model_is_printed_as_json() {
    let text = r#"
        #include <orb.idl>
        /// Of things.
        module Shop {
            const long LIMIT = 2 * 3;
            const boolean OPEN = FALSE;
            typedef sequence<string<LIMIT>> Names;
            enum Color { red, green };
            union U switch (Color) { case red: fixed<5, 2> price; };
            @final struct Item { @key long id; any what[2][3]; };
            valuetype Node { public Node next; private Item what; factory make(in long x); };
            valuetype Leaf : truncatable Node {};
            exception Gone { CORBA::TypeCode what; };
            interface Till {
                oneway void ring(in Color shade);
                readonly attribute Names all;
                Item take(inout long id) raises (Gone) context ("user");
            };
        };
    "#;
    let file = file("the_model_is_printed", "shop.idl", text);
    let dump = run(&["idl", "dump", &file]);
    assert_eq!((dump.status, dump.stderr.as_str()), (Some(0), ""));
    let json = dump.json();
    assert_eq!(json["files"][0]["file"].as_str(), Some(&*file));
    let roots = json["files"][0]["definitions"].as_array().expect("a list");
    assert_eq!(roots.len(), 1, "built-in files are left out");
    let shop = &roots[0];
    assert_eq!(
        (shop["kind"].as_str(), shop["docs"].as_str(), shop["line"].as_u64()),
        (Some("module"), Some("Of things."), Some(4))
    );
    let named = |name: &str| {
        let list = shop["definitions"].as_array().expect("a list");
        list.iter().find(|item| item["name"] == name).expect(name)
    };
    assert_eq!(named("LIMIT")["value"].as_i64(), Some(6));
    assert_eq!(named("OPEN")["value"].as_bool(), Some(false));
    assert_eq!(named("Names")["type"]["element"]["bound"].as_i64(), Some(6));
    assert_eq!(named("U")["cases"][0]["labels"][0]["value"]["enumerator"].as_str(), Some("red"));
    assert_eq!(named("U")["cases"][0]["type"]["digits"].as_i64(), Some(5));
    assert_eq!(named("U")["implicit_default"].as_bool(), Some(true));
    let item = named("Item");
    assert_eq!(item["annotations"][0]["name"].as_str(), Some("final"));
    assert_eq!(item["members"][0]["annotations"][0]["arguments"]["value"].as_bool(), Some(true));
    assert_eq!(item["members"][1]["type"]["dims"][1].as_i64(), Some(3));
    let node = named("Node");
    assert_eq!((node["recursive"].as_bool(), node["chunked"].as_bool()), (Some(true), None));
    assert_eq!(node["state"][1]["visibility"].as_str(), Some("private"));
    assert_eq!(node["factories"][0]["parameters"][0]["direction"].as_str(), Some("in"));
    let leaf = named("Leaf");
    assert_eq!(leaf["truncatable_ids"][1].as_str(), Some("IDL:Shop/Node:1.0"));
    assert_eq!(named("Gone")["members"][0]["type"]["kind"].as_str(), Some("CORBA::TypeCode"));
    let till = named("Till");
    assert_eq!(till["operations"][0]["oneway"].as_bool(), Some(true));
    assert_eq!(till["operations"][1]["raises"][0].as_str(), Some("Shop::Gone"));
    assert_eq!(till["operations"][1]["contexts"][0].as_str(), Some("user"));
    assert_eq!(till["attributes"][0]["type"]["name"].as_str(), Some("Shop::Names"));
    let all = run(&["idl", "dump", "--built-in", &file]).json();
    assert_eq!(all["files"][0]["definitions"][0]["name"].as_str(), Some("CORBA"));
}

#[test]
fn invalid_files_have_no_model() {
    let bad = file("there_is_no_model", "bad.idl", BAD);
    let dump = run(&["idl", "dump", &bad]);
    assert_eq!((dump.status, dump.stdout.as_str()), (Some(1), ""));
    assert!(dump.stderr.contains("error[E0401]"), "{}", dump.stderr);
}

#[test]
fn implied_idl_is_printed() {
    let good = file("implied_idl_is_printed", "shop.idl", GOOD);
    let dump = run(&["idl", "dump", "--implied", &good]);
    assert_eq!((dump.status, dump.stderr.as_str()), (Some(0), ""));
    assert!(dump.stdout.contains(&format!("#include \"{good}\"")), "{}", dump.stdout);
    // A user of the same folder need not know where it is.
    let folder = std::path::Path::new(&good).parent().expect("a folder");
    let above = folder.parent().expect("a folder");
    let name = folder.file_name().expect("a name");
    for (of, include) in [(folder, "shop.idl"), (above, &*format!("{}/shop.idl", name.display()))] {
        let of = of.to_str().expect("UTF-8");
        let dump = run(&["idl", "dump", "--implied", "-I", of, &good]);
        assert!(dump.stdout.contains(&format!("#include \"{include}\"")), "{}", dump.stdout);
    }
    let implied = file("implied_idl_is_printed", "shop_ami.idl", &dump.stdout);
    let json = run(&["idl", "dump", &implied]).json();
    let shop = json["files"][0]["definitions"].as_array().expect("a list");
    let shop = shop.iter().find(|item| item["name"] == "Shop").expect("the module");
    let names: Vec<_> = shop["definitions"].as_array().expect("a list").iter().collect();
    assert!(names.iter().any(|item| item["id"] == "IDL:Shop/AMI_TillHandler:1.0"), "{shop}");
}

#[test]
fn a_dump_does_not_control_the_terminal() {
    let idl = "const string TEXT = \"a\\x7f\\x9b2J\\x1b\";\nconst wstring WIDE = L\"\\u0085\";\n";
    let file = file("a_dump_does_not_control_the_terminal", "controls.idl", idl);
    let dump = run(&["idl", "dump", &file]);
    assert_eq!((dump.status, dump.stderr.as_str()), (Some(0), ""));
    assert!(!dump.stdout.contains(|char: char| char.is_control() && char != '\n'));
    let json = dump.json();
    let definitions = json["files"][0]["definitions"].as_array().expect("a list");
    let values: Vec<_> = definitions.iter().map(|item| item["value"].as_str()).collect();
    assert_eq!(values[0], Some("a\u{7f}\u{9b}2J\u{1b}"));
    assert_eq!(definitions[1]["value"]["wstring"][0].as_u64(), Some(0x85));
}

/// A declaration without a definition.
const TOLERABLE: &str = "struct Gone;\ninterface Here { void go(); };\n";

#[test]
fn tolerable_faults_are_errors_unless_they_are_allowed() {
    let file = file("tolerable_faults", "gone.idl", TOLERABLE);
    let refused = run(&["idl", "check", &file]);
    assert_eq!(refused.status, Some(1));
    let start = refused.stderr.find("error[E").expect("a code") + "error[".len();
    let code = &refused.stderr[start..start + 5];
    let allowed = run(&["idl", "check", &file, "--allow", code]);
    assert_eq!(allowed.status, Some(0), "{}", allowed.stderr);
    assert!(allowed.stderr.contains(&format!("warning[{code}]")), "{}", allowed.stderr);
    let dump = run(&["idl", "dump", &file, "--allow", code]).json();
    assert_eq!(dump["files"][0]["definitions"].as_array().map(Vec::len), Some(2));
    let compiled = run(&["idl", "compile", &file, "-o", "-", "--allow", code]);
    assert_eq!(compiled.status, Some(0), "{}", compiled.stderr);
    assert!(compiled.stderr.contains(&format!("warning[{code}]")), "{}", compiled.stderr);
    // In every command that reads IDL: what is refused next is the reference.
    let call = |words: &[&str]| {
        run(&[&["call", "corbaloc:iiop:127.0.0.1:1/none", "--idl", &file], words].concat())
    };
    assert_eq!(call(&[]).status, Some(2));
    let call = call(&["--allow", code, "--interface", "Here", "go"]);
    assert_eq!(call.status, Some(4), "{}", call.stderr);
    let other = run(&["idl", "check", &file, "--allow", "E0402"]);
    assert_eq!(other.status, Some(2));
    assert!(other.stderr.contains("expected one of") && other.stderr.contains(code));
}

#[test]
fn code_for_the_small_orb_has_its_own_errors() {
    let good = file("small_orb", "good.idl", GOOD);
    let compile = |file: &str, options: &[&str]| {
        run(&[&["idl", "compile", file, "-o", "-", "--target", "nano"], options].concat())
    };
    let linear = compile(&good, &[]).stdout;
    assert!(linear.contains("::zorb_nano::codegen::interface!("), "{linear}");
    assert!(linear.contains(" linear,") && !linear.contains("::zorb::"), "{linear}");
    let hashed = compile(&good, &["--lookup", "perfect-hash"]).stdout;
    assert!(hashed.contains(" perfect_hash,"), "{hashed}");
    let full = run(&["idl", "compile", &good, "-o", "-", "--lookup", "perfect-hash"]);
    assert_eq!((full.status, full.stdout.as_str()), (Some(2), ""));
    assert!(full.stderr.contains("`--lookup` needs `--target nano`"), "{}", full.stderr);
    for option in [&["--reply-handlers"][..], &["--ami", "Till"]] {
        let small = compile(&good, option);
        assert_eq!((small.status, small.stdout.as_str()), (Some(2), ""));
        let expected = format!("`{}` needs `--target zorb`", option[0]);
        assert!(small.stderr.contains(&expected), "{}", small.stderr);
    }
    let text =
        "interface Till {\n  void note(in any what);\n  attribute sequence<string> all;\n};\n";
    let bad = compile(&file("small_orb", "bad.idl", text), &[]);
    assert_eq!((bad.status, bad.stdout.as_str()), (Some(1), ""));
    for part in ["error[E0314]: `any`", "bad.idl:2:20", "error[E0315]", "bad.idl:3:30"] {
        assert!(bad.stderr.contains(part), "{part}: {}", bad.stderr);
    }
}

const BOUNDED: &str = "module Plant {
  typedef string<12> Name;
  struct Sample { octet channel; double value; };
  typedef sequence<Sample, 8> Samples;
  exception Offline { Name what; };
  interface Sensor {
    Samples read(in octet count) raises (Offline);
    void label(in string text);
  };
};
";

#[test]
fn worst_cases_of_marshalling_are_listed() {
    let plant = file("worst_cases", "plant.idl", BOUNDED);
    let listed = run(&["idl", "wcet", &plant]);
    assert_eq!((listed.status, listed.stderr.as_str()), (Some(0), ""));
    // As in the chapter of the book on the IDL compiler.
    let expected = "\
Plant::Sensor
                    least octets  most octets    elements       steps
  read
    request                    1            1           1           1
    reply                      4          135          17          25
    Plant::Offline            33           48           2           3
  label
    request         unbounded: `text`: `string` without a bound
    reply                      0            0           0           0
";
    assert_eq!(listed.stdout, expected);
}

#[test]
fn worst_cases_as_json() {
    let plant = file("worst_cases_as_json", "plant.idl", BOUNDED);
    let listed = run(&["idl", "wcet", "--json", &plant]);
    assert_eq!(listed.status, Some(0));
    let operations = &listed.json()["files"][0]["operations"];
    let (read, label) = (&operations[0], &operations[1]);
    assert_eq!(read["reply"]["most_octets"].as_u64(), Some(135));
    assert_eq!(read["exceptions"][0]["name"].as_str(), Some("Plant::Offline"));
    let reason = label["request"]["unbounded"].as_str();
    assert_eq!(reason, Some("`text`: `string` without a bound"));
}

#[test]
fn files_with_errors_have_no_worst_cases() {
    let bad = file("no_worst_cases", "bad.idl", BAD);
    let listed = run(&["idl", "wcet", &bad]);
    assert_eq!((listed.status, listed.stdout.as_str()), (Some(1), ""));
    assert!(listed.stderr.contains("error[E0401]"), "{}", listed.stderr);
}

#[test]
fn a_profile_compiles_what_usage_files_say() {
    let good = file("by_profile", "good.idl", GOOD);
    let lines = "zorb-usage 1\n16 0 IDL:Shop/Till:1.0 total\n";
    let used = file("by_profile_usage", "till.usage", lines);
    let compile =
        |options: &[&str]| run(&[&["idl", "compile", &good, "-o", "-"], options].concat());
    let profiled = compile(&["--marshal", "profile", "--usage", &used]);
    assert_eq!((profiled.status, profiled.stderr.as_str()), (Some(0), ""));
    assert_eq!(profiled.stdout, compile(&[]).stdout);
    assert_ne!(profiled.stdout, compile(&["--marshal", "interpretive"]).stdout);
    let none = compile(&["--marshal", "profile"]);
    assert_eq!((none.status, none.stdout.as_str()), (Some(2), ""));
    assert!(none.stderr.contains("needs `--usage FILE`"), "{}", none.stderr);
    let unused = compile(&["--usage", &used]);
    assert_eq!(unused.status, Some(2));
    assert!(unused.stderr.contains("`--usage` needs `--marshal profile`"), "{}", unused.stderr);
    let missing = compile(&["--marshal", "profile", "--usage", "no-such-file"]);
    assert_eq!((missing.status, missing.stdout.as_str()), (Some(1), ""));
    assert!(missing.stderr.contains("usage file no-such-file: "), "{}", missing.stderr);
}
