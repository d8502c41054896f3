//! Seeds of the targets `repository`, `json` and `dump`.

use zorb_dynamic::Mode;
use zorb_dynamic::repository::{
    AttributeDescription, EntryKind, InitializerDescription, OperationDescription,
    ParameterDescription, Repository,
};
use zorb_store::{Batch, MemoryStore, Store, dump};
use zorb_types::{Any, TcKind, TypeCode, ValueMember, ValueModifier, Visibility};

use crate::seed;

/// Types, and values of them in JSON.
const JSON: [(&str, &str); 29] = [
    ("long", "long\n-5"),
    ("long-too-large", "long\n2147483648"),
    ("longlong-text", "unsigned long long\n\"18446744073709551615\""),
    ("octets-base64", "sequence<octet>\n\"AQID\""),
    ("octets-numbers", "sequence<octet, 3>\n[1, 2, 255]"),
    ("float", "float\n0.1"),
    ("float-too-large", "float\n1e39"),
    ("double-nan", "double[2]\n[\"NaN\", \"-Infinity\"]"),
    ("double-all-digits", "double\n1.5674407370955161"),
    ("long-double", "sequence<long double>\n[1.5, 18446744073709551615, -0.0]"),
    ("fixed", "fixed<7, 2>\n\"12345.67\""),
    ("fixed-too-long", "fixed<3, 1>\n100.5"),
    ("chars", "char[3]\n[\"a\", \"\u{e4}\", \"\u{20ac}\"]"),
    ("wide", "wstring<4>\n\"\u{1d11e}x\""),
    ("string-too-long", "string<2>\n\"abc\""),
    ("nul", "string\n\"a\\u0000b\""),
    ("rows", "long[2][3]\n[[1, 2, 3], [4, 5, 6]]"),
    ("rows-too-few", "long[2][3]\n[[1, 2, 3]]"),
    (
        "struct",
        "S\n{\"n\": 9007199254740993, \"w\": \"ab\", \"c\": \"green\", \"o\": \"AQ==\", \"more\": []}",
    ),
    (
        "struct-recursive",
        "IDL:S:1.0\n{\"n\": 1, \"w\": \"\", \"c\": \"red\", \"o\": \"\", \"more\": [{\"n\": 2, \"w\": \"\", \"c\": \"red\", \"o\": \"\", \"more\": []}]}",
    ),
    ("struct-member-missing", "S\n{\"n\": 1}"),
    ("union", "U\n{\"text\": \"abc\"}"),
    (
        "union-any",
        "U\n{\"$case\": 7, \"any\": {\"type\": \"sequence<IDL:U:1.0>\", \"value\": [{\"text\": \"\"}]}}",
    ),
    ("union-no-member", "U\n{\"$case\": 5}"),
    (
        "any-nested",
        "any\n{\"type\": \"any\", \"value\": {\"type\": \"TypeCode\", \"value\": \"wstring<3>[2]\"}}",
    ),
    ("value", "V\n{\"boxed\": 2.5, \"next\": {\"boxed\": null, \"next\": null}}"),
    ("reference-nil", "Object\nnull"),
    (
        "reference",
        "Object\n\"IOR:000000000000000100000000000000000000000b00010200000000026800000a0000000000016b\"",
    ),
    ("type-deep", "sequence<sequence<sequence<sequence<long, 1>, 2>, 3>>\n[[[[1]]]]"),
];

pub(crate) fn write() {
    for (name, text) in JSON {
        seed("json", name, text);
    }
    seed("json", "deep", format!("any\n{}", "{\"type\": \"any\", \"value\": ".repeat(100)));
    seed("json", "deep-array", format!("sequence<any>\n{}", "[".repeat(200)));
    let types = format!("{}long{}\n0", "sequence<".repeat(40), ">".repeat(40));
    seed("json", "deep-type", types);
    repositories();
    dumps();
}

fn dumps() {
    let many = (0..20_u8).fold(Batch::new(), |batch, n| batch.put("test.many", [n], vec![n; 20]));
    let all: Vec<u8> = (0..=255).collect();
    let stores = [
        ("empty", Batch::new()),
        ("entry", Batch::new().put("naming.bindings", "printer", b"IOR\0")),
        ("octets", Batch::new().put("a", all.clone(), all).put("b", [], [])),
        ("many", many.put("zorb.schema", "test", [0, 0, 0, 1])),
    ];
    for (name, batch) in stores {
        let store = MemoryStore::new();
        store.commit(batch).expect("within the limits");
        let mut octets = Vec::new();
        dump::write(&store, &mut octets).expect("a dump");
        seed("dump", name, octets);
    }
    // A key twice, and escapes of JSON.
    let lines = [
        r#"{"zorb-store-dump":1}"#,
        r#"{"table":"a","key":"k","value":"1"}"#,
        r#"{"value":"\u0032","key":"k","table":"a"}"#,
        r#"{"entries":2,"crc32":"00000000"}"#,
    ];
    seed("dump", "escapes", lines.join("\n") + "\n");
}

