//! A compiled type.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use core::fmt;

use super::compile::compile;
use super::simple::Simple;
use super::table::Table;
use super::traits::Traits;
use crate::TypeCode;

/// A TypeCode compiled to a program (see [`zorb_interp`]) that copies, checks and compares its values.
///
/// Anys compile one when they need it. Code that handles many values of a received type should compile it once;
/// it is cheap to clone.
#[derive(Clone)]
pub struct Layout {
    pub(super) type_code: TypeCode,
    pub(super) plan: Plan,
}

/// How values of a type are processed.
#[derive(Clone)]
pub(super) enum Plan {
    /// A type that needs no program.
    Simple(Simple),
    Table(Arc<Table>),
    /// There was no memory for the program.
    OutOfMemory,
}

impl Layout {
    /// Compiles a type, or finds the program of an earlier call in a TypeCode that was not received. Without memory,
    /// operations on its values compile it again, and fail with `OutOfMemory` if there is still none.
    pub fn of(type_code: &TypeCode) -> Self {
        let plan = match Simple::of(type_code.view()) {
            Some(simple) => Plan::Simple(simple),
            None => table_of(type_code).map_or(Plan::OutOfMemory, Plan::Table),
        };
        Self { type_code: type_code.clone(), plan }
    }

    /// This layout. If there was no memory to compile the type, the result of another attempt.
    #[inline]
    pub(crate) fn retried(&self) -> Cow<'_, Self> {
        match self.plan {
            Plan::OutOfMemory => Cow::Owned(Self::of(&self.type_code)),
            _ => Cow::Borrowed(self),
        }
    }

    /// The type.
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// The type, if it needs no program. Then it contains no valuetypes.
    pub(crate) fn simple(&self) -> Option<Simple> {
        match self.plan {
            Plan::Simple(simple) => Some(simple),
            Plan::Table(_) | Plan::OutOfMemory => None,
        }
    }

    pub(crate) fn traits(&self) -> Traits {
        match &self.plan {
            Plan::Simple(simple) => simple.traits(),
            Plan::Table(table) => {
                let traits = table.program.traits(table.root);
                Traits { alignment: traits.alignment, has_text: traits.has_text }
            }
            // It has no values.
            Plan::OutOfMemory => Traits { alignment: 1, has_text: false },
        }
    }
}

/// What the encoding of a type depends on, exact for types that need no program.
pub(crate) fn traits_of(type_code: &TypeCode) -> Traits {
    Simple::of(type_code.view()).map_or(Traits::ANYTHING, Simple::traits)
}

/// The table of a type that needs one; `None` without memory for it.
fn table_of(type_code: &TypeCode) -> Option<Arc<Table>> {
    if let Some(table) = type_code.derived() {
        return Some(table);
    }
    let table = Arc::new(compile(type_code)?);
    if table.foreign.is_empty() {
        type_code.keep(&table);
    }
    Some(table)
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Layout").field(&self.type_code).finish()
    }
}
