use serde_json::json;
use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, Wire};
use zorb_types::{Any, TcKind, UnionCase, ValueMember, ValueModifier, Visibility};

use super::*;

struct Shop;

fn enumeration() -> TypeCode {
    TypeCode::enumeration("IDL:Shop/Colour:1.0", "Colour", &["red", "green", "blue"]).unwrap()
}

fn item() -> TypeCode {
    let tags = TypeCode::sequence(&TypeCode::string(0), 2).unwrap();
    let members = [
        ("name", TypeCode::string(8)),
        ("colour", enumeration()),
        ("price", TypeCode::fixed(5, 2).unwrap()),
        ("tags", tags),
    ];
    TypeCode::structure("IDL:Shop/Item:1.0", "Item", &members).unwrap()
}

fn choice() -> TypeCode {
    let (number, text) = (kind("long"), kind("string"));
    let case = |label, name, type_code| UnionCase { label, name, type_code };
    let cases = [
        case(Some(0), "number", &number),
        case(Some(1), "number", &number),
        case(None, "text", &text),
    ];
    TypeCode::union("IDL:Shop/Choice:1.0", "Choice", &enumeration(), &cases).unwrap()
}

fn note() -> TypeCode {
    let text = kind("string");
    let member = ValueMember { name: "text", type_code: &text, visibility: Visibility::Public };
    TypeCode::value("IDL:Shop/Note:1.0", "Note", ValueModifier::None, None, &[member]).unwrap()
}

/// A note with another, which may be cut down to a note.
fn thread() -> TypeCode {
    let next = TypeCode::recursive("IDL:Shop/Thread:1.0").unwrap();
    let any = kind("any");
    let visibility = Visibility::Public;
    let members = [
        ValueMember { name: "next", type_code: &next, visibility },
        ValueMember { name: "more", type_code: &any, visibility },
    ];
    let base = note();
    let modifier = ValueModifier::Truncatable;
    TypeCode::value("IDL:Shop/Thread:1.0", "Thread", modifier, Some(&base), &members).unwrap()
}

impl Scope for Shop {
    fn type_named(&self, name: &str) -> Option<TypeCode> {
        Some(match name {
            "Shop::Item" | "IDL:Shop/Item:1.0" => item(),
            "Colour" | "IDL:Shop/Colour:1.0" => enumeration(),
            "Choice" => choice(),
            "Note" | "IDL:Shop/Note:1.0" => note(),
            "Thread" | "IDL:Shop/Thread:1.0" => thread(),
            "Summed" => TypeCode::named(TcKind::AbstractInterface, "IDL:Shop/S:1.0", "S").unwrap(),
            "Label" | "IDL:Shop/Label:1.0" => {
                TypeCode::value_box("IDL:Shop/Label:1.0", "Label", &kind("string")).unwrap()
            }
            "Closed" => TypeCode::exception("IDL:Shop/Closed:1.0", "Closed", &[]).unwrap(),
            _ => return None,
        })
    }

    fn reference(&self, text: &str) -> Result<Ior, String> {
        NoScope.reference(text)
    }
}

fn kind(name: &str) -> TypeCode {
    type_named(name, &Shop).unwrap()
}

