//! Which servants' methods get their upcall as an argument.

use zorb_idl::model::{Annotation, ConstValue, Export, find_annotation};
use zorb_idl::{Compilation, DefId, Model};

use crate::Options;
use crate::ami::unmatched;

/// Whether the servant's methods for an operation or attribute, `export`, of an interface get their upcall: its
/// annotation `@upcall` decides, then that of the interface, then the options.
///
/// Methods that something else than a servant implements do not: those of local and abstract interfaces, of
/// valuetypes, and of interfaces that valuetypes support.
pub(crate) fn gets_upcall(model: &Model, options: &Options, id: DefId, export: &Export) -> bool {
    let (name, annotations) = match export {
        Export::Operation(operation) => (&operation.name, &operation.annotations),
        Export::Attribute(attribute) => (&attribute.name, &attribute.annotations),
        Export::Definition(_) => return false,
    };
    let definition = &model[id];
    let wanted =
        annotated(annotations, "upcall").or_else(|| annotated(&definition.annotations, "upcall"));
    let interface = || definition.scoped_name.join("::");
    wanted.unwrap_or_else(|| options.gets_upcall(&interface(), name))
        && has_servants_only(model, id)
}

/// What an annotation with a flag says, if there is one.
pub(crate) fn annotated(annotations: &[Annotation], name: &str) -> Option<bool> {
    let annotation = find_annotation(annotations, name).filter(|one| one.is_known)?;
    Some(!matches!(annotation.argument("value"), Some(ConstValue::Boolean(false))))
}

/// Whether only servants implement the methods of an interface.
fn has_servants_only(model: &Model, id: DefId) -> bool {
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
