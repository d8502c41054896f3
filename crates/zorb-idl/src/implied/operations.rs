//! What has operations in implied IDL.

use super::names::first_free;
use crate::model::{Attribute, DefId, Direction, Export, Model, Operation, Type};

/// What an operation, or the getter or setter of an attribute, is in implied IDL.
pub(super) struct Callable<'m> {
    pub(super) name: String,
    /// The operation name on the wire.
    pub(super) wire: String,
    pub(super) result: &'m Type,
    pub(super) parameters: Vec<(Direction, String, &'m Type)>,
    pub(super) raises: &'m [DefId],
}

impl Callable<'_> {
    /// The name of the handler's operation for exceptions.
    pub(super) fn raised(&self, taken: &[&str]) -> String {
        first_free((0..).map(|times| format!("{}{}_excep", self.name, "_ami".repeat(times))), taken)
    }
}

/// The names that an interface and its bases use.
pub(super) fn taken(model: &Model, id: DefId) -> Vec<&str> {
    let exports = model.all_exports(id).into_iter();
    exports
        .filter_map(|it| match it.export {
            Export::Operation(item) => Some(item.name.as_str()),
            Export::Attribute(item) => Some(item.name.as_str()),
            Export::Definition(_) => None,
        })
        .collect()
}

/// What an interface itself declares and has a reply.
pub(super) fn callables(model: &Model, id: DefId) -> Vec<Callable<'_>> {
    let (mut list, taken) = (Vec::new(), taken(model, id));
    for export in model.exports(id) {
        match export {
            Export::Operation(item) if !item.oneway => list.push(operation(item)),
            Export::Attribute(item) => list.extend(accessors(item, &taken)),
            Export::Operation(_) | Export::Definition(_) => {}
        }
    }
    list
}

fn operation(item: &Operation) -> Callable<'_> {
    let parameters = item.params.iter();
    Callable {
        name: item.name.clone(),
        wire: item.name.clone(),
        result: &item.result,
        parameters: parameters.map(|it| (it.direction, it.name.clone(), &it.ty)).collect(),
        raises: &item.raises,
    }
}

fn accessors<'m>(item: &'m Attribute, taken: &[&str]) -> Vec<Callable<'m>> {
    let name = |start: &str| {
        let names = (0..).map(|times| format!("{start}{}{}", "ami_".repeat(times), item.name));
        first_free(names, taken)
    };
    let mut list = vec![Callable {
        name: name("get_"),
        wire: format!("_get_{}", item.name),
        result: &item.ty,
        parameters: Vec::new(),
        raises: &item.get_raises,
    }];
    if !item.readonly {
        list.push(Callable {
            name: name("set_"),
            wire: format!("_set_{}", item.name),
            result: &Type::Void,
            parameters: vec![(Direction::In, format!("attr_{}", item.name), &item.ty)],
            raises: &item.set_raises,
        });
    }
    list
}
