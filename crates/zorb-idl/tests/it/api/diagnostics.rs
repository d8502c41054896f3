//! What diagnostics say, and how they are shown.

use zorb_idl::Severity;

use super::*;

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
