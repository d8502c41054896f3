//! Which traits a type can derive.

use std::collections::HashSet;

use zorb_idl::{DefId, DefinitionKind, Model, Type};

/// The longest array that the standard library has a `Default` for.
const DEFAULT_ARRAY: u32 = 32;

/// The `#[derive]` list of a struct, exception or union.
pub(crate) fn of(model: &Model, id: DefId) -> String {
    let facts = model.definition_facts(id);
    if facts.local_interface || facts.native {
        let default = if has_default(model, id) { ", Default" } else { "" };
        return format!("#[derive(Clone, Debug{default})]");
    }
    let mut list = vec!["Clone"];
    if facts.is_plain_data() {
        list.push("Copy");
    }
    list.push("Debug");
    if has_default(model, id) {
        list.push("Default");
    }
    list.push("PartialEq");
    if !facts.floating && !facts.any && !facts.type_code {
        list.extend(["Eq", "Hash"]);
    }
    format!("#[derive({})]", list.join(", "))
}

/// Whether every member has a default. A union has none: no member is the obvious one.
fn has_default(model: &Model, id: DefId) -> bool {
    let mut seen = HashSet::from([id]);
    let mut work = vec![id];
    while let Some(id) = work.pop() {
        let types: Vec<&Type> = match &model[id].kind {
            DefinitionKind::Struct(_) | DefinitionKind::Exception(_) => {
                model.all_members(id).into_iter().map(|member| &member.ty).collect()
            }
            DefinitionKind::Typedef(item) => vec![&item.ty],
            DefinitionKind::Enum(_)
            | DefinitionKind::Interface(_)
            | DefinitionKind::Bitmask(_)
            | DefinitionKind::Bitset(_) => continue,
            _ => return false,
        };
        for mut ty in types {
            // Sequences are not looked into: they are empty by default.
            while let Type::Array { element, dims } = ty {
                if dims.iter().any(|&dim| dim > DEFAULT_ARRAY) {
                    return false;
                }
                ty = element;
            }
            match ty {
                Type::Named(id) if seen.insert(*id) => work.push(*id),
                Type::Error => return false,
                _ => {}
            }
        }
    }
    true
}
