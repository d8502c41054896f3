//! The members of a run, which have a fixed size.

/// The size and alignment of a number.
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

/// The type of a member of a run, with what is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Not checked.
    Number(Number),
    /// 0 or 1.
    Boolean,
    /// One octet, which has to be a whole character.
    Char,
    /// An `enum` with this number of values.
    Enumeration(u32),
    /// A `fixed` with this number of digits.
    Packed(u8),
}

impl ItemKind {
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

    /// Whether its octets depend on the byte order.
    pub(crate) const fn is_swapped(self) -> bool {
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

/// A member of a run, or an array of members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    pub(crate) count: u32,
}

/// Copies the octets of a number in reverse order. Both slices have the same length.
pub(crate) fn swap(from: &[u8], to: &mut [u8]) {
    for (target, octet) in to.iter_mut().zip(from.iter().rev()) {
        *target = *octet;
    }
}

/// Swaps the octets of numbers of `size` octets.
#[inline(never)] // most messages have the machine's byte order
pub(crate) fn swap_in_place(size: usize, octets: &mut [u8]) {
    match size {
        2 => {
            let (numbers, _) = octets.as_chunks_mut();
            numbers
                .iter_mut()
                .for_each(|number| *number = u16::from_be_bytes(*number).to_le_bytes());
        }
        4 => {
            let (numbers, _) = octets.as_chunks_mut();
            numbers
                .iter_mut()
                .for_each(|number| *number = u32::from_be_bytes(*number).to_le_bytes());
        }
        8 => {
            let (numbers, _) = octets.as_chunks_mut();
            numbers
                .iter_mut()
                .for_each(|number| *number = u64::from_be_bytes(*number).to_le_bytes());
        }
        _ => {}
    }
}

/// Copies numbers of `size` octets, byte-swapped, as far as there is room.
pub(crate) fn swap_each(size: usize, from: &[u8], to: &mut [u8]) {
    fn each<const N: usize>(from: &[u8], to: &mut [u8], swapped: impl Fn([u8; N]) -> [u8; N]) {
        let (from, _) = from.as_chunks::<N>();
        let (to, _) = to.as_chunks_mut::<N>();
        for (target, octets) in to.iter_mut().zip(from) {
            *target = swapped(*octets);
        }
    }
    match size {
        2 => each(from, to, |octets| u16::from_ne_bytes(octets).swap_bytes().to_ne_bytes()),
        4 => each(from, to, |octets| u32::from_ne_bytes(octets).swap_bytes().to_ne_bytes()),
        8 => each(from, to, |octets| u64::from_ne_bytes(octets).swap_bytes().to_ne_bytes()),
        16 => each(from, to, |octets| u128::from_ne_bytes(octets).swap_bytes().to_ne_bytes()),
        _ => each(from, to, |octet: [u8; 1]| octet),
    }
}
