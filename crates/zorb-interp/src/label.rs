//! Union discriminators, as numbers of one type.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use crate::text::step_to_wchar;

const WHAT: &str = "union discriminator";

/// The discriminator type of a union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discriminator {
    /// `short`
    Short,
    /// `unsigned short`
    UShort,
    /// `long`
    Long,
    /// `unsigned long`
    ULong,
    /// `long long`
    LongLong,
    /// `unsigned long long`, whose bits are those of the label
    ULongLong,
    /// `boolean`: 0 and 1
    Boolean,
    /// `octet`
    Octet,
    /// `char`: the code point
    Char,
    /// `wchar`: the code point
    WChar,
    /// An `enum` with this number of values: the ordinal
    Enumeration(u32),
}

impl Discriminator {
    /// Its size and alignment in octets; for a `wchar`, the minimum.
    const fn size(self) -> usize {
        match self {
            Self::Boolean | Self::Octet | Self::Char | Self::WChar => 1,
            Self::Short | Self::UShort => 2,
            Self::Long | Self::ULong | Self::Enumeration(_) => 4,
            Self::LongLong | Self::ULongLong => 8,
        }
    }
}

/// Reads a discriminator.
///
/// # Errors
/// `Truncated`, `BadBoolean`, `BadEnum`, `BadText`.
pub fn read_label(discriminator: Discriminator, reader: &mut CdrReader<'_>) -> CdrResult<i64> {
    match discriminator {
        Discriminator::WChar => step_to_wchar(reader),
        other => reader.step(other.size()),
    }
    Ok(match discriminator {
        Discriminator::Short => reader.read_i16()?.into(),
        Discriminator::UShort => reader.read_u16()?.into(),
        Discriminator::Long => reader.read_i32()?.into(),
        Discriminator::ULong => reader.read_u32()?.into(),
        Discriminator::LongLong => reader.read_i64()?,
        Discriminator::ULongLong => reader.read_u64()?.cast_signed(),
        Discriminator::Boolean => reader.read_bool()?.into(),
        Discriminator::Octet => reader.read_u8()?.into(),
        Discriminator::Char => u32::from(reader.read_char()?).into(),
        Discriminator::WChar => u32::from(reader.read_wchar()?).into(),
        Discriminator::Enumeration(values) => {
            let value = reader.read_u32()?;
            if value >= values {
                return Err(reader.error(CdrErrorKind::BadEnum, WHAT));
            }
            value.into()
        }
    })
}

/// Appends a discriminator.
///
/// # Errors
/// `BadDiscriminator` for a label that is not a value of the type; `BadText` for a character that the
/// code set does not have.
pub fn write_label(
    discriminator: Discriminator,
    label: i64,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    fn number<T: TryFrom<i64>>(label: i64, writer: &CdrWriter<'_>) -> CdrResult<T> {
        T::try_from(label).map_err(|_| writer.error(CdrErrorKind::BadDiscriminator, WHAT))
    }
    let character = |writer: &CdrWriter<'_>| {
        u32::try_from(label)
            .ok()
            .and_then(char::from_u32)
            .ok_or_else(|| writer.error(CdrErrorKind::BadDiscriminator, WHAT))
    };
    match discriminator {
        Discriminator::Short => writer.write_i16(number(label, writer)?),
        Discriminator::UShort => writer.write_u16(number(label, writer)?),
        Discriminator::Long => writer.write_i32(number(label, writer)?),
        Discriminator::ULong => writer.write_u32(number(label, writer)?),
        Discriminator::LongLong => writer.write_i64(label),
        Discriminator::ULongLong => writer.write_u64(label.cast_unsigned()),
        Discriminator::Octet => writer.write_u8(number(label, writer)?),
        Discriminator::Boolean => match label {
            0 | 1 => writer.write_bool(label == 1),
            _ => return Err(writer.error(CdrErrorKind::BadDiscriminator, WHAT)),
        },
        Discriminator::Char => writer.write_char(character(writer)?)?,
        Discriminator::WChar => writer.write_wchar(character(writer)?)?,
        Discriminator::Enumeration(values) => {
            let value: u32 = number(label, writer)?;
            if value >= values {
                return Err(writer.error(CdrErrorKind::BadDiscriminator, WHAT));
            }
            writer.write_u32(value);
        }
    }
    Ok(())
}
