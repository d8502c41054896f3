//! Parts of JSON as parts of values, and errors that say what was expected.

use std::fmt::Display;

use serde_json::{Map, Value};
use zorb_cdr::CdrWriter;
use zorb_types::{FixedValue, TcKind, TypeCode, write_fixed};

use super::JsonError;

#[cold]
pub(super) fn expected(what: impl Display, found: &Value) -> JsonError {
    JsonError::new(format!("expected {what}, found {}", sort_of(found)))
}

#[cold]
pub(super) fn no_encoding(error: &dyn Display) -> JsonError {
    JsonError::new(format!("it has no encoding: {error}"))
}

pub(super) fn sort_of(json: &Value) -> String {
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

pub(super) fn integer<T: TryFrom<i128>>(json: &Value, kind: TcKind) -> Result<T, JsonError> {
    let number = match json {
        Value::Number(number) => {
            number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
        }
        // Programs that represent numbers as doubles write 64-bit integers as strings.
        Value::String(digits) if matches!(kind, TcKind::LongLong | TcKind::ULongLong) => {
            digits.parse().ok()
        }
        _ => None,
    };
    let number = number.ok_or_else(|| expected(kind.idl_name(), json))?;
    T::try_from(number)
        .map_err(|_| JsonError::new(format!("{number} is out of range for {}", kind.idl_name())))
}

pub(super) fn float(json: &Value, kind: TcKind) -> Result<f64, JsonError> {
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
    number.ok_or_else(|| expected(kind.idl_name(), json))
}

pub(super) fn string<'j>(json: &'j Value, what: &str) -> Result<&'j str, JsonError> {
    json.as_str().ok_or_else(|| expected(what, json))
}

pub(super) fn fixed(
    json: &Value,
    type_code: &TypeCode,
    writer: &mut CdrWriter<'_>,
) -> Result<(), JsonError> {
    let (digits, scale) = type_code.digits_and_scale().unwrap_or_default();
    let what = format!("fixed<{digits}, {scale}>");
    let text = match json {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return Err(expected(what, json)),
    };
    let number: FixedValue =
        text.parse().map_err(|_| expected(format!("a decimal number for {what}"), json))?;
    write_fixed(number, digits, scale, writer)
        .map_err(|_| JsonError::new(format!("{text} is out of range for {what}")))
}

pub(super) fn index_of(type_code: &TypeCode, name: &str) -> Option<usize> {
    (0..type_code.member_count()).find(|&index| type_code.member_name(index) == Ok(name))
}

/// The error of an unknown name.
pub(super) fn no_member(type_code: &TypeCode, name: &str, what: &str) -> String {
    let known = (0..type_code.member_count()).filter_map(|index| type_code.member_name(index).ok());
    let mut names: Vec<&str> = known.collect();
    names.dedup();
    let count = names.len();
    names.truncate(12);
    let more = if count > names.len() { ", ..." } else { "" };
    let names = names.join(", ");
    format!("{} has no {what} {name:?}; there is {names}{more}", type_code.name())
}

pub(super) fn object<'j>(
    json: &'j Value,
    type_code: &TypeCode,
) -> Result<&'j Map<String, Value>, JsonError> {
    let what = format!("an object ({} {})", type_code.kind().idl_name(), type_code.name());
    json.as_object().ok_or_else(|| expected(what, json))
}
