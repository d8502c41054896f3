//! A decimal number whose digits are known at run time.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Neg;

use super::wide::{Wide, digits_of};
use crate::{CompletionStatus, MinorCode, SystemException};

/// The maximum number of digits, and the maximum scale.
pub(super) const MAX_DIGITS: u16 = 31;

/// The powers of ten up to 10³¹.
pub(super) const POWERS: [i128; 32] = {
    let mut powers = [1; 32];
    let mut index = 1;
    while index < powers.len() {
        powers[index] = powers[index - 1] * 10;
        index += 1;
    }
    powers
};

/// A decimal number with up to 31 digits, like the class `Fixed` of other mappings: the arithmetic of
/// [`Fixed`](crate::Fixed), and a `fixed` of a type known at run time.
///
/// Results have the digits that IDL defines (CORBA 3.3 part 1, 7.9.2): exact up to 31 significant digits,
/// then truncated. Numbers compare by value: 1.5 equals 1.50.
#[derive(Clone, Copy, Default)]
pub struct FixedValue {
    /// Its absolute value is less than 10³¹.
    unscaled: i128,
    /// From -31 to 31.
    scale: i16,
}

/// A decimal number cannot be represented, computed or parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FixedError {
    /// More digits before the point than the type has, or more than 31.
    Overflow,
    /// More digits after the point than the type has.
    Inexact,
    /// A division by zero.
    DivisionByZero,
    /// Text that is not a decimal number.
    Malformed,
}

impl fmt::Display for FixedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "the number has too many digits before the point",
            Self::Inexact => "the number has too many digits after the point",
            Self::DivisionByZero => "a decimal number is divided by zero",
            Self::Malformed => "the text is not a decimal number",
        })
    }
}

impl core::error::Error for FixedError {}

impl From<FixedError> for SystemException {
    /// `DATA_CONVERSION`, as in other mappings.
    fn from(_: FixedError) -> Self {
        Self::data_conversion(MinorCode::default(), CompletionStatus::No)
    }
}

impl FixedValue {
    /// Zero.
    pub const ZERO: Self = Self { unscaled: 0, scale: 0 };

    /// The number `unscaled` × 10⁻ˢᶜᵃˡᵉ; `None` for more than 31 digits or a scale outside -31 to 31.
    pub const fn new(unscaled: i128, scale: i16) -> Option<Self> {
        let in_range = unscaled.unsigned_abs() < POWERS[31].unsigned_abs()
            && scale.unsigned_abs() <= MAX_DIGITS;
        if in_range { Some(Self { unscaled, scale }) } else { None }
    }

    /// As [`new`](Self::new), unchecked.
    pub(super) const fn of(unscaled: i128, scale: i16) -> Self {
        Self { unscaled, scale }
    }

    /// The digits as an integer: the value × 10ˢᶜᵃˡᵉ.
    pub const fn unscaled(self) -> i128 {
        self.unscaled
    }

    /// Total number of digits: `fixed_digits`. At least the number of digits after the point.
    pub fn digits(self) -> u16 {
        let significant = digits_of(self.unscaled.unsigned_abs());
        significant.max(self.scale.max(0).unsigned_abs()).max(1)
    }

    /// Number of digits after the point: `fixed_scale`. A negative scale counts omitted zeros before the
    /// point.
    pub const fn scale(self) -> i16 {
        self.scale
    }

    /// The same number without trailing zeros after the point.
    #[must_use]
    pub fn normalized(self) -> Self {
        let mut value = self;
        while value.scale > 0 && value.unscaled % 10 == 0 {
            value = Self { unscaled: value.unscaled / 10, scale: value.scale - 1 };
        }
        value
    }

    /// The number truncated to `scale` digits after the point.
    ///
    /// # Errors
    /// `Overflow` when it would have more than 31 digits.
    pub fn truncate(self, scale: i16) -> Result<Self, FixedError> {
        self.rescaled(scale, |_, _| 0)
    }

    /// The nearest number with `scale` digits after the point; halves are rounded away from zero.
    ///
    /// # Errors
    /// `Overflow` when it would have more than 31 digits.
    pub fn round(self, scale: i16) -> Result<Self, FixedError> {
        self.rescaled(scale, |rest, power| {
            i128::from(rest.unsigned_abs() >= power.unsigned_abs().div_ceil(2)) * rest.signum()
        })
    }

    /// The digits as an integer at another scale, exactly.
    pub(super) fn unscaled_at(self, scale: i16) -> Result<i128, FixedError> {
        let same = self.truncate(scale)?;
        if same == self { Ok(same.unscaled) } else { Err(FixedError::Inexact) }
    }

    fn rescaled(self, scale: i16, carry: impl Fn(i128, i128) -> i128) -> Result<Self, FixedError> {
        let more = i32::from(scale) - i32::from(self.scale);
        let power = POWERS.get(more.unsigned_abs() as usize).copied();
        let unscaled = match power {
            _ if self.unscaled == 0 => Some(0),
            Some(power) if more >= 0 => self.unscaled.checked_mul(power),
            Some(power) => {
                let rest = self.unscaled % power;
                Some(self.unscaled / power + carry(rest, power))
            }
            None if more >= 0 => None,
            // All digits are cut off.
            None => Some(0),
        };
        unscaled.and_then(|unscaled| Self::new(unscaled, scale)).ok_or(FixedError::Overflow)
    }

    /// The number truncated to an integer.
    ///
    /// # Errors
    /// `Overflow` when it would have more than 31 digits.
    pub fn to_integer(self) -> Result<i128, FixedError> {
        self.truncate(0).map(Self::unscaled)
    }

    /// The same number with a scale that is not negative.
    pub(super) fn plain(self) -> Result<Self, FixedError> {
        if self.scale < 0 { self.truncate(0) } else { Ok(self) }
    }
}

impl From<i64> for FixedValue {
    fn from(number: i64) -> Self {
        Self { unscaled: number.into(), scale: 0 }
    }
}

impl From<u64> for FixedValue {
    fn from(number: u64) -> Self {
        Self { unscaled: number.into(), scale: 0 }
    }
}

impl From<i32> for FixedValue {
    fn from(number: i32) -> Self {
        Self { unscaled: number.into(), scale: 0 }
    }
}

impl Neg for FixedValue {
    type Output = Self;

    fn neg(self) -> Self {
        Self { unscaled: -self.unscaled, scale: self.scale }
    }
}

impl PartialEq for FixedValue {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for FixedValue {}

impl PartialOrd for FixedValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FixedValue {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = self.unscaled.signum().cmp(&other.unscaled.signum());
        if sign.is_ne() || self.unscaled == 0 {
            return sign;
        }
        // Scales differ by at most 62, so both numbers fit into a `Wide` at the larger scale.
        let scale = self.scale.max(other.scale);
        let at_scale = |value: &Self| {
            Wide::of(value.unscaled.unsigned_abs())
                .times_power(u32::from(scale.abs_diff(value.scale)))
        };
        let magnitude = at_scale(self).cmp(&at_scale(other));
        if self.unscaled < 0 { magnitude.reverse() } else { magnitude }
    }
}

impl Hash for FixedValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut value = *self;
        while value.unscaled != 0 && value.unscaled % 10 == 0 {
            value = Self { unscaled: value.unscaled / 10, scale: value.scale - 1 };
        }
        let scale = if value.unscaled == 0 { 0 } else { value.scale };
        (value.unscaled, scale).hash(state);
    }
}
