//! Types known at run time, compiled for copying, checking and comparing their values.

mod compile;
mod host;
mod simple;
mod values;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_interp::{Label, Program};

use crate::TypeCode;
use compile::compile;
use host::Types;
use simple::Simple;
use values::Walk;

pub use values::{ValueHead, ValueTypes, WrittenValue, value_ids};

pub(crate) use compile::discriminator;

/// A TypeCode compiled to a program (see [`zorb_interp`]) that copies, checks and compares its values.
///
/// Anys compile one when they need it. Code that handles many values of a type should compile it once;
/// it is cheap to clone.
#[derive(Clone)]
pub struct Layout {
    type_code: TypeCode,
    plan: Plan,
}

#[derive(Clone)]
enum Plan {
    /// A type that needs no program.
    Simple(Simple),
    Table(Arc<Table>),
}

struct Table {
    program: Program,
    root: Label,
    /// The types whose values the host handles.
    foreign: Vec<Foreign>,
    /// Index in `foreign` of the valuetypes with state, by repository id.
    by_id: BTreeMap<Box<str>, u32>,
}

/// A valuetype or an abstract interface.
struct Foreign {
    type_code: TypeCode,
    /// The state of a value of exactly this type, if it is known.
    state: Option<Label>,
}

impl Table {
    fn new(program: Program, root: Label, foreign: Vec<Foreign>) -> Self {
        let mut by_id = BTreeMap::new();
        for (index, one) in (0..).zip(&foreign) {
            if one.state.is_some() {
                by_id.entry(Box::from(one.type_code.id())).or_insert(index);
            }
        }
        Self { program, root, foreign, by_id }
    }
}

/// The findings of copying or checking a value.
#[derive(Clone, Debug)]
pub(crate) struct Walked {
    /// Whether the octets are what Zorb would write in the same byte order, alignment and text coding.
    pub(crate) verbatim: bool,
    /// Whether there are valuetypes.
    pub(crate) has_values: bool,
    /// Whether some state of a valuetype is unknown.
    pub(crate) is_opaque: bool,
    /// The types of valuetypes that the TypeCode does not describe.
    pub(crate) types: Option<Arc<ValueTypes>>,
}

impl Walked {
    const PLAIN: Self = Self { verbatim: true, has_values: false, is_opaque: false, types: None };
}

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

impl Layout {
    /// Compiles a type.
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
        let table;
        let table = match &self.plan {
            Plan::Table(table) => table,
            Plan::Simple(_) => {
                table = Arc::new(compile(&self.type_code));
                &table
            }
        };
        table.program.equal(table.root, left, right, &mut Types::of(table, &mut Walk::default()))
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
        self.walk(reader, writer, &mut walk)?;
        Ok(walk.done())
    }

    fn walk(
        &self,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
        walk: &mut Walk,
    ) -> CdrResult<()> {
        match &self.plan {
            Plan::Simple(simple) => simple.copy(reader, writer),
            Plan::Table(table) => {
                table.program.run(table.root, reader, writer, &mut Types::of(table, walk))
            }
        }
    }

    fn equal_in(
        &self,
        left: &mut CdrReader<'_>,
        right: &mut CdrReader<'_>,
        walk: &mut Walk,
    ) -> CdrResult<bool> {
        match &self.plan {
            Plan::Table(table) => {
                table.program.equal(table.root, left, right, &mut Types::of(table, walk))
            }
            Plan::Simple(_) => self.equal(left, right),
        }
    }

    /// The type, if it needs no program. Then it contains no valuetypes.
    pub(crate) fn simple(&self) -> Option<Simple> {
        match self.plan {
            Plan::Simple(simple) => Some(simple),
            Plan::Table(_) => None,
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
