//! A compiled type.

use alloc::sync::Arc;
use core::fmt;

use super::compile::compile;
use super::simple::Simple;
use super::table::Table;
use super::traits::Traits;
use crate::TypeCode;

/// A TypeCode compiled to a program (see [`zorb_interp`]) that copies, checks and compares its values.
///
/// Anys compile one when they need it. Code that handles many values of a type should compile it once;
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
