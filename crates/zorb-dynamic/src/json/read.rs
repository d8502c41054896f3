//! From JSON to values.

use std::fmt::Display;

use serde_json::{Map, Value};
use zorb_cdr::{CdrErrorKind, CdrWriter, Wire};
use zorb_giop::Ior;
use zorb_types::{Any, FixedValue, LongDouble, TcKind, TypeCode, write_fixed};

use super::error::Path;
use super::{JsonError, Scope, base64, type_named};
use crate::DynAny;

/// The value of a type that JSON stands for.
///
/// # Errors
/// What in it is no such value, and where.
pub fn to_any(json: &Value, type_code: &TypeCode, scope: &dyn Scope) -> Result<Any, JsonError> {
    any_at(json, type_code, scope, &Path::Root)
}

fn any_at(
    json: &Value,
    type_code: &TypeCode,
    scope: &dyn Scope,
    path: &Path<'_>,
) -> Result<Any, JsonError> {
    let mut failure = None;
    let built = Any::build(type_code.clone(), |writer| {
        write(json, type_code, &Place { path, scope }, writer).map_err(|error| {
            failure = Some(error);
            // A `char` that is none in UTF-8 may be one in the code set that is tried next.
            writer.error(CdrErrorKind::BadText, "JSON")
        })
    });
    built.map_err(|error| {
        failure.unwrap_or_else(|| JsonError::new(path, format!("it has no encoding: {error}")))
    })
}

/// Where JSON stands, and what its names mean.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a Path<'a>,
    scope: &'a dyn Scope,
}

impl<'a> Place<'a> {
    fn with<'b>(&self, path: &'b Path<'b>) -> Place<'b>
    where
        'a: 'b,
    {
        Place { path, scope: self.scope }
    }

    #[cold]
    fn error(&self, message: impl Into<String>) -> JsonError {
        JsonError::new(self.path, message)
    }

    #[cold]
    fn expected(&self, what: impl Display, found: &Value) -> JsonError {
        self.error(format!("expected {what}, found {}", sort_of(found)))
    }
}

