//! The members of a run: what has a fixed size.

/// The sizes of numbers, and of all that is aligned as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// `octet`
    One,
    /// `short`, `unsigned short`
    Two,
    /// `long`, `unsigned long`, `float`
    Four,
    /// `long long`, `unsigned long long`, `double`
    Eight,
    /// `long double`: 16 octets, aligned to 8
    Sixteen,
}

impl Number {
    pub(crate) const fn size(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }
}

/// What one member of a run is, and what is checked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any octets will do.
    Number(Number),
    /// 0 or 1.
    Boolean,
    /// A character of one octet.
    Char,
    /// An `enum` of so many values.
    Enumeration(u32),
    /// A `fixed` of so many digits.
    Packed(u8),
}

impl Shape {
    pub(crate) const fn size(self) -> usize {
        match self {
            Self::Number(number) => number.size(),
            Self::Boolean | Self::Char => 1,
            Self::Enumeration(_) => 4,
            Self::Packed(digits) => digits as usize / 2 + 1,
        }
    }

    pub(crate) const fn alignment(self) -> usize {
        match self {
            Self::Number(Number::Sixteen) => 8,
            Self::Number(number) => number.size(),
            Self::Enumeration(_) => 4,
            Self::Boolean | Self::Char | Self::Packed(_) => 1,
        }
    }

    /// Whether the octets of it are turned round in the other byte order.
    pub(crate) const fn turns(self) -> bool {
        self.size() > 1 && !matches!(self, Self::Packed(_))
    }

    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::Number(_) => "number",
            Self::Boolean => "boolean",
            Self::Char => "char",
            Self::Enumeration(_) => "enum",
            Self::Packed(_) => "fixed",
        }
    }
}

/// One member of a run, or an array of such.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) shape: Shape,
    pub(crate) count: u32,
}

/// Copies octets in the opposite order; both are of the same length.
pub(crate) fn turn(from: &[u8], to: &mut [u8]) {
    for (place, octet) in to.iter_mut().zip(from.iter().rev()) {
        *place = *octet;
    }
}

/// Copies numbers of `size` octets each, every one turned round.
pub(crate) fn turn_each(size: usize, from: &[u8], to: &mut [u8]) {
    fn each<const N: usize>(from: &[u8], to: &mut [u8], turned: impl Fn([u8; N]) -> [u8; N]) {
        let (from, _) = from.as_chunks::<N>();
        let (to, _) = to.as_chunks_mut::<N>();
        for (place, octets) in to.iter_mut().zip(from) {
            *place = turned(*octets);
        }
    }
    match size {
        2 => each(from, to, |octets| u16::from_ne_bytes(octets).swap_bytes().to_ne_bytes()),
        4 => each(from, to, |octets| u32::from_ne_bytes(octets).swap_bytes().to_ne_bytes()),
        8 => each(from, to, |octets| u64::from_ne_bytes(octets).swap_bytes().to_ne_bytes()),
        16 => each(from, to, |octets| u128::from_ne_bytes(octets).swap_bytes().to_ne_bytes()),
        _ => to.copy_from_slice(from),
    }
}
