//! Which engine marshals the values of a type, and the arguments and results of an interface.

use zorb_idl::model::{ConstValue, find_annotation};
use zorb_idl::{DefId, Model};

use crate::{Marshal, Options};

/// Whether a definition is marshalled by tables: its annotation `@marshal` decides, then that of the innermost scope
/// around it that has one, then the option.
pub(crate) fn is_interpretive(model: &Model, options: &Options, id: DefId) -> bool {
    let mut next = Some(id);
    while let Some(id) = next {
        let definition = &model[id];
        let annotation = find_annotation(&definition.annotations, "marshal");
        if let Some(annotation) = annotation.filter(|one| one.is_known)
            && let Some(ConstValue::String(word)) = annotation.argument("value")
        {
            return word == "INTERPRETIVE";
        }
        next = definition.parent;
    }
    options.marshal == Marshal::Interpretive
}
