//! The callbacks of a program.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

/// Handles values that are not plain data: values that carry their type, and valuetypes.
///
/// Its methods copy a value from the reader to the writer. Without a writer, they check and skip it.
pub trait Host {
    /// Copies an `any`: a TypeCode and a value of that type.
    ///
    /// # Errors
    /// When the octets are not a valid value, or the writer's stream cannot represent it.
    fn any(
        &mut self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()>;

    /// Copies a TypeCode.
    ///
    /// # Errors
    /// As [`any`](Self::any).
    fn type_code(
        &mut self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()>;

    /// Copies a value of the type that [`Assembler::foreign`](crate::Assembler::foreign) got. The host
    /// limits the nesting of such values.
    ///
    /// # Errors
    /// As [`any`](Self::any).
    fn foreign(
        &mut self,
        index: u32,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()>;

    /// Called when an exception comes without its repository id.
    fn exception_without_id(&mut self) {}

    /// Compares two anys, TypeCodes or foreign values.
    ///
    /// # Errors
    /// As [`any`](Self::any).
    fn equal(
        &mut self,
        what: HostValue,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
    ) -> CdrResult<bool>;
}

/// The kind of values that a [`Host`] compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostValue {
    /// An `any`.
    Any,
    /// A TypeCode.
    TypeCode,
    /// A value of the type with this index.
    Foreign(u32),
}

/// The host of programs with plain data only: it refuses everything else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Host for Plain {
    fn any(&mut self, reader: &mut CdrReader<'_>, _: Option<&mut CdrWriter<'_>>) -> CdrResult<()> {
        Err(reader.error(CdrErrorKind::Unsupported, "any"))
    }

    fn type_code(
        &mut self,
        reader: &mut CdrReader<'_>,
        _: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        Err(reader.error(CdrErrorKind::Unsupported, "TypeCode"))
    }

    fn foreign(
        &mut self,
        _: u32,
        reader: &mut CdrReader<'_>,
        _: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        Err(reader.error(CdrErrorKind::Unsupported, "value"))
    }

    fn equal(
        &mut self,
        _: HostValue,
        left: &mut CdrReader<'_>,
        _: &mut CdrReader<'_>,
    ) -> CdrResult<bool> {
        Err(left.error(CdrErrorKind::Unsupported, "any"))
    }
}
