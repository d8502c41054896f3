//! Writing the arguments of a call by their tables.

use zorb_cdr::{CdrErrorKind, CdrResult, CdrWriter};

use super::table::{Kind, Operand, VALUE};
use super::write::{write, write_sequence};

impl Operand<'_> {
    /// Writes the argument.
    ///
    /// # Errors
    /// The value has no encoding.
    pub fn write(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        match *self.kind {
            // SAFETY: the value is there, or the reference to the view.
            _ if self.length == VALUE => unsafe { write(self.kind, self.data, writer) },
            Kind::Text(bound) => {
                // SAFETY: the octets are those of the text.
                let octets = unsafe { core::slice::from_raw_parts(self.data, self.length) };
                // SAFETY: they were a `str`.
                writer.write_str(unsafe { core::str::from_utf8_unchecked(octets) }, bound)
            }
            Kind::Sequence(sequence) => {
                // SAFETY: as many elements of the sequence are there.
                unsafe { write_sequence(sequence, self.data, self.length, writer) }
            }
            // Only text and sequences have a length.
            _ => Err(writer.error(CdrErrorKind::Unsupported, "argument")),
        }
    }
}
