//! Hostile input is rejected with errors.

use zorb_idl::limits::{MAX_DIAGNOSTICS, MAX_FILE_BYTES};
use zorb_idl::{Code, Compilation, MemoryLoader, Options, compile_with};

fn one(text: impl Into<Vec<u8>>) -> Compilation {
    compile_with(&Options::new(), &MemoryLoader::new().with("main.idl", text.into()), &["main.idl"])
}

fn has(compilation: &Compilation, code: Code) -> bool {
    compilation.diagnostics.iter().any(|item| item.code == code)
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = 5_000;
    let cases = [
        ("module a {", "};"),
        ("typedef ", "sequence<"),
        ("struct s { ", "struct s { "),
        ("const long A = ", "("),
        ("typedef long X[", "("),
        ("union u switch (", "union u switch ("),
        ("typedef fixed<", "fixed<"),
        ("typedef sequence<long, ", "(((sequence<long, "),
    ];
    for (start, middle) in cases {
        let middle = if middle == "};" { start } else { middle };
        let compilation = one(format!("{start}{}", middle.repeat(deep)));
        assert!(compilation.has_errors(), "{start}");
    }
    assert!(has(&one("module a {".repeat(deep)), Code::NestingTooDeep));
    assert!(has(&one(format!("#if {}", "(".repeat(deep))), Code::BadCondition));
    assert!(has(&one("#if 1\n".repeat(deep)), Code::StrayConditional));
    assert!(has(&one(format!("#if {}1\n#endif", "1?".repeat(deep))), Code::BadCondition));
}

#[test]
fn long_flat_input_is_fine() {
    let sum = format!("const long A = 0{};", " + 1".repeat(50_000));
    let compilation = one(sum);
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
    let signs = format!("const long A = {}1;", "- ".repeat(50_000));
    assert!(one(signs).diagnostics.is_empty());
    let string = format!("const string A = {};", "\"a\" ".repeat(50_000));
    assert!(one(string).diagnostics.is_empty());
    let empty = "\n".repeat(1_000_000);
    assert!(one(empty).diagnostics.is_empty());
}

#[test]
fn long_chains_of_definitions_terminate() {
    let link = |text: &dyn Fn(usize) -> String| (1..2_000).map(text).collect::<String>();
    let structs = link(&|n| format!("struct S{n} {{ S{} a; }};", n - 1));
    assert!(one(format!("struct S0 {{ long a; }};{structs}")).diagnostics.is_empty());
    let typedefs = link(&|n| format!("typedef T{} T{n};", n - 1));
    assert!(has(&one(format!("typedef long T0;{typedefs}")), Code::NestingTooDeep));
    let bases = link(&|n| format!("interface I{n} : I{} {{ void f{n}(); }};", n - 1));
    assert!(has(&one(format!("interface I0 {{}};{bases}")), Code::InheritanceTooLarge));
    let forwards = link(&|n| format!("struct F{n};"));
    assert!(has(&one(forwards), Code::NeverCompleted));
}

#[test]
fn newer_constructs_take_bounded_work() {
    let lines = |text: &dyn Fn(usize) -> String| (1..3_000).map(text).collect::<String>();
    let structs = lines(&|n| format!("struct S{n} : S{} {{}};", n - 1));
    assert!(has(&one(format!("struct S0 {{ long a; }};{structs}")), Code::InheritanceTooLarge));
    let bits = lines(&|n| format!("bitset B{n} : B{} {{}};", n - 1));
    let bits = one(format!("bitset B0 {{ bitfield<1> a; }};{bits}"));
    assert!(has(&bits, Code::InheritanceTooLarge));
    // Each level doubles the number of paths to the top.
    let diamonds: String = (1..120)
        .map(|n| {
            let bases = format!("A{}, B{}", n - 1, n - 1);
            format!(
                "abstract valuetype A{n} : {bases} {{}}; abstract valuetype B{n} : {bases} {{}};"
            )
        })
        .collect();
    let top = "abstract valuetype A0 {}; abstract valuetype B0 {}; interface I {};";
    let values = format!("{top}{diamonds} valuetype V : A119, B119 supports I {{}};");
    assert!(one(values).diagnostics.is_empty());
    let imports = "import \"IDL:Nowhere:1.0\";".repeat(3_000);
    assert!(has(&one(format!("{imports}{structs}")), Code::BadImport));
    let annotations = lines(&|n| format!("@a{n} "));
    assert!(has(&one(format!("{annotations} struct S {{ long x; }};")), Code::UnknownAnnotation));
    assert!(has(&one("module A<".repeat(20_000)), Code::UnexpectedToken));
    let many = lines(&|n| format!("typedef long T{n};"));
    let uses: String = (0..200).map(|n| format!("module T<long> U{n};")).collect();
    let nested = format!("module T<typename X> {{ module Inner {{ {many} }}; }}; {uses}");
    assert!(has(&one(nested), Code::TemplateTooLarge));
    let attributes = lines(&|n| format!("attribute long a{n};"));
    let ports = lines(&|n| format!("port P p{n};"));
    let text = format!(
        "interface I {{}}; porttype P {{ provides I i_port; {attributes} }}; connector C {{ {ports} }};"
    );
    assert!(has(&one(text), Code::TooManyPorts));
}

