//! Copying a value from one stream to another by its TypeCode.

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

use crate::type_code::{TypeRef, digits_and_scale, read_label, write_label};
use crate::{TcKind, TypeCode};

/// Copies one value of type `type_code` from `reader` to `writer`.
///
/// Byte order, alignment, text code sets and GIOP versions of the two streams may differ.
/// Everything a decoder of the type would check is checked: lengths, bounds, booleans,
/// enumeration values, text. An exception may stand with or without its repository id and is
/// written with it. What is written takes at most four times the octets that were read (a value
/// aligned anew and ISO 8859-1 in UTF-8), the id of an exception apart.
///
/// # Errors
/// As the decoder of the type; `TooDeep`; `Unsupported` for valuetypes, abstract and local
/// interfaces and natives.
pub fn transcode(
    type_code: &TypeCode,
    reader: &mut CdrReader<'_>,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    copy(type_code.view(), reader, writer)
}

fn copy(
    type_ref: TypeRef<'_>,
    reader: &mut CdrReader<'_>,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let type_ref = type_ref.resolved();
    let kind = type_ref.kind();
    if let Some(size) = kind.number_size() {
        return copy_numbers(size, 1, reader, writer);
    }
    match kind {
        TcKind::Null if type_ref.is_placeholder() => {
            Err(reader.error(CdrErrorKind::BadTypeCode, "recursive TypeCode"))
        }
        TcKind::Null | TcKind::Void => Ok(()),
        TcKind::Boolean | TcKind::Char | TcKind::WChar => {
            write_label(kind, read_label(kind, reader)?, writer)
        }
        TcKind::LongDouble => copy_long_double(reader, writer),
        TcKind::Fixed => copy_fixed(type_ref, reader, writer),
        TcKind::String => {
            let text = reader.read_str(type_ref.bound())?;
            writer.write_str(&text, type_ref.bound())
        }
        TcKind::WString => {
            let text = reader.read_wstring(type_ref.bound())?;
            writer.write_wstring(&text, type_ref.bound())
        }
        TcKind::Enum => copy_enum(type_ref, reader, writer),
        TcKind::Principal => writer.write_octets(reader.read_octets()?),
        TcKind::ObjRef | TcKind::Component | TcKind::Home => copy_reference(reader, writer),
        TcKind::TypeCode => TypeCode::write(&TypeCode::read(reader)?, writer),
        TcKind::Sequence => {
            let count = reader.read_count(1, "sequence")?;
            if u32::try_from(count).map_or(true, |count| count > type_ref.bound()) {
                return Err(reader.error(CdrErrorKind::BoundExceeded, "sequence"));
            }
            writer.write_count(count, "sequence")?;
            copy_elements(type_ref, count, reader, writer)
        }
        TcKind::Array => {
            // Every element takes an octet at least: TypeCodes of others are refused.
            match usize::try_from(type_ref.number()) {
                Ok(length) if length <= reader.remaining() => {
                    copy_elements(type_ref, length, reader, writer)
                }
                _ => Err(reader.error(CdrErrorKind::LengthBeyondEnd, "array")),
            }
        }
        TcKind::Struct | TcKind::Except | TcKind::Union | TcKind::Any => {
            reader.descend(kind.idl_name())?;
            match kind {
                TcKind::Union => copy_union(type_ref, reader, writer)?,
                TcKind::Any => copy_any(reader, writer)?,
                _ => copy_members(type_ref, reader, writer)?,
            }
            reader.ascend();
            Ok(())
        }
        _ => Err(reader.error(CdrErrorKind::Unsupported, kind.idl_name())),
    }
}

/// Numbers of `size` octets one after the other.
fn copy_numbers(
    size: usize,
    count: usize,
    reader: &mut CdrReader<'_>,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    if count == 0 {
        return Ok(());
    }
    reader.align(size);
    let octets = reader.take(count.saturating_mul(size), "number")?;
    writer.align(size);
    if size == 1 || reader.order() == writer.order() {
        writer.put(octets);
        return Ok(());
    }
    for number in octets.chunks_exact(size) {
        let mut swapped = [0; 8];
        for (place, octet) in swapped.iter_mut().zip(number.iter().rev()) {
            *place = *octet;
        }
        writer.put(swapped.get(..size).unwrap_or_default());
    }
    Ok(())
}

