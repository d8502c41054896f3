//! Which definitions are marshalled by tables.

use zorb_idl_rust::{Marshal, Options, Usage};

fn generate(idl: &str, options: &Options) -> String {
    generated(idl, options).text
}

fn generated(idl: &str, options: &Options) -> zorb_idl_rust::Generated {
    let files = zorb_idl::MemoryLoader::new().with("a.idl", idl.to_owned());
    let compilation = zorb_idl::compile_with(&zorb_idl::Options::new(), &files, &["a.idl"]);
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.render());
    zorb_idl_rust::generate(&compilation, options)
}

/// Whether the macro of a definition begins with `interpretive`.
fn is_interpretive(code: &str, name: &str) -> bool {
    let by_tables = code.contains(&format!("!(interpretive {name}, "));
    let is_compiled =
        code.contains(&format!("!({name}, ")) || code.contains(&format!("!(numbers {name}, "));
    assert_ne!(by_tables, is_compiled, "{name}: {code}");
    by_tables
}

const ANNOTATED: &str = "
    struct Plain { long a; };
    @marshal(INTERPRETIVE) struct Small { Plain one; };
    @marshal(INTERPRETIVE) module Inside {
        enum Color { RED };
        exception Failed { Color hue; };
        @marshal(COMPILED) struct Fast { Color hue; };
        interface Shop {
            struct Goods { string name; };
            Goods sell(in Goods some) raises(Failed);
            oneway void close();
        };
    };
    @marshal(COMPILED) interface Quick { void call(); };";

#[test]
fn annotations_take_precedence_from_the_inside() {
    let code = generate(ANNOTATED, &Options::new());
    for name in ["Small", "Color", "Failed", "Goods", "Shop"] {
        assert!(is_interpretive(&code, name), "{name}");
    }
    for name in ["Plain", "Fast", "Quick"] {
        assert!(!is_interpretive(&code, name), "{name}");
    }
    assert!(code.contains("invoke!(interpretive self, sell, [shop::Goods => some]"), "{code}");
    assert!(code.contains("oneway!(interpretive self, close, [])"), "{code}");
    assert!(code.contains("invoke!(self, call, [], [])"), "{code}");
}

#[test]
fn the_option_is_the_default() {
    let code = generate(ANNOTATED, &Options::new().marshal(Marshal::Interpretive));
    for name in ["Plain", "Small", "Color", "Failed", "Goods", "Shop"] {
        assert!(is_interpretive(&code, name), "{name}");
    }
    for name in ["Fast", "Quick"] {
        assert!(!is_interpretive(&code, name), "{name}");
    }
}

#[test]
fn operations_with_many_parameters_are_compiled() {
    let parameters: Vec<String> = (0..16).map(|number| format!("in long p{number}")).collect();
    let idl = format!("interface Wide {{ void call({}); }};", parameters.join(", "));
    let code = generate(&idl, &Options::new().marshal(Marshal::Interpretive));
    assert!(!is_interpretive(&code, "Wide"));
}

#[test]
fn unions_and_recursive_types_have_tables() {
    let idl = "struct Node; typedef sequence<Node> Nodes; struct Node { Nodes all; };
         union Tree switch (long) { case 1: sequence<Tree> all; };
         union Leaf switch (long) { case 1: long one; };";
    let code = generate(idl, &Options::new().marshal(Marshal::Interpretive));
    assert!(code.contains("structure!(interpretive recursive Node, "), "{code}");
    assert!(code.contains("union!(interpretive recursive Tree, "), "{code}");
    assert!(code.contains("union!(interpretive Leaf, "), "{code}");
    let code = generate(idl, &Options::new());
    assert!(code.contains("structure!(recursive Node, "), "{code}");
    assert!(code.contains("union!(recursive Tree, "), "{code}");
    assert!(code.contains("union!(Leaf, "), "{code}");
}

#[test]
fn structs_of_numbers_without_padding_have_the_layout_of_c() {
    let idl = "typedef long Sizes[3]; enum Hue { RED };
         struct Point { double x; double y; }; struct Line { Point ends[2]; float width; Sizes around; };
         struct Late { octet a; long b; }; struct Open { double a; long b; };
         struct Coloured { Hue shade; }; struct Marked { char mark; }; struct Nothing {};";
    let code = generate(idl, &Options::new());
    for name in ["Point", "Line"] {
        assert!(code.contains(&format!("structure!(numbers {name}, ")), "{name}: {code}");
        assert!(code.contains(&format!("#[repr(C)]\npub struct {name} ")), "{name}: {code}");
    }
    for name in ["Late", "Open", "Coloured", "Marked", "Nothing"] {
        assert!(code.contains(&format!("structure!({name}, ")), "{name}: {code}");
    }
    assert_eq!(code.matches("repr(C)").count(), 2);
    let code = generate(idl, &Options::new().marshal(Marshal::Interpretive));
    assert!(!code.contains("numbers") && !code.contains("repr(C)"), "{code}");
}

