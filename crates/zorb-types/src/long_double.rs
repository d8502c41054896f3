//! The IDL type `long double`.

#[cfg(test)]
mod tests;

use core::cmp::Ordering;
use core::fmt;

use zorb_cdr::{
    ByteOrder, CdrReader, CdrResult, CdrWriter, FixedLayout, FixedReader, FixedWriter, Number, Wire,
};

use crate::{TcKind, TypeDesc, Typed};

/// Octets on the wire.
const SIZE: usize = 16;
/// Alignment on the wire: half of the size (CORBA 3.3 part 2, table 9-1).
const ALIGNMENT: usize = 8;

const FRACTION_BITS: u32 = 112;
const FRACTION: u128 = (1 << FRACTION_BITS) - 1;
const SIGN: u128 = 1 << 127;
/// The exponent of infinities and NaNs; it is also twice the bias and one.
const EXPONENT_MAX: u128 = 0x7fff;
const BIAS: i32 = 0x3fff;

const F64_FRACTION_BITS: u32 = 52;
const F64_BIAS: i32 = 1023;

/// The IDL type `long double`: an IEEE 754 quadruple-precision number with 113 significant bits.
///
/// Stable Rust has no such type. This one preserves the bits, compares and converts, but does not
/// calculate. Every `f64` and every 64-bit integer converts exactly; [`to_f64`](Self::to_f64) rounds to
/// nearest.
///
/// ```
/// use zorb_types::LongDouble;
///
/// let third = LongDouble::from(1.0 / 3.0);
/// assert_eq!(third.to_f64(), 1.0 / 3.0);
/// assert!(third < LongDouble::from(1_i64));
/// assert_eq!(third.to_bits() >> 112, 0x3ffd);
/// ```
///
/// ```text
/// sign: 1 bit | exponent: 15 bits, bias 16383 | fraction: 112 bits     16 octets, aligned to 8
/// ```
#[derive(Clone, Copy, Default)]
pub struct LongDouble(u128);

impl LongDouble {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// Positive infinity.
    pub const INFINITY: Self = Self(EXPONENT_MAX << FRACTION_BITS);
    /// Not a number.
    pub const NAN: Self = Self(EXPONENT_MAX << FRACTION_BITS | 1 << (FRACTION_BITS - 1));

    /// The number with these bits: sign, exponent and fraction, from the highest bit on.
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The bits of the number.
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// Whether it is not a number.
    pub const fn is_nan(self) -> bool {
        self.0 & !SIGN > Self::INFINITY.0
    }

    /// Whether it is neither infinite nor NaN.
    pub const fn is_finite(self) -> bool {
        self.0 & !SIGN < Self::INFINITY.0
    }

    /// Whether the sign bit is set, also of zeros and NaNs.
    pub const fn is_sign_negative(self) -> bool {
        self.0 & SIGN != 0
    }

    /// The nearest `f64`, ties to even; infinite beyond its range.
    #[expect(clippy::cast_possible_truncation, reason = "fields are masked to their width")]
    pub const fn to_f64(self) -> f64 {
        let sign = ((self.0 >> 64) as u64) & (1 << 63);
        let exponent = (self.0 >> FRACTION_BITS & EXPONENT_MAX) as i32;
        let fraction = self.0 & FRACTION;
        let magnitude = if exponent == EXPONENT_MAX as i32 {
            let payload = (fraction >> (FRACTION_BITS - F64_FRACTION_BITS)) as u64;
            // A NaN stays a NaN, even if the bits that make it one are cut off.
            let quiet = if fraction == 0 { 0 } else { 1 << (F64_FRACTION_BITS - 1) };
            0x7ff << F64_FRACTION_BITS | payload | quiet
        } else {
            rounded(exponent - BIAS + F64_BIAS, fraction | 1 << FRACTION_BITS)
        };
        f64::from_bits(sign | magnitude)
    }

    /// The same number, exactly. Unlike `from`, this is a `const fn`.
    pub const fn from_f64(number: f64) -> Self {
        const F64_FRACTION: u64 = (1 << F64_FRACTION_BITS) - 1;
        const WIDER: u32 = FRACTION_BITS - F64_FRACTION_BITS;
        let bits = number.to_bits();
        let sign = ((bits >> 63) as u128) << 127;
        let exponent = bits >> F64_FRACTION_BITS & 0x7ff;
        let fraction = bits & F64_FRACTION;
        let magnitude = match (exponent, fraction) {
            (0, 0) => 0,
            (0, _) => {
                // A subnormal `f64` is a normal quadruple.
                let Self(whole) = Self::from_magnitude(false, fraction);
                let least = (F64_BIAS - 1).unsigned_abs() + F64_FRACTION_BITS;
                whole - ((least as u128) << FRACTION_BITS)
            }
            (0x7ff, _) => EXPONENT_MAX << FRACTION_BITS | (fraction as u128) << WIDER,
            _ => {
                let exponent = exponent as u128 + (BIAS - F64_BIAS).unsigned_abs() as u128;
                exponent << FRACTION_BITS | (fraction as u128) << WIDER
            }
        };
        Self(sign | magnitude)
    }