fn copy_elements(
    type_ref: TypeRef<'_>,
    count: usize,
    reader: &mut CdrReader<'_>,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let what = type_ref.kind().idl_name();
    let Some(element) = type_ref.content().map(TypeRef::resolved) else {
        return Err(reader.error(CdrErrorKind::BadTypeCode, what));
    };
    if let Some(size) = element.kind().number_size() {
        return copy_numbers(size, count, reader, writer);
    }
    reader.descend(what)?;
    for _ in 0..count {
        copy(element, reader, writer)?;
    }
    reader.ascend();
    Ok(())
}

/// An IEEE 754 quadruple, aligned to 8.
fn copy_long_double(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    reader.align(8);
    let octets = reader.take(16, "long double")?;
    writer.align(8);
    if reader.order() == writer.order() {
        writer.put(octets);
    } else {
        octets.iter().rev().for_each(|&octet| writer.write_u8(octet));
    }
    Ok(())
}

/// Packed decimal digits, the sign in the last half-octet: C or D.
fn copy_fixed(
    type_ref: TypeRef<'_>,
    reader: &mut CdrReader<'_>,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let (digits, _) = digits_and_scale(type_ref.number());
    let octets = reader.take(usize::from(digits / 2) + 1, "fixed")?;
    let halves = |octet: u8| (octet >> 4, octet & 0xf);
    let is_decimal = octets.split_last().is_some_and(|(&last, others)| {
        let (last_digit, sign) = halves(last);
        last_digit <= 9
            && matches!(sign, 0xc | 0xd)
            && others.iter().map(|&octet| halves(octet)).all(|(high, low)| high <= 9 && low <= 9)
    });
    if !is_decimal {
        return Err(reader.error(CdrErrorKind::BadFixed, "fixed"));
    }
    writer.put(octets);
    Ok(())
}

fn copy_enum(
    type_ref: TypeRef<'_>,
    reader: &mut CdrReader<'_>,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let value = reader.read_u32()?;
    check_enum(type_ref, value.into(), reader)?;
    writer.write_u32(value);
    Ok(())
}

fn check_enum(type_ref: TypeRef<'_>, value: i64, reader: &CdrReader<'_>) -> CdrResult<()> {
    match usize::try_from(value) {
        Ok(value) if value < type_ref.member_count() => Ok(()),
        _ => Err(reader.error(CdrErrorKind::BadEnum, "enum")),
    }
}

/// An object reference, nil or not: the type id and the tagged profiles, whatever they hold.
fn copy_reference(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    let type_id = reader.read_string_octets(u32::MAX, "object reference")?;
    writer.write_count(type_id.len() + 1, "object reference")?;
    writer.put(type_id);
    writer.write_u8(0);
    let profiles = reader.read_count(8, "object reference")?;
    writer.write_count(profiles, "object reference")?;
    for _ in 0..profiles {
        writer.write_u32(reader.read_u32()?);
        writer.write_octets(reader.read_octets()?)?;
    }
    Ok(())
}

fn copy_union(
    type_ref: TypeRef<'_>,
    reader: &mut CdrReader<'_>,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let Some(discriminator) = type_ref.content().map(TypeRef::resolved) else {
        return Err(reader.error(CdrErrorKind::BadTypeCode, "union"));
    };
    let label = read_label(discriminator.kind(), reader)?;
    if discriminator.kind() == TcKind::Enum {
        check_enum(discriminator, label, reader)?;
    }
    write_label(discriminator.kind(), label, writer)?;
    match type_ref.case(label).and_then(|member| member.type_ref) {
        Some(member) => copy(member, reader, writer),
        None => Ok(()),
    }
}

fn copy_any(reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    let type_code = TypeCode::read(reader)?;
    TypeCode::write(&type_code, writer)?;
    copy(type_code.view(), reader, writer)
}

fn copy_members(
    type_ref: TypeRef<'_>,
    reader: &mut CdrReader<'_>,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    if type_ref.kind() == TcKind::Except {
        skip_exception_id(type_ref.id(), reader);
        writer.write_latin1(type_ref.id())?;
    }
    for member in type_ref.members().filter_map(|member| member.type_ref) {
        copy(member, reader, writer)?;
    }
    Ok(())
}

/// The standard puts the repository id before an exception's members; some ORBs leave it out.
pub(crate) fn skip_exception_id(id: &str, reader: &mut CdrReader<'_>) {
    let mut ahead = reader.clone();
    if ahead.read_latin1("exception id").is_ok_and(|found| found == id) {
        *reader = ahead;
    }
}

/// The order that values are kept in.
pub(crate) const IMAGE_ORDER: ByteOrder = ByteOrder::NATIVE;
