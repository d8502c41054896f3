//! Packed decimal (CORBA 3.3 part 2, 9.3.2.8): digits by twos, the sign in the last half-octet.

use zorb_cdr::{CdrError, CdrErrorKind, CdrReader, CdrResult, CdrWriter};

use super::value::{FixedError, FixedValue, POWERS};

const WHAT: &str = "fixed";
const POSITIVE: u8 = 0xc;
const NEGATIVE: u8 = 0xd;
/// Octets of 31 digits and the sign.
const LONGEST: usize = 16;

/// Takes a `fixed` of a type known at run time.
///
/// # Errors
/// `BadFixed` for what is no packed decimal number, `Truncated`, `BadTypeCode` for digits and
/// scale that no type has.
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
/// `BadFixed` for a number that the type does not have.
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

/// The octets of a number of so many digits.
pub(crate) const fn size(digits: u16) -> usize {
    digits as usize / 2 + 1
}

pub(super) fn read_unscaled(digits: u16, reader: &mut CdrReader<'_>) -> CdrResult<i128> {
    let octets = reader.take(size(digits), WHAT)?;
    let bad = || reader.error(CdrErrorKind::BadFixed, WHAT);
    let (&last, others) = octets.split_last().ok_or_else(bad)?;
    let mut number: i128 = 0;
    let mut digit = |half: u8| {
        number = number * 10 + i128::from(half);
        half <= 9
    };
    let mut good = others.iter().all(|&octet| digit(octet >> 4) && digit(octet & 0xf));
    good &= digit(last >> 4);
    let negative = match last & 0xf {
        POSITIVE => false,
        NEGATIVE => true,
        _ => return Err(bad()),
    };
    let limit = POWERS.get(usize::from(digits)).copied().unwrap_or(0);
    // The half-octet that evens out the digits holds none.
    if !good || number >= limit {
        return Err(bad());
    }
    Ok(if negative { -number } else { number })
}

pub(super) fn write_unscaled(
    unscaled: i128,
    digits: u16,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    let limit = POWERS.get(usize::from(digits)).copied().unwrap_or(0);
    if unscaled.unsigned_abs() >= limit.unsigned_abs() {
        return Err(writer.error(CdrErrorKind::BadFixed, WHAT));
    }
    let mut rest = unscaled.unsigned_abs();
    let mut digit = || {
        let digit = (rest % 10) as u8;
        rest /= 10;
        digit
    };
    let mut octets = [0; LONGEST];
    let room = octets.get_mut(..size(digits)).unwrap_or_default();
    let mut places = room.iter_mut().rev();
    if let Some(last) = places.next() {
        *last = (digit() << 4) | if unscaled < 0 { NEGATIVE } else { POSITIVE };
    }
    for place in places {
        let low = digit();
        *place = (digit() << 4) | low;
    }
    writer.put(room);
    Ok(())
}
