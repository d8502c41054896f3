//! Finds names in [`Options::loaned`] that match nothing.

use zorb_idl::model::{Export, Operation};
use zorb_idl::{Compilation, DefinitionKind, Model, Type};

use crate::Options;
use crate::names::external;

/// The names in [`Options::loaned`] that have no effect: no definition for which code is generated
/// has such a name, or none with it returns a sequence of octets.
#[must_use]
pub fn unmatched_loans<'o>(compilation: &Compilation, options: &'o Options) -> Vec<&'o str> {
    let model = &compilation.model;
    let mut names: Vec<&str> = options.loaned.iter().map(String::as_str).collect();
    // The common case.
    if names.is_empty() {
        return names;
    }
    for (definition, external) in model.definitions().zip(external(compilation, options)) {
        let exports = match &definition.kind {
            _ if external.is_some() => continue,
            DefinitionKind::Interface(item) => &item.exports,
            DefinitionKind::Value(item) => &item.exports,
            _ => continue,
        };
        let interface = definition.scoped_name.join("::");
        for export in exports {
            let returned = match export {
                Export::Operation(operation) if returns_octets(model, operation) => &operation.name,
                Export::Attribute(attribute) if is_octets(model, &attribute.ty) => &attribute.name,
                _ => continue,
            };
            names.retain(|name| !Options::is_within(name, &interface, returned));
        }
    }
    names
}

fn returns_octets(model: &Model, operation: &Operation) -> bool {
    let returned = operation.params.iter().filter(|param| param.direction.is_returned());
    is_octets(model, &operation.result) || returned.into_iter().any(|it| is_octets(model, &it.ty))
}

fn is_octets(model: &Model, ty: &Type) -> bool {
    matches!(model.resolve(ty), Type::Sequence { element, .. } if *model.resolve(element) == Type::Octet)
}
