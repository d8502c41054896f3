//! Union labels and discriminators, as numbers of one type.

use core::ops::RangeInclusive;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};
use zorb_interp::Discriminator;

use super::TcKind;

/// Whether a type of this kind, without typedefs, can be a discriminator.
pub(crate) fn may_discriminate(kind: TcKind) -> bool {
    discriminator(kind, 0).is_some()
}

/// The discriminator of a union that switches on this kind of type, without typedefs; `enumerators` is the
/// number of values of an `enum`.
pub(crate) fn discriminator(kind: TcKind, enumerators: usize) -> Option<Discriminator> {
    Some(match kind {
        TcKind::Short => Discriminator::Short,
        TcKind::UShort => Discriminator::UShort,
        TcKind::Long => Discriminator::Long,
        TcKind::ULong => Discriminator::ULong,
        TcKind::LongLong => Discriminator::LongLong,
        TcKind::ULongLong => Discriminator::ULongLong,
        TcKind::Boolean => Discriminator::Boolean,
        TcKind::Octet => Discriminator::Octet,
        TcKind::Char => Discriminator::Char,
        TcKind::WChar => Discriminator::WChar,
        TcKind::Enum => Discriminator::Enumeration(u32::try_from(enumerators).unwrap_or(u32::MAX)),
        _ => return None,
    })
}

/// The labels of a discriminator of this kind; `enumerators` is the number of values of an `enum`.
pub(crate) fn range_of(kind: TcKind, enumerators: usize) -> RangeInclusive<i64> {
    match kind {
        TcKind::Short => i16::MIN.into()..=i16::MAX.into(),
        TcKind::Long => i32::MIN.into()..=i32::MAX.into(),
        TcKind::UShort => 0..=u16::MAX.into(),
        TcKind::ULong => 0..=u32::MAX.into(),
        TcKind::LongLong | TcKind::ULongLong => i64::MIN..=i64::MAX,
        TcKind::Boolean => 0..=1,
        TcKind::Char | TcKind::Octet => 0..=255,
        TcKind::WChar => 0..=0x10_ffff,
        TcKind::Enum => 0..=i64::try_from(enumerators).unwrap_or(i64::MAX) - 1,
        _ => RangeInclusive::new(1, 0),
    }
}

/// Reads a discriminator of this kind. The label has the bits of an `unsigned long long`.
pub(crate) fn read_label(kind: TcKind, reader: &mut CdrReader<'_>) -> CdrResult<i64> {
    Ok(match kind {
        TcKind::Short => reader.read_i16()?.into(),
        TcKind::Long => reader.read_i32()?.into(),
        TcKind::UShort => reader.read_u16()?.into(),
        TcKind::ULong | TcKind::Enum => reader.read_u32()?.into(),
        TcKind::LongLong => reader.read_i64()?,
        TcKind::ULongLong => reader.read_u64()?.cast_signed(),
        TcKind::Boolean => reader.read_bool()?.into(),
        TcKind::Octet => reader.read_u8()?.into(),
        TcKind::Char => u32::from(reader.read_char()?).into(),
        TcKind::WChar => u32::from(reader.read_wchar()?).into(),
        _ => return Err(reader.error(CdrErrorKind::BadTypeCode, "union discriminator")),
    })
}

/// Appends a discriminator of this kind.
#[expect(clippy::cast_possible_truncation, reason = "labels come from a value of the same kind")]
pub(crate) fn write_label(kind: TcKind, label: i64, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    let character = |writer: &CdrWriter<'_>| {
        u32::try_from(label)
            .ok()
            .and_then(char::from_u32)
            .ok_or_else(|| writer.error(CdrErrorKind::BadText, "union label"))
    };
    match kind {
        TcKind::Short => writer.write_i16(label as i16),
        TcKind::Long => writer.write_i32(label as i32),
        TcKind::UShort => writer.write_u16(label as u16),
        TcKind::ULong | TcKind::Enum => writer.write_u32(label as u32),
        TcKind::LongLong => writer.write_i64(label),
        TcKind::ULongLong => writer.write_u64(label.cast_unsigned()),
        TcKind::Boolean => writer.write_bool(label != 0),
        TcKind::Octet => writer.write_u8(label as u8),
        TcKind::Char => writer.write_char(character(writer)?)?,
        TcKind::WChar => writer.write_wchar(character(writer)?)?,
        _ => return Err(writer.error(CdrErrorKind::BadTypeCode, "union discriminator")),
    }
    Ok(())
}
