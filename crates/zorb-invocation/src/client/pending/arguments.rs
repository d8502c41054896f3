//! The encoded arguments of a call, which are kept to send it again.

use std::collections::TryReserveError;

use zorb_cdr::{TextCoding, fallible};

/// What is kept of the arguments of a call.
#[derive(Debug, Default)]
pub(super) enum KeptArguments {
    /// Nothing: they have not been encoded, or the call has ended.
    #[default]
    None,
    /// They have no octets.
    Empty,
    Encoded(Arguments),
    /// Nothing, as there was no memory for them.
    OutOfMemory,
}

impl KeptArguments {
    /// A copy of the arguments that were written at the offset `at` of a message, if there is memory for it.
    #[inline]
    pub(super) fn copy_of(octets: &[u8], at: usize, text: TextCoding) -> Self {
        match octets {
            [] => Self::Empty,
            octets => Arguments::new(octets, at, text).map_or(Self::OutOfMemory, Self::Encoded),
        }
    }

    /// The number of octets.
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Encoded(arguments) => arguments.octets.len(),
            Self::None | Self::Empty | Self::OutOfMemory => 0,
        }
    }
}

/// Encoded arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    octets: Box<[u8]>,
    /// Their offset in the message: it determines their alignment.
    at: usize,
    text: TextCoding,
}

impl Arguments {
    /// A copy of the arguments that were written at the offset `at` of a message.
    ///
    /// # Errors
    /// Without memory for it.
    #[inline(never)]
    pub(super) fn new(octets: &[u8], at: usize, text: TextCoding) -> Result<Self, TryReserveError> {
        Ok(Self { octets: fallible::copy(octets)?.into(), at, text })
    }

    /// Whether they are the same at the offset `at` of another message, with the text coding `text`. They may contain
    /// text, or not; ASCII is the same in all codings of narrow text.
    pub(super) fn fit(&self, at: usize, text: TextCoding) -> bool {
        let own = self.text;
        let wide_fits = own.wide_set.is_none()
            || (own.wide_set == text.wide_set && own.wide_form == text.wide_form);
        let narrow_fits = own.char_set == text.char_set || self.octets.is_ascii();
        self.octets.is_empty() || (at % 8 == self.at % 8 && wide_fits && narrow_fits)
    }

    /// The octets.
    pub(super) fn octets(&self) -> &[u8] {
        &self.octets
    }
}
