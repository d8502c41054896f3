//! TypeCodes and anys as the recordings show them.

use serde_json::{Map, Value as Json, json};
use zorb_cdr::{CdrReader, CdrResult};
use zorb_types::{Any, TcKind, TypeCode};

use crate::shown::{Reference, Shown, Wide};
use crate::vector::hex;

/// The recording's names of the kinds, by number.
const KINDS: [&str; 37] = [
    "null",
    "void",
    "short",
    "long",
    "ushort",
    "ulong",
    "float",
    "double",
    "boolean",
    "char",
    "octet",
    "any",
    "TypeCode",
    "Principal",
    "objref",
    "struct",
    "union",
    "enum",
    "string",
    "sequence",
    "array",
    "alias",
    "except",
    "longlong",
    "ulonglong",
    "longdouble",
    "wchar",
    "wstring",
    "fixed",
    "value",
    "value_box",
    "native",
    "abstract_interface",
    "local_interface",
    "component",
    "home",
    "event",
];

fn name_of(kind: TcKind) -> &'static str {
    KINDS[kind as usize]
}

/// A type, with `{"indirection": id}` where it leads back to itself.
pub(crate) fn show_type(type_code: &TypeCode) -> Json {
    show_within(type_code, &mut Vec::new())
}

fn show_within(type_code: &TypeCode, enclosing: &mut Vec<String>) -> Json {
    let kind = type_code.kind();
    let mut shown = Map::new();
    let id = type_code.id().to_owned();
    if !id.is_empty() && enclosing.contains(&id) {
        return json!({ "indirection": id });
    }
    shown.insert("kind".into(), json!(name_of(kind)));
    if kind.has_id() {
        shown.insert("id".into(), json!(id));
        shown.insert("name".into(), json!(type_code.name()));
    }
    enclosing.push(id);
    let mut content = |part: Option<TypeCode>| {
        show_within(&part.expect("a part that every such type has"), enclosing)
    };
    match kind {
        TcKind::String | TcKind::WString => {
            shown.insert("bound".into(), json!(type_code.length().ok()));
        }
        TcKind::Fixed => {
            let (digits, scale) = type_code.digits_and_scale().expect("digits and scale");
            shown.insert("digits".into(), json!(digits));
            shown.insert("scale".into(), json!(scale));
        }
        TcKind::Sequence => {
            shown.insert("element".into(), content(type_code.content_type().ok()));
            shown.insert("bound".into(), json!(type_code.length().ok()));
        }
        TcKind::Array => {
            shown.insert("element".into(), content(type_code.content_type().ok()));
            shown.insert("length".into(), json!(type_code.length().ok()));
        }
        TcKind::Alias | TcKind::ValueBox => {
            shown.insert("content".into(), content(type_code.content_type().ok()));
        }
        TcKind::Struct | TcKind::Except => {
            let members = (0..type_code.member_count()).map(|index| {
                json!([
                    type_code.member_name(index).ok(),
                    content(type_code.member_type(index).ok())
                ])
            });
            shown.insert("members".into(), members.collect());
        }
        TcKind::Enum => {
            let members =
                (0..type_code.member_count()).map(|index| json!(type_code.member_name(index).ok()));
            shown.insert("members".into(), members.collect());
        }
        TcKind::Union => {
            let discriminator = type_code.discriminator_type().expect("a discriminator");
            shown.insert("discriminator".into(), content(Some(discriminator.clone())));
            let default = type_code.default_index().expect("a union");
            shown.insert("default_index".into(), default.map_or(json!(-1), |index| json!(index)));
            let members = (0..type_code.member_count()).map(|index| {
                let label = if default == Some(index) {
                    Json::Null
                } else {
                    show_label(&discriminator, type_code.member_label(index).expect("a label"))
                };
                json!([
                    label,
                    type_code.member_name(index).ok(),
                    content(type_code.member_type(index).ok())
                ])
            });
            shown.insert("members".into(), members.collect());
        }
        TcKind::Value | TcKind::Event => {
            shown.insert("base".into(), content(type_code.concrete_base_type().ok()));
            let members = (0..type_code.member_count()).map(|index| {
                json!([
                    type_code.member_name(index).ok(),
                    content(type_code.member_type(index).ok())
                ])
            });
            shown.insert("members".into(), members.collect());
        }
        _ => {}
    }
    enclosing.pop();
    Json::Object(shown)
}

fn show_label(discriminator: &TypeCode, label: i64) -> Json {
    let resolved = discriminator.resolved();
    match resolved.kind() {
        TcKind::Boolean => json!(label != 0),
        TcKind::Char => json!(char::from(label as u8)),
        TcKind::Enum => json!(resolved.member_name(label as usize).ok()),
        _ => json!(label),
    }
}

