//! Which operations get a method that sends a call without waiting.

use zorb_idl::model::{Annotation, ConstValue, Export, find_annotation};
use zorb_idl::{Compilation, DefId, Model};

use crate::Options;
use crate::names::external;

/// Whether references get such a method for an operation or attribute, `export`, of an interface: its annotation `@ami`
/// decides, then that of the interface, then the options. One-way operations and local interfaces have none.
pub(crate) fn is_asynchronous(
    model: &Model,
    options: &Options,
    id: DefId,
    export: &Export,
) -> bool {
    let (name, annotations) = match export {
        Export::Operation(operation) if operation.oneway => return false,
        Export::Operation(operation) => (&operation.name, &operation.annotations),
        Export::Attribute(attribute) => (&attribute.name, &attribute.annotations),
        Export::Definition(_) => return false,
    };
    let definition = &model[id];
    let wanted = annotated(annotations).or_else(|| annotated(&definition.annotations));
    let interface = || definition.scoped_name.join("::");
    model.interface(id).is_some_and(|interface| !interface.is_local)
        && wanted.unwrap_or_else(|| options.is_asynchronous(&interface(), name))
}

fn annotated(annotations: &[Annotation]) -> Option<bool> {
    let annotation = find_annotation(annotations, "ami").filter(|one| one.is_known)?;
    Some(!matches!(annotation.argument("value"), Some(ConstValue::Boolean(false))))
}

/// The names in [`Options::ami`] that have no effect: no operation or attribute for which code is generated has such a
/// name, or it gets no such method.
#[must_use]
pub fn unmatched_ami<'o>(compilation: &Compilation, options: &'o Options) -> Vec<&'o str> {
    unmatched(compilation, options, &options.ami, is_asynchronous)
}

/// Those of `names` that are of no operation or attribute for which `has_effect`.
pub(crate) fn unmatched<'o>(
    compilation: &Compilation,
    options: &Options,
    names: &'o [String],
    has_effect: fn(&Model, &Options, DefId, &Export) -> bool,
) -> Vec<&'o str> {
    let model = &compilation.model;
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    // The common case.
    if names.is_empty() {
        return names;
    }
    for (definition, external) in model.definitions().zip(external(compilation, options)) {
        if external.is_some() {
            continue;
        }
        let interface = definition.scoped_name.join("::");
        for export in model.exports(definition.id) {
            let name = match export {
                Export::Operation(operation) => &operation.name,
                Export::Attribute(attribute) => &attribute.name,
                Export::Definition(_) => continue,
            };
            if has_effect(model, options, definition.id, export) {
                names.retain(|wanted| !Options::is_within(wanted, &interface, name));
            }
        }
    }
    names
}
