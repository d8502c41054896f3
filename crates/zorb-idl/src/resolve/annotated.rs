//! Applies annotations to the annotated definitions.

use std::collections::HashMap;

use super::Resolver;
use super::scope::{ScopeId, Target};
use super::standard::On;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{Annotation, ConstValue, DefId, DefinitionKind, Export, Type, find_annotation};
use crate::source::Span;
use crate::syntax::{AnnotationItem, Ident, Item, OperationItem};

impl Resolver<'_> {
    /// Resolves a definition with annotations before it.
    pub(super) fn annotated(&mut self, list: &[AnnotationItem], item: &Item, scope: ScopeId) {
        if let Item::Bitmask(item) = item {
            let annotations = self.annotate(list, On::BITMASK, None, scope);
            self.bitmask(item, annotations, scope);
            return;
        }
        self.item(item, scope);
        for name in declared_names(item) {
            let Some(entry) = self.entry(scope, &name.text) else { continue };
            let Target::Definition(id) = entry.target else { continue };
            if entry.ident.text != name.text {
                continue;
            }
            let definition = self.model.definition(id);
            let (on, ty) = match &definition.kind {
                DefinitionKind::Module(_) => (On::MODULE, None),
                DefinitionKind::Interface(_) => (On::INTERFACE, None),
                DefinitionKind::Component(_) | DefinitionKind::Home(_) => (On::INTERFACE, None),
                DefinitionKind::Value(_)
                | DefinitionKind::ValueBox(_)
                | DefinitionKind::Event(_) => (On::VALUE, None),
                DefinitionKind::Struct(_) => (On::STRUCT, None),
                DefinitionKind::Union(_) => (On::UNION, None),
                DefinitionKind::Enum(_) => (On::ENUM, None),
                DefinitionKind::Bitset(_) => (On::BITSET, None),
                DefinitionKind::Exception(_) => (On::EXCEPTION, None),
                DefinitionKind::Typedef(item) => (On::TYPEDEF, Some(item.ty.clone())),
                DefinitionKind::Const(item) => (On::CONST, Some(item.ty.clone())),
                _ => (On::OTHER, None),
            };
            let annotations = self.annotate(list, on, ty.as_ref(), scope);
            self.check_enum_bound(id, &annotations);
            if let Some(definition) = self.model.definitions.get_mut(id.index()) {
                definition.annotations.extend(annotations);
            }
        }
    }

    /// Checks that the values of an enum fit its bit bound.
    fn check_enum_bound(&mut self, id: DefId, annotations: &[Annotation]) {
        let Some(item) = self.model.enumeration(id) else { return };
        let count = item.enumerators.len() as u64;
        let Some(bound) = find_annotation(annotations, "bit_bound") else { return };
        let Some(ConstValue::Integer(bits)) = bound.argument("value") else { return };
        if !(1..=32).contains(bits) {
            let message = format!("an enum cannot have {bits} bits");
            self.sink.push(
                Diagnostic::new(Code::BitBound, bound.span, message)
                    .note("the bound must be between 1 and 32"),
            );
        } else if count > 1_u64 << bits {
            let message = format!("{bits} bits are too few for {count} enumerators");
            self.sink.error(Code::BitBound, bound.span, message);
        }
    }

    /// Resolves a declaration with annotations in an interface or valuetype.
    pub(super) fn annotated_export(
        &mut self,
        list: &[AnnotationItem],
        item: &Item,
        owner: DefId,
        inside: ScopeId,
    ) {
        let on = match item {
            Item::Operation(_) => On::OPERATION,
            Item::Attribute(_) => On::ATTRIBUTE,
            Item::State { .. } => On::MEMBER,
            Item::Initializer(_) => On::OTHER,
            _ => {
                self.check_inherited_name(item, inside);
                self.annotated(list, item, inside);
                return;
            }
        };
        let (exports, members, initializers) = self.counts(owner);
        self.element(item, owner, inside);
        let ty = match self.model.exports(owner).get(exports..) {
            Some([Export::Attribute(attribute), ..]) => Some(attribute.ty.clone()),
            _ => {
                let state = self.model.value(owner).and_then(|value| value.members.get(members));
                state.map(|state| state.member.ty.clone())
            }
        };
        let annotations = self.annotate(list, on, ty.as_ref(), inside);
        let oneway = find_annotation(&annotations, "oneway")
            .is_some_and(|item| item.argument("value") == Some(&ConstValue::Boolean(true)));
        if let (Item::Operation(item), true) = (item, oneway) {
            self.check_annotated_oneway(owner, exports, item);
        }
        if let Some(list) = self.exports_mut(owner) {
            for export in list.iter_mut().skip(exports) {
                match export {
                    Export::Operation(item) => item.annotations.clone_from(&annotations),
                    Export::Attribute(item) => item.annotations.clone_from(&annotations),
                    Export::Definition(_) => {}
                }
            }
        }
        if let Some(value) = self.value_mut(owner) {
            for state in value.members.iter_mut().skip(members) {
                state.member.annotations.clone_from(&annotations);
            }
            for initializer in value.initializers.iter_mut().skip(initializers) {
                initializer.annotations.clone_from(&annotations);
            }
        }
    }

    fn counts(&self, owner: DefId) -> (usize, usize, usize) {
        let value = self.model.value(owner);
        (
            self.model.exports(owner).len(),
            value.map_or(0, |value| value.members.len()),
            value.map_or(0, |value| value.initializers.len()),
        )
    }

    fn check_annotated_oneway(&mut self, owner: DefId, at: usize, item: &OperationItem) {
        let found = self.model.exports(owner).get(at);
        let Some(Export::Operation(operation)) = found else { return };
        let result = operation.result.clone();
        self.check_oneway(item, &result);
        if let Some(Export::Operation(operation)) =
            self.exports_mut(owner).and_then(|exports| exports.get_mut(at))
        {
            operation.oneway = true;
            operation.raises.clear();
        }
    }

    /// Checks that no two of these have the same number.
    pub(super) fn check_numbers<'n>(
        &mut self,
        annotation: &str,
        items: impl Iterator<Item = &'n [Annotation]>,
    ) {
        let mut seen: HashMap<i128, Span> = HashMap::new();
        let mut found = Vec::new();
        for list in items {
            let Some(item) = find_annotation(list, annotation) else { continue };
            let Some(ConstValue::Integer(value)) = item.argument("value") else { continue };
            match seen.get(value) {
                Some(first) => found.push((*value, *first, item.span)),
                None => {
                    seen.insert(*value, item.span);
                }
            }
        }
        for (value, first, span) in found {
            let message = format!("duplicate `@{annotation}` value {value}");
            let diagnostic = Diagnostic::new(Code::AnnotationConflict, span, message);
            self.sink.push(diagnostic.label(first, "first used here"));
        }
    }

    /// Whether a constant can have this type.
    pub(super) fn is_constant_type(&self, ty: &Type) -> bool {
        match self.model.resolve(ty) {
            Type::Named(id) => matches!(
                self.model.definition(*id).kind,
                DefinitionKind::Enum(_) | DefinitionKind::Bitmask(_)
            ),
            Type::Any
            | Type::Object
            | Type::ValueBase
            | Type::TypeCode
            | Type::Sequence { .. }
            | Type::Map { .. }
            | Type::Array { .. }
            | Type::Void => false,
            _ => true,
        }
    }
}

