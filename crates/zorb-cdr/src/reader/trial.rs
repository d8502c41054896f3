//! What an attempt to read a message in parts shows: see [`read_in_parts`](super::CdrReader::read_in_parts).

/// What an attempt to read a message in parts shows.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    pub(super) end: End,
    /// Whether padding behind the first part was other than 0.
    pub(super) has_odd_padding: bool,
    /// How many numbers behind the first part look as if they were read 4 octets too early or too late.
    pub(super) odd_numbers: u16,
}

/// How an attempt ends. The greater fits better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// This is no attempt.
    None,
    /// Not, so far.
    Open,
    /// Octets are left.
    Left,
    /// No octets are left.
    Whole,
}

impl Trial {
    pub(super) const NONE: Self = Self::new(End::None);

    pub(super) const fn new(end: End) -> Self {
        Self { end, has_odd_padding: false, odd_numbers: 0 }
    }

    /// Whether this is an attempt.
    #[inline]
    pub(super) fn is_on(self) -> bool {
        self.end != End::None
    }

    /// How well the attempt fits.
    pub(super) fn fit(self) -> (End, bool, core::cmp::Reverse<u16>) {
        (self.end, !self.has_odd_padding, core::cmp::Reverse(self.odd_numbers))
    }
}
