//! Values as JSON. Text is a type on the first line, as IDL writes it, and a value of it in JSON. If the first octet is
//! not valid in text, the rest is an encapsulation of an any.

use std::sync::OnceLock;

use serde_json::Value;
use zorb_dynamic::Codec;
use zorb_dynamic::json::{NoScope, Scope, from_any, to_any, type_name, type_named};
use zorb_giop::Ior;
use zorb_types::{Any, TcKind, TypeCode, UnionCase, ValueMember, ValueModifier, Visibility};

use super::{AllocationBound, Target};

/// JSON that becomes a value and JSON again; anys that become JSON.
pub const TARGET: Target = Target {
    name: "json",
    run: check,
    allocation: AllocationBound { per_octet: 2048, constant: 64 << 10 },
    words: &[
        b"{\"type\": \"",
        b"\", \"value\": ",
        b"sequence<",
        b"long double",
        b"[4294967295]",
        b"wstring<3>",
        b"fixed<31, 31>",
        b"IDL:S:1.0",
        b"IDL:U:1.0",
        b"IDL:V:1.0",
        b"\"$case\": ",
        b"1e400",
        b"-0.0",
        b"\"NaN\"",
        b"\\ud83d\\ude00",
        b"[[[[[[[[",
        b"null",
    ],
};

fn check(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return received(octets) };
    let Some((type_text, json)) = text.split_once('\n') else { return };
    let Ok(type_code) = type_named(type_text, types()) else { return };
    let again =
        type_named(&type_name(&type_code), types()).expect("a type is written as it is read");
    assert!(again.equal(&type_code));
    let Ok(json) = serde_json::from_str::<Value>(json) else { return };
    match to_any(&json, &type_code, types()) {
        Ok(any) => shown(&any),
        Err(error) => assert!(error.path().starts_with('$') && !error.message().is_empty()),
    }
}

/// A value that was read from JSON is shown as JSON that means the same.
fn shown(any: &Any) {
    let json = from_any(any).expect("it came from JSON");
    for text in [json.to_string(), format!("{json:#}")] {
        let json: Value = serde_json::from_str(&text).expect("JSON");
        match to_any(&json, any.type_code(), types()) {
            Ok(again) => assert_eq!(again, *any, "{text}"),
            // Those beyond `double` are shown in hexadecimal, which is not read.
            Err(error) => assert!(error.message().contains("long double"), "{error} in {text}"),
        }
    }
}

/// An any from another ORB.
fn received(octets: &[u8]) {
    let octets = octets.get(1..).unwrap_or_default();
    if let Some(codec) = Codec::for_version(1, 2)
        && let Ok(any) = codec.decode(octets)
        && let Ok(json) = from_any(&any)
    {
        serde_json::from_str::<Value>(&json.to_string()).expect("JSON");
    }
}

/// The named types.
struct Types(Vec<TypeCode>);

fn types() -> &'static Types {
    static TYPES: OnceLock<Types> = OnceLock::new();
    TYPES.get_or_init(|| Types(vec![structure(), union(), value()]))
}

impl Scope for Types {
    fn type_named(&self, name: &str) -> Option<TypeCode> {
        self.0.iter().find(|known| [known.id(), known.name()].contains(&name)).cloned()
    }

    fn reference(&self, text: &str) -> Result<Ior, String> {
        NoScope.reference(text)
    }
}

fn structure() -> TypeCode {
    let again = TypeCode::recursive("IDL:S:1.0").expect("an id");
    let colour = TypeCode::enumeration("IDL:E:1.0", "E", &["red", "green"]).expect("an enum");
    let members = [
        ("n", TypeCode::plain(TcKind::LongLong)),
        ("w", TypeCode::wstring(4)),
        ("c", colour),
        ("o", TypeCode::sequence(&TypeCode::plain(TcKind::Octet), 5).expect("octets")),
        ("more", TypeCode::sequence(&again, 0).expect("a sequence")),
    ];
    TypeCode::structure("IDL:S:1.0", "S", &members).expect("a struct")
}

fn union() -> TypeCode {
    let (text, any) = (TypeCode::string(3), TypeCode::plain(TcKind::Any));
    let cases = [
        UnionCase { label: Some(-1), name: "text", type_code: &text },
        UnionCase { label: Some(7), name: "any", type_code: &any },
    ];
    let switch = TypeCode::plain(TcKind::Short);
    TypeCode::union("IDL:U:1.0", "U", &switch, &cases).expect("a union")
}

fn value() -> TypeCode {
    let next = TypeCode::recursive("IDL:V:1.0").expect("an id");
    let boxed =
        TypeCode::value_box("IDL:B:1.0", "B", &TypeCode::plain(TcKind::Double)).expect("a box");
    let member = |name, type_code| ValueMember { name, type_code, visibility: Visibility::Public };
    let state = [member("boxed", &boxed), member("next", &next)];
    TypeCode::value("IDL:V:1.0", "V", ValueModifier::None, None, &state).expect("a valuetype")
}
