//! How annotations and options select what gets additional code.

use zorb_idl::model::{Annotation, ConstValue, Definition, Export, find_annotation};
use zorb_idl::{Compilation, DefId, Model};

use crate::Options;
use crate::names::external;

/// What an annotation with a flag says, if there is one.
pub(crate) fn annotated(annotations: &[Annotation], name: &str) -> Option<bool> {
    let annotation = find_annotation(annotations, name).filter(|one| one.is_known)?;
    Some(!matches!(annotation.argument("value"), Some(ConstValue::Boolean(false))))
}

/// Whether an operation or attribute, `export`, of an interface is selected: its annotation `name` decides, then that of
/// the interface, then the options, by the names of the interface and of the export.
pub(crate) fn is_selected(
    model: &Model,
    id: DefId,
    export: &Export,
    name: &str,
    by_options: impl FnOnce(&str, &str) -> bool,
) -> bool {
    let (own, annotations) = match export {
        Export::Operation(operation) => (&operation.name, &operation.annotations),
        Export::Attribute(attribute) => (&attribute.name, &attribute.annotations),
        Export::Definition(_) => return false,
    };
    let definition = &model[id];
    let wanted = annotated(annotations, name).or_else(|| annotated(&definition.annotations, name));
    wanted.unwrap_or_else(|| by_options(&definition.scoped_name.join("::"), own))
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

/// Offers each candidate to `select`, which returns whether it selects it, until it selects none of those left: whether a
/// struct is selected may depend on the structs among its members, which come later if it was declared before them.
pub(crate) fn select_in_any_order(
    mut candidates: Vec<&Definition>,
    mut select: impl FnMut(&Definition) -> bool,
) {
    loop {
        let before = candidates.len();
        candidates.retain(|candidate| !select(candidate));
        if candidates.len() == before {
            return;
        }
    }
}
