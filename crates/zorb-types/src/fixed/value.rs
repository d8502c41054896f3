//! A decimal number whose digits are known at run time.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Neg;

use super::arithmetic::Wide;
use crate::{CompletionStatus, MinorCode, SystemException};

/// The most digits, and the most places after the point.
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

/// A decimal number of up to 31 digits, the class `Fixed` of other mappings: what
/// [`Fixed`](crate::Fixed) is calculated with, and what a `fixed` of a type known at run time is.
///
/// Sums, products and quotients have the digits that IDL gives them (CORBA 3.3 part 1, 7.9.2):
/// exact up to 31 significant digits, then cut off without rounding. Numbers compare by value:
/// 1.5 is 1.50.
#[derive(Clone, Copy, Default)]
pub struct FixedValue {
    /// Less than 10³¹ without its sign.
    unscaled: i128,
    /// From -31 to 31.
    scale: i16,
}

/// A decimal number cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FixedError {
    /// More digits before the point than the type has, or more than 31.
    Overflow,
    /// Digits after the point that the type has no place for.
    Inexact,
    /// A division by zero.
    DivisionByZero,
    /// Text that is no decimal number.
    Malformed,
}

impl fmt::Display for FixedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "the number has too many digits before the point",
            Self::Inexact => "the number has too many digits after the point",
            Self::DivisionByZero => "a decimal number is divided by zero",
            Self::Malformed => "the text is no decimal number",
        })
    }
}

impl core::error::Error for FixedError {}

impl From<FixedError> for SystemException {
    /// `DATA_CONVERSION`, as other mappings raise.
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

    /// As [`new`](Self::new) for parts known to be in range.
    pub(super) const fn of(unscaled: i128, scale: i16) -> Self {
        Self { unscaled, scale }
    }

    /// The digits as a whole number: the value × 10ˢᶜᵃˡᵉ.
    pub const fn unscaled(self) -> i128 {
        self.unscaled
    }

    /// Digits in all: `fixed_digits`. At least as many as there are after the point.
    pub fn digits(self) -> u16 {
        let significant = digits_of(self.unscaled.unsigned_abs());
        significant.max(self.scale.max(0).unsigned_abs()).max(1)
    }

    /// Digits after the point: `fixed_scale`. Negative where zeros before the point are left out.
    pub const fn scale(self) -> i16 {
        self.scale
    }

    /// The same number with as few digits after the point as it can do with.
    #[must_use]
    pub fn normalized(self) -> Self {
        let mut value = self;
        while value.scale > 0 && value.unscaled % 10 == 0 {
            value = Self { unscaled: value.unscaled / 10, scale: value.scale - 1 };
        }
        value
    }

    /// The number with `scale` digits after the point, those beyond cut off.
    ///
    /// # Errors
    /// `Overflow` when it would have more than 31 digits.
    pub fn truncate(self, scale: i16) -> Result<Self, FixedError> {
        self.rescaled(scale, |_, _| 0)
    }

    /// The nearest number with `scale` digits after the point; halves go away from zero.
    ///
    /// # Errors
    /// `Overflow` when it would have more than 31 digits.
    pub fn round(self, scale: i16) -> Result<Self, FixedError> {
        self.rescaled(scale, |rest, power| {
            i128::from(rest.unsigned_abs() >= power.unsigned_abs().div_ceil(2)) * rest.signum()
        })
    }

    /// Its digits at another scale, exactly.
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
            // Fewer than 32 digits are taken away, and none of them counts.
            None => Some(0),
        };
        unscaled.and_then(|unscaled| Self::new(unscaled, scale)).ok_or(FixedError::Overflow)
    }

    /// The whole number of it, digits after the point cut off.
    pub fn to_integer(self) -> Result<i128, FixedError> {
        self.truncate(0).map(Self::unscaled)
    }

    /// The number with a scale that is not negative.
    pub(super) fn plain(self) -> Result<Self, FixedError> {
        if self.scale < 0 { self.truncate(0) } else { Ok(self) }
    }
}

/// Significant digits of a number, 0 of zero.
pub(super) fn digits_of(number: u128) -> u16 {
    number.checked_ilog10().map_or(0, |digits| digits as u16 + 1)
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
        // Scales differ by 62 at most, so that both fit a wide number at the larger one.
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
