//! The fields of bit sets.

/// The type of a field of a bit set: `bool` and the integers.
///
/// This trait is sealed.
pub trait BitField: Copy + PartialEq + sealed::Sealed {
    /// The value's bits, sign extended.
    fn to_bits(self) -> u64;
    /// The value of the lowest `width` bits.
    fn from_bits(bits: u64, width: u16) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for bool {}

impl BitField for bool {
    fn to_bits(self) -> u64 {
        u64::from(self)
    }

    fn from_bits(bits: u64, _width: u16) -> Self {
        bits & 1 == 1
    }
}

macro_rules! fields {
    ($($unsigned:ty, $signed:ty;)*) => {$(
        impl sealed::Sealed for $unsigned {}
        impl sealed::Sealed for $signed {}

        impl BitField for $unsigned {
            fn to_bits(self) -> u64 {
                u64::from(self)
            }

            fn from_bits(bits: u64, width: u16) -> Self {
                (bits & mask(width)) as Self
            }
        }

        impl BitField for $signed {
            fn to_bits(self) -> u64 {
                i64::from(self).cast_unsigned()
            }

            fn from_bits(bits: u64, width: u16) -> Self {
                let above = u32::from(64_u16.saturating_sub(width)).min(63);
                ((bits << above).cast_signed() >> above) as Self
            }
        }
    )*};
}

fields! {
    u8, i8;
    u16, i16;
    u32, i32;
    u64, i64;
}

/// The lowest `width` bits.
const fn mask(width: u16) -> u64 {
    match width {
        0 => 0,
        1..64 => (1 << width) - 1,
        _ => u64::MAX,
    }
}

/// The bits of a field, shifted to its offset; `None` if the value does not fit.
pub fn put_field<T: BitField>(value: T, offset: u16, width: u16) -> Option<u64> {
    let bits = value.to_bits() & mask(width);
    (T::from_bits(bits, width) == value).then(|| bits << offset)
}

/// The value of a field.
pub fn take_field<T: BitField>(bits: u64, offset: u16, width: u16) -> T {
    T::from_bits(bits >> offset, width)
}
