//! Valuetypes and value boxes.

use std::collections::HashMap;

use super::Resolver;
use super::scope::{NameKind, ScopeId, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    DefId, DefinitionKind, EventType, Initializer, Member, StateMember, Type, ValueBox, ValueType,
    Visibility,
};
use crate::source::Span;
use crate::syntax::{Docs, Ident, InitializerItem, MemberItem, ScopedName, TypeExpr, ValueItem};

impl Resolver<'_> {
    pub(super) fn value(&mut self, item: &ValueItem, scope: ScopeId) {
        let value = ValueType {
            is_abstract: item.is_abstract,
            is_custom: item.is_custom,
            ..ValueType::default()
        };
        let kind = kind(item.is_event, value);
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let mut bases = self.value_bases(item, id, scope);
        if item.is_event && !bases.iter().any(|base| self.is_event(*base)) {
            bases.extend(self.standard_interface("EventBase", item.name.span));
        }
        let supports = self.supported(item, &bases, scope);
        let is_truncatable = self.truncatable(item, &bases);
        let parents: Vec<DefId> = bases.iter().chain(&supports).copied().collect();
        self.inherit(&parents, inside, item.name.span);
        if let Some(value) = self.value_mut(id) {
            value.bases = bases;
            value.supports = supports;
            value.is_truncatable = is_truncatable;
        }
        for part in &item.items {
            self.export(part, id, inside);
        }
        self.finish(id);
        if item.is_event {
            self.equivalent_consumer(id, scope);
        }
    }

    fn is_event(&self, id: DefId) -> bool {
        matches!(self.model.definition(id).kind, DefinitionKind::Event(_))
    }

    pub(super) fn value_mut(&mut self, id: DefId) -> Option<&mut ValueType> {
        match &mut self.model.definitions.get_mut(id.index())?.kind {
            DefinitionKind::Value(value) => Some(value),
            DefinitionKind::Event(item) => Some(&mut item.value),
            _ => None,
        }
    }

    fn value_bases(&mut self, item: &ValueItem, id: DefId, scope: ScopeId) -> Vec<DefId> {
        let mut bases = Vec::new();
        let mut seen: HashMap<DefId, Span> = HashMap::new();
        for name in &item.bases {
            let Some(target) = self.lookup(name, scope) else { continue };
            let target = self.without_typedefs(target);
            let Target::Definition(base) = target else {
                self.report_bad_base(Code::BadValueBase, name, target, "is not a valuetype");
                continue;
            };
            let Some(value) = self.model.value(base) else {
                let what = match self.model.definition(base).kind {
                    DefinitionKind::ValueBox(_) => "is a value box and cannot be inherited from",
                    DefinitionKind::Interface(_) => "is an interface: list it after `supports`",
                    _ => "is not a valuetype",
                };
                self.report_bad_base(Code::BadValueBase, name, target, what);
                continue;
            };
            let is_abstract = value.is_abstract;
            if base == id {
                self.report_bad_base(Code::BadValueBase, name, target, "cannot be its own base");
            } else if self.incomplete.contains_key(&base) {
                let what = "is declared but not yet defined";
                self.report_bad_base(Code::BadValueBase, name, target, what);
            } else if let Some(first) = seen.get(&base) {
                self.duplicate_base(name, *first);
            } else if !item.is_event && self.is_event(base) {
                let what = "is an event type, and this is not";
                self.report_bad_base(Code::BadEventBase, name, target, what);
            } else if item.is_abstract && !is_abstract {
                let what = "is concrete and cannot be the base of an abstract valuetype";
                self.report_bad_base(Code::AbstractBase, name, target, what);
            } else if !is_abstract && !bases.is_empty() {
                let what = "is concrete, so it must be the first base and the only concrete one";
                self.report_bad_base(Code::SecondConcreteBase, name, target, what);
            } else {
                seen.insert(base, name.span);
                bases.push(base);
            }
        }
        bases
    }

    fn supported(&mut self, item: &ValueItem, bases: &[DefId], scope: ScopeId) -> Vec<DefId> {
        let mut supports: Vec<DefId> = Vec::new();
        let mut seen: HashMap<DefId, Span> = HashMap::new();
        // The concrete interface that this valuetype or a base supports.
        let mut concrete = bases.iter().find_map(|base| self.model.supported_interface(*base));
        for name in &item.supports {
            let Some(target) = self.lookup(name, scope) else { continue };
            let target = self.without_typedefs(target);
            let Some(id) = self.parent_interface(Code::BadSupports, name, target) else { continue };
            if !matches!(self.model.definition(id).kind, DefinitionKind::Interface(_)) {
                self.report_bad_base(Code::BadSupports, name, target, "is not an interface");
                continue;
            }
            let is_abstract = self.model.interface(id).is_some_and(|it| it.is_abstract);
            if let Some(first) = seen.get(&id) {
                self.duplicate_base(name, *first);
                continue;
            }
            if let Some(other) = concrete
                && !is_abstract
                && !self.inherits(id, other)
            {
                let other = self.model.scoped_name(other);
                let what = format!("is a second concrete interface besides `{other}`");
                self.report_bad_base(Code::BadSupports, name, target, &what);
                continue;
            }
            if !is_abstract {
                concrete = Some(id);
            }
            seen.insert(id, name.span);
            supports.push(id);
        }
        supports
    }

    /// Whether interface `id` is `base` or inherits from it, according to the scopes.
    fn inherits(&self, id: DefId, base: DefId) -> bool {
        let scope = self.scope_of.get(&id).and_then(|id| self.scopes.get(id.0));
        id == base || scope.is_some_and(|scope| scope.ancestors.contains(&base))
    }

    fn truncatable(&mut self, item: &ValueItem, bases: &[DefId]) -> bool {
        let Some(span) = item.truncatable else { return false };
        let concrete = bases.first().and_then(|base| self.model.value(*base));
        let problem = if item.is_custom {
            "a custom valuetype cannot be truncatable"
        } else if item.is_abstract {
            "an abstract valuetype cannot be truncatable"
        } else if concrete.is_some_and(|base| !base.is_abstract) {
            return true;
        } else if bases.len() < item.bases.len() {
            // An error in the base is already reported.
            return false;
        } else {
            "a truncatable valuetype needs a concrete base"
        };
        self.sink.error(Code::BadTruncatable, span, problem);
        false
    }

    /// `public long x;`
    pub(super) fn state(
        &mut self,
        visibility: Visibility,
        item: &MemberItem,
        owner: DefId,
        inside: ScopeId,
    ) {
        let ty = self.value_type(&item.ty, inside);
        self.reject_native(&ty, item.ty.span);
        for declarator in &item.declarators {
            let name = &declarator.name;
            self.reject_abstract_state(owner, name);
            self.check_inherited(name, inside);
            let ty = self.declared_type(&ty, declarator, inside);
            if !self.declare(inside, name, Target::State(owner), NameKind::Member) {
                continue;
            }
            let member = Member {
                name: name.text.to_string(),
                ty,
                annotations: Vec::new(),
                docs: item.docs.as_deref().map(str::to_owned),
                span: name.span,
            };
            if let Some(value) = self.value_mut(owner) {
                value.members.push(StateMember { member, visibility });
            }
        }
    }

    fn reject_abstract_state(&mut self, owner: DefId, name: &Ident) {
        if self.model.value(owner).is_some_and(|value| value.is_abstract) {
            let message =
                format!("`{}` is state or an initializer in an abstract valuetype", name.text);
            self.sink.push(
                Diagnostic::new(Code::AbstractState, name.span, message)
                    .hint("move it to a concrete valuetype that inherits from this one"),
            );
        }
    }

    pub(super) fn initializer(&mut self, item: &InitializerItem, owner: DefId, inside: ScopeId) {
        self.reject_abstract_state(owner, &item.name);
        let (params, raises) = self.signature(&item.params, &item.raises, inside);
        if self.declare(inside, &item.name, Target::Initializer, NameKind::Export)
            && let Some(value) = self.value_mut(owner)
        {
            value.initializers.push(Initializer {
                name: item.name.text.to_string(),
                params,
                raises,
                annotations: Vec::new(),
                docs: item.docs.as_deref().map(str::to_owned),
                span: item.name.span,
            });
        }
    }

    /// `valuetype V T;`
    pub(super) fn value_box(&mut self, name: &Ident, ty: &TypeExpr, docs: &Docs, scope: ScopeId) {
        let kind = DefinitionKind::ValueBox(ValueBox { ty: Type::Error, children: Vec::new() });
        let (id, inside) = self.begin(name, kind, docs, scope);
        let span = ty.span;
        let mut ty = self.value_type(ty, inside);
        self.reject_native(&ty, span);
        let boxed = match self.model.resolve(&ty) {
            Type::ValueBase => true,
            Type::Named(id) => matches!(
                self.model.definition(*id).kind,
                DefinitionKind::Value(_) | DefinitionKind::ValueBox(_) | DefinitionKind::Event(_)
            ),
            _ => false,
        };
        if boxed {
            let message = format!("`{}` is already a valuetype", self.model.type_name(&ty));
            self.sink.push(
                Diagnostic::new(Code::BoxedValue, span, message)
                    .hint("use it without a box: a valuetype can already be null"),
            );
            ty = Type::Error;
        }
        self.finish(id);
        if let Some(definition) = self.model.definitions.get_mut(id.index())
            && let DefinitionKind::ValueBox(item) = &mut definition.kind
        {
            item.ty = ty;
        }
    }

    pub(super) fn duplicate_base(&mut self, name: &ScopedName, first: Span) {
        let message = "duplicate base";
        let diagnostic = Diagnostic::new(Code::DuplicateBase, name.span, message);
        self.sink.push(diagnostic.label(first, "first listed here"));
    }
}

/// Wraps a valuetype as the definition of a valuetype or an event type.
pub(super) fn kind(is_event: bool, value: ValueType) -> DefinitionKind {
    if is_event {
        DefinitionKind::Event(EventType { value, consumer: None })
    } else {
        DefinitionKind::Value(value)
    }
}
