//! Fixed-point arithmetic, with the digits that IDL defines.

use core::cmp::Ordering;

use super::value::{FixedError, FixedValue, MAX_DIGITS, POWERS, digits_of};

/// The base of [`Wide`]'s limbs.
const BASE: u128 = 10_u128.pow(32);

/// An integer of up to 96 decimal digits, most significant limb first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide([u128; 3]);

impl Wide {
    pub(super) const fn of(number: u128) -> Self {
        Self([0, number / BASE, number % BASE])
    }

    /// The number × 10ᵖᵒʷᵉʳ; `power` is at most 62.
    pub(super) fn times_power(self, power: u32) -> Self {
        let mut wide = self;
        let mut left = power;
        while left > 0 {
            // A limb of 32 digits × 10⁶ fits into 128 bits.
            let step = left.min(6);
            wide = wide.times_small(10_u128.pow(step));
            left -= step;
        }
        wide
    }

    fn times_small(self, factor: u128) -> Self {
        let Self([high, middle, low]) = self;
        let low = low * factor;
        let middle = middle * factor + low / BASE;
        let high = (high * factor + middle / BASE) % BASE;
        Self([high, middle % BASE, low % BASE])
    }

    /// The product of two numbers below 10³¹.
    fn product(left: u128, right: u128) -> Self {
        const HALF: u128 = 10_u128.pow(16);
        let (a, b) = (left / HALF, left % HALF);
        let (c, d) = (right / HALF, right % HALF);
        // Each of the four products and the base are below 10³², so their sums fit.
        let cross = a * d + b * c;
        let low = b * d + (cross % HALF) * HALF;
        Self([0, a * c + cross / HALF + low / BASE, low % BASE])
    }

    fn plus(self, other: Self) -> Self {
        let Self([high, middle, low]) = self;
        let Self([other_high, other_middle, other_low]) = other;
        let low = low + other_low;
        let middle = middle + other_middle + low / BASE;
        Self([high + other_high + middle / BASE, middle % BASE, low % BASE])
    }

    /// The difference; `other` is not greater.
    fn minus(self, other: Self) -> Self {
        let Self([high, middle, low]) = self;
        let Self([other_high, other_middle, other_low]) = other;
        let borrow = |minuend: u128, subtrahend: u128| match minuend.checked_sub(subtrahend) {
            Some(difference) => (difference, 0),
            None => (minuend + BASE - subtrahend, 1),
        };
        let (low, carry) = borrow(low, other_low);
        let (middle, carry) = borrow(middle, other_middle + carry);
        Self([high.saturating_sub(other_high + carry), middle, low])
    }

    fn digits(self) -> u32 {
        let Self([high, middle, low]) = self;
        let of = |limb, below: u32| u32::from(digits_of(limb)) + below;
        if high > 0 {
            of(high, 64)
        } else if middle > 0 {
            of(middle, 32)
        } else {
            of(low, 0)
        }
    }

    /// The number without its last digit, and that digit.
    fn shortened(self) -> (Self, u128) {
        let Self([high, middle, low]) = self;
        const CARRY: u128 = BASE / 10;
        (
            Self([high / 10, middle / 10 + high % 10 * CARRY, low / 10 + middle % 10 * CARRY]),
            low % 10,
        )
    }

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
