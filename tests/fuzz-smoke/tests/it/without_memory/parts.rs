//! Long values: references, anys and their types.

use zorb::{Any, Typed};
use zorb_cdr::{ByteOrder, WString};
use zorb_giop::{
    ComponentTag, GiopVersion, IiopProfile, Ior, ProfileTag, TaggedComponent, TaggedProfile,
};
use zorb_types::{
    TcKind, TypeCode, TypeCodeError, UnionCase, ValueMember, ValueModifier, Visibility,
};

use super::{LONG, MANY};

const ORDER: ByteOrder = ByteOrder::NATIVE;

/// A reference with a long key, a long type id, a long host, long components and many of them, and many profiles.
pub(super) fn references(key: &[u8]) -> Vec<(&'static str, Ior)> {
    let component =
        |octets: usize| TaggedComponent { tag: ComponentTag(77), data: vec![1; octets] };
    let profile = |host: String, object_key: Vec<u8>, components: Vec<TaggedComponent>| {
        let version = GiopVersion::V1_2;
        IiopProfile { version, host, port: 1, object_key, components }.encode(ORDER).unwrap()
    };
    let plain = || profile("127.0.0.1".to_owned(), key.to_vec(), Vec::new());
    let ior = |type_id: String, profiles: Vec<TaggedProfile>| Ior { type_id, profiles };
    let id = || "IDL:A:1.0".to_owned();
    let host = || "127.0.0.1".to_owned();
    vec![
        ("key", ior(id(), vec![profile(host(), vec![1; LONG], Vec::new())])),
        ("type id", ior(format!("IDL:{}:1.0", "a".repeat(LONG)), vec![plain()])),
        ("host", ior(id(), vec![profile("a".repeat(LONG), key.to_vec(), Vec::new())])),
        ("component", ior(id(), vec![profile(host(), key.to_vec(), vec![component(LONG)])])),
        ("components", ior(id(), vec![profile(host(), key.to_vec(), vec![component(1); MANY])])),
        ("profiles", ior(id(), vec![plain(); 1000])),
        (
            "unknown profile",
            ior(id(), vec![TaggedProfile { tag: ProfileTag(99), data: vec![1; LONG] }]),
        ),
    ]
}

