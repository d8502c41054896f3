//! Packed decimal (CORBA 3.3 part 2, 9.3.2.8): two digits an octet, the sign in the last half-octet.

use zorb_cdr::{CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::value::{FixedError, FixedValue, POWERS};

const WHAT: &str = "fixed";
const POSITIVE: u8 = 0xc;
const NEGATIVE: u8 = 0xd;
/// Octets for 31 digits and the sign.
const LONGEST: usize = 16;

/// Reads a `fixed` of a type known at run time.
///
/// # Errors
/// `BadFixed` for octets that are not a packed decimal number, `Truncated`, `BadTypeCode` for invalid
/// digits and scale.
pub fn read_fixed(digits: u16, scale: i16, reader: &mut CdrReader<'_>) -> CdrResult<FixedValue> {
    if !crate::type_code::is_fixed(digits, scale) {
        return Err(reader.error(CdrErrorKind::BadTypeCode, WHAT));
    }
    let unscaled = read_unscaled(digits, reader)?;
    FixedValue::new(unscaled, scale).ok_or_else(|| reader.error(CdrErrorKind::BadFixed, WHAT))
}

/// Appends a number as a `fixed` of a type known at run time.
///
/// # Errors
/// `BadFixed` for a number that is not a value of the type.
pub fn write_fixed(
    value: FixedValue,
    digits: u16,
    scale: i16,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let unscaled = value.unscaled_at(scale).map_err(|error| unfit(error, writer))?;
    write_unscaled(unscaled, digits, writer)
}

fn unfit(_: FixedError, writer: &CdrWriter<'_>) -> CdrError {
    writer.error(CdrErrorKind::BadFixed, WHAT)
}

/// The size in octets of a number with `digits` digits.
pub(crate) const fn size(digits: u16) -> usize {
    digits as usize / 2 + 1
}

/// Octets of digits that fit into 64 bits.
const CHUNK: usize = 9;

pub(super) fn read_unscaled(digits: u16, reader: &mut CdrReader<'_>) -> CdrResult<i128> {
    let octets = reader.take(size(digits), WHAT)?;
    unpack(digits, octets).ok_or_else(|| reader.error(CdrErrorKind::BadFixed, WHAT))
}

pub(super) fn write_unscaled(
    unscaled: i128,
    digits: u16,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let mut octets = [0; LONGEST];
    let room = octets.get_mut(..size(digits)).unwrap_or_default();
    if pack(unscaled, digits, room).is_none() {
        return Err(writer.error(CdrErrorKind::BadFixed, WHAT));
    }
    writer.put(room);
    Ok(())
}

/// The number in the octets of a `fixed`; `None` if they are invalid.
pub(super) fn unpack(digits: u16, octets: &[u8]) -> Option<i128> {
    let (&last, others) = octets.split_last()?;
    let negative = match last & 0xf {
        POSITIVE => false,
        NEGATIVE => true,
        _ => return None,
    };
    // With an even number of digits, the first half-octet is padding.
    let filler = if digits.is_multiple_of(2) { octets.first()? >> 4 } else { 0 };
    let is_good = |octet: &u8| octet >> 4 <= 9 && octet & 0xf <= 9;
    if filler != 0 || last >> 4 > 9 || !others.iter().all(is_good) {
        return None;
    }
    let mut number: i128 = 0;
    for chunk in others.chunks(CHUNK) {
        let value = chunk.iter().fold(0_u64, |value, octet| {
            value * 100 + u64::from(octet >> 4) * 10 + u64::from(octet & 0xf)
        });
        number = number * POWERS.get(2 * chunk.len())? + i128::from(value);
    }
    number = number * 10 + i128::from(last >> 4);
    Some(if negative { -number } else { number })
}

/// Writes the octets of a `fixed`; `None` for a number with more digits.
pub(super) fn pack(unscaled: i128, digits: u16, octets: &mut [u8]) -> Option<()> {
    let limit = POWERS.get(usize::from(digits))?;
    if unscaled.unsigned_abs() >= limit.unsigned_abs() {
        return None;
    }
    let mut rest = unscaled.unsigned_abs();
    let mut digit = || {
        let digit = (rest % 10) as u8;
        rest /= 10;
        digit
    };
    let mut octets = octets.iter_mut().rev();
    *octets.next()? = (digit() << 4) | if unscaled < 0 { NEGATIVE } else { POSITIVE };
    for octet in octets {
        let low = digit();
        *octet = (digit() << 4) | low;
    }
    Some(())
}
