//! Decoding arguments and results.

use zorb_cdr::{CdrReader, Wire};
use zorb_types::Transfer;

use crate::{Reference, SystemException};

/// The arguments of a request in a servant, or the results in a client.
///
/// Values of fixed size, and text and octets as [borrowed](Self::borrow), need no memory. What owns memory in Rust, a
/// `String` for example, allocates when it is [read](Self::read).
#[derive(Debug)]
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
        T::read(&mut self.body).map_err(|error| SystemException::of_cdr(error, self.transfer))
    }

    /// The next value, borrowed from the message where the type allows it: a `string` of ASCII, and a `sequence<octet>`,
    /// whose type is `Octets`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn borrow<T: Wire>(&mut self) -> Result<T::Borrowed<'a>, SystemException> {
        T::read_borrowed(&mut self.body)
            .map_err(|error| SystemException::of_cdr(error, self.transfer))
    }

    /// The octets of the next value, a `string`, in ISO 8859-1.
    pub(crate) fn string_octets(&mut self) -> Result<&'a [u8], SystemException> {
        let octets = self.body.read_string_octets(u32::MAX, "string");
        octets.map_err(|error| SystemException::of_cdr(error, self.transfer))
    }

    /// The next value, an object reference; `None` if it is nil.
    ///
    /// # Errors
    /// `MARSHAL`; `INV_OBJREF` if it has no IIOP profile that can be used: see [`Reference::parse`].
    pub fn read_reference(&mut self) -> Result<Option<Reference>, SystemException> {
        Reference::read(&mut self.body)
            .map_err(|error| SystemException::of_cdr(error, self.transfer))
    }

    /// Checks that nothing follows the last value.
    ///
    /// # Errors
    /// `MARSHAL`, minor `EXTRA_OCTETS`.
    pub fn end(&mut self) -> Result<(), SystemException> {
        self.body.expect_end("body").map_err(|error| SystemException::of_cdr(error, self.transfer))
    }
}
