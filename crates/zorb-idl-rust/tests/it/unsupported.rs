//! Unsupported constructs are reported as documented on the pages of their codes.

use std::fmt::Write as _;
use std::path::Path;

use zorb_idl::{Code, Compilation, MemoryLoader, compile_with};
use zorb_idl_rust::{Options, Target, unsupported};

fn compile(idl: &str) -> Compilation {
    let loader = MemoryLoader::new().with("main.idl", idl);
    let compilation = compile_with(&zorb_idl::Options::new(), &loader, &["main.idl"]);
    assert!(!compilation.has_errors(), "{}", compilation.render());
    compilation
}

fn diagnostics(compilation: &Compilation, options: &Options) -> String {
    let mut text = String::new();
    for item in unsupported(compilation, options) {
        let location = compilation.sources.location(item.span.expect("a span"));
        let _ = writeln!(text, "{}:{} {}", location.line, location.column, item.code);
    }
    text
}

/// The contents of the first block with this tag in a fixture of the front end.
fn block<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("```{word}\n"))?;
    rest.split_once("```").map(|(block, _)| block)
}

#[test]
fn every_back_end_code_is_reported_as_documented() {
    let mut seen = Vec::new();
    for code in Code::ALL {
        let info = code.info();
        let Some(expected) = block(info.explanation, "unsupported") else { continue };
        let idl = block(info.explanation, "idl").expect("an example");
        let found = diagnostics(&compile(idl), &Options::new());
        assert_eq!(found, expected, "{code}");
        assert!(found.contains(info.text), "{code} is not reported in its own example");
        seen.push(*code);
    }
    assert!(!seen.is_empty(), "no fixture was found");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/unsupported.rs");
    let source = std::fs::read_to_string(source).expect("readable");
    for code in Code::ALL {
        let name = format!("Code::{code:?}");
        assert_eq!(
            source.contains(&name),
            seen.contains(code),
            "{code}: its page has an example if and only if the back end reports it"
        );
    }
}

#[test]
fn what_the_small_orb_lacks_is_reported_as_documented() {
    for code in [Code::NanoUnsupported, Code::NanoUnbounded, Code::EmptyElementUnsupported] {
        let page = code.info().explanation;
        let idl = block(page, "idl").expect("an example");
        let found = diagnostics(&compile(idl), &Options::new().target(Target::Nano));
        assert_eq!(Some(found.as_str()), block(page, "nano"), "{code}");
    }
}

#[test]
fn external_definitions_are_skipped() {
    let compilation = compile("module Old { local interface N {}; valuetype V { public N x; }; };");
    assert_eq!(diagnostics(&compilation, &Options::new()), "1:46 E0303\n");
    let options = Options::new().extern_module("Old", "::old");
    assert_eq!(diagnostics(&compilation, &options), "");
}
