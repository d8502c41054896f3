//! Which engine marshals the values of a type, and the arguments and results of an interface.

use zorb_idl::model::{ConstValue, Definition, find_annotation};
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
