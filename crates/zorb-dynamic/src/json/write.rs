//! From values to JSON.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, Wire};
use zorb_giop::Ior;
use zorb_types::{Any, LongDouble, SystemException, TcKind, TypeCode, read_fixed};

use super::{Json, base64, type_name};
use crate::{DynAny, DynAnyError};

/// A value as JSON.
///
/// # Errors
/// `NO_IMPLEMENT` for values of types that have no JSON: `native` and local interfaces.
pub fn from_any(any: &Any) -> Result<Json, SystemException> {
    Ok(value(any.type_code(), &mut any.reader())?)
}

fn value(type_code: &TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Json> {
    let resolved = type_code.resolved();
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
        TcKind::Struct => Json::Object(members(&resolved, reader)?),
        TcKind::Except => {
            reader.read_latin1("exception id")?;
            Json::Object(members(&resolved, reader)?)
        }
        TcKind::Union => union(&resolved, reader)?,
        TcKind::Sequence => {
            let count = reader.read_count(1, "sequence")?;
            elements(&resolved, count, reader)?
        }
        TcKind::Array => {
            let count = resolved.length().map_err(|_| bad(reader))?;
            elements(&resolved, count as usize, reader)?
        }
        TcKind::Any => {
            reader.descend("any")?;
            let any = Any::read(reader)?;
            reader.ascend();
            if any.type_code().kind() == TcKind::Null {
                Json::null()
            } else {
                let inner = value(any.type_code(), &mut any.reader())?;
                Json::Object(vec![
                    ("type".to_owned(), Json::String(type_name(any.type_code()))),
                    ("value".to_owned(), inner),
                ])
            }
        }
        TcKind::TypeCode => Json::String(type_name(&TypeCode::read(reader)?)),
        TcKind::ObjRef | TcKind::Component | TcKind::Home => reference(&Ior::read(reader)?)?,
        TcKind::AbstractInterface if reader.clone().read_bool()? => {
            reader.read_bool()?;
            reference(&Ior::read(reader)?)?
        }
        TcKind::Value | TcKind::Event | TcKind::ValueBox => {
            let any = Any::read_value(type_code.clone(), reader)?;
            valuetype(any).map_err(|error| match error {
                DynAnyError::Encoding(error) => error,
                _ => bad(reader),
            })?
        }
        TcKind::AbstractInterface
        | TcKind::LocalInterface
        | TcKind::Native
        | TcKind::Principal
        | TcKind::Alias => {
            return Err(reader.error(CdrErrorKind::Unsupported, resolved.kind().idl_name()));
        }
    })
}

#[cold]
fn bad(reader: &CdrReader<'_>) -> zorb_cdr::CdrError {
    reader.error(CdrErrorKind::BadTypeCode, "value")
}

/// The shortest digits that are the number, or the name of what is none.
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

fn members(type_code: &TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Vec<(String, Json)>> {
    let mut members = Vec::new();
    for index in 0..type_code.member_count() {
        let name = type_code.member_name(index).map_err(|_| bad(reader))?;
        let member = type_code.member_type(index).map_err(|_| bad(reader))?;
        // A compact TypeCode has no names.
        let name = if name.is_empty() { format!("${index}") } else { name.to_owned() };
        members.push((name, value(&member, reader)?));
    }
    Ok(members)
}

fn elements(type_code: &TypeCode, count: usize, reader: &mut CdrReader<'_>) -> CdrResult<Json> {
    let element = type_code.content_type().map_err(|_| bad(reader))?;
    if element.resolved().kind() == TcKind::Octet {
        return Ok(Json::String(base64::encode(reader.take(count, "octets")?)));
    }
    let mut parts = Vec::new();
    for _ in 0..count {
        parts.push(value(&element, reader)?);
    }
    Ok(Json::Array(parts))
}

fn union(type_code: &TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Json> {
    let discriminator = type_code.discriminator_type().map_err(|_| bad(reader))?;
    let label = discriminator.read_label(&mut reader.clone())?;
    let mut parts = vec![("$case".to_owned(), value(&discriminator, reader)?)];
    if let Some(index) = type_code.case_of(label).map_err(|_| bad(reader))? {
        let name = type_code.member_name(index).map_err(|_| bad(reader))?;
        let name = if name.is_empty() { "$value" } else { name };
        let member = type_code.member_type(index).map_err(|_| bad(reader))?;
        parts.push((name.to_owned(), value(&member, reader)?));
    }
    Ok(Json::Object(parts))
}

fn valuetype(any: Any) -> Result<Json, DynAnyError> {
    let mut parts = DynAny::of(any)?;
    let inner = |part: &DynAny| -> Result<Json, DynAnyError> {
        let any = part.to_any()?;
        Ok(value(any.type_code(), &mut any.reader())?)
    };
    if parts.kind() == TcKind::ValueBox {
        let boxed = parts.as_value_box()?;
        return if boxed.is_null() { Ok(Json::null()) } else { inner(boxed.boxed()?) };
    }
    let mut state = parts.as_value()?;
    if state.is_null() {
        return Ok(Json::null());
    }
    let members = state.members()?;
    let members = members.iter().map(|(name, part)| Ok((name.clone(), inner(part)?)));
    Ok(Json::Object(members.collect::<Result<_, DynAnyError>>()?))
}
