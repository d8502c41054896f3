//! The traits that a type can derive.

use std::collections::HashSet;

use zorb_idl::model::TypeFacts;
use zorb_idl::{DefId, DefinitionKind, Model, Type};

/// The longest array for which the standard library implements `Default`.
const DEFAULT_ARRAY: u32 = 32;

/// The `#[derive]` list of a struct, exception or union.
pub(crate) fn of(model: &Model, id: DefId) -> String {
    let facts = facts(model, id);
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

/// The facts of the contents of a struct, exception or union, or of the state of a valuetype or
/// box.
fn facts(model: &Model, id: DefId) -> TypeFacts {
    let types: Vec<&Type> = match &model[id].kind {
        DefinitionKind::Value(_) => {
            model.value_state(id).into_iter().map(|(_, state)| &state.member.ty).collect()
        }
        DefinitionKind::ValueBox(item) => vec![&item.ty],
        _ => return model.definition_facts(id),
    };
    let mut all = TypeFacts::default();
    for facts in types.into_iter().map(|ty| model.facts(ty)) {
        all.local_interface |= facts.local_interface;
        all.native |= facts.native;
        all.floating |= facts.floating;
        all.any |= facts.any;
        all.type_code |= facts.type_code;
    }
    // Never `Copy`: it may be large.
    all.sequence = true;
    all
}

/// Whether every member has a default. A union has none, because no member is an obvious choice.
fn has_default(model: &Model, id: DefId) -> bool {
    let mut seen = HashSet::from([id]);
    let mut work = vec![id];
    while let Some(at) = work.pop() {
        let types: Vec<&Type> = match &model[at].kind {
            DefinitionKind::Struct(_) | DefinitionKind::Exception(_) => {
                model.all_members(at).into_iter().map(|member| &member.ty).collect()
            }
            DefinitionKind::Typedef(item) => vec![&item.ty],
            // Nested values of valuetypes are handles, which are null by default.
            DefinitionKind::Value(_) if at == id => {
                model.value_state(id).into_iter().map(|(_, state)| &state.member.ty).collect()
            }
            DefinitionKind::ValueBox(item) if at == id => vec![&item.ty],
            DefinitionKind::Value(_)
            | DefinitionKind::ValueBox(_)
            | DefinitionKind::Enum(_)
            | DefinitionKind::Interface(_)
            | DefinitionKind::Bitmask(_)
            | DefinitionKind::Bitset(_) => continue,
            _ => return false,
        };
        for mut ty in types {
            // Elements of sequences do not matter: a sequence is empty by default.
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
