//! Structs without members, whose values have no octets.

use std::collections::HashSet;

use zorb_idl::model::{Definition, Export, Operation};
use zorb_idl::{DefId, DefinitionKind, Model, Type};

use crate::selection::select_in_any_order;

/// The structs of a model whose values have no octets: those without members, and those of such structs.
///
/// Values of types that are known at run time refuse a length that exceeds the octets left, so that a few octets cannot
/// cost much work. Therefore they cannot be sequences of these structs, and their TypeCodes are refused.
pub(crate) struct EmptyStructs<'m> {
    model: &'m Model,
    ids: HashSet<DefId>,
}

impl<'m> EmptyStructs<'m> {
    pub(crate) fn of(model: &'m Model) -> Self {
        let mut all = Self { model, ids: HashSet::new() };
        let is_struct =
            |definition: &&Definition| matches!(definition.kind, DefinitionKind::Struct(_));
        select_in_any_order(model.definitions().filter(is_struct).collect(), |definition| {
            let mut members = model.all_members(definition.id).into_iter();
            members.all(|member| all.is_empty(&member.ty)) && all.ids.insert(definition.id)
        });
        all
    }

    fn is_empty(&self, ty: &Type) -> bool {
        match self.model.resolve(ty) {
            Type::Named(id) => self.ids.contains(id),
            Type::Array { element, .. } => self.is_empty(element),
            _ => false,
        }
    }

    /// Whether a definition uses a sequence or map of them.
    pub(crate) fn are_elements_in(&self, kind: &DefinitionKind) -> bool {
        if self.ids.is_empty() {
            return false;
        }
        let in_members = || Self::types(kind).into_iter().any(|ty| self.are_elements_of(ty));
        let exports = match kind {
            DefinitionKind::Interface(item) => &item.exports,
            DefinitionKind::Value(item) => &item.exports,
            _ => return in_members(),
        };
        let in_operation = |item: &Operation| {
            let params = item.params.iter().map(|param| &param.ty);
            params.chain([&item.result]).any(|ty| self.are_elements_of(ty))
        };
        let in_export = |export: &Export| match export {
            Export::Operation(item) => in_operation(item),
            Export::Attribute(item) => self.are_elements_of(&item.ty),
            Export::Definition(_) => false,
        };
        exports.iter().any(in_export) || in_members()
    }

    /// The types of the members of a definition.
    fn types(kind: &DefinitionKind) -> Vec<&Type> {
        match kind {
            DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => {
                item.members.iter().map(|member| &member.ty).collect()
            }
            DefinitionKind::Union(item) => item.cases.iter().map(|case| &case.ty).collect(),
            DefinitionKind::Value(item) => {
                item.members.iter().map(|state| &state.member.ty).collect()
            }
            DefinitionKind::ValueBox(item) => vec![&item.ty],
            DefinitionKind::Typedef(item) => vec![&item.ty],
            _ => Vec::new(),
        }
    }

    fn are_elements_of(&self, ty: &Type) -> bool {
        match ty {
            Type::Sequence { element, .. } => {
                self.is_empty(element) || self.are_elements_of(element)
            }
            Type::Map { value, .. } => self.is_empty(value) || self.are_elements_of(value),
            Type::Array { element, .. } => self.are_elements_of(element),
            _ => false,
        }
    }
}
