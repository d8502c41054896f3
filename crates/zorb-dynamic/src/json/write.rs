//! Converts values to JSON.

use std::collections::HashMap;

use base64::Engine as _;
use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, WideForm, Wire};
use zorb_giop::Ior;
use zorb_types::{
    Any, Layout, LongDouble, SystemException, TcKind, TypeCode, ValueHead, read_fixed,
};

use super::{BASE64, BOXED, Json, REFERENCE, TYPE, type_name};
use crate::dyn_any::value::state_of;

/// Converts a value to JSON.
///
/// # Errors
/// `NO_IMPLEMENT` for types without a JSON form: `native` and local interfaces.
pub fn from_any(any: &Any) -> Result<Json, SystemException> {
    let mut printer = Printer { path: "$".to_owned(), values: HashMap::new() };
    Ok(printer.value(any.type_code(), &mut any.reader())?)
}

/// The state of converting a value.
struct Printer {
    /// The path from the root to the current part.
    path: String,
    /// The paths of valuetypes, by the offsets of their tags.
    values: HashMap<usize, String>,
}

impl Printer {
    fn value(&mut self, type_code: &TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Json> {
        let resolved = type_code.resolved();
        step(resolved.kind(), reader);
        Ok(match resolved.kind() {
            TcKind::Null | TcKind::Void => Json::null(),
            TcKind::Short => Json::word(reader.read_i16()?),
            TcKind::UShort => Json::word(reader.read_u16()?),
            TcKind::Long => Json::word(reader.read_i32()?),
            TcKind::ULong => Json::word(reader.read_u32()?),
            TcKind::LongLong => Json::word(reader.read_i64()?),
            TcKind::ULongLong => Json::word(reader.read_u64()?),
            TcKind::Octet => Json::word(reader.read_u8()?),
            TcKind::Boolean => Json::word(reader.read_bool()?),
            TcKind::Float => {
                let number = reader.read_f32()?;
                float(number.is_finite(), &number, number.into())
            }
            TcKind::Double => {
                let number = reader.read_f64()?;
                float(number.is_finite(), &number, number)
            }
            TcKind::LongDouble => {
                let number = LongDouble::read(reader)?;
                let near = number.to_f64();
                match LongDouble::from(near) == number {
                    true => float(near.is_finite(), &near, near),
                    false if number.is_nan() => float(false, &near, near),
                    false => Json::String(number.to_string()),
                }
            }
            TcKind::Char => Json::String(reader.read_char()?.to_string()),
            TcKind::WChar => Json::String(reader.read_wchar()?.to_string()),
            TcKind::String => Json::String(reader.read_str(u32::MAX)?.into_owned()),
            TcKind::WString => Json::String(reader.read_wstring(u32::MAX)?),
            TcKind::Fixed => {
                let (digits, scale) = resolved.digits_and_scale().map_err(|_| bad(reader))?;
                Json::String(read_fixed(digits, scale, reader)?.to_string())
            }
            TcKind::Enum => {
                let ordinal = reader.read_u32()?;
                let name = resolved.member_name(ordinal as usize).map_err(|_| bad(reader))?;
                Json::String(name.to_owned())
            }
            TcKind::Struct => Json::Object(self.members(&resolved, reader)?),
            TcKind::Except => {
                reader.read_latin1("exception id")?;
                Json::Object(self.members(&resolved, reader)?)
            }
            TcKind::Union => self.union(&resolved, reader)?,
            TcKind::Sequence => {
                let count = reader.read_count(1, "sequence")?;
                self.elements(&resolved, count, reader)?
            }
            TcKind::Array => {
                let count = resolved.length().map_err(|_| bad(reader))?;
                self.elements(&resolved, count as usize, reader)?
            }
            TcKind::Any => self.any(reader)?,
            TcKind::TypeCode => Json::String(type_name(&TypeCode::read(reader)?)),
            TcKind::ObjRef | TcKind::Component | TcKind::Home => reference(&Ior::read(reader)?)?,
            TcKind::AbstractInterface if reader.read_bool()? => reference(&Ior::read(reader)?)?,
            TcKind::Value | TcKind::Event | TcKind::ValueBox | TcKind::AbstractInterface => {
                self.valuetype(&resolved, reader)?
            }
            TcKind::LocalInterface | TcKind::Native | TcKind::Principal | TcKind::Alias => {
                return Err(reader.error(CdrErrorKind::Unsupported, resolved.kind().idl_name()));
            }
        })
    }

    /// Converts a part, whose path is that of the enclosing value and this step.
    fn part(
        &mut self,
        step: &str,
        type_code: &TypeCode,
        reader: &mut CdrReader<'_>,
    ) -> CdrResult<Json> {
        let length = self.path.len();
        self.path.push_str(step);
        let json = self.value(type_code, reader)?;
        self.path.truncate(length);
        Ok(json)
    }

    /// Converts an any, which may share valuetypes with the enclosing value.
    fn any(&mut self, reader: &mut CdrReader<'_>) -> CdrResult<Json> {
        let type_code = TypeCode::read(reader)?;
        if type_code.kind() == TcKind::Null {
            return Ok(Json::null());
        }
        reader.descend("any")?;
        let inner = self.part(".value", &type_code, reader)?;
        reader.ascend();
        Ok(Json::Object(vec![
            ("type".to_owned(), Json::String(type_name(&type_code))),
            ("value".to_owned(), inner),
        ]))
    }

    fn members(
        &mut self,
        type_code: &TypeCode,
        reader: &mut CdrReader<'_>,
    ) -> CdrResult<Vec<(String, Json)>> {
        let mut members = Vec::new();
        for index in 0..type_code.member_count() {
            let name = type_code.member_name(index).map_err(|_| bad(reader))?;
            let member = type_code.member_type(index).map_err(|_| bad(reader))?;
            // A compact TypeCode has no names.
            let name = if name.is_empty() { format!("${index}") } else { name.to_owned() };
            let json = self.part(&format!(".{name}"), &member, reader)?;
            members.push((name, json));
        }
        Ok(members)
    }

    fn elements(
        &mut self,
        type_code: &TypeCode,
        count: usize,
        reader: &mut CdrReader<'_>,
    ) -> CdrResult<Json> {
        let element = type_code.content_type().map_err(|_| bad(reader))?;
        if element.resolved().kind() == TcKind::Octet {
            return Ok(Json::String(BASE64.encode(u8::read_vec(reader, count)?)));
        }
        let mut parts = Vec::new();
        for index in 0..count {
            parts.push(self.part(&format!("[{index}]"), &element, reader)?);
        }
        Ok(Json::Array(parts))
    }

    fn union(&mut self, type_code: &TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Json> {
        let discriminator = type_code.discriminator_type().map_err(|_| bad(reader))?;
        step(discriminator.resolved().kind(), reader);
        let label = discriminator.read_label(&mut reader.clone())?;
        let mut parts = vec![("$case".to_owned(), self.value(&discriminator, reader)?)];
        if let Some(index) = type_code.case_of(label).map_err(|_| bad(reader))? {
            let name = type_code.member_name(index).map_err(|_| bad(reader))?;
            let name = if name.is_empty() { "$value" } else { name };
            let member = type_code.member_type(index).map_err(|_| bad(reader))?;
            parts.push((name.to_owned(), self.part(&format!(".{name}"), &member, reader)?));
        }
        Ok(Json::Object(parts))
    }

    /// Converts a valuetype, or the valuetype in an abstract interface.
    fn valuetype(&mut self, expected: &TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Json> {
        let (type_code, tag) = match Layout::of(expected).begin_value(reader)? {
            ValueHead::Null => return Ok(Json::null()),
            ValueHead::Shared(offset) => {
                let path = self.values.get(&offset);
                let path = path.ok_or_else(|| reader.error(CdrErrorKind::BadValue, "value"))?;
                return Ok(Json::Object(vec![(REFERENCE.to_owned(), Json::String(path.clone()))]));
            }
            ValueHead::Opaque(_) => {
                return Err(reader.error(CdrErrorKind::UnknownValue, "value"));
            }
            ValueHead::State(type_code, tag) => (type_code, tag),
        };
        self.values.insert(tag.offset, self.path.clone());
        let is_other = type_code.id() != expected.id();
        let mut parts = Vec::new();
        if is_other {
            parts.push((TYPE.to_owned(), Json::String(type_code.id().to_owned())));
        }
        let json = if type_code.kind() == TcKind::ValueBox {
            let boxed = type_code.content_type().map_err(|_| bad(reader))?;
            if is_other {
                let inner = self.part(&format!(".{BOXED}"), &boxed, reader)?;
                parts.push((BOXED.to_owned(), inner));
                Json::Object(parts)
            } else {
                self.value(&boxed, reader)?
            }
        } else {
            let members = state_of(&type_code).map_err(|_| bad(reader))?;
            for (index, (name, member)) in members.into_iter().enumerate() {
                let name = if name.is_empty() { format!("${index}") } else { name };
                let json = self.part(&format!(".{name}"), &member, reader)?;
                parts.push((name, json));
            }
            Json::Object(parts)
        };
        reader.end_value(&tag)?;
        Ok(json)
    }
}

/// Moves to the next chunk of a value at the end of one.
fn step(kind: TcKind, reader: &mut CdrReader<'_>) {
    let alignment = match kind {
        TcKind::Short | TcKind::UShort => 2,
        TcKind::WChar if reader.text().wide_form == WideForm::Units => 2,
        TcKind::LongLong | TcKind::ULongLong | TcKind::Double | TcKind::LongDouble => 8,
        TcKind::Octet
        | TcKind::Boolean
        | TcKind::Char
        | TcKind::WChar
        | TcKind::Fixed
        | TcKind::AbstractInterface => 1,
        TcKind::Long
        | TcKind::ULong
        | TcKind::Float
        | TcKind::Enum
        | TcKind::String
        | TcKind::WString
        | TcKind::Sequence
        | TcKind::Except => 4,
        // Their parts do so.
        _ => return,
    };
    reader.step(alignment);
}

#[cold]
fn bad(reader: &CdrReader<'_>) -> zorb_cdr::CdrError {
    reader.error(CdrErrorKind::BadTypeCode, "value")
}

/// The shortest digits that represent the number, or the name of a NaN or infinity.
fn float(is_finite: bool, shortest: &impl std::fmt::Debug, number: f64) -> Json {
    if is_finite {
        return Json::word(format_args!("{shortest:?}"));
    }
    let name = match number {
        _ if number.is_nan() => "NaN",
        _ if number > 0.0 => "Infinity",
        _ => "-Infinity",
    };
    Json::String(name.to_owned())
}

fn reference(ior: &Ior) -> CdrResult<Json> {
    Ok(if ior.is_nil() { Json::null() } else { Json::String(ior.to_stringified()?) })
}