/// The names that an item declares in its scope.
pub(super) fn declared_names(item: &Item) -> Vec<&Ident> {
    match item {
        Item::Annotated(_, item) => declared_names(item),
        Item::Struct(item) | Item::Exception(item) => vec![&item.name],
        Item::Union(item) => vec![&item.name],
        Item::Enum(item) => vec![&item.name],
        Item::Bitmask(item) => vec![&item.name],
        Item::Bitset(item) => vec![&item.name],
        Item::Interface(item) => vec![&item.name],
        Item::Value(item) => vec![&item.name],
        Item::Component(item) => vec![&item.name],
        Item::PortType(item) => vec![&item.name],
        Item::Home(item) => vec![&item.name],
        Item::Template(item) => vec![&item.name],
        Item::Instance(item) => vec![&item.name],
        Item::Module { name, .. }
        | Item::Const { name, .. }
        | Item::ValueBox { name, .. }
        | Item::ValueForward { name, .. }
        | Item::ComponentForward(name)
        | Item::InterfaceForward(name, _)
        | Item::StructForward(name)
        | Item::UnionForward(name)
        | Item::Native(name, _) => vec![name],
        Item::Typedef { declarators, .. } => {
            declarators.iter().map(|declarator| &declarator.name).collect()
        }
        _ => Vec::new(),
    }
}
