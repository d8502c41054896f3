//! Which operations get methods that send calls without waiting.

use zorb_idl::model::Export;
use zorb_idl::{Compilation, DefId, Model};

use crate::selection::{is_selected, unmatched};
use crate::{Options, Target};

/// Whether references get such methods for an operation or attribute, `export`, of an interface: its annotation `@ami`
/// decides, then that of the interface, then the options. Local interfaces have none. The small ORB has no pending calls: of
/// its references, only one-way operations have such a method.
pub(crate) fn is_asynchronous(
    model: &Model,
    options: &Options,
    id: DefId,
    export: &Export,
) -> bool {
    let is_oneway = matches!(export, Export::Operation(operation) if operation.oneway);
    model.interface(id).is_some_and(|interface| !interface.is_local)
        && (is_oneway || options.target != Target::Nano)
        && is_selected(model, id, export, "ami", |interface, name| {
            options.is_asynchronous(interface, name)
        })
}

/// The names in [`Options::ami`] that have no effect: no operation or attribute for which code is generated has such a
/// name, or it gets no such methods.
#[must_use]
pub fn unmatched_ami<'o>(compilation: &Compilation, options: &'o Options) -> Vec<&'o str> {
    unmatched(compilation, options, &options.ami, is_asynchronous)
}
