//! What a program leaves to whoever runs it.

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter};

/// Moves what is no plain data: values that bring their type along, and valuetypes.
///
/// Without a writer the value is checked and passed over.
pub trait Host {
    /// Moves an `any`: a TypeCode and a value of it.
    ///
    /// # Errors
    /// When there is none, or none that the writer's stream can carry.
    fn any(
        &mut self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()>;

    /// Moves a TypeCode.
    ///
    /// # Errors
    /// As [`any`](Self::any).
    fn type_code(
        &mut self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()>;

    /// Moves a value of the type that [`Assembler::foreign`](crate::Assembler::foreign) was told; how
    /// deep such nest is the host's to count.
    ///
    /// # Errors
    /// As [`any`](Self::any).
    fn foreign(
        &mut self,
        index: u32,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()>;

    /// Hears that an exception stood without its repository id.
    fn nameless_exception(&mut self) {}

    /// Compares two anys, TypeCodes or foreign values, which have been checked already.
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

/// What sort of value a [`Host`] is to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostValue {
    /// An `any`.
    Any,
    /// A TypeCode.
    TypeCode,
    /// A value of the type that the assembler was told.
    Foreign(u32),
}

/// The host of programs that need none: it refuses everything.
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
