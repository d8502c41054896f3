//! Encodes JSON as a value of a type.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use serde_json::Value;
use zorb_cdr::{CdrErrorKind, CdrWriter, Wire};
use zorb_giop::Ior;
use zorb_types::{Any, Layout, LongDouble, TcKind, TypeCode, ValueTypes};

use super::input::{
    expected, fixed, float, index_of, integer, no_encoding, no_member, object, string,
};
use super::{BASE64, JsonError, Scope, type_named};

/// Converts JSON to a value of a type; `types` are the types that its valuetypes name.
///
/// # Errors
/// The JSON is not such a value; the error contains the path of the part.
pub(super) fn build(
    json: &Value,
    type_code: &TypeCode,
    scope: &dyn Scope,
    types: Option<Arc<ValueTypes>>,
) -> Result<Any, JsonError> {
    let mut failure = None;
    let built = Any::build_of(&Layout::of(type_code), types, |writer| {
        let mut values = HashMap::new();
        let path = "$".to_owned();
        let mut encoder = Encoder { scope, writer: &mut *writer, path, values: &mut values };
        encoder.value(json, type_code).map_err(|error| {
            failure = Some(error);
            // A `char` that has no single octet in UTF-8 may have one in the next code set.
            writer.error(CdrErrorKind::BadText, "JSON")
        })
    });
    built.map_err(|error| failure.unwrap_or_else(|| no_encoding(&error)))
}

/// The member with the discriminator of a union.
const CASE: &str = "$case";

/// Encodes JSON as CDR.
pub(super) struct Encoder<'s, 'w, 'b> {
    pub(super) scope: &'s dyn Scope,
    pub(super) writer: &'w mut CdrWriter<'b>,
    /// The path from the root to the current part.
    pub(super) path: String,
    /// The valuetypes so far, by their paths.
    pub(super) values: &'w mut HashMap<String, Arc<u64>>,
}