pub(super) fn anys() -> Vec<(&'static str, Any)> {
    let long = "a".repeat(LONG);
    let id = format!("IDL:{long}:1.0");
    let names: Vec<String> = (0..MANY).map(|number| format!("e{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let short = TypeCode::plain(TcKind::Short);
    let members: Vec<_> = names.iter().map(|&name| (name, short.clone())).collect();
    let code = |code: Result<TypeCode, TypeCodeError>| any::<TypeCode>(&code.unwrap());
    vec![
        ("string", any::<String>(&long)),
        ("wstring", any::<WString>(&long)),
        ("octets", any::<Vec<u8>>(&[1; LONG])),
        ("longs", any::<Vec<i32>>(&[1; LONG])),
        ("texts", any::<Vec<String>>(&vec!["text".to_owned(); MANY])),
        ("enum", code(TypeCode::enumeration("IDL:E:1.0", "E", &names))),
        ("enum of long id", code(TypeCode::enumeration(&id, "E", &["a"]))),
        ("enum of long name", code(TypeCode::enumeration("IDL:E:1.0", &long, &["a"]))),
        ("enumerator", code(TypeCode::enumeration("IDL:E:1.0", "E", &[&long]))),
        ("struct", code(TypeCode::structure("IDL:E:1.0", "E", &members))),
        ("member", code(TypeCode::structure("IDL:E:1.0", "E", &[(&long, short.clone())]))),
        ("alias", code(TypeCode::alias(&id, "E", &short))),
        ("interface", code(TypeCode::interface(&id, &long))),
        ("box", code(TypeCode::value_box(&id, &long, &short))),
    ]
}

/// Types with many or long parts, and the octets of a value each.
pub(super) fn values() -> Vec<(&'static str, TypeCode, Vec<u8>)> {
    let long = "a".repeat(LONG);
    let id = format!("IDL:{long}:1.0");
    let names: Vec<String> = (0..MANY).map(|number| format!("e{number}")).collect();
    let octet = TypeCode::plain(TcKind::Octet);
    let number = TypeCode::plain(TcKind::Long);
    let members: Vec<_> = names.iter().map(|name| (&**name, octet.clone())).collect();
    let enumerators: Vec<_> = names.iter().map(|name| &**name).collect();
    let cases: Vec<_> = names
        .iter()
        .zip(0..)
        .map(|(name, label)| UnionCase { label: Some(label), name, type_code: &octet })
        .collect();
    let state: Vec<_> = names
        .iter()
        .map(|name| ValueMember { name, type_code: &octet, visibility: Visibility::Public })
        .collect();
    let many: Vec<_> = names
        .iter()
        .take(2000)
        .map(|name| {
            let inner =
                TypeCode::structure(&format!("IDL:{name}:1.0"), name, &[("a", octet.clone())])
                    .unwrap();
            (&**name, inner)
        })
        .collect();
    let element = TypeCode::structure("IDL:S:1.0", "S", &[("a", TypeCode::string(0))]).unwrap();
    let count = |octets: usize| [&(octets as u32).to_ne_bytes()[..], &vec![0; octets]].concat();
    let strings = [
        &1000_u32.to_ne_bytes()[..],
        &[1_u32.to_ne_bytes(), 0_u32.to_ne_bytes()].concat().repeat(1000),
    ]
    .concat();
    let value =
        [&0x7fff_ff02_u32.to_ne_bytes()[..], &9_u32.to_ne_bytes(), b"IDL:V:1.0", &[0; 3 + MANY]]
            .concat();
    let long_value = [
        &0x7fff_ff02_u32.to_ne_bytes()[..],
        &(id.len() as u32 + 1).to_ne_bytes(),
        id.as_bytes(),
        &[0; 20],
    ]
    .concat();
    vec![
        ("many members", TypeCode::structure("IDL:S:1.0", "S", &members).unwrap(), vec![0; MANY]),
        ("many structs", TypeCode::structure("IDL:S:1.0", "S", &many).unwrap(), vec![0; MANY]),
        (
            "many enumerators",
            TypeCode::enumeration("IDL:E:1.0", "E", &enumerators).unwrap(),
            vec![0; 4],
        ),
        ("many cases", TypeCode::union("IDL:U:1.0", "U", &number, &cases).unwrap(), vec![0; 8]),
        ("long id", TypeCode::structure(&id, &long, &[("a", octet.clone())]).unwrap(), vec![0; 8]),
        ("an array", TypeCode::array(&octet, LONG as u32).unwrap(), vec![0; LONG]),
        (
            "an array of strings",
            TypeCode::array(&TypeCode::string(0), 1000).unwrap(),
            strings[4..].to_vec(),
        ),
        ("a sequence", TypeCode::sequence(&octet, 0).unwrap(), count(LONG)),
        ("a sequence of structs", TypeCode::sequence(&element, 0).unwrap(), strings),
        (
            "a value",
            TypeCode::value("IDL:V:1.0", "V", ValueModifier::None, None, &state).unwrap(),
            value,
        ),
        (
            "a long value",
            TypeCode::value(&id, "V", ValueModifier::None, None, &state[..1]).unwrap(),
            long_value,
        ),
        (
            "a box",
            TypeCode::value_box("IDL:V:1.0", "V", &TypeCode::string(0)).unwrap(),
            [
                &0x7fff_ff00_u32.to_ne_bytes()[..],
                &(LONG as u32 + 1).to_ne_bytes(),
                long.as_bytes(),
                &[0; 4],
            ]
            .concat(),
        ),
    ]
}

pub(super) fn any<T: Typed>(value: &T::View) -> Any {
    Any::new::<T>(value).unwrap()
}
