//! Finds names in [`Options::loaned`] that match nothing.

use zorb_idl::model::{Export, Operation};
use zorb_idl::{Compilation, Model, Type};

use crate::Options;
use crate::selection::unmatched;

/// The names in [`Options::loaned`] that have no effect: no definition for which code is generated
/// has such a name, or none with it returns a sequence of octets.
#[must_use]
pub fn unmatched_loans<'o>(compilation: &Compilation, options: &'o Options) -> Vec<&'o str> {
    unmatched(compilation, options, &options.loaned, |model, _, _, export| match export {
        Export::Operation(operation) => returns_octets(model, operation),
        Export::Attribute(attribute) => is_octets(model, &attribute.ty),
        Export::Definition(_) => false,
    })
}

fn returns_octets(model: &Model, operation: &Operation) -> bool {
    let returned = operation.params.iter().filter(|param| param.direction.is_returned());
    is_octets(model, &operation.result) || returned.into_iter().any(|it| is_octets(model, &it.ty))
}

fn is_octets(model: &Model, ty: &Type) -> bool {
    matches!(model.resolve(ty), Type::Sequence { element, .. } if *model.resolve(element) == Type::Octet)
}