impl Encoder<'_, '_, '_> {
    /// Processes a part, whose path is that of the enclosing value and this step.
    pub(super) fn part(
        &mut self,
        step: &str,
        json: &Value,
        type_code: &TypeCode,
    ) -> Result<(), JsonError> {
        let length = self.path.len();
        self.path.push_str(step);
        self.value(json, type_code)?;
        self.path.truncate(length);
        Ok(())
    }

    pub(super) fn value(&mut self, json: &Value, type_code: &TypeCode) -> Result<(), JsonError> {
        let resolved = type_code.resolved();
        let kind = resolved.kind();
        match kind {
            TcKind::Null | TcKind::Void => match json {
                Value::Null => {}
                _ => return Err(expected("null", json)),
            },
            TcKind::Short => self.writer.write_i16(integer(json, kind)?),
            TcKind::UShort => self.writer.write_u16(integer(json, kind)?),
            TcKind::Long => self.writer.write_i32(integer(json, kind)?),
            TcKind::ULong => self.writer.write_u32(integer(json, kind)?),
            TcKind::LongLong => self.writer.write_i64(integer(json, kind)?),
            TcKind::ULongLong => self.writer.write_u64(integer(json, kind)?),
            TcKind::Octet => self.writer.write_u8(integer(json, kind)?),
            TcKind::Boolean => {
                let truth = json.as_bool().ok_or_else(|| expected("true or false", json))?;
                self.writer.write_bool(truth);
            }
            TcKind::Float => {
                let number = float(json, kind)?;
                #[expect(clippy::cast_possible_truncation, reason = "rounding is what float does")]
                let narrow = number as f32;
                if narrow.is_infinite() && number.is_finite() {
                    return Err(JsonError::new(format!("{number} is out of range for float")));
                }
                self.writer.write_f32(narrow);
            }
            TcKind::Double => self.writer.write_f64(float(json, kind)?),
            TcKind::LongDouble => {
                let number = match (json.as_i64(), json.as_u64()) {
                    (Some(number), _) => LongDouble::from(number),
                    (_, Some(number)) => LongDouble::from(number),
                    _ => LongDouble::from(float(json, kind)?),
                };
                LongDouble::write(&number, self.writer).map_err(|error| no_encoding(&error))?;
            }
            TcKind::Char | TcKind::WChar => {
                let text = string(json, kind.idl_name())?;
                let mut chars = text.chars();
                let (Some(char), None) = (chars.next(), chars.next()) else {
                    return Err(expected(format!("one {}", kind.idl_name()), json));
                };
                let written = match kind {
                    TcKind::Char => self.writer.write_char(char),
                    _ => self.writer.write_wchar(char),
                };
                written.map_err(|error| no_encoding(&error))?;
            }
            TcKind::String | TcKind::WString => {
                let text = string(json, "string")?;
                let bound = match resolved.length() {
                    Ok(bound) if bound > 0 => bound,
                    _ => u32::MAX,
                };
                let written = match kind {
                    TcKind::String => self.writer.write_str(text, bound),
                    _ => self.writer.write_wstring(text, bound),
                };
                written.map_err(|error| no_encoding(&error))?;
            }
            TcKind::Fixed => fixed(json, &resolved, self.writer)?,
            TcKind::Enum => {
                let name = string(json, "the name of a value")?;
                let ordinal = index_of(&resolved, name)
                    .ok_or_else(|| JsonError::new(no_member(&resolved, name, "value")))?;
                self.writer.write_u32(u32::try_from(ordinal).unwrap_or(u32::MAX));
            }
            TcKind::Struct => self.members(json, &resolved)?,
            TcKind::Except => {
                let written = self.writer.write_latin1(resolved.id());
                written.map_err(|error| no_encoding(&error))?;
                self.members(json, &resolved)?;
            }
            TcKind::Union => self.union(json, &resolved)?,
            TcKind::Sequence | TcKind::Array => self.elements(json, &resolved)?,
            TcKind::Any => self.any(json)?,
            TcKind::TypeCode => {
                let text = string(json, "a type")?;
                let named = type_named(text, self.scope).map_err(JsonError::new)?;
                TypeCode::write(&named, self.writer).map_err(|error| no_encoding(&error))?;
            }
            TcKind::ObjRef | TcKind::Component | TcKind::Home => self.reference(json)?,
            TcKind::AbstractInterface => {
                let is_reference = json.is_string();
                self.writer.write_bool(is_reference);
                if is_reference { self.reference(json)? } else { self.valuetype(json, &resolved)? }
            }
            TcKind::Value | TcKind::Event | TcKind::ValueBox => self.valuetype(json, &resolved)?,
            TcKind::LocalInterface | TcKind::Native | TcKind::Principal | TcKind::Alias => {
                return Err(JsonError::new(format!("{} has no JSON", kind.idl_name())));
            }
        }
        Ok(())
    }

    fn members(&mut self, json: &Value, type_code: &TypeCode) -> Result<(), JsonError> {
        let object = object(json, type_code)?;
        if let Some(name) = object.keys().find(|name| index_of(type_code, name).is_none()) {
            return Err(JsonError::new(no_member(type_code, name, "member")));
        }
        for index in 0..type_code.member_count() {
            let name = type_code.member_name(index).unwrap_or_default();
            let member = type_code.member_type(index).unwrap_or_default();
            let Some(value) = object.get(name) else {
                return Err(JsonError::new(format!("the member {name:?} is missing")));
            };
            let step = format!(".{name}");
            self.part(&step, value, &member).map_err(|error| error.in_member(name))?;
        }
        Ok(())
    }

    fn elements(&mut self, json: &Value, type_code: &TypeCode) -> Result<(), JsonError> {
        let element = type_code.content_type().unwrap_or_default();
        let limit = type_code.length().unwrap_or_default();
        let is_octets = element.resolved().kind() == TcKind::Octet;
        let octets = match json {
            Value::String(text) if is_octets => {
                let octets = BASE64.decode(text);
                Some(octets.map_err(|_| JsonError::new("the string is no base64"))?)
            }
            _ => None,
        };
        let count = match (&octets, json) {
            (Some(octets), _) => octets.len(),
            (None, Value::Array(parts)) => parts.len(),
            _ if is_octets => {
                return Err(expected("octets, as a string in base64 or an array", json));
            }
            _ => return Err(expected("an array", json)),
        };
        if type_code.kind() == TcKind::Array {
            if count != limit as usize {
                return Err(JsonError::new(format!("expected {limit} elements, found {count}")));
            }
        } else {
            if limit != 0 && count > limit as usize {
                return Err(JsonError::new(format!(
                    "expected at most {limit} elements, found {count}"
                )));
            }
            self.writer.write_count(count, "sequence").map_err(|error| no_encoding(&error))?;
        }
        if let Some(octets) = octets {
            self.writer.put(&octets);
        }
        for (index, part) in json.as_array().into_iter().flatten().enumerate() {
            let step = format!("[{index}]");
            self.part(&step, part, &element).map_err(|error| error.in_element(index))?;
        }
        Ok(())
    }

    fn union(&mut self, json: &Value, type_code: &TypeCode) -> Result<(), JsonError> {
        let object = object(json, type_code)?;
        let mut values = object.iter().filter(|(name, _)| *name != CASE);
        let member = values.next();
        if values.next().is_some() {
            return Err(JsonError::new("a union has one member, and \"$case\""));
        }
        let switch = type_code.discriminator_type().unwrap_or_default();
        let label = match (object.get(CASE), member) {
            (Some(case), _) => {
                let any = build(case, &switch, self.scope, None)
                    .map_err(|error| error.in_member(CASE))?;
                let label = switch.read_label(&mut any.reader());
                label.map_err(|error| no_encoding(&error))?
            }
            (None, Some((name, _))) => {
                let index = index_of(type_code, name)
                    .ok_or_else(|| JsonError::new(no_member(type_code, name, "member")))?;
                let label = match type_code.default_index() {
                    Ok(Some(default)) if default == index => {
                        type_code.unlisted_label().ok().flatten()
                    }
                    _ => type_code.member_label(index).ok(),
                };
                label.ok_or_else(|| JsonError::new(format!("no discriminator selects {name:?}")))?
            }
            (None, None) => return Err(JsonError::new("a union needs a member, or \"$case\"")),
        };
        switch.write_label(label, self.writer).map_err(|error| no_encoding(&error))?;
        match (type_code.case_of(label).ok().flatten(), member) {
            (Some(index), Some((name, value))) => {
                let selected = type_code.member_name(index).unwrap_or_default();
                if selected != name {
                    return Err(JsonError::new(format!(
                        "\"$case\" selects {selected:?}, not {name:?}"
                    )));
                }
                let member = type_code.member_type(index).unwrap_or_default();
                let step = format!(".{name}");
                self.part(&step, value, &member).map_err(|error| error.in_member(name))
            }
            (Some(index), None) => {
                let selected = type_code.member_name(index).unwrap_or_default();
                Err(JsonError::new(format!("the member {selected:?} is missing")))
            }
            (None, Some((name, _))) => {
                Err(JsonError::new(format!("\"$case\" selects no member, not {name:?}")))
            }
            (None, None) => Ok(()),
        }
    }

    fn any(&mut self, json: &Value) -> Result<(), JsonError> {
        if json.is_null() {
            return Any::write(&Any::default(), self.writer).map_err(|error| no_encoding(&error));
        }
        let what = "an any: {\"type\": ..., \"value\": ...}";
        let object = json.as_object().ok_or_else(|| expected(what, json))?;
        if let Some(name) = object.keys().find(|name| !matches!(&***name, "type" | "value")) {
            return Err(JsonError::new(format!("an any has \"type\" and \"value\", no {name:?}")));
        }
        let text =
            object.get("type").ok_or_else(|| JsonError::new("the member \"type\" is missing"))?;
        let type_code = string(text, "a type")
            .and_then(|text| type_named(text, self.scope).map_err(JsonError::new))
            .map_err(|error| error.in_member("type"))?;
        let value = object.get("value").unwrap_or(&Value::Null);
        TypeCode::write(&type_code, self.writer).map_err(|error| no_encoding(&error))?;
        self.part(".value", value, &type_code).map_err(|error| error.in_member("value"))
    }

    fn reference(&mut self, json: &Value) -> Result<(), JsonError> {
        let ior = match json {
            Value::Null => Ior::NIL,
            Value::String(text) => self.scope.reference(text).map_err(JsonError::new)?,
            _ => return Err(expected("a reference as a string, or null", json)),
        };
        Ior::write(&ior, self.writer).map_err(|error| no_encoding(&error))
    }
}
