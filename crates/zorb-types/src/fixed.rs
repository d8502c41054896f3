//! The IDL type `fixed`: decimal numbers of up to 31 digits.

mod arithmetic;
mod packed;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod wide;

use core::cmp::Ordering;
use core::fmt;
use core::ops::Neg;
use core::str::FromStr;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, FixedLayout, FixedReader, FixedWriter, Wire};

use crate::{TypeDesc, Typed};

pub use packed::{read_fixed, write_fixed};
pub use value::{FixedError, FixedValue};

/// The IDL type `fixed<D, S>`: a decimal number of `D` digits, `S` of them after the point.
///
/// On the wire it is packed decimal: two digits an octet, the sign in the last half-octet
/// (CORBA 3.3 part 2, 9.3.2.8).
///
/// ```
/// use zorb_types::{Fixed, FixedError};
///
/// const PRICE: Fixed<5, 2> = Fixed::constant(123_45);
///
/// let total: Fixed<6, 2> = PRICE.value().checked_add("0.55".parse()?)?.try_into()?;
/// assert_eq!(total.to_string(), "124.00");
/// assert_eq!("999.999".parse::<Fixed<5, 2>>(), Err(FixedError::Inexact));
/// # Ok::<(), FixedError>(())
/// ```
///
/// [`FixedValue`] has the arithmetic, whose results have the digits that the standard defines. A result
/// converts back exactly with `try_from`, or with [`rounded`](Self::rounded) or
/// [`truncated`](Self::truncated).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Fixed<const D: u16, const S: i16>(i128);

impl<const D: u16, const S: i16> Fixed<D, S> {
    /// The greatest number of the type.
    pub const MAX: Self = Self(value::POWERS[Self::DIGITS] - 1);
    /// The least number of the type.
    pub const MIN: Self = Self(1 - value::POWERS[Self::DIGITS]);

    /// Checked at compile time.
    const DIGITS: usize = {
        assert!(crate::type_code::is_fixed(D, S), "fixed<D, S>: 1 to 31 digits, S at most D");
        D as usize
    };

    /// The number `unscaled` × 10⁻ˢ; `None` when it has more than `D` digits.
    pub const fn from_unscaled(unscaled: i128) -> Option<Self> {
        if unscaled.unsigned_abs() < value::POWERS[Self::DIGITS].unsigned_abs() {
            Some(Self(unscaled))
        } else {
            None
        }
    }

    /// The number `unscaled` × 10⁻ˢ, for constants.
    ///
    /// # Panics
    /// When it has more than `D` digits; in a constant, that is a compile error.
    pub const fn constant(unscaled: i128) -> Self {
        assert!(
            unscaled.unsigned_abs() < value::POWERS[Self::DIGITS].unsigned_abs(),
            "more digits than the fixed type has"
        );
        Self(unscaled)
    }

    /// The digits as an integer: the value × 10ˢ.
    pub const fn unscaled(self) -> i128 {
        self.0
    }

    /// The number as a [`FixedValue`], which has the arithmetic.
    pub const fn value(self) -> FixedValue {
        FixedValue::of(self.0, S)
    }

    /// The nearest number of the type; halves are rounded away from zero.
    ///
    /// # Errors
    /// `Overflow` when there are too many digits before the point.
    pub fn rounded(value: FixedValue) -> Result<Self, FixedError> {
        Self::try_from(value.round(S)?)
    }

    /// The number without the digits after the point that the type does not have.
    ///
    /// # Errors
    /// `Overflow` when there are too many digits before the point.
    pub fn truncated(value: FixedValue) -> Result<Self, FixedError> {
        Self::try_from(value.truncate(S)?)
    }
}

impl<const D: u16, const S: i16> TryFrom<FixedValue> for Fixed<D, S> {
    type Error = FixedError;

    /// The same number, exactly; an error if the type does not have it.
    fn try_from(value: FixedValue) -> Result<Self, FixedError> {
        let unscaled = value.unscaled_at(S)?;
        Self::from_unscaled(unscaled).ok_or(FixedError::Overflow)
    }
}

impl<const D: u16, const S: i16> From<Fixed<D, S>> for FixedValue {
    fn from(fixed: Fixed<D, S>) -> Self {
        fixed.value()
    }
}

impl<const D: u16, const S: i16> FromStr for Fixed<D, S> {
    type Err = FixedError;

    /// As [`FixedValue`]; `Inexact` if the number has more digits after the point than the type.
    fn from_str(text: &str) -> Result<Self, FixedError> {
        text.parse::<FixedValue>()?.try_into()
    }
}

impl<const D: u16, const S: i16> Neg for Fixed<D, S> {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<const D: u16, const S: i16> PartialOrd for Fixed<D, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const D: u16, const S: i16> Ord for Fixed<D, S> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<const D: u16, const S: i16> fmt::Display for Fixed<D, S> {
    /// With all digits after the point: `1.50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

impl<const D: u16, const S: i16> fmt::Debug for Fixed<D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<const D: u16, const S: i16> zorb_interp::Tabled for Fixed<D, S> {}

impl<const D: u16, const S: i16> Wire for Fixed<D, S> {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = Self::DIGITS / 2 + 1;
    const LAYOUT: Option<FixedLayout> = FixedLayout::array(<u8 as Wire>::LAYOUT, packed::size(D));
    const ALWAYS_AS_IS: bool = true;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        packed::write_unscaled(value.0, D, writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.step(1);
        packed::read_unscaled(D, reader).map(Self)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }

    fn write_fixed(value: &Self, writer: &mut FixedWriter<'_>) -> Option<()> {
        let digits = writer.reserve::<1>(packed::size(D))?;
        packed::pack(value.0, D, digits.as_flattened_mut())
    }

    fn read_fixed(reader: &mut FixedReader<'_>) -> Option<Self> {
        let octets = reader.take_many::<1>(packed::size(D))?;
        let unscaled = packed::unpack(D, octets.as_flattened());
        reader.refuse(unscaled.is_none());
        Some(Self(unscaled.unwrap_or_default()))
    }
}

impl<const D: u16, const S: i16> Typed for Fixed<D, S> {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::fixed(D, S) }
    }
}
