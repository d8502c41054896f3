//! Consistency rules of a repository: names, ids, and containment.

use std::collections::HashMap;

use zorb::dynamic::repository::{Entry, EntryId, EntryKind, Repository};
use zorb::{SystemException, TcKind, minor};

use super::call::bad_param;

type Checked = Result<(), SystemException>;

/// The operations that add definitions to modules and the repository.
const IN_MODULES: [&str; 14] = [
    "create_module",
    "create_constant",
    "create_struct",
    "create_union",
    "create_enum",
    "create_alias",
    "create_interface",
    "create_abstract_interface",
    "create_local_interface",
    "create_value",
    "create_ext_value",
    "create_value_box",
    "create_exception",
    "create_native",
];

/// The operations that add definitions to interfaces and valuetypes.
const IN_INTERFACES: [&str; 9] = [
    "create_constant",
    "create_struct",
    "create_union",
    "create_enum",
    "create_alias",
    "create_exception",
    "create_attribute",
    "create_ext_attribute",
    "create_operation",
];

/// The operations that add types defined inside structs, unions and exceptions.
const IN_STRUCTS: [&str; 3] = ["create_struct", "create_union", "create_enum"];

/// Whether an operation adds a definition to a container.
pub(super) fn creates(operation: &str) -> bool {
    operation == "create_value_member"
        || IN_MODULES.contains(&operation)
        || IN_INTERFACES.contains(&operation)
}

/// The operation that creates definitions of this kind.
pub(super) fn creator(entry: &Entry) -> &'static str {
    match &entry.kind {
        EntryKind::Module => "create_module",
        EntryKind::Interface { .. } => "create_interface",
        EntryKind::Value { .. } => "create_value",
        EntryKind::ValueMember { .. } => "create_value_member",
        EntryKind::Exception(_) => "create_exception",
        EntryKind::Constant(_) => "create_constant",
        EntryKind::Operation(_) => "create_operation",
        EntryKind::Attribute(_) => "create_attribute",
        EntryKind::Type(type_code) => match type_code.kind() {
            TcKind::Struct => "create_struct",
            TcKind::Union => "create_union",
            TcKind::Enum => "create_enum",
            TcKind::ValueBox => "create_value_box",
            TcKind::Native => "create_native",
            _ => "create_alias",
        },
        _ => "",
    }
}

/// Whether a container may contain a definition, by the operation that adds it.
pub(super) fn may_contain(repository: &Repository, entry_id: EntryId, operation: &str) -> Checked {
    let may = match &repository[entry_id].kind {
        EntryKind::Repository | EntryKind::Module => IN_MODULES.contains(&operation),
        EntryKind::Interface { .. } => IN_INTERFACES.contains(&operation),
        EntryKind::Value { .. } => {
            operation == "create_value_member" || IN_INTERFACES.contains(&operation)
        }
        EntryKind::Type(type_code)
            if matches!(type_code.kind(), TcKind::Struct | TcKind::Union) =>
        {
            IN_STRUCTS.contains(&operation)
        }
        EntryKind::Exception(_) => IN_STRUCTS.contains(&operation),
        _ => false,
    };
    if may { Ok(()) } else { Err(bad_param(minor::bad_param::BAD_CONTAINER)) }
}

/// Whether a repository id has a format and a non-empty rest.
pub(super) fn id(id: &str) -> Checked {
    let parts = id.split_once(':');
    match parts.is_some_and(|(format, rest)| !format.is_empty() && !rest.is_empty()) {
        true => Ok(()),
        false => Err(bad_param(minor::bad_param::INVALID_REPOSITORY_ID)),
    }
}

/// Whether a definition may have this name in a container: no other definition has or inherits it.
pub(super) fn name(
    repository: &Repository,
    container: EntryId,
    name: &str,
    itself: Option<EntryId>,
) -> Checked {
    let is_word = name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    if !is_word || !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Err(bad_param(minor::bad_param::INVALID_NAME));
    }
    // IDL names that differ only in case clash.
    let has_name = |container: EntryId| {
        repository[container]
            .contents
            .iter()
            .any(|item| Some(*item) != itself && repository[*item].name.eq_ignore_ascii_case(name))
    };
    if has_name(container) {
        return Err(bad_param(minor::bad_param::NAME_EXISTS));
    }
    if repository.ancestors(container).into_iter().any(has_name) {
        return Err(bad_param(minor::bad_param::INHERITED_NAME_CLASH));
    }
    Ok(())
}

/// Whether an interface or valuetype may have its bases: it is not among them, and no inherited
/// operation or attribute clashes with another name.
pub(super) fn inheritance(repository: &Repository, entry_id: EntryId) -> Checked {
    let mut scopes = repository.ancestors(entry_id);
    let itself = &*repository[entry_id].id;
    let leads_back = |scope: &EntryId| repository[*scope].references().any(|id| id == itself);
    if scopes.iter().any(leads_back) || repository[entry_id].references().any(|id| id == itself) {
        return Err(bad_param(minor::bad_param::INHERITED_NAME_CLASH));
    }
    scopes.push(entry_id);
    let mut names: HashMap<String, (EntryId, bool)> = HashMap::new();
    for scope in scopes {
        for item in &repository[scope].contents {
            let entry = &repository[*item];
            let is_call = matches!(entry.kind, EntryKind::Operation(_) | EntryKind::Attribute(_));
            let known = names.insert(entry.name.to_ascii_lowercase(), (*item, is_call));
            if known.is_some_and(|(other, was_call)| other != *item && (is_call || was_call)) {
                return Err(bad_param(minor::bad_param::INHERITED_NAME_CLASH));
            }
        }
    }
    Ok(())
}