fn parsed(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What comes out when this goes in.
fn through(type_name: &str, json: &serde_json::Value) -> String {
    let any = to_any(json, &kind(type_name), &Shop)
        .unwrap_or_else(|error| panic!("{type_name} {json}: {error}"));
    let out = from_any(&any).unwrap();
    assert_eq!(parsed(&format!("{out}")), parsed(&format!("{out:#}")));
    out.to_string()
}

#[test]
fn values_survive_a_round_trip() {
    let nil = "null";
    for (type_name, text) in [
        ("short", "-32768"),
        ("unsigned short", "65535"),
        ("long", "-2147483648"),
        ("unsigned long", "4294967295"),
        ("long long", "-9223372036854775808"),
        ("unsigned long long", "18446744073709551615"),
        ("octet", "255"),
        ("float", "0.1"),
        ("double", "1e300"),
        ("double", "\"-Infinity\""),
        ("float", "\"NaN\""),
        ("long double", "0.5"),
        ("boolean", "true"),
        ("char", "\"\u{fc}\""),
        ("wchar", "\"\u{20ac}\""),
        ("string", r#""line\n \"two\" ü""#),
        ("wstring", "\"\u{1f600}\""),
        ("fixed<5, 2>", "\"-123.40\""),
        ("Colour", "\"green\""),
        ("sequence<octet>", "\"AP+A\""),
        ("octet[4]", "\"AQIDBA==\""),
        ("sequence<short>", "[1, -2, 3]"),
        ("long[2][3]", "[[1, 2, 3], [4, 5, 6]]"),
        ("Object", nil),
        ("any", nil),
        ("any", r#"{"type": "long", "value": 5}"#),
        ("any", r#"{"type": "sequence<double, 3>", "value": [0.5]}"#),
        ("any", r#"{"type": "any", "value": {"type": "IDL:Shop/Colour:1.0", "value": "red"}}"#),
        ("TypeCode", "\"sequence<IDL:Shop/Item:1.0>\""),
        ("Choice", r#"{"$case": "green", "number": 5}"#),
        ("Choice", r#"{"$case": "blue", "text": "words"}"#),
        ("Note", nil),
        ("Note", r#"{"text": "words"}"#),
        ("Label", nil),
        ("Label", "\"boxed\""),
        ("Closed", "{}"),
        ("Thread", r#"{"text": "a", "next": {"$ref": "$"}, "more": null}"#),
        (
            "Thread",
            r#"{"text": "a", "next": null, "more": {"type": "IDL:Shop/Thread:1.0", "value": {"$ref": "$"}}}"#,
        ),
        (
            "sequence<Note>",
            r#"[{"$type": "IDL:Shop/Thread:1.0", "text": "b", "next": null, "more": null}, {"$ref": "$[0]"}, null, {"text": "c"}]"#,
        ),
        ("Summed", nil),
        ("Summed", r#"{"$type": "IDL:Shop/Note:1.0", "text": "words"}"#),
        ("Summed", r#"{"$type": "IDL:Shop/Label:1.0", "$value": "boxed"}"#),
        (
            "sequence<Shop::Item>",
            r#"[{"name": "tea", "colour": "blue", "price": "1.50", "tags": ["hot", "wet"]}]"#,
        ),
    ] {
        assert_eq!(through(type_name, &parsed(text)), text, "{type_name}");
    }
}

#[test]
fn there_is_more_than_one_way_to_write_some() {
    assert_eq!(through("long long", &json!("-9007199254740993")), "-9007199254740993");
    assert_eq!(through("fixed<5, 2>", &json!(1.5)), "\"1.50\"");
    assert_eq!(through("sequence<octet>", &json!([0, 255, 128])), "\"AP+A\"");
    assert_eq!(through("octet[2]", &json!("AQI")), "\"AQI=\"");
    assert_eq!(through("Choice", &json!({"number": 1})), r#"{"$case": "red", "number": 1}"#);
    assert_eq!(through("Choice", &json!({"text": "x"})), r#"{"$case": "blue", "text": "x"}"#);
    assert_eq!(through("double", &json!(1)), "1.0");
}

#[test]
fn errors_say_where_and_what() {
    let item = |price: serde_json::Value| json!([{"name": "tea", "colour": "blue", "price": price, "tags": []}]);
    for (type_name, json, words) in [
        ("short", json!(40_000), "$: 40000 is out of range for short"),
        ("long", json!(1.5), "$: expected long, found the number 1.5"),
        ("long", json!("1"), "$: expected long, found the string \"1\""),
        ("octet", json!(-1), "$: -1 is out of range for octet"),
        ("float", json!(1e300), "out of range for float"),
        ("string", json!(7), "$: expected string, found the number 7"),
        ("string<3>", json!("four"), "$: it has no encoding"),
        ("char", json!("two"), "$: expected one char, found the string \"two\""),
        ("char", json!("\u{20ac}"), "$: it has no encoding"),
        ("Colour", json!("pink"), "Colour has no value \"pink\"; there is red, green, blue"),
        ("sequence<octet>", json!("?"), "$: the string is no base64"),
        ("sequence<long, 2>", json!([1, 2, 3]), "$: expected at most 2 elements, found 3"),
        ("long[2]", json!([1]), "$: expected 2 elements, found 1"),
        ("sequence<long>", json!([1, null]), "$[1]: expected long, found null"),
        (
            "sequence<Shop::Item>",
            item(json!(false)),
            "$[0].price: expected fixed<5, 2>, found false",
        ),
        ("sequence<Shop::Item>", item(json!("1.234")), "$[0].price: 1.234 is out of range"),
        ("Shop::Item", json!({"name": "tea"}), "$: the member \"colour\" is missing"),
        ("Shop::Item", json!({"nmae": 1}), "$: Item has no member \"nmae\"; there is name, colour"),
        ("Choice", json!({}), "$: a union needs a member"),
        ("Choice", json!({"number": 1, "text": ""}), "$: a union has one member"),
        (
            "Choice",
            json!({"$case": "blue", "number": 1}),
            "\"$case\" selects \"text\", not \"number\"",
        ),
        ("Choice", json!({"$case": "pink"}), "$.$case: Colour has no value \"pink\""),
        ("any", json!(5), "$: expected an any"),
        ("Note", json!({"$ref": "$.next"}), "$: there is no value at \"$.next\" before this"),
        (
            "Note",
            json!({"$type": "Nobody", "text": ""}),
            "$.$type: no type \"Nobody\" is known here",
        ),
        (
            "Thread",
            json!({"text": "", "next": {"$type": "Label"}, "more": null}),
            "$.next: the member \"$value\" is missing",
        ),
        ("Summed", json!({"text": ""}), "expected a reference, or a value with its \"$type\""),
        ("any", json!({"type": "lon", "value": 5}), "$.type: no type \"lon\" is known here"),
        ("any", json!({"type": "long", "value": "x"}), "$.value: expected long"),
        ("Object", json!("nonsense"), "$: "),
        ("Note", json!({"text": 5}), "$.text: expected string, found the number 5"),
        ("Note", json!({"text": "", "more": 1}), "$: Note has no member \"more\""),
    ] {
        let error = to_any(&json, &kind(type_name), &Shop).unwrap_err().to_string();
        assert!(error.contains(words), "{type_name} {json}: {error}");
    }
}

#[test]
fn types_are_written_as_in_idl() {
    for text in [
        "unsigned long long",
        "long double",
        "string<5>",
        "wstring",
        "fixed<31, 0>",
        "sequence<sequence<any>, 4>",
        "double[2][3]",
        "Object",
        "IDL:Shop/Item:1.0",
        "sequence<IDL:Shop/Colour:1.0>",
    ] {
        assert_eq!(type_name(&kind(text)), text);
    }
    let deep = "sequence<".repeat(100);
    for text in [
        "",
        "long short",
        "unsigned",
        "sequence<long",
        "long[0]",
        "long[x]",
        "fixed<5>",
        "<",
        &deep,
    ] {
        assert!(type_named(text, &Shop).is_err(), "{text:?}");
    }
}

#[test]
fn references_are_stringified() {
    let profile = zorb_giop::TaggedProfile { tag: zorb_giop::ProfileTag(77), data: vec![0, 1] };
    let ior = Ior { type_id: "IDL:X:1.0".to_owned(), profiles: vec![profile] };
    let ior = ior.to_stringified().unwrap();
    assert_eq!(through("Object", &json!(ior)), format!("\"{ior}\""));
}

#[test]
fn long_output_has_a_line_for_each_member() {
    let any = to_any(
        &json!([{"name": "tea", "colour": "blue", "price": "1.5", "tags": ["a"]}]),
        &kind("sequence<Shop::Item>"),
        &Shop,
    );
    let expected = "[\n  {\n    \"name\": \"tea\",\n    \"colour\": \"blue\",\n    \"price\": \"1.50\",\n    \
                    \"tags\": [\"a\"]\n  }\n]";
    assert_eq!(format!("{:#}", from_any(&any.unwrap()).unwrap()), expected);
}

#[test]
fn controls_are_escaped() {
    let text = json!("a\u{1b}\u{7f}\u{80}\u{9f}\u{a0}b");
    let shown = through("wstring", &text);
    assert_eq!(shown, "\"a\\u001b\\u007f\\u0080\\u009f\u{a0}b\"");
    assert_eq!(parsed(&shown), text);
}

#[test]
fn the_type_of_types_has_its_scoped_name() {
    for name in ["TypeCode", "CORBA::TypeCode", "::CORBA::TypeCode"] {
        assert_eq!(kind(name).kind(), TcKind::TypeCode);
    }
}

#[test]
fn arrays_may_be_split_between_the_chunks_of_a_value() {
    let row = TypeCode::array(&kind("short"), 3).unwrap();
    let member = ValueMember { name: "row", type_code: &row, visibility: Visibility::Public };
    let row = TypeCode::value("IDL:Shop/Row:1.0", "Row", ValueModifier::None, None, &[member]);
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
    TypeCode::write(&row.unwrap(), &mut writer).unwrap();
    // Two elements in the first chunk, one in the second.
    writer.write_u32(0x7fff_ff08);
    writer.write_u32(4);
    writer.put(&[0, 1, 0, 2]);
    writer.write_u32(2);
    writer.put(&[0, 3]);
    writer.write_u32(u32::MAX);
    let any = Any::read(&mut CdrReader::new(&octets, ByteOrder::Big)).unwrap();
    assert_eq!(parsed(&from_any(&any).unwrap().to_string())["row"], parsed("[1, 2, 3]"));
}