    /// The exact value of an integer.
    const fn from_magnitude(negative: bool, magnitude: u64) -> Self {
        if magnitude == 0 {
            return Self::ZERO;
        }
        let top = 63 - magnitude.leading_zeros();
        let fraction = ((magnitude as u128) << (FRACTION_BITS - top)) & FRACTION;
        let exponent = (BIAS as u32 + top) as u128;
        let sign = if negative { SIGN } else { 0 };
        Self(sign | exponent << FRACTION_BITS | fraction)
    }
}

/// The bits of an `f64` without sign, with the exponent field `exponent` and a significand whose leading
/// bit is bit 112. Quadruples below the range of `f64` become 0.
const fn rounded(exponent: i32, significand: u128) -> u64 {
    if exponent >= 0x7ff {
        return 0x7ff << F64_FRACTION_BITS;
    }
    // Subnormal numbers lose a bit for each step below the least exponent.
    let below = if exponent < 1 { 1 - exponent } else { 0 };
    if below > F64_FRACTION_BITS as i32 + 1 {
        return 0;
    }
    let shift = FRACTION_BITS - F64_FRACTION_BITS + below.unsigned_abs();
    let kept = (significand >> shift) as u64;
    let rest = significand & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    // The leading bit adds one to the exponent field, and so does a carry from the fraction.
    let field = if below > 0 { 0 } else { (exponent - 1) as u64 };
    (field << F64_FRACTION_BITS) + kept + up as u64
}

impl From<f64> for LongDouble {
    fn from(number: f64) -> Self {
        Self::from_f64(number)
    }
}

impl From<f32> for LongDouble {
    fn from(number: f32) -> Self {
        Self::from(f64::from(number))
    }
}

impl From<i64> for LongDouble {
    fn from(number: i64) -> Self {
        Self::from_magnitude(number < 0, number.unsigned_abs())
    }
}

impl From<u64> for LongDouble {
    fn from(number: u64) -> Self {
        Self::from_magnitude(false, number)
    }
}

impl PartialEq for LongDouble {
    /// Compares numbers: the two zeros are equal, NaNs are not.
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for LongDouble {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        let ordinal = |number: &Self| {
            let magnitude = (number.0 & !SIGN).cast_signed();
            if number.is_sign_negative() { -magnitude } else { magnitude }
        };
        Some(ordinal(self).cmp(&ordinal(other)))
    }
}

impl fmt::Display for LongDouble {
    /// As an `f64` if that is the same number, otherwise in hexadecimal: `0x1.8p-20000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let near = self.to_f64();
        if self.is_nan() || Self::from(near) == *self {
            return near.fmt(f);
        }
        let sign = if self.is_sign_negative() { "-" } else { "" };
        let exponent = (self.0 >> FRACTION_BITS & EXPONENT_MAX) as i32;
        let (lead, exponent) = if exponent == 0 { (0, 1) } else { (1, exponent) };
        write!(f, "{sign}0x{lead}.{:028x}p{}", self.0 & FRACTION, exponent - BIAS)
    }
}

impl fmt::Debug for LongDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl zorb_interp::Tabled for LongDouble {}

impl Wire for LongDouble {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = SIZE;
    // As two numbers of half the size, which have the same alignment.
    const LAYOUT: Option<FixedLayout> = FixedLayout::array(<u64 as Wire>::LAYOUT, 2);
    const ALWAYS_AS_IS: bool = true;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.align(ALIGNMENT);
        let order = writer.order();
        writer.put(&value.0.to_octets(order));
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        const WHAT: &str = "long double";
        reader.step(ALIGNMENT);
        reader.align(ALIGNMENT);
        let octets = reader.take(SIZE, WHAT)?;
        let octets = octets
            .first_chunk::<SIZE>()
            .ok_or_else(|| reader.error(zorb_cdr::CdrErrorKind::Truncated, WHAT))?;
        Ok(Self(u128::from_octets(*octets, reader.order())))
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }

    fn write_fixed(value: &Self, writer: &mut FixedWriter<'_>) -> Option<()> {
        let (high, low) = ((value.0 >> 64) as u64, value.0 as u64);
        let halves = match writer.order() {
            ByteOrder::Little => [low, high],
            ByteOrder::Big => [high, low],
        };
        <u64 as Wire>::write_fixed_array(&halves, writer)
    }

    fn read_fixed(reader: &mut FixedReader<'_>) -> Option<Self> {
        let order = reader.order();
        let [first, second] = <u64 as Wire>::read_fixed_array(reader)?;
        let (high, low) = match order {
            ByteOrder::Little => (second, first),
            ByteOrder::Big => (first, second),
        };
        Some(Self(u128::from(high) << 64 | u128::from(low)))
    }
}

impl Typed for LongDouble {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::plain(TcKind::LongDouble) }
    }
}