fn repositories() {
    seed("repository", "empty", Repository::new().to_octets().expect("an encoding"));
    let mut all = Repository::new();
    let module = all.add(Repository::ROOT, "IDL:M:1.0", "M", EntryKind::Module);
    let long = TypeCode::plain(TcKind::Long);
    let failure =
        TypeCode::exception("IDL:M/X:1.0", "X", &[("why", TypeCode::string(0))]).expect("a type");
    all.add(module, "IDL:M/X:1.0", "X", EntryKind::Exception(failure.clone()));
    let again = TypeCode::recursive("IDL:M/T:1.0").expect("an id");
    let sequence = TypeCode::sequence(&again, 0).expect("a type");
    let tree = TypeCode::structure("IDL:M/T:1.0", "T", &[("children", sequence)]).expect("a type");
    all.add(module, "IDL:M/T:1.0", "T", EntryKind::Type(tree.clone()));
    let five = Any::new::<i32>(&5).expect("a value");
    all.add(module, "IDL:M/C:1.0", "C", EntryKind::Constant(five));
    let interface = |id: &str, name: &str, bases: &[&str]| EntryKind::Interface {
        type_code: TypeCode::interface(id, name).expect("a type"),
        bases: bases.iter().map(ToString::to_string).collect(),
    };
    let a = all.add(module, "IDL:M/A:1.0", "A", interface("IDL:M/A:1.0", "A", &[]));
    let b = interface("IDL:M/B:1.0", "B", &["IDL:M/A:1.0", "IDL:M/gone:1.0"]);
    let b = all.add(module, "IDL:M/B:1.0", "B", b);
    let parameter = |name: &str, mode, type_code: &TypeCode| ParameterDescription {
        name: name.to_owned(),
        mode,
        type_code: type_code.clone(),
    };
    let operation = OperationDescription {
        result: tree.clone(),
        parameters: vec![parameter("x", Mode::InOut, &long), parameter("y", Mode::Out, &tree)],
        exceptions: vec![failure.clone()],
        contexts: vec!["LANG".to_owned()],
        ..OperationDescription::default()
    };
    all.add(a, "IDL:M/A/f:1.0", "f", EntryKind::Operation(operation));
    let attribute = AttributeDescription {
        type_code: long.clone(),
        set_exceptions: vec![failure],
        ..AttributeDescription::default()
    };
    all.add(b, "IDL:M/B/n:1.0", "n", EntryKind::Attribute(attribute));
    let member = ValueMember { name: "m", type_code: &long, visibility: Visibility::Public };
    let made = TypeCode::value("IDL:M/V:1.0", "V", ValueModifier::None, None, &[member]);
    let kind = EntryKind::Value {
        type_code: made.expect("a type"),
        bases: Vec::new(),
        supports: vec!["IDL:M/B:1.0".to_owned()],
        initializers: vec![InitializerDescription {
            name: "make".to_owned(),
            parameters: vec![parameter("m", Mode::In, &long)],
            exceptions: Vec::new(),
        }],
    };
    let value = all.add(module, "IDL:M/V:1.0", "V", kind);
    let visibility = Visibility::Public;
    let kind = EntryKind::ValueMember { type_code: long, visibility };
    all.add(value, "IDL:M/V/m:1.0", "m", kind);
    seed("repository", "all", all.to_octets().expect("an encoding"));

    let mut circle = Repository::new();
    for (id, base) in [("IDL:A:1.0", "IDL:B:1.0"), ("IDL:B:1.0", "IDL:A:1.0")] {
        circle.add(Repository::ROOT, id, "A", interface(id, "A", &[base, base]));
    }
    seed("repository", "circle", circle.to_octets().expect("an encoding"));
    let mut deep = Repository::new();
    let mut at = Repository::ROOT;
    for level in 0..100 {
        at = deep.add(at, &format!("IDL:{level}:1.0"), "M", EntryKind::Module);
    }
    seed("repository", "deep", deep.to_octets().expect("an encoding"));
}
