//! `zorb idl`.

use crate::program::{file, folder, run};

const GOOD: &str = "module Shop { interface Till { long total(); }; };\n";
const BAD: &str =
    "module Shop {\n  interface Till {\n    Money total();\n    long count(in Coin c);\n  };\n};\n";

#[test]
fn good_files_are_ok() {
    let good = file("good_files_are_ok", "shop.idl", GOOD);
    let check = run(&["idl", "check", &good]);
    assert_eq!((check.status, check.stderr.as_str()), (Some(0), ""));
    assert_eq!(check.stdout, format!("{good}: ok\n"));
}

#[test]
fn every_error_of_bad_files_is_shown() {
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
fn findings_as_json() {
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
fn rust_goes_to_a_folder_or_to_standard_output() {
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
fn bad_files_make_no_rust() {
    let bad = file("bad_files", "bad.idl", BAD);
    let out = folder("bad_files").join("out");
    let compile = run(&["idl", "compile", &bad, "-o", out.to_str().unwrap()]);
    assert_eq!((compile.status, compile.stdout.as_str()), (Some(1), ""));
    assert!(compile.stderr.contains("2 errors"), "{}", compile.stderr);
    assert!(!out.exists());
}
