//! Types known at run time, compiled for copying, checking and comparing their values.

mod compile;
mod host;
mod plan;
mod simple;
mod table;
mod traits;
mod value_types;
mod values;
mod walk;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};

use crate::TypeCode;
use plan::Plan;
use walk::{Walk, Walked};

pub use plan::Layout;
pub(crate) use plan::traits_of;
pub(crate) use traits::Traits;
pub use value_types::{ValueTypes, WrittenValue, value_ids};
pub use values::ValueHead;

impl Layout {
    /// Copies one value from one stream to another.
    ///
    /// Byte order, alignment, code sets and GIOP version of the streams may differ. The value is validated
    /// as by a decoder of the type: lengths, bounds, booleans, enumeration values, text. An exception may
    /// come with or without its repository id, and is written with it. The octets written are at most four
    /// times the octets read (because of alignment, and of ISO 8859-1 in UTF-8), plus the id of an
    /// exception.
    ///
    /// # Errors
    /// The errors of decoding the type; `TooDeep`; `Unsupported` for local interfaces, natives and
    /// incomplete types; `UnknownValue` for a valuetype whose state is unknown: a custom one, or one of a
    /// type that neither the TypeCode nor the [context](zorb_cdr::ReadContext) of the reader knows and
    /// that cannot be truncated to a known type.
    pub fn copy(&self, reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.run(reader, Some(writer)).map(|_| ())
    }

    /// Validates and skips one value.
    ///
    /// # Errors
    /// As [`copy`](Self::copy).
    pub fn skip(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        self.run(reader, None).map(|_| ())
    }

    /// Whether two streams have the same value. Numbers are compared bit by bit: a NaN equals itself, and
    /// the two zeros differ.
    ///
    /// # Errors
    /// When either is not a valid value of the type.
    pub fn equal(&self, left: &mut CdrReader<'_>, right: &mut CdrReader<'_>) -> CdrResult<bool> {
        self.retried().equal_in(left, right, &mut Walk::default())
    }

    /// Copies a value. Without a writer, checks and skips it.
    pub(crate) fn run(
        &self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<Walked> {
        if let Plan::Simple(simple) = &self.plan {
            return simple.copy(reader, writer).map(|()| Walked::PLAIN);
        }
        let mut walk = Walk::default();
        self.retried().copy_in(reader, writer, &mut walk)?;
        Ok(walk.done())
    }
}

/// Copies one value of type `type_code` from `reader` to `writer`, as [`Layout::copy`].
///
/// # Errors
/// As [`Layout::copy`].
pub fn transcode(
    type_code: &TypeCode,
    reader: &mut CdrReader<'_>,
    writer: &mut CdrWriter<'_>,
) -> CdrResult<()> {
    Layout::of(type_code).copy(reader, writer)
}
