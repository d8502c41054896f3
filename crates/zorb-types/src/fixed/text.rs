//! Decimal numbers as text.

use core::fmt;
use core::str::FromStr;

use super::value::{FixedError, FixedValue};

impl FixedValue {
    /// Parses a decimal number: an optional sign, digits with an optional point, and an optional `d` as in
    /// IDL.
    ///
    /// Leading and trailing zeros do not count as digits, but trailing zeros after the point count for the
    /// scale, up to its limit.
    ///
    /// # Errors
    /// `Malformed`; `Overflow` for more than 31 digits before the point, `Inexact` for more than 31 digits
    /// in all.
    pub const fn parse(text: &str) -> Result<Self, FixedError> {
        let (sign, mut octets) = match text.as_bytes() {
            [b'-', rest @ ..] => (-1, rest),
            [b'+', rest @ ..] => (1, rest),
            rest => (1, rest),
        };
        if let [rest @ .., b'd' | b'D'] = octets {
            octets = rest;
        }
        let mut unscaled: i128 = 0;
        let mut scale: i16 = 0;
        // Zeros after the point, which count only if another digit follows.
        let mut zeros: i16 = 0;
        let mut is_fraction = false;
        let mut digits = 0_usize;
        while let [octet, rest @ ..] = octets {
            octets = rest;
            match *octet {
                b'.' if !is_fraction => is_fraction = true,
                b'0' if is_fraction => {
                    digits += 1;
                    zeros = zeros.saturating_add(1);
                }
                b'0'..=b'9' => {
                    digits += 1;
                    while zeros > 0 {
                        zeros -= 1;
                        match next(unscaled, 0, scale, true) {
                            Ok(longer) => (unscaled, scale) = longer,
                            Err(error) => return Err(error),
                        }
                    }
                    match next(unscaled, *octet - b'0', scale, is_fraction) {
                        Ok(longer) => (unscaled, scale) = longer,
                        Err(error) => return Err(error),
                    }
                }
                _ => return Err(FixedError::Malformed),
            }
        }
        if digits == 0 {
            return Err(FixedError::Malformed);
        }
        while zeros > 0 {
            zeros -= 1;
            match next(unscaled, 0, scale, true) {
                Ok(longer) => (unscaled, scale) = longer,
                Err(_) => break,
            }
        }
        match Self::new(sign * unscaled, scale) {
            Some(value) => Ok(value),
            None => Err(FixedError::Overflow),
        }
    }
}

/// The number with one more digit.
const fn next(
    unscaled: i128,
    digit: u8,
    scale: i16,
    is_fraction: bool,
) -> Result<(i128, i16), FixedError> {
    let scale = if is_fraction { scale + 1 } else { scale };
    match FixedValue::new(unscaled * 10 + digit as i128, scale) {
        Some(value) => Ok((value.unscaled(), scale)),
        None if is_fraction => Err(FixedError::Inexact),
        None => Err(FixedError::Overflow),
    }
}

impl FromStr for FixedValue {
    type Err = FixedError;

    /// As [`parse`](Self::parse).
    fn from_str(text: &str) -> Result<Self, FixedError> {
        Self::parse(text)
    }
}

impl fmt::Display for FixedValue {
    /// With as many digits after the point as the scale: `-0.050`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// A sign, 62 digits and a point.
        const LONGEST: usize = 64;
        let mut text = [b'0'; LONGEST];
        let mut rest = self.unscaled().unsigned_abs();
        let places = usize::from(self.scale().max(0).unsigned_abs());
        let zeros = usize::from(self.scale().min(0).unsigned_abs());
        let mut at = LONGEST - if rest == 0 { 0 } else { zeros };
        let mut written = 0;
        while rest > 0 || written <= places {
            if written == places && places > 0 {
                at -= 1;
                text[at] = b'.';
            }
            at -= 1;
            text[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            written += 1;
        }
        let digits = core::str::from_utf8(text.get(at..).unwrap_or_default()).unwrap_or_default();
        f.pad_integral(self.unscaled() >= 0, "", digits)
    }
}

impl fmt::Debug for FixedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
