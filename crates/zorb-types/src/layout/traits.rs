//! What an encoding depends on.

/// What the encoding of a type's values depends on, beside the byte order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    pub(crate) alignment: u8,
    pub(crate) has_text: bool,
}

impl Traits {
    /// The strictest traits, for unknown types.
    pub(crate) const ANYTHING: Self = Self { alignment: 8, has_text: true };
}
