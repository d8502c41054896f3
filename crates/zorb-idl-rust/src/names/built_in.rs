//! Finds the definitions of built-in IDL that a file uses. Their code is generated, as for an
//! included file; the others are omitted.

use std::collections::HashSet;

use zorb_idl::model::{Definition, Export};
use zorb_idl::{DefId, DefinitionKind, Model, Type};

/// The built-in definitions reachable from those for which code is generated.
pub(super) fn used(model: &Model, is_written: impl Fn(&Definition) -> bool) -> HashSet<DefId> {
    let mut work: Vec<DefId> =
        model.definitions().filter(|item| is_written(item)).map(|item| item.id).collect();
    let mut used = HashSet::new();
    while let Some(id) = work.pop() {
        for id in references(model, id) {
            // Definitions inside an interface or struct are generated with it.
            let outer = std::iter::successors(Some(id), |id| model[*id].parent);
            let outer = outer.filter(|id| !matches!(model[*id].kind, DefinitionKind::Module(_)));
            for id in outer.filter(|id| model[*id].built_in) {
                if used.insert(id) {
                    work.push(id);
                    work.extend(model.children(id).into_iter().filter(|id| used.insert(*id)));
                }
            }
        }
    }
    used
}

/// The definitions that a definition refers to.
fn references(model: &Model, id: DefId) -> Vec<DefId> {
    let mut found = model.parents(id);
    let mut types: Vec<&Type> = Vec::new();
    match &model[id].kind {
        DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => {
            types.extend(item.members.iter().map(|member| &member.ty));
        }
        DefinitionKind::Union(item) => {
            types.push(&item.discriminator);
            types.extend(item.cases.iter().map(|case| &case.ty));
        }
        DefinitionKind::Value(item) => {
            types.extend(item.members.iter().map(|item| &item.member.ty));
            for initializer in &item.initializers {
                types.extend(initializer.params.iter().map(|param| &param.ty));
                found.extend(&initializer.raises);
            }
        }
        DefinitionKind::ValueBox(item) => types.push(&item.ty),
        DefinitionKind::Typedef(item) => types.push(&item.ty),
        DefinitionKind::Const(item) => types.push(&item.ty),
        _ => {}
    }
    for export in model.exports(id) {
        match export {
            Export::Operation(item) => {
                types.push(&item.result);
                types.extend(item.params.iter().map(|param| &param.ty));
                found.extend(&item.raises);
            }
            Export::Attribute(item) => {
                types.push(&item.ty);
                found.extend(item.get_raises.iter().chain(&item.set_raises));
            }
            Export::Definition(_) => {}
        }
    }
    while let Some(ty) = types.pop() {
        match ty {
            Type::Named(id) => found.push(*id),
            Type::Sequence { element, .. } | Type::Array { element, .. } => types.push(element),
            Type::Map { key, value, .. } => types.extend([&**key, &**value]),
            _ => {}
        }
    }
    found
}