/// A value with its type.
pub(crate) fn show_any(any: &Any, wide: Wide) -> Json {
    match any.type_code().kind() {
        kind @ (TcKind::Null | TcKind::Void) => json!({ "tc": name_of(kind) }),
        _ => {
            let value = show_value(any.type_code(), &mut any.reader(), wide);
            json!({
                "tc": show_type(any.type_code()),
                "value": value.expect("an any holds what its type says"),
            })
        }
    }
}

fn shown<T: Shown>(reader: &mut CdrReader<'_>, wide: Wide) -> CdrResult<Json> {
    Ok(T::show(&T::read(reader)?, wide))
}

fn show_value(type_code: &TypeCode, reader: &mut CdrReader<'_>, wide: Wide) -> CdrResult<Json> {
    let resolved = type_code.resolved();
    let content = || resolved.content_type().expect("an element type");
    match resolved.kind() {
        TcKind::Octet => shown::<u8>(reader, wide),
        TcKind::Short => shown::<i16>(reader, wide),
        TcKind::UShort => shown::<u16>(reader, wide),
        TcKind::Long => shown::<i32>(reader, wide),
        TcKind::ULong => shown::<u32>(reader, wide),
        TcKind::LongLong => shown::<i64>(reader, wide),
        TcKind::ULongLong => shown::<u64>(reader, wide),
        TcKind::Float => shown::<f32>(reader, wide),
        TcKind::Double => shown::<f64>(reader, wide),
        TcKind::Boolean => shown::<bool>(reader, wide),
        TcKind::Char => shown::<char>(reader, wide),
        TcKind::WChar => shown::<zorb_cdr::WChar>(reader, wide),
        TcKind::String => shown::<String>(reader, wide),
        TcKind::WString => shown::<zorb_cdr::WString>(reader, wide),
        TcKind::ObjRef => shown::<Reference>(reader, wide),
        TcKind::Any => shown::<Any>(reader, wide),
        TcKind::TypeCode => shown::<TypeCode>(reader, wide),
        TcKind::Enum => {
            let index = reader.read_u32()?;
            Ok(json!(resolved.member_name(index as usize).ok()))
        }
        TcKind::Fixed => {
            let (digits, scale) = resolved.digits_and_scale().expect("digits and scale");
            let octets = reader.take(usize::from(digits / 2) + 1, "fixed")?;
            Ok(json!(show_fixed(octets, digits.into(), scale.unsigned_abs().into())))
        }
        TcKind::Sequence => {
            let count = reader.read_count(1, "sequence")?;
            if content().resolved().kind() == TcKind::Octet {
                return Ok(json!(hex(reader.take(count, "sequence<octet>")?)));
            }
            (0..count).map(|_| show_value(&content(), reader, wide)).collect()
        }
        TcKind::Array => {
            let length = resolved.length().expect("a length");
            (0..length).map(|_| show_value(&content(), reader, wide)).collect()
        }
        kind @ (TcKind::Struct | TcKind::Except) => {
            let mut members = Map::new();
            if kind == TcKind::Except {
                members.insert("id".into(), json!(reader.read_latin1("exception id")?));
            }
            for index in 0..resolved.member_count() {
                let name = resolved.member_name(index).expect("a name").to_owned();
                let member = resolved.member_type(index).expect("a type");
                members.insert(name, show_value(&member, reader, wide)?);
            }
            Ok(Json::Object(members))
        }
        TcKind::Union => show_union(&resolved, reader, wide),
        TcKind::Value | TcKind::ValueBox => show_state(&resolved, reader, wide),
        kind => panic!("an any with a {kind:?} was decoded"),
    }
}

/// A valuetype or box that is null, or of exactly its type and in one piece: what an any holds.
fn show_state(value: &TypeCode, reader: &mut CdrReader<'_>, wide: Wide) -> CdrResult<Json> {
    let tag = reader.read_u32()?;
    if tag == 0 {
        return Ok(Json::Null);
    }
    let mut ids = Vec::new();
    if tag & 0x06 == 0x02 {
        ids.push(json!(reader.read_latin1("repository id")?));
    }
    let mut shown = Map::new();
    shown.insert("_tag".into(), json!(format!("{tag:#010x}")));
    shown.insert("_ids".into(), json!(ids));
    if value.kind() == TcKind::ValueBox {
        let content = value.content_type().expect("a boxed type");
        shown.insert("value".into(), show_value(&content, reader, wide)?);
    } else {
        show_members(value, reader, wide, &mut shown)?;
    }
    Ok(Json::Object(shown))
}

