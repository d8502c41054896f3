//! Types of run time, prepared: what moves, checks and compares their values.

mod compile;
mod host;
mod simple;

use alloc::sync::Arc;
use core::fmt;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_interp::{Label, Program};

use crate::TypeCode;
use compile::compile;
use host::Types;
use simple::Simple;

pub(crate) use compile::discriminator;

/// A TypeCode prepared for its values: a table of steps (see [`zorb_interp`]) that copies, checks
/// and compares them.
///
/// Anys make one when they need it. Code that moves many values of one type keeps one; it is cheap
/// to clone.
#[derive(Clone)]
pub struct Layout {
    type_code: TypeCode,
    plan: Plan,
}

#[derive(Clone)]
enum Plan {
    /// A type that needs no table.
    Simple(Simple),
    Table(Arc<Table>),
}

struct Table {
    program: Program,
    root: Label,
    /// The types that the host is asked for.
    foreign: alloc::vec::Vec<TypeCode>,
}

/// What passing on the octets of a value depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    pub(crate) alignment: u8,
    pub(crate) has_text: bool,
}

impl Traits {
    /// Those of types that nothing is known of.
    pub(crate) const ANYTHING: Self = Self { alignment: 8, has_text: true };
}

impl Layout {
    /// Prepares a type.
    pub fn of(type_code: &TypeCode) -> Self {
        let plan = match Simple::of(type_code.view()) {
            Some(simple) => Plan::Simple(simple),
            None => Plan::Table(Arc::new(compile(type_code))),
        };
        Self { type_code: type_code.clone(), plan }
    }

    /// The type.
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// Copies one value from one stream to another.
    ///
    /// Byte order, alignment, text code sets and GIOP versions of the two streams may differ.
    /// Everything a decoder of the type would check is checked: lengths, bounds, booleans,
    /// enumeration values, text. An exception may stand with or without its repository id and is
    /// written with it. What is written takes at most four times the octets that were read (a value
    /// aligned anew and ISO 8859-1 in UTF-8), the id of an exception apart.
    ///
    /// # Errors
    /// As the decoder of the type; `TooDeep`; `Unsupported` for local interfaces and natives, for a
    /// type that is not complete, and for valuetypes other than null and values of exactly the
    /// type, in one piece and each by itself.
    pub fn copy(&self, reader: &mut CdrReader<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.run(reader, Some(writer)).map(|_| ())
    }

    /// Checks one value and passes over it.
    ///
    /// # Errors
    /// As [`copy`](Self::copy).
    pub fn skip(&self, reader: &mut CdrReader<'_>) -> CdrResult<()> {
        self.run(reader, None).map(|_| ())
    }

    /// Whether two streams hold the same value. Numbers are compared as octets: a NaN is equal to
    /// itself, and the two zeros are not equal.
    ///
    /// # Errors
    /// When either stream holds no value of the type.
    pub fn equal(&self, left: &mut CdrReader<'_>, right: &mut CdrReader<'_>) -> CdrResult<bool> {
        let table;
        let table = match &self.plan {
            Plan::Table(table) => table,
            Plan::Simple(_) => {
                table = Arc::new(compile(&self.type_code));
                &table
            }
        };
        table.program.equal(table.root, left, right, &mut Types::of(&table.foreign))
    }

    /// Copies a value, or checks it where there is no writer; says whether the octets read are a
    /// value as Zorb writes them, but for byte order, alignment and text.
    pub(crate) fn run(
        &self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<bool> {
        match &self.plan {
            Plan::Simple(simple) => simple.copy(reader, writer).map(|()| true),
            Plan::Table(table) => {
                let mut types = Types::of(&table.foreign);
                match writer {
                    Some(writer) => table.program.copy(table.root, reader, writer, &mut types)?,
                    None => table.program.skip(table.root, reader, &mut types)?,
                }
                Ok(types.verbatim)
            }
        }
    }

    pub(crate) fn traits(&self) -> Traits {
        match &self.plan {
            Plan::Simple(simple) => simple.traits(),
            Plan::Table(table) => {
                let traits = table.program.traits(table.root);
                Traits { alignment: traits.alignment, has_text: traits.has_text }
            }
        }
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Layout").field(&self.type_code).finish()
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
