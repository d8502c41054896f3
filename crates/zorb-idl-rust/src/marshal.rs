//! Which engine marshals the values of a type, and the arguments and results of an interface.

use zorb_idl::model::{ConstValue, Definition, Export, find_annotation};
use zorb_idl::{DefId, Model, Span};

use crate::{Marshal, Options};

/// Whether a definition is marshalled by tables: its annotation `@marshal` decides, then that of the innermost scope
/// around it that has one, then the option.
pub(crate) fn is_interpretive(model: &Model, options: &Options, id: DefId) -> bool {
    let mut next = Some(id);
    while let Some(id) = next {
        let definition = &model[id];
        if let Some((word, _)) = annotated(definition) {
            return word == INTERPRETIVE;
        }
        next = definition.parent;
    }
    options.marshal == Marshal::Interpretive
}

/// The parameters from which on an operation has no tables: a list has at most so many arguments or results.
pub(crate) const MOST: usize = 16;

/// Whether the operations of an interface have few enough parameters for tables.
pub(crate) fn has_few_parameters(model: &Model, interface: DefId) -> bool {
    model.exports(interface).iter().all(|export| match export {
        Export::Operation(operation) => operation.params.len() < MOST,
        _ => true,
    })
}

/// The location of the annotation by which a definition itself, not a scope around it, asks for tables.
pub(crate) fn asks_for_tables(definition: &Definition) -> Option<Span> {
    let (word, span) = annotated(definition)?;
    (word == INTERPRETIVE).then_some(span)
}

const INTERPRETIVE: &str = "INTERPRETIVE";

/// What the annotation `@marshal` of a definition says, and its location.
fn annotated(definition: &Definition) -> Option<(&str, Span)> {
    let annotation = find_annotation(&definition.annotations, "marshal")?;
    match annotation.argument("value") {
        Some(ConstValue::String(word)) if annotation.is_known => Some((word, annotation.span)),
        _ => None,
    }
}
