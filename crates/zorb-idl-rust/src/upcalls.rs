//! Which servants' methods get their upcall as an argument.

use zorb_idl::model::Export;
use zorb_idl::{Compilation, DefId, Model};

use crate::Options;
use crate::selection::{is_selected, unmatched};

/// Whether the servant's methods for an operation or attribute, `export`, of an interface get their upcall: its
/// annotation `@upcall` decides, then that of the interface, then the options.
///
/// Methods that something else than a servant implements do not: those of local and abstract interfaces, of
/// valuetypes, and of interfaces that valuetypes support.
pub(crate) fn gets_upcall(model: &Model, options: &Options, id: DefId, export: &Export) -> bool {
    is_selected(model, id, export, "upcall", |interface, name| options.gets_upcall(interface, name))
        && has_servants_only(model, id)
}

/// Whether only servants implement the methods of an interface.
pub(crate) fn has_servants_only(model: &Model, id: DefId) -> bool {
    let Some(interface) = model.interface(id) else { return false };
    let mut values = model.definitions().filter(|one| model.value(one.id).is_some());
    !interface.is_local && !interface.is_abstract && !values.any(|one| model.is_a(one.id, id))
}

/// The names in [`Options::upcalls`] that have no effect: no operation or attribute for which code is generated has such
/// a name, or it has no servants.
#[must_use]
pub fn unmatched_upcalls<'o>(compilation: &Compilation, options: &'o Options) -> Vec<&'o str> {
    unmatched(compilation, options, &options.upcalls, gets_upcall)
}
