//! Types of run time, prepared: what moves, checks and compares their values.

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
    foreign: Vec<Foreign>,
    /// Valuetypes with state among them, by their ids.
    by_id: BTreeMap<Box<str>, u32>,
}

/// A valuetype, or an abstract interface.
struct Foreign {
    type_code: TypeCode,
    /// What describes the state of a value of exactly this type, if that is known.
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

/// What going through a value found out.
#[derive(Clone, Debug)]
pub(crate) struct Walked {
    /// The octets are a value as Zorb writes them, but for byte order, alignment and text.
    pub(crate) verbatim: bool,
    /// There are values of valuetypes.
    pub(crate) has_values: bool,
    /// The state of one of them is not known, or not all of it.
    pub(crate) is_opaque: bool,
    /// The types of values that the TypeCode does not speak of.
    pub(crate) types: Option<Arc<ValueTypes>>,
}

impl Walked {
    const PLAIN: Self = Self { verbatim: true, has_values: false, is_opaque: false, types: None };
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
    /// As the decoder of the type; `TooDeep`; `Unsupported` for local interfaces and natives and for
    /// a type that is not complete; `UnknownValue` for values of valuetypes whose state is not known:
    /// custom ones, and those of a type that neither the TypeCode nor the reader's
    /// [context](zorb_cdr::ReadContext) knows, where they cannot be truncated to one that is.
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
        table.program.equal(table.root, left, right, &mut Types::of(table, &mut Walk::default()))
    }

    /// Copies a value, or checks it where there is no writer.
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

    /// The type, if it needs no table; then there are no values in its values.
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
