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
