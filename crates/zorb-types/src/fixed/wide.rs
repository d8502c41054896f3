//! Integers of up to 96 decimal digits.

/// The base of [`Wide`]'s limbs.
const BASE: u128 = 10_u128.pow(32);

/// An integer of up to 96 decimal digits, most significant limb first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide(pub(super) [u128; 3]);

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
    pub(super) fn product(left: u128, right: u128) -> Self {
        const HALF: u128 = 10_u128.pow(16);
        let (a, b) = (left / HALF, left % HALF);
        let (c, d) = (right / HALF, right % HALF);
        // Each of the four products and the base are below 10³², so their sums fit.
        let cross = a * d + b * c;
        let low = b * d + (cross % HALF) * HALF;
        Self([0, a * c + cross / HALF + low / BASE, low % BASE])
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let Self([high, middle, low]) = self;
        let Self([other_high, other_middle, other_low]) = other;
        let low = low + other_low;
        let middle = middle + other_middle + low / BASE;
        Self([high + other_high + middle / BASE, middle % BASE, low % BASE])
    }

    /// The difference; `other` is not greater.
    pub(super) fn minus(self, other: Self) -> Self {
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

    pub(super) fn digits(self) -> u32 {
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
    pub(super) fn shortened(self) -> (Self, u128) {
        let Self([high, middle, low]) = self;
        const CARRY: u128 = BASE / 10;
        (
            Self([high / 10, middle / 10 + high % 10 * CARRY, low / 10 + middle % 10 * CARRY]),
            low % 10,
        )
    }
}

/// Number of significant digits; 0 for zero.
pub(super) fn digits_of(number: u128) -> u16 {
    number.checked_ilog10().map_or(0, |digits| digits as u16 + 1)
}
