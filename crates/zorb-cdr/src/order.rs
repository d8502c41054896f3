//! The byte order of a message or encapsulation.

/// The order of octets within a primitive (CORBA 3.3 part 2, 9.3.1.1).
///
/// On the wire it is one bit: 0 for big-endian, 1 for little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Most significant octet first.
    Big,
    /// Least significant octet first.
    Little,
}

impl ByteOrder {
    /// The byte order of this machine, which senders use by default.
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::Big } else { Self::Little };

    /// The order in bit 0 of a flags octet.
    pub const fn from_flag(octet: u8) -> Self {
        if octet & 1 == 0 { Self::Big } else { Self::Little }
    }

    /// This order as a flags octet, 0 or 1.
    #[inline]
    pub const fn flag(self) -> u8 {
        match self {
            Self::Big => 0,
            Self::Little => 1,
        }
    }

    /// The other order.
    #[inline]
    #[must_use]
    pub const fn swapped(self) -> Self {
        match self {
            Self::Big => Self::Little,
            Self::Little => Self::Big,
        }
    }
}

/// A number, whose octets have either order.
///
/// This trait is sealed.
pub trait Number: Copy + sealed::Sealed {
    /// As many octets as the number has.
    type Octets;

    /// The octets of the number in this order.
    fn to_octets(self, order: ByteOrder) -> Self::Octets;

    /// The number that has these octets in this order.
    fn from_octets(octets: Self::Octets, order: ByteOrder) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl sealed::Sealed for $type {}

        impl Number for $type {
            type Octets = [u8; size_of::<Self>()];

            #[inline]
            fn to_octets(self, order: ByteOrder) -> Self::Octets {
                match order {
                    ByteOrder::Big => self.to_be_bytes(),
                    ByteOrder::Little => self.to_le_bytes(),
                }
            }

            #[inline]
            fn from_octets(octets: Self::Octets, order: ByteOrder) -> Self {
                match order {
                    ByteOrder::Big => Self::from_be_bytes(octets),
                    ByteOrder::Little => Self::from_le_bytes(octets),
                }
            }
        }
    )*};
}

number!(u8, i8, u16, i16, u32, i32, u64, i64, u128, f32, f64);
