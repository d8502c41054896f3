//! The end of a message in memory of its own.

use core::any::Any;

/// The last octets of a message, where they are in memory of their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tail<'a> {
    pub(super) octets: &'a [u8],
    pub(super) owner: Option<&'a dyn Any>,
}

impl<'a> Tail<'a> {
    /// A tail of `octets`.
    #[must_use]
    pub fn new(octets: &'a [u8]) -> Self {
        Self { octets, owner: None }
    }

    /// The same tail with the owner of its memory, for [types](crate::Wire) that can hold on to it.
    #[must_use]
    pub fn owned_by(self, owner: &'a dyn Any) -> Self {
        Self { owner: Some(owner), ..self }
    }

    /// The octets.
    pub fn octets(&self) -> &'a [u8] {
        self.octets
    }

    /// Whether there are no octets.
    pub fn is_empty(&self) -> bool {
        self.octets.is_empty()
    }
}
