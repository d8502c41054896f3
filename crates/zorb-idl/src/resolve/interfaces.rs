//! Interfaces, operations and attributes.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::Resolver;
use super::annotated::declared_names;
use super::scope::{Entry, NameKind, ScopeId, Target, key};
use super::standard::On;
use crate::diagnostics::{Code, Diagnostic};
use crate::limits::MAX_ANCESTORS;
use crate::model::{
    Attribute, DefId, DefinitionKind, Direction, Export, Interface, Operation, Param, Type,
};
use crate::source::Span;
use crate::syntax::{
    AttributeItem, Ident, InterfaceItem, InterfaceKind, Item, OperationItem, ParamItem, ScopedName,
};

/// An interface with the modifiers of `kind` and no content.
pub(super) fn empty(kind: InterfaceKind) -> Interface {
    Interface {
        is_abstract: kind == InterfaceKind::Abstract,
        is_local: kind.is_local(),
        ..Interface::default()
    }
}

impl Resolver<'_> {
    pub(super) fn interface(&mut self, item: &InterfaceItem, scope: ScopeId) {
        if item.kind == InterfaceKind::Pseudo {
            self.make_forward_local(&item.name, scope);
        }
        let kind = DefinitionKind::Interface(empty(item.kind));
        // The bases are resolved before the interface's own scope is entered.
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let bases = self.bases(item, id, scope);
        self.inherit(&bases, inside, item.name.span);
        if let Some(definition) = self.model.definitions.get_mut(id.index())
            && let DefinitionKind::Interface(interface) = &mut definition.kind
        {
            interface.bases = bases;
        }
        item.items.iter().for_each(|part| self.export(part, id, inside));
        self.finish(id);
    }

    /// Makes the names of `parents` visible inside an interface or valuetype.
    pub(super) fn inherit(&mut self, parents: &[DefId], inside: ScopeId, span: Span) {
        let ancestors = self.ancestors_of(parents, span);
        if parents.len() > 1 {
            self.check_bases(&ancestors, span);
        }
        if let Some(inside) = self.scopes.get_mut(inside.0) {
            inside.ancestors = ancestors;
        }
    }

    /// Resolves a declaration in an interface or valuetype.
    pub(super) fn export(&mut self, part: &Item, owner: DefId, inside: ScopeId) {
        match part {
            Item::Annotated(list, part) => self.annotated_export(list, part, owner, inside),
            other => self.element(other, owner, inside),
        }
    }

    pub(super) fn element(&mut self, part: &Item, owner: DefId, inside: ScopeId) {
        match part {
            Item::Operation(operation) => self.operation(operation, owner, inside),
            Item::Attribute(attribute) => self.attribute(attribute, owner, inside),
            Item::State { visibility, member } => self.state(*visibility, member, owner, inside),
            Item::Initializer(initializer) => self.initializer(initializer, owner, inside),
            other => {
                self.check_inherited_name(other, inside);
                self.item(other, inside);
            }
        }
    }

    pub(super) fn exports_mut(&mut self, id: DefId) -> Option<&mut Vec<Export>> {
        match &mut self.model.definitions.get_mut(id.index())?.kind {
            DefinitionKind::Interface(interface) => Some(&mut interface.exports),
            DefinitionKind::Value(value) => Some(&mut value.exports),
            DefinitionKind::Event(item) => Some(&mut item.value.exports),
            DefinitionKind::Component(item) => Some(&mut item.interface.exports),
            _ => None,
        }
    }

    fn bases(&mut self, item: &InterfaceItem, id: DefId, scope: ScopeId) -> Vec<DefId> {
        let mut bases = Vec::new();
        let mut seen: HashMap<DefId, Span> = HashMap::new();
        for name in &item.bases {
            let Some(target) = self.lookup(name, scope) else { continue };
            let target = self.without_typedefs(target);
            if target == Target::Definition(id) {
                self.report_bad_base(Code::BadBase, name, target, "cannot be its own base");
                continue;
            }
            let Some(base) = self.parent_interface(Code::BadBase, name, target) else { continue };
            let (is_abstract, is_local) = self
                .model
                .interface(base)
                .map_or((false, false), |base| (base.is_abstract, base.is_local));
            if let Some(first) = seen.get(&base) {
                self.duplicate_base(name, *first);
            } else if item.kind == InterfaceKind::Abstract && !is_abstract {
                let what = "is not abstract, and cannot be the base of an abstract interface";
                self.report_bad_base(Code::AbstractBase, name, target, what);
            } else if !item.kind.is_local() && is_local {
                let what = "is local, and can only be the base of a local interface";
                self.report_bad_base(Code::LocalBase, name, target, what);
            } else {
                seen.insert(base, name.span);
                bases.push(base);
            }
        }
        bases
    }

    /// The complete interface at `target`; reports anything else with `code`.
    pub(super) fn parent_interface(
        &mut self,
        code: Code,
        name: &ScopedName,
        target: Target,
    ) -> Option<DefId> {
        let what = match target {
            Target::Definition(id) if self.model.interface(id).is_some() => {
                if !self.incomplete.contains_key(&id) {
                    return Some(id);
                }
                "is declared but not yet defined"
            }
            _ => "is not an interface",
        };
        self.report_bad_base(code, name, target, what);
        None
    }

    /// Reports a base that cannot be inherited from.
    pub(super) fn report_bad_base(
        &mut self,
        code: Code,
        name: &ScopedName,
        target: Target,
        what: &str,
    ) {
        let written: Vec<&str> = name.parts.iter().map(|part| &*part.text).collect();
        let message = format!("`{}` {what}", written.join("::"));
        let mut diagnostic = Diagnostic::new(code, name.span, message);
        if let Some(span) = self.target_span(target) {
            diagnostic = diagnostic.label(span, "declared here");
        }
        self.sink.push(diagnostic);
    }

    /// The bases and all their ancestors without duplicates, the most distant first.
    fn ancestors_of(&mut self, bases: &[DefId], span: Span) -> Vec<DefId> {
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        for base in bases {
            let above = self.scope_of.get(base).and_then(|id| self.scopes.get(id.0));
            let above = above.map_or(&[][..], |scope| &scope.ancestors);
            for ancestor in above.iter().chain([base]) {
                if seen.insert(*ancestor) {
                    all.push(*ancestor);
                }
            }
            if all.len() > MAX_ANCESTORS {
                let message = format!("this inherits from more than {MAX_ANCESTORS} interfaces");
                self.sink.error(Code::InheritanceTooLarge, span, message);
                all.truncate(MAX_ANCESTORS);
                break;
            }
        }
        all
    }

    /// Checks that operations and attributes of different bases have different names.
    fn check_bases(&mut self, ancestors: &[DefId], span: Span) {
        let mut seen: HashMap<Rc<str>, &Entry> = HashMap::new();
        let mut found = None;
        for ancestor in ancestors {
            let scope = self.scope_of.get(ancestor).and_then(|id| self.scopes.get(id.0));
            let Some(scope) = scope else { continue };
            let Some(left) = self.comparisons_left.checked_sub(scope.names.len()) else {
                let message = "too many inherited names to compare";
                self.comparisons_left = 0;
                self.sink.error(Code::InheritanceTooLarge, span, message);
                return;
            };
            self.comparisons_left = left;
            for (name, entry) in &scope.names {
                if !matches!(entry.target, Target::Export(_) | Target::State(_)) {
                    continue;
                }
                let Some(other) = seen.insert(Rc::clone(name), entry) else { continue };
                // The order must not depend on hashing.
                let better = |(best, _): &(&Entry, &Entry)| entry.ident.span < best.ident.span;
                if found.as_ref().is_none_or(better) {
                    found = Some((entry, other));
                }
            }
        }
        if let Some((second, first)) = found {
            let message = format!("`{}` is inherited from two bases", second.ident.text);
            self.sink.push(
                Diagnostic::new(Code::InheritedClash, span, message)
                    .label(first.ident.span, "inherited from here")
                    .label(second.ident.span, "and from here")
                    .hint("move the common operations to a common base"),
            );
        }
    }

    /// The operation or attribute of this name that an interface inherits.
    pub(super) fn inherited_export(&self, name: &str, inside: ScopeId) -> Option<Ident> {
        let lower = key(name);
        let scope = self.scopes.get(inside.0)?;
        scope.ancestors.iter().find_map(|ancestor| {
            let scope = self.scopes.get(self.scope_of.get(ancestor)?.0)?;
            let entry = scope.names.get(&lower)?;
            matches!(entry.target, Target::Export(_) | Target::State(_) | Target::Port(_))
                .then(|| entry.ident.clone())
        })
    }

    pub(super) fn check_inherited(&mut self, name: &Ident, inside: ScopeId) {
        let Some(other) = self.inherited_export(&name.text, inside) else { return };
        let message = format!("`{}` is already inherited", name.text);
        self.sink.push(
            Diagnostic::new(Code::InheritedClash, name.span, message)
                .label(other.span, "inherited from here")
                .hint("inherited operations and attributes cannot be redefined"),
        );
    }

    /// Checks that an item does not redefine an inherited operation.
    pub(super) fn check_inherited_name(&mut self, item: &Item, inside: ScopeId) {
        let mut names = declared_names(item);
        if let Item::Enum(item) = item {
            names.extend(item.enumerators.iter().map(|item| &item.name));
        }
        names.into_iter().for_each(|name| self.check_inherited(name, inside));
    }

    fn operation(&mut self, item: &OperationItem, owner: DefId, inside: ScopeId) {
        self.check_inherited(&item.name, inside);
        let result = self.value_type(&item.result, inside);
        self.reject_restricted(owner, &result, item.result.span);
        let (params, mut raises) = self.signature(&item.params, &item.raises, inside);
        for (param, resolved) in item.params.iter().zip(&params) {
            self.reject_restricted(owner, &resolved.ty, param.ty.span);
        }
        self.reject_native_raises(owner, &item.raises, &raises);
        self.check_contexts(&item.contexts);
        if item.oneway {
            self.check_oneway(item, &result);
            raises.clear();
        }
        if self.declare(inside, &item.name, Target::Export(owner), NameKind::Export)
            && let Some(exports) = self.exports_mut(owner)
        {
            exports.push(Export::Operation(Operation {
                name: item.name.text.to_string(),
                oneway: item.oneway,
                result,
                params,
                raises,
                annotations: Vec::new(),
                contexts: item.contexts.iter().map(|(name, _)| name.to_string()).collect(),
                docs: item.docs.as_deref().map(str::to_owned),
                span: item.name.span,
            }));
        }
    }

    /// Resolves parameters and exceptions.
    pub(super) fn signature(
        &mut self,
        items: &[ParamItem],
        raises: &[ScopedName],
        inside: ScopeId,
    ) -> (Vec<Param>, Vec<DefId>) {
        // Parameters have their own scope, but a name used in it is also introduced into the
        // interface.
        let own = self.new_scope(None, inside, false);
        let mut params = Vec::new();
        for param in items {
            let ty = self.value_type(&param.ty, own);
            let annotations = self.annotate(&param.annotations, On::PARAMETER, Some(&ty), own);
            if self.declare(own, &param.name, Target::Member, NameKind::Parameter) {
                params.push(Param {
                    direction: param.direction,
                    annotations,
                    name: param.name.text.to_string(),
                    ty,
                    docs: param.docs.as_deref().map(str::to_owned),
                    span: param.name.span,
                });
            }
        }
        let raises = self.raises(raises, own);
        self.scopes.pop();
        (params, raises)
    }

    fn reject_native_raises(&mut self, owner: DefId, names: &[ScopedName], raises: &[DefId]) {
        if let Some(first) = names.first() {
            for id in raises {
                self.reject_restricted(owner, &Type::Named(*id), first.span);
            }
        }
    }

    fn check_contexts(&mut self, contexts: &[(Rc<str>, Span)]) {
        for (name, span) in contexts {
            let rest = name.strip_suffix('*').unwrap_or(name);
            let fine = rest.starts_with(|char: char| char.is_ascii_alphabetic())
                && rest.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'_'));
            if !fine {
                let message = format!("`{name}` is not a valid property name");
                self.sink.push(Diagnostic::new(Code::BadContextName, *span, message).hint(
                    "a property name starts with a letter, continues with letters, digits, `.` and `_`, \
                     and may end in `*`",
                ));
            }
        }
    }

    pub(super) fn check_oneway(&mut self, item: &OperationItem, result: &Type) {
        let mut problems = Vec::new();
        if !matches!(result, Type::Void | Type::Error) {
            problems.push((item.result.span, "a oneway operation has no result"));
        }
        for param in &item.params {
            if param.direction != Direction::In {
                problems.push((param.name.span, "a oneway operation has only `in` parameters"));
            }
        }
        let diagnostic = |span, message| {
            Diagnostic::new(Code::BadOneway, span, message)
                .hint("a oneway request has no reply: remove `oneway` or this")
        };
        for (span, message) in problems {
            self.sink.push(diagnostic(span, message));
        }
        if let Some(first) = item.raises.first() {
            let message = "a oneway operation cannot raise exceptions";
            self.sink.push_tolerable(diagnostic(first.span, message));
        }
    }

    fn raises(&mut self, names: &[ScopedName], scope: ScopeId) -> Vec<DefId> {
        let mut raises = Vec::new();
        let mut seen: HashMap<DefId, Span> = HashMap::new();
        for name in names {
            let Some(id) = self.exception_name(name, scope) else { continue };
            if let Some(first) = seen.get(&id) {
                let message = "duplicate exception in `raises`";
                let diagnostic = Diagnostic::new(Code::DuplicateRaises, name.span, message);
                self.sink.push(diagnostic.label(*first, "first listed here"));
            } else {
                seen.insert(id, name.span);
                raises.push(id);
            }
        }
        raises
    }

    pub(super) fn attribute(&mut self, item: &AttributeItem, owner: DefId, inside: ScopeId) {
        let ty = self.value_type(&item.ty, inside);
        let get_raises = self.raises(&item.get_raises, inside);
        let set_raises = self.raises(&item.set_raises, inside);
        self.reject_restricted(owner, &ty, item.ty.span);
        self.reject_native_raises(owner, &item.get_raises, &get_raises);
        self.reject_native_raises(owner, &item.set_raises, &set_raises);
        for name in &item.names {
            self.check_inherited(name, inside);
            if self.declare(inside, name, Target::Export(owner), NameKind::Export) {
                self.add_attribute(
                    owner,
                    Attribute {
                        name: name.text.to_string(),
                        readonly: item.readonly,
                        ty: ty.clone(),
                        annotations: Vec::new(),
                        get_raises: get_raises.clone(),
                        set_raises: set_raises.clone(),
                        docs: item.docs.as_deref().map(str::to_owned),
                        span: name.span,
                    },
                );
            }
        }
    }

    pub(super) fn add_attribute(&mut self, owner: DefId, attribute: Attribute) {
        if let Some(exports) = self.exports_mut(owner) {
            exports.push(Export::Attribute(attribute));
            return;
        }
        let definition = self.model.definitions.get_mut(owner.index());
        match definition.map(|definition| &mut definition.kind) {
            Some(DefinitionKind::PortType(item)) => item.attributes.push(attribute),
            Some(DefinitionKind::Connector(item)) => item.attributes.push(attribute),
            _ => {}
        }
    }
}
