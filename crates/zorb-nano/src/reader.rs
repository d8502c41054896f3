//! Decoding arguments and results.

use zorb_cdr::{CdrError, CdrErrorKind, CdrReader, CdrResult, CharSet, Wire};
use zorb_types::Transfer;

use crate::{Reference, SystemException, Text};

/// The arguments of a request in a servant, or the results in a client.
///
/// Values of fixed size, and text and octets as [borrowed](Self::borrow), need no memory. What owns memory in Rust, a
/// `String` for example, allocates when it is [read](Self::read).
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    body: CdrReader<'a>,
    transfer: Transfer,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(body: CdrReader<'a>, transfer: Transfer) -> Self {
        Self { body, transfer }
    }

    /// The next value, of the IDL type `T`: `i32` is `long`, `String` is `string`.
    ///
    /// # Errors
    /// `MARSHAL`: the octets are no value of this type, and similar ones.
    pub fn read<T: Wire>(&mut self) -> Result<T::Value, SystemException> {
        T::read(&mut self.body).map_err(|error| self.failed(error))
    }

    /// The next value, borrowed from the message where the type allows it: a `string` of ASCII, and a `sequence<octet>`,
    /// whose type is `Octets`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn borrow<T: Wire>(&mut self) -> Result<T::Borrowed<'a>, SystemException> {
        T::read_borrowed(&mut self.body).map_err(|error| self.failed(error))
    }

    /// The next value, a `string` of at most `bound` characters, borrowed from the message.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_text(&mut self, bound: u32) -> Result<Text<'a>, SystemException> {
        if cfg!(feature = "lite") && self.body.text().char_set == CharSet::Utf8 {
            return self.read_utf8(bound);
        }
        self.string_octets(bound).map(Text::latin1)
    }

    /// Text in GIOPlite.
    #[cold]
    fn read_utf8(&mut self, bound: u32) -> Result<Text<'a>, SystemException> {
        // A character has at most four octets.
        let octets = self.string_octets(bound.saturating_mul(4))?;
        let Ok(text) = core::str::from_utf8(octets) else {
            return Err(self.failed(self.body.error(CdrErrorKind::BadText, "string")));
        };
        if text.len() > bound as usize && text.chars().count() > bound as usize {
            return Err(self.failed(self.body.error(CdrErrorKind::BoundExceeded, "string")));
        }
        Ok(text.into())
    }

    /// The next value, a `sequence<octet>` of at most `bound` octets, borrowed from the message.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_octets(&mut self, bound: u32) -> Result<&'a [u8], SystemException> {
        let count = self.read_count(1, bound)?;
        self.body.take(count, "sequence<octet>").map_err(|error| self.failed(error))
    }

    /// The number of elements of a `sequence` that has at most `bound`, each of `min_size` octets or more.
    pub(crate) fn read_count(
        &mut self,
        min_size: usize,
        bound: u32,
    ) -> Result<usize, SystemException> {
        let count = self.body.read_count(min_size, "sequence");
        let count = count.map_err(|error| self.failed(error))?;
        if count > bound as usize {
            return Err(self.failed(self.body.error(CdrErrorKind::BoundExceeded, "sequence")));
        }
        Ok(count)
    }

    /// Limits how many elements without octets a message has.
    pub(crate) fn allow_empty(&mut self, count: usize) -> Result<(), SystemException> {
        let allowed = self.body.allow_empty(count, "array");
        allowed.map_err(|error| self.failed(error))
    }

    /// The octets of the next value, a `string`, in ISO 8859-1.
    fn string_octets(&mut self, bound: u32) -> Result<&'a [u8], SystemException> {
        let octets = self.body.read_string_octets(bound, "string");
        octets.map_err(|error| self.failed(error))
    }

    /// The next value, one of an `enum` with `count` values.
    pub(crate) fn read_ordinal(&mut self, count: usize) -> Result<usize, SystemException> {
        let ordinal = self.read::<u32>()? as usize;
        if ordinal >= count {
            return Err(self.failed(self.body.error(CdrErrorKind::BadEnum, "enum")));
        }
        Ok(ordinal)
    }

    /// The next value, a number. Without the look for valuetypes around it, of which a message has none, an image has no
    /// code for these.
    pub(crate) fn number<T>(
        &mut self,
        read: impl FnOnce(&mut CdrReader<'a>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        read(&mut self.body).map_err(|error| self.failed(error))
    }

    #[cold]
    fn failed(&self, error: CdrError) -> SystemException {
        SystemException::of_cdr(error, self.transfer)
    }

    /// The next value, an object reference; `None` if it is nil.
    ///
    /// # Errors
    /// `MARSHAL`; `INV_OBJREF` if it has no IIOP profile that can be used: see [`Reference::parse`].
    pub fn read_reference(&mut self) -> Result<Option<Reference>, SystemException> {
        Reference::read(&mut self.body).map_err(|error| self.failed(error))
    }

    /// Checks that nothing follows the last value.
    ///
    /// # Errors
    /// `MARSHAL`, minor `EXTRA_OCTETS`.
    pub fn end(&mut self) -> Result<(), SystemException> {
        self.body.expect_end("body").map_err(|error| self.failed(error))
    }
}
