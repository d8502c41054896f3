//! Default values of types.

use zorb_cdr::{CdrError, CdrErrorKind, CdrWriter};
use zorb_types::{Any, TcKind, TypeCode};

use super::known::Known;
use super::tree::Content;
use super::{DynAnyError, DynAnyResult};

/// The maximum size of a default value in octets; nested arrays can be arbitrarily large.
pub(super) const MAX_OCTETS: usize = 16 << 20;

/// The maximum nesting depth of structs.
const MAX_DEPTH: u16 = 64;

/// Whether the type has values.
pub(super) fn has_values(type_code: &TypeCode) -> bool {
    let kind = type_code.resolved_kind();
    type_code.is_complete() && !matches!(kind, TcKind::Native | TcKind::LocalInterface)
}

/// The default value of the type.
pub(super) fn content(type_code: &Known) -> DynAnyResult<Content> {
    if !has_values(type_code) {
        return Err(DynAnyError::InconsistentTypeCode);
    }
    if matches!(type_code.base(), TcKind::Value | TcKind::Event | TcKind::ValueBox) {
        return Ok(Content::Value(None));
    }
    let mut failure = None;
    let any = Any::build_with(&type_code.layout(), |writer| {
        write(type_code, writer, 0).map_err(|error| {
            failure = Some(error);
            CdrError::new(CdrErrorKind::TooLong, 0, "default value")
        })
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(Content::Whole(any?)),
    }
}

pub(super) fn write(
    type_code: &TypeCode,
    writer: &mut CdrWriter<'_>,
    depth: u16,
) -> DynAnyResult<()> {
    if depth > MAX_DEPTH || writer.offset() > MAX_OCTETS {
        return Err(DynAnyError::TooLarge);
    }
    writer.finish()?;
    let type_code = type_code.resolved();
    match type_code.kind() {
        TcKind::Null | TcKind::Void => {}
        TcKind::Octet | TcKind::Boolean | TcKind::Char => writer.write_u8(0),
        TcKind::Short | TcKind::UShort => writer.write_u16(0),
        TcKind::Long | TcKind::ULong | TcKind::Float | TcKind::Enum | TcKind::Sequence => {
            writer.write_u32(0);
        }
        TcKind::LongLong | TcKind::ULongLong | TcKind::Double => writer.write_u64(0),
        TcKind::LongDouble => {
            writer.write_u64(0);
            writer.write_u64(0);
        }
        TcKind::WChar => writer.write_wchar('\0')?,
        TcKind::String => writer.write_str("", u32::MAX)?,
        TcKind::WString => writer.write_wstring("", u32::MAX)?,
        // An any of nothing, and the TypeCode of nothing.
        TcKind::Any | TcKind::TypeCode => writer.write_u32(TcKind::Null as u32),
        // Nil, also of values and abstract interfaces.
        TcKind::Principal | TcKind::Value | TcKind::Event | TcKind::ValueBox => writer.write_u32(0),
        TcKind::AbstractInterface => {
            writer.write_bool(false);
            writer.write_u32(0);
        }
        TcKind::ObjRef | TcKind::Component | TcKind::Home => {
            writer.write_latin1("")?;
            writer.write_u32(0);
        }
        TcKind::Fixed => {
            let (digits, scale) = type_code.digits_and_scale()?;
            zorb_types::write_fixed(zorb_types::FixedValue::ZERO, digits, scale, writer)?;
        }
        TcKind::Array => {
            let element = type_code.content_type()?;
            for _ in 0..type_code.length()? {
                write(&element, writer, depth + 1)?;
            }
        }
        TcKind::Struct | TcKind::Except => {
            if type_code.kind() == TcKind::Except {
                writer.write_latin1(type_code.id())?;
            }
            for index in 0..type_code.member_count() {
                write(&type_code.member_type(index)?, writer, depth + 1)?;
            }
        }
        TcKind::Union => {
            let label = first_label(&type_code)?;
            type_code.discriminator_type()?.write_label(label, writer)?;
            if let Some(index) = type_code.case_of(label)? {
                write(&type_code.member_type(index)?, writer, depth + 1)?;
            }
        }
        TcKind::Native | TcKind::LocalInterface | TcKind::Alias => {
            return Err(DynAnyError::InconsistentTypeCode);
        }
    }
    Ok(())
}

/// A label of a union's first case.
fn first_label(type_code: &TypeCode) -> DynAnyResult<i64> {
    if type_code.member_count() > 0 && type_code.default_index()? != Some(0) {
        return Ok(type_code.member_label(0)?);
    }
    type_code.unlisted_label()?.ok_or(DynAnyError::InconsistentTypeCode)
}