#[test]
fn macro_expansion_is_bounded() {
    let double: String = (1..64).map(|n| format!("#define M{n} M{} M{}\n", n - 1, n - 1)).collect();
    assert!(has(&one(format!("#define M0 x\n{double}M63")), Code::ExpansionTooLarge));
    let nested = format!("#define F(x) x x\n{}y{}", "F(".repeat(500), ")".repeat(500));
    assert!(has(&one(nested), Code::ExpansionTooLarge));
    let strings: String = (1..64).map(|n| format!("#define S{n}(x) S{}(#x #x)\n", n - 1)).collect();
    let strings = one(format!("#define S0(x) #x\n{strings}const string A = S63(\"\\\");"));
    assert!(strings.has_errors());
    let pasted: String = (1..64).map(|n| format!("#define P{n}(x) P{}(x##x)\n", n - 1)).collect();
    assert!(has(&one(format!("#define P0(x) x\n{pasted}P63(a)")), Code::ExpansionTooLarge));
}

#[test]
fn recursive_includes_terminate() {
    let loader = MemoryLoader::new()
        .with("main.idl", "#include \"main.idl\"\n#include \"b.idl\"\n#include \"main.idl\"\n")
        .with("b.idl", "#include \"main.idl\"\n#include \"b.idl\"\n#include \"b.idl\"\n");
    let compilation = compile_with(&Options::new(), &loader, &["main.idl"]);
    assert!(has(&compilation, Code::IncludeTooDeep));
}

#[test]
fn large_input_is_rejected() {
    let compilation = one(vec![b' '; MAX_FILE_BYTES + 1]);
    assert!(has(&compilation, Code::FileUnreadable));
    // The same holds for long strings that many constants refer to.
    let text = "x".repeat(100_000);
    let copies: String = (0..1_000).map(|n| format!("const string C{n} = TEXT;")).collect();
    let strings = one(format!("const string TEXT = \"{text}\"; {copies}"));
    assert!(has(&strings, Code::SourceTooLarge));
    // Long names that contain many definitions would take gigabytes.
    let name = "n".repeat(100_000);
    let inside: String = (0..2_000).map(|n| format!("typedef long t{n};")).collect();
    assert!(has(&one(format!("module {name} {{ {inside} }};")), Code::SourceTooLarge));
}

#[test]
fn diagnostics_are_limited() {
    let compilation = one("interface I : X {};\n".repeat(10_000));
    assert_eq!(compilation.diagnostics.len(), MAX_DIAGNOSTICS + 1);
    assert!(has(&compilation, Code::TooManyDiagnostics));
    assert!(compilation.render().len() < 1_000_000);
    let unknown = one("struct S { X a; };".repeat(1_000));
    assert!(has(&unknown, Code::TooManyDiagnostics));
}

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

#[test]
fn mutated_fixtures_never_break_the_compiler() {
    let fixtures: Vec<_> =
        ["", "model", "rules"].iter().flat_map(|folder| crate::support::fixtures(folder)).collect();
    // Fixtures that exhaust a budget are slow, and mutation adds nothing to them.
    let slow = ["E0014.md", "E0018.md", "E0019.md", "E0419.md", "E0460.md", "E0461.md"];
    let texts: Vec<Vec<u8>> = fixtures
        .iter()
        .filter(|fixture| !slow.iter().any(|slow| fixture.path.ends_with(slow)))
        .flat_map(|fixture| &fixture.cases)
        .flat_map(|case| &case.files)
        .map(|(_, text)| text.clone().into_bytes())
        .filter(|text| text.len() < 20_000)
        .collect();
    assert!(texts.len() > 90, "the fixtures are missing");
    let words: [&[u8]; 16] = [
        b"{",
        b"}",
        b"(",
        b")",
        b"<",
        b">",
        b">>",
        b";",
        b"::",
        b"#",
        b"\\\n",
        b"/*",
        b"\"",
        b"'",
        b"#define ",
        b"#include \"main.idl\"\n",
    ];
    let mut random = Random(0x5a6f_7262_1d1e_2026);
    for round in 0..2_500 {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len());
            match random.below(6) {
                0 => text.truncate(at),
                1 if !text.is_empty() => text[at] ^= 1 << random.below(8),
                2 if !text.is_empty() => text[at] = random.below(256) as u8,
                3 => {
                    let other = &texts[random.below(texts.len())];
                    let from = random.below(other.len());
                    let piece = &other[from..other.len().min(from + random.below(80))];
                    text.splice(at..at, piece.iter().copied());
                }
                4 => {
                    let until = text.len().min(at + random.below(20));
                    text.drain(at..until);
                }
                _ => {
                    let word = words[random.below(words.len())];
                    text.splice(at..at, word.iter().copied());
                }
            }
        }
        let compilation = one(text);
        // Diagnostics can always be rendered, and the model can always be traversed.
        let shown = compilation.render();
        assert_eq!(shown.is_empty(), compilation.diagnostics.is_empty(), "round {round}");
        let dump = crate::support::Dump(&compilation.model).to_string();
        let model = &compilation.model;
        let written = model.roots().iter().any(|id| !model[*id].built_in);
        assert_eq!(!dump.is_empty(), written, "round {round}");
        if !compilation.has_errors() {
            assert!(
                !dump.contains("<error>"),
                "round {round}: errors without a diagnostic\n{dump}"
            );
        }
    }
}