/// The state of a valuetype, its base's first.
fn show_members(
    value: &TypeCode,
    reader: &mut CdrReader<'_>,
    wide: Wide,
    shown: &mut Map<String, Json>,
) -> CdrResult<()> {
    let base = value.concrete_base_type().expect("a base, or none");
    if base.kind() == TcKind::Value {
        show_members(&base.resolved(), reader, wide, shown)?;
    }
    for index in 0..value.member_count() {
        let name = value.member_name(index).expect("a name").to_owned();
        let member = value.member_type(index).expect("a type");
        shown.insert(name, show_value(&member, reader, wide)?);
    }
    Ok(())
}

fn show_union(union: &TypeCode, reader: &mut CdrReader<'_>, wide: Wide) -> CdrResult<Json> {
    let discriminator = union.discriminator_type().expect("a discriminator");
    let label = show_value(&discriminator, reader, wide)?;
    let is_default = |index| union.default_index() == Ok(Some(index));
    let selected = (0..union.member_count())
        .filter(|&index| !is_default(index))
        .find(|&index| {
            union.member_label(index).map(|l| show_label(&discriminator, l)).ok().as_ref()
                == Some(&label)
        })
        .or(union.default_index().expect("a union"));
    let mut members = Map::new();
    members.insert("_d".into(), label);
    if let Some(index) = selected {
        let name = union.member_name(index).expect("a name").to_owned();
        let member = union.member_type(index).expect("a type");
        members.insert(name, show_value(&member, reader, wide)?);
    }
    Ok(Json::Object(members))
}

/// Packed decimal digits as text: sign, digits, point.
fn show_fixed(octets: &[u8], digits: usize, scale: usize) -> String {
    let packed = hex(octets);
    let (number, sign) = packed.split_at(packed.len() - 1);
    let number = &number[number.len() - digits..];
    let sign = if sign == "c" { '+' } else { '-' };
    match digits.checked_sub(scale) {
        Some(place) if scale > 0 => format!("{sign}{}.{}", &number[..place], &number[place..]),
        _ => format!("{sign}{number}"),
    }
}

/// Whether a decoded value is the recorded one. Where the recording shows an indirection to an
/// earlier type the decoder gives that type itself; and a recorded exception in an any may lack
/// the repository id that the decoder puts there.
pub(crate) fn same(recorded: &Json, ours: &Json) -> bool {
    match (recorded, ours) {
        (Json::Object(recorded), Json::Object(ours)) => {
            if recorded.contains_key("indirection_to_offset") {
                // Where to is what only writing it again checks.
                return ours.contains_key("indirection_to_offset");
            }
            if let Some(id) = recorded.get("indirection") {
                return ours.get("indirection") == Some(id) || ours.get("id") == Some(id);
            }
            let is_value_type =
                ["value", "event"].iter().any(|kind| recorded.get("kind") == Some(&json!(kind)));
            let expected =
                recorded.iter().filter(|(key, _)| !(is_value_type && *key == "modifier"));
            // Tags and ids of values too.
            let of_tags = |key: &str| matches!(key, "_tag" | "_ids" | "_end_tag");
            let expected =
                expected.filter(|(key, _)| !of_tags(key) || ours.contains_key(key.as_str()));
            let mut extra = ours.keys().filter(|key| !recorded.contains_key(*key));
            let exception_id_only = |ours: &Map<String, Json>| {
                ours.get("id").and_then(Json::as_str).is_some_and(|id| id.starts_with("IDL:"))
                    && ours.get("kind").is_none()
            };
            let is_same = |key: &str, value: &Json, other: &Json| {
                // Every negative index means that there is no default case.
                if key == "default_index" && value.as_i64() < Some(0) {
                    other.as_i64() < Some(0)
                } else if is_value_type && key == "members" {
                    same_value_members(value, other)
                } else {
                    same(value, other)
                }
            };
            expected
                .clone()
                .all(|(key, value)| ours.get(key).is_some_and(|other| is_same(key, value, other)))
                && extra.all(|key| key == "id" && exception_id_only(ours))
        }
        (Json::Array(recorded), Json::Array(ours)) => {
            recorded.len() == ours.len()
                && recorded.iter().zip(ours).all(|(one, other)| same(one, other))
        }
        _ => recorded == ours,
    }
}

/// Members of a valuetype: the recording has their visibility too, which only re-encoding checks.
fn same_value_members(recorded: &Json, ours: &Json) -> bool {
    let (Some(recorded), Some(ours)) = (recorded.as_array(), ours.as_array()) else { return false };
    let pair = |member: &Json| {
        Json::Array(member.as_array().into_iter().flatten().take(2).cloned().collect())
    };
    recorded.len() == ours.len()
        && recorded.iter().zip(ours).all(|(one, other)| same(&pair(one), other))
}
