//! Fixed-point arithmetic, with the digits that IDL defines.

use core::cmp::Ordering;

use super::value::{FixedError, FixedValue, MAX_DIGITS, POWERS};
use super::wide::Wide;

impl Wide {
    /// A number with `scale` digits after the point, truncated to 31 significant digits.
    fn into_value(self, negative: bool, scale: i32) -> Result<FixedValue, FixedError> {
        let (mut wide, mut scale) = (self, scale);
        while scale > 0 && (wide.digits() > 31 || scale > i32::from(MAX_DIGITS)) {
            wide = wide.shortened().0;
            scale -= 1;
        }
        let Self([high, middle, low]) = wide;
        if high > 0 || middle > 0 {
            return Err(FixedError::Overflow);
        }
        let magnitude = low.cast_signed();
        let scale = i16::try_from(scale).map_err(|_| FixedError::Overflow)?;
        FixedValue::new(if negative { -magnitude } else { magnitude }, scale)
            .ok_or(FixedError::Overflow)
    }
}

impl FixedValue {
    /// The sum, truncated after the point to 31 digits.
    ///
    /// # Errors
    /// `Overflow` when there are more than 31 digits before the point.
    pub fn checked_add(self, other: Self) -> Result<Self, FixedError> {
        let (left, right) = (self.plain()?, other.plain()?);
        let scale = left.scale().max(right.scale());
        let wide = |value: Self| {
            Wide::of(value.unscaled().unsigned_abs())
                .times_power(u32::from(scale.abs_diff(value.scale())))
        };
        let (one, two) = (wide(left), wide(right));
        let (negative, other_negative) = (left.unscaled() < 0, right.unscaled() < 0);
        let (magnitude, negative) = if negative == other_negative {
            (one.plus(two), negative)
        } else {
            match one.cmp(&two) {
                Ordering::Less => (two.minus(one), other_negative),
                _ => (one.minus(two), negative),
            }
        };
        magnitude.into_value(negative, scale.into())
    }

    /// The difference, truncated after the point to 31 digits.
    ///
    /// # Errors
    /// `Overflow` when there are more than 31 digits before the point.
    pub fn checked_sub(self, other: Self) -> Result<Self, FixedError> {
        self.checked_add(-other)
    }

    /// The product, truncated after the point to 31 digits.
    ///
    /// # Errors
    /// `Overflow` when there are more than 31 digits before the point.
    pub fn checked_mul(self, other: Self) -> Result<Self, FixedError> {
        let (left, right) = (self.plain()?, other.plain()?);
        let wide = Wide::product(left.unscaled().unsigned_abs(), right.unscaled().unsigned_abs());
        let negative = (left.unscaled() < 0) != (right.unscaled() < 0);
        wide.into_value(negative, i32::from(left.scale()) + i32::from(right.scale()))
    }

    /// The quotient, truncated to 31 significant digits. An exact quotient has no trailing zeros after the
    /// point.
    ///
    /// # Errors
    /// `DivisionByZero`; `Overflow` when there are more than 31 digits before the point.
    pub fn checked_div(self, other: Self) -> Result<Self, FixedError> {
        let (left, right) = (self.plain()?, other.plain()?);
        let divisor = right.unscaled().unsigned_abs();
        if divisor == 0 {
            return Err(FixedError::DivisionByZero);
        }
        let dividend = left.unscaled().unsigned_abs();
        let (mut quotient, mut rest) = (dividend / divisor, dividend % divisor);
        let mut scale = i32::from(left.scale()) - i32::from(right.scale());
        let limit = POWERS[30].unsigned_abs();
        // Each step yields a digit; a negative scale needs further digits.
        while scale < 0 || (rest > 0 && scale < i32::from(MAX_DIGITS) && quotient < limit) {
            if quotient >= limit {
                return Err(FixedError::Overflow);
            }
            rest *= 10;
            quotient = quotient * 10 + rest / divisor;
            rest %= divisor;
            scale += 1;
        }
        let negative = (left.unscaled() < 0) != (right.unscaled() < 0);
        Wide::of(quotient).into_value(negative, scale).map(Self::normalized)
    }
}
