//! Interfaces and what they inherit.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::Resolver;
use super::annotated::declared_names;
use super::scope::{Entry, ScopeId, Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::limits::MAX_ANCESTORS;
use crate::model::{DefId, DefinitionKind, Interface};
use crate::source::Span;
use crate::syntax::{Ident, InterfaceItem, InterfaceKind, Item, ScopedName};

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
}
