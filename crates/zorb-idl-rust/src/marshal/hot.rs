//! What a profile compiles: the operations that a program used most, and the types of their arguments and results.

use std::collections::{HashMap, HashSet};

use zorb_idl::model::{Definition, DefinitionKind, Export};
use zorb_idl::{DefId, Model, Type};

use crate::Usage;

/// The hot operations and types of a model.
#[derive(Debug, Default)]
pub(super) struct Hot {
    /// The hot types, and the interfaces whose operations are all hot.
    pub(super) definitions: HashSet<DefId>,
    /// The operations, by the interface that declares them.
    operations: HashMap<DefId, HashSet<String>>,
}

impl Hot {
    pub(super) fn new(model: &Model, usage: &Usage) -> Self {
        let mut hot = Self::default();
        let used: HashSet<_> = usage.hot().iter().map(|used| (used.interface, used.name)).collect();
        let is_used = |interface: &Definition, operation: &str| {
            let id = interface.repository_id.as_str();
            [Some(id), None].iter().any(|id| used.contains(&(*id, operation)))
        };
        let interfaces = || model.definitions().filter(|it| model.interface(it.id).is_some());
        for interface in interfaces() {
            for id in model.ancestors(interface.id).into_iter().chain([interface.id]) {
                for (name, types) in declared(model, id) {
                    if is_used(interface, &name) {
                        hot.operations.entry(id).or_default().insert(name);
                        hot.add_types(model, types);
                    }
                }
            }
        }
        for interface in interfaces() {
            let mut own = declared(model, interface.id).peekable();
            if own.peek().is_some() && own.all(|(name, _)| hot.has(interface.id, &name)) {
                hot.definitions.insert(interface.id);
            }
        }
        hot
    }

    /// Whether an operation that an interface declares is hot.
    pub(super) fn has(&self, interface: DefId, operation: &str) -> bool {
        self.operations.get(&interface).is_some_and(|names| names.contains(operation))
    }

    /// Adds the types that values of these types contain.
    fn add_types<'m>(&mut self, model: &'m Model, mut work: Vec<&'m Type>) {
        while let Some(ty) = work.pop() {
            match ty {
                Type::Sequence { element, .. } | Type::Array { element, .. } => work.push(element),
                Type::Map { key, value, .. } => work.extend([&**key, &**value]),
                // A reference contains nothing of its interface.
                Type::Named(id) => {
                    let is_value = model.interface(*id).is_none();
                    if is_value && self.definitions.insert(*id) {
                        work.extend(parts(model, *id));
                    }
                }
                _ => {}
            }
        }
    }
}

/// The operations that an interface declares, those of its attributes too: their names in messages, and the types of
/// arguments and results.
fn declared(model: &Model, interface: DefId) -> impl Iterator<Item = (String, Vec<&Type>)> {
    model.exports(interface).iter().flat_map(|export| match export {
        Export::Operation(item) => {
            let passed = item.params.iter().map(|param| &param.ty);
            vec![(item.name.clone(), passed.chain([&item.result]).collect())]
        }
        Export::Attribute(item) => {
            let set = (!item.readonly).then(|| (format!("_set_{}", item.name), vec![&item.ty]));
            [(format!("_get_{}", item.name), vec![&item.ty])].into_iter().chain(set).collect()
        }
        Export::Definition(_) => Vec::new(),
    })
}

/// The types of what a value of a type contains.
fn parts(model: &Model, id: DefId) -> Vec<&Type> {
    match &model[id].kind {
        DefinitionKind::Struct(_) => model.all_members(id).iter().map(|it| &it.ty).collect(),
        DefinitionKind::Union(item) => {
            let cases = item.cases.iter().map(|case| &case.ty);
            cases.chain([&item.discriminator]).collect()
        }
        DefinitionKind::Typedef(item) => vec![&item.ty],
        DefinitionKind::Value(_) => {
            let state = model.value_state(id).into_iter();
            state.map(|(_, member)| &member.member.ty).collect()
        }
        DefinitionKind::ValueBox(item) => vec![&item.ty],
        _ => Vec::new(),
    }
}