fn sort_of(json: &Value) -> String {
    match json {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.chars().count() <= 24 => format!("the string {text:?}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(parts) => format!("an array of {}", parts.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn write(
    json: &Value,
    type_code: &TypeCode,
    place: &Place<'_>,
    writer: &mut CdrWriter<'_>,
) -> Result<(), JsonError> {
    let resolved = type_code.resolved();
    let kind = resolved.kind();
    match kind {
        TcKind::Null | TcKind::Void => match json {
            Value::Null => {}
            _ => return Err(place.expected("null", json)),
        },
        TcKind::Short => writer.write_i16(integer(json, kind, place)?),
        TcKind::UShort => writer.write_u16(integer(json, kind, place)?),
        TcKind::Long => writer.write_i32(integer(json, kind, place)?),
        TcKind::ULong => writer.write_u32(integer(json, kind, place)?),
        TcKind::LongLong => writer.write_i64(integer(json, kind, place)?),
        TcKind::ULongLong => writer.write_u64(integer(json, kind, place)?),
        TcKind::Octet => writer.write_u8(integer(json, kind, place)?),
        TcKind::Boolean => {
            let truth = json.as_bool().ok_or_else(|| place.expected("true or false", json))?;
            writer.write_bool(truth);
        }
        TcKind::Float => {
            let number = float(json, kind, place)?;
            #[expect(clippy::cast_possible_truncation, reason = "rounding is what float does")]
            let narrow = number as f32;
            if narrow.is_infinite() && number.is_finite() {
                return Err(place.error(format!("{number} is out of range for float")));
            }
            writer.write_f32(narrow);
        }
        TcKind::Double => writer.write_f64(float(json, kind, place)?),
        TcKind::LongDouble => {
            let number = match (json.as_i64(), json.as_u64()) {
                (Some(number), _) => LongDouble::from(number),
                (_, Some(number)) => LongDouble::from(number),
                _ => LongDouble::from(float(json, kind, place)?),
            };
            LongDouble::write(&number, writer).map_err(|error| no_encoding(&error, place))?;
        }
        TcKind::Char | TcKind::WChar => {
            let text = string(json, kind.idl_name(), place)?;
            let mut chars = text.chars();
            let (Some(char), None) = (chars.next(), chars.next()) else {
                return Err(place.expected(format!("one {}", kind.idl_name()), json));
            };
            let written = match kind {
                TcKind::Char => writer.write_char(char),
                _ => writer.write_wchar(char),
            };
            written.map_err(|error| no_encoding(&error, place))?;
        }
        TcKind::String | TcKind::WString => {
            let text = string(json, "string", place)?;
            let bound = match resolved.length() {
                Ok(bound) if bound > 0 => bound,
                _ => u32::MAX,
            };
            let written = match kind {
                TcKind::String => writer.write_str(text, bound),
                _ => writer.write_wstring(text, bound),
            };
            written.map_err(|error| no_encoding(&error, place))?;
        }
        TcKind::Fixed => fixed(json, &resolved, place, writer)?,
        TcKind::Enum => {
            let name = string(json, "the name of a value", place)?;
            let ordinal = place_of(&resolved, name)
                .ok_or_else(|| place.error(no_member(&resolved, name, "value")))?;
            writer.write_u32(u32::try_from(ordinal).unwrap_or(u32::MAX));
        }
        TcKind::Struct => members(json, &resolved, place, writer)?,
        TcKind::Except => {
            let written = writer.write_latin1(resolved.id());
            written.map_err(|error| no_encoding(&error, place))?;
            members(json, &resolved, place, writer)?;
        }
        TcKind::Union => union(json, &resolved, place, writer)?,
        TcKind::Sequence | TcKind::Array => elements(json, &resolved, place, writer)?,
        TcKind::Any => {
            let any = any(json, place)?;
            Any::write(&any, writer).map_err(|error| no_encoding(&error, place))?;
        }
        TcKind::TypeCode => {
            let text = string(json, "a type", place)?;
            let named = type_named(text, place.scope).map_err(|error| place.error(error))?;
            TypeCode::write(&named, writer).map_err(|error| no_encoding(&error, place))?;
        }
        TcKind::ObjRef | TcKind::Component | TcKind::Home => reference(json, place, writer)?,
        TcKind::AbstractInterface => {
            writer.write_bool(true);
            reference(json, place, writer)?;
        }
        TcKind::Value | TcKind::Event | TcKind::ValueBox => {
            let value = valuetype(json, type_code, place)?;
            value.write_value(writer).map_err(|error| no_encoding(&error, place))?;
        }
        TcKind::LocalInterface | TcKind::Native | TcKind::Principal | TcKind::Alias => {
            return Err(place.error(format!("{} has no JSON", kind.idl_name())));
        }
    }
    Ok(())
}

#[cold]
fn no_encoding(error: &dyn Display, place: &Place<'_>) -> JsonError {
    place.error(format!("it has no encoding: {error}"))
}

fn integer<T: TryFrom<i128>>(
    json: &Value,
    kind: TcKind,
    place: &Place<'_>,
) -> Result<T, JsonError> {
    let number = match json {
        Value::Number(number) => {
            number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
        }
        // Programs that read numbers as doubles write those of 64 bits so.
        Value::String(digits) if matches!(kind, TcKind::LongLong | TcKind::ULongLong) => {
            digits.parse().ok()
        }
        _ => None,
    };
    let number = number.ok_or_else(|| place.expected(kind.idl_name(), json))?;
    T::try_from(number)
        .map_err(|_| place.error(format!("{number} is out of range for {}", kind.idl_name())))
}

fn float(json: &Value, kind: TcKind, place: &Place<'_>) -> Result<f64, JsonError> {
    let number = match json {
        Value::Number(number) => number.as_f64(),
        Value::String(name) => match &**name {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    };
    number.ok_or_else(|| place.expected(kind.idl_name(), json))
}

fn string<'j>(json: &'j Value, what: &str, place: &Place<'_>) -> Result<&'j str, JsonError> {
    json.as_str().ok_or_else(|| place.expected(what, json))
}

fn fixed(
    json: &Value,
    type_code: &TypeCode,
    place: &Place<'_>,
    writer: &mut CdrWriter<'_>,
) -> Result<(), JsonError> {
    let (digits, scale) = type_code.digits_and_scale().unwrap_or_default();
    let what = format!("fixed<{digits}, {scale}>");
    let text = match json {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return Err(place.expected(what, json)),
    };
    let number: FixedValue =
        text.parse().map_err(|_| place.expected(format!("a decimal number for {what}"), json))?;
    write_fixed(number, digits, scale, writer)
        .map_err(|_| place.error(format!("{text} is out of range for {what}")))
}

fn place_of(type_code: &TypeCode, name: &str) -> Option<usize> {
    (0..type_code.member_count()).find(|&index| type_code.member_name(index) == Ok(name))
}

/// What to say of a name that the type does not have.
fn no_member(type_code: &TypeCode, name: &str, what: &str) -> String {
    let known = (0..type_code.member_count()).filter_map(|index| type_code.member_name(index).ok());
    let mut names: Vec<&str> = known.collect();
    names.dedup();
    let count = names.len();
    names.truncate(12);
    let more = if count > names.len() { ", ..." } else { "" };
    let names = names.join(", ");
    format!("{} has no {what} {name:?}; there is {names}{more}", type_code.name())
}

fn object<'j>(
    json: &'j Value,
    type_code: &TypeCode,
    place: &Place<'_>,
) -> Result<&'j Map<String, Value>, JsonError> {
    let what = format!("an object ({} {})", type_code.kind().idl_name(), type_code.name());
    json.as_object().ok_or_else(|| place.expected(what, json))
}

fn members(
    json: &Value,
    type_code: &TypeCode,
    place: &Place<'_>,
    writer: &mut CdrWriter<'_>,
) -> Result<(), JsonError> {
    let object = object(json, type_code, place)?;
    if let Some(name) = object.keys().find(|name| place_of(type_code, name).is_none()) {
        return Err(place.error(no_member(type_code, name, "member")));
    }
    for index in 0..type_code.member_count() {
        let name = type_code.member_name(index).unwrap_or_default();
        let member = type_code.member_type(index).unwrap_or_default();
        let Some(value) = object.get(name) else {
            return Err(place.error(format!("the member {name:?} is missing")));
        };
        write(value, &member, &place.with(&Path::Member(place.path, name)), writer)?;
    }
    Ok(())
}

fn elements(
    json: &Value,
    type_code: &TypeCode,
    place: &Place<'_>,
    writer: &mut CdrWriter<'_>,
) -> Result<(), JsonError> {
    let element = type_code.content_type().unwrap_or_default();
    let limit = type_code.length().unwrap_or_default();
    let is_octets = element.resolved().kind() == TcKind::Octet;
    let octets = match json {
        Value::String(text) if is_octets => {
            let octets = base64::decode(text);
            Some(octets.ok_or_else(|| place.error("the string is no base64"))?)
        }
        _ => None,
    };
    let count = match (&octets, json) {
        (Some(octets), _) => octets.len(),
        (None, Value::Array(parts)) => parts.len(),
        _ if is_octets => {
            return Err(place.expected("octets, as a string in base64 or an array", json));
        }
        _ => return Err(place.expected("an array", json)),
    };
    if type_code.kind() == TcKind::Array {
        if count != limit as usize {
            return Err(place.error(format!("expected {limit} elements, found {count}")));
        }
    } else {
        if limit != 0 && count > limit as usize {
            return Err(place.error(format!("expected at most {limit} elements, found {count}")));
        }
        writer.write_count(count, "sequence").map_err(|error| no_encoding(&error, place))?;
    }
    if let Some(octets) = octets {
        writer.put(&octets);
    }
    for (index, part) in json.as_array().into_iter().flatten().enumerate() {
        write(part, &element, &place.with(&Path::Element(place.path, index)), writer)?;
    }
    Ok(())
}

/// The member of the discriminator, beside that of the value.
const CASE: &str = "$case";

fn union(
    json: &Value,
    type_code: &TypeCode,
    place: &Place<'_>,
    writer: &mut CdrWriter<'_>,
) -> Result<(), JsonError> {
    let object = object(json, type_code, place)?;
    let mut values = object.iter().filter(|(name, _)| *name != CASE);
    let member = values.next();
    if values.next().is_some() {
        return Err(place.error("a union has one member, and \"$case\""));
    }
    let switch = type_code.discriminator_type().unwrap_or_default();
    let label = match (object.get(CASE), member) {
        (Some(case), _) => {
            let any = any_at(case, &switch, place.scope, &Path::Member(place.path, CASE))?;
            let label = switch.read_label(&mut any.reader());
            label.map_err(|error| no_encoding(&error, place))?
        }
        (None, Some((name, _))) => {
            let index = place_of(type_code, name)
                .ok_or_else(|| place.error(no_member(type_code, name, "member")))?;
            let label = match type_code.default_index() {
                Ok(Some(default)) if default == index => type_code.unlisted_label().ok().flatten(),
                _ => type_code.member_label(index).ok(),
            };
            label.ok_or_else(|| place.error(format!("no discriminator selects {name:?}")))?
        }
        (None, None) => return Err(place.error("a union needs a member, or \"$case\"")),
    };
    switch.write_label(label, writer).map_err(|error| no_encoding(&error, place))?;
    match (type_code.case_of(label).ok().flatten(), member) {
        (Some(index), Some((name, value))) => {
            let selected = type_code.member_name(index).unwrap_or_default();
            if selected != name {
                return Err(place.error(format!("\"$case\" selects {selected:?}, not {name:?}")));
            }
            let member = type_code.member_type(index).unwrap_or_default();
            write(value, &member, &place.with(&Path::Member(place.path, name)), writer)
        }
        (Some(index), None) => {
            let selected = type_code.member_name(index).unwrap_or_default();
            Err(place.error(format!("the member {selected:?} is missing")))
        }
        (None, Some((name, _))) => {
            Err(place.error(format!("\"$case\" selects no member, not {name:?}")))
        }
        (None, None) => Ok(()),
    }
}

fn any(json: &Value, place: &Place<'_>) -> Result<Any, JsonError> {
    if json.is_null() {
        return Ok(Any::default());
    }
    let what = "an any: {\"type\": ..., \"value\": ...}";
    let object = json.as_object().ok_or_else(|| place.expected(what, json))?;
    if let Some(name) = object.keys().find(|name| !matches!(&***name, "type" | "value")) {
        return Err(place.error(format!("an any has \"type\" and \"value\", no {name:?}")));
    }
    let type_path = Path::Member(place.path, "type");
    let type_place = place.with(&type_path);
    let text = object.get("type").ok_or_else(|| place.error("the member \"type\" is missing"))?;
    let text = string(text, "a type", &type_place)?;
    let type_code = type_named(text, place.scope).map_err(|error| type_place.error(error))?;
    let value = object.get("value").unwrap_or(&Value::Null);
    any_at(value, &type_code, place.scope, &Path::Member(place.path, "value"))
}

fn reference(json: &Value, place: &Place<'_>, writer: &mut CdrWriter<'_>) -> Result<(), JsonError> {
    let ior = match json {
        Value::Null => Ior::NIL,
        Value::String(text) => place.scope.reference(text).map_err(|error| place.error(error))?,
        _ => return Err(place.expected("a reference as a string, or null", json)),
    };
    Ior::write(&ior, writer).map_err(|error| no_encoding(&error, place))
}

fn valuetype(json: &Value, type_code: &TypeCode, place: &Place<'_>) -> Result<DynAny, JsonError> {
    let failed = |error: crate::DynAnyError| no_encoding(&error, place);
    let mut value = DynAny::new(type_code).map_err(failed)?;
    if json.is_null() {
        return Ok(value);
    }
    if value.kind() == TcKind::ValueBox {
        let mut boxed = value.as_value_box().map_err(failed)?;
        boxed.set_to_value().map_err(failed)?;
        let inner = boxed.boxed().map_err(failed)?;
        let any = any_at(json, inner.type_code(), place.scope, place.path)?;
        inner.from_any(any).map_err(failed)?;
        return Ok(value);
    }
    let resolved = type_code.resolved();
    let object = object(json, &resolved, place)?;
    let mut state = value.as_value().map_err(failed)?;
    state.set_to_value().map_err(failed)?;
    let mut names = Vec::new();
    for (name, mut part) in state.members().map_err(failed)? {
        let Some(given) = object.get(&name) else {
            return Err(place.error(format!("the member {name:?} is missing")));
        };
        let path = Path::Member(place.path, &name);
        let any = any_at(given, part.type_code(), place.scope, &path)?;
        part.from_any(any).map_err(failed)?;
        names.push((name, part));
    }
    if let Some(name) = object.keys().find(|name| names.iter().all(|(known, _)| known != *name)) {
        return Err(place.error(format!("{} has no member {name:?}", resolved.name())));
    }
    let parts: Vec<(&str, DynAny)> =
        names.iter().map(|(name, part)| (&**name, part.clone())).collect();
    state.set_members(&parts).map_err(failed)?;
    Ok(value)
}