#[test]
fn an_annotation_without_effect_is_a_warning() {
    let parameters = |count: u32| -> String {
        let list: Vec<String> = (0..count).map(|number| format!("in long p{number}")).collect();
        list.join(", ")
    };
    let idl = format!(
        "@marshal(INTERPRETIVE) interface Wide {{ void call({}); }};
         @marshal(INTERPRETIVE) interface Narrow {{ void call({}); }};
         @marshal(INTERPRETIVE) @deferred interface Later {{ void call(); }};
         @marshal(INTERPRETIVE) interface Sent {{ @ami void call(); }};
         @marshal(INTERPRETIVE) module Inside {{ @deferred @ami interface Other {{ void call(); }}; }};
         @marshal(COMPILED) @deferred @ami interface Quick {{ void call(); }};",
        parameters(16),
        parameters(15),
    );
    let warnings = generated(&idl, &Options::new()).warnings;
    let messages: Vec<&str> = warnings.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`@marshal(INTERPRETIVE)` of `Wide` has no effect on an interface with an operation of 16 or more \
             parameters",
            "`@marshal(INTERPRETIVE)` of `Later` has no effect on deferred and asynchronous servants",
            "`@marshal(INTERPRETIVE)` of `Sent` has no effect on methods that send a call without waiting",
        ]
    );
    assert!(generated(&idl, &Options::new().marshal(Marshal::Interpretive)).warnings == warnings);
}

const USED: &str = "
    struct Hot { struct Within { long a; } inner; };
    struct Cold { long a; };
    exception Rare { Cold what; };
    @marshal(INTERPRETIVE) struct Annotated { long a; };
    interface Base {
        attribute Cold plain;
        typedef sequence<Hot> List;
        List fast(in Annotated a) raises (Rare);
        void slow(in Cold a);
    };
    interface Derived : Base { void quick(); };
    @marshal(COMPILED) interface Quick { void call(); };
    @marshal(INTERPRETIVE) interface Small { void call(); };";

fn by_usage(lines: &str) -> String {
    let usage = Usage::parse(format!("zorb-usage 1\n{lines}").as_bytes()).expect("a usage file");
    generate(USED, &Options::new().marshal(Marshal::Profile).usage(&usage))
}

#[test]
fn a_profile_compiles_hot_operations_and_their_types() {
    // The objects are of the derived interface.
    let code = by_usage(
        "900 0 IDL:Derived:1.0 fast\n9 0 IDL:Base:1.0 slow\n40 50 IDL:Other:1.0 _get_plain\n",
    );
    for name in ["Hot", "Within"] {
        assert!(!is_interpretive(&code, name), "{name}");
    }
    for name in ["Cold", "Rare", "Annotated", "Base", "Derived", "Small"] {
        assert!(is_interpretive(&code, name), "{name}");
    }
    assert!(!is_interpretive(&code, "Quick"));
    assert!(code.contains("invoke!(self, fast, [Annotated => a]"), "{code}");
    assert!(code.contains("invoke!(interpretive self, slow, "), "{code}");
    assert!(
        code.contains("\"fast\" fast(a: Annotated => &a) [result: Vec<Hot>] compiled,"),
        "{code}"
    );
    assert!(code.contains("\"slow\" slow(a: Cold => &a) [],"), "{code}");
}

#[test]
fn an_interface_that_is_hot_in_whole_is_compiled() {
    let code = by_usage("5 0 IDL:Derived:1.0 quick\n5 0 IDL:Small:1.0 call\n");
    assert!(!is_interpretive(&code, "Derived"));
    for name in ["Base", "Small"] {
        assert!(is_interpretive(&code, name), "{name}");
    }
    assert!(code.contains("invoke!(self, quick, [], [])"), "{code}");
}

#[test]
fn operations_of_unknown_interfaces_are_those_of_all() {
    let code = by_usage("5 0 - quick\n5 0 - _set_plain\n");
    assert!(!is_interpretive(&code, "Derived"));
    assert!(!is_interpretive(&code, "Cold"));
    assert!(code.contains("(interpretive self, plain \"_get_plain\""), "{code}");
    assert!(code.contains("(self, set_plain \"_set_plain\""), "{code}");
}

#[test]
fn without_calls_a_profile_compiles_nothing() {
    let code = by_usage("0 0 IDL:Base:1.0 slow\n");
    assert_eq!(code, generate(USED, &Options::new().marshal(Marshal::Interpretive)));
}
