//! Interfaces, operations and attributes.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::Resolver;
use super::scope::{Entry, Role, ScopeId, Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::limits::MAX_ANCESTORS;
use crate::model::{
    Attribute, DefId, DefinitionKind, Direction, Export, Interface, Operation, Param, Type,
};
use crate::source::Span;
use crate::syntax::{AttributeItem, Ident, InterfaceItem, Item, OperationItem, ScopedName};

impl Resolver<'_> {
    pub(super) fn interface(&mut self, item: &InterfaceItem, scope: ScopeId) {
        let kind = DefinitionKind::Interface(Interface::default());
        // The bases are looked up outside, before the name has its new meaning inside.
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let bases = self.bases(item, id, scope);
        let ancestors = self.ancestors_of(&bases, item.name.span);
        if bases.len() > 1 {
            self.check_bases(&ancestors, item.name.span);
        }
        if let Some(inside) = self.scopes.get_mut(inside.0) {
            inside.ancestors = ancestors;
        }
        if let Some(interface) = self.interface_mut(id) {
            interface.bases = bases;
        }
        for part in &item.items {
            match part {
                Item::Operation(operation) => self.operation(operation, id, inside),
                Item::Attribute(attribute) => self.attribute(attribute, id, inside),
                other => {
                    self.check_inherited_name(other, inside);
                    self.item(other, inside);
                }
            }
        }
        self.finish(id);
    }

    fn interface_mut(&mut self, id: DefId) -> Option<&mut Interface> {
        match &mut self.model.definitions.get_mut(id.index())?.kind {
            DefinitionKind::Interface(interface) => Some(interface),
            _ => None,
        }
    }

    fn bases(&mut self, item: &InterfaceItem, id: DefId, scope: ScopeId) -> Vec<DefId> {
        let mut bases = Vec::new();
        let mut seen: HashMap<DefId, Span> = HashMap::new();
        for name in &item.bases {
            let Some(target) = self.lookup(name, scope) else { continue };
            let base = match target {
                Target::Definition(base) => base,
                Target::Unsupported => continue,
                other => {
                    self.not_a_base(name, other, "is not an interface");
                    continue;
                }
            };
            if !matches!(self.model.definition(base).kind, DefinitionKind::Interface(_)) {
                self.not_a_base(name, target, "is not an interface");
            } else if base == id {
                self.not_a_base(name, target, "cannot be its own base");
            } else if self.incomplete.contains_key(&base) {
                self.not_a_base(name, target, "is only declared, not yet defined");
            } else if let Some(first) = seen.get(&base) {
                let message = "this base is named twice";
                let diagnostic = Diagnostic::new(Code::DuplicateBase, name.span, message);
                self.sink.push(diagnostic.label(*first, "first named here"));
            } else {
                seen.insert(base, name.span);
                bases.push(base);
            }
        }
        bases
    }

    fn not_a_base(&mut self, name: &ScopedName, target: Target, what: &str) {
        let written: Vec<&str> = name.parts.iter().map(|part| &*part.text).collect();
        let message = format!("`{}` {what}", written.join("::"));
        let mut diagnostic = Diagnostic::new(Code::BadBase, name.span, message);
        if let Some(span) = self.target_span(target) {
            diagnostic = diagnostic.label(span, "declared here");
        }
        self.sink.push(diagnostic);
    }

    /// The bases and all they inherit from, each once, the farthest first.
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

    /// Operations and attributes of different bases must not have the same name.
    fn check_bases(&mut self, ancestors: &[DefId], span: Span) {
        let mut seen: HashMap<Rc<str>, &Entry> = HashMap::new();
        let mut found = None;
        for ancestor in ancestors {
            let scope = self.scope_of.get(ancestor).and_then(|id| self.scopes.get(id.0));
            let Some(scope) = scope else { continue };
            let Some(left) = self.comparisons_left.checked_sub(scope.names.len()) else {
                let message = "there are too many inherited names to compare";
                self.comparisons_left = 0;
                self.sink.error(Code::InheritanceTooLarge, span, message);
                return;
            };
            self.comparisons_left = left;
            for (name, entry) in &scope.names {
                if !matches!(entry.target, Target::Export(_)) {
                    continue;
                }
                let Some(other) = seen.insert(Rc::clone(name), entry) else { continue };
                // The order of a hash table must not show.
                let better = |(best, _): &(&Entry, &Entry)| entry.ident.span < best.ident.span;
                if found.as_ref().is_none_or(better) {
                    found = Some((entry, other));
                }
            }
        }
        if let Some((second, first)) = found {
            let message = format!("two bases have a `{}`", second.ident.text);
            self.sink.push(
                Diagnostic::new(Code::InheritedClash, span, message)
                    .label(first.ident.span, "one is here")
                    .label(second.ident.span, "the other is here")
                    .hint("move the common operations to a base of both"),
            );
        }
    }

    /// The operation or attribute of this name that an interface inherits.
    fn inherited_export(&self, name: &str, inside: ScopeId) -> Option<Ident> {
        let lower = key(name);
        let scope = self.scopes.get(inside.0)?;
        scope.ancestors.iter().find_map(|ancestor| {
            let scope = self.scopes.get(self.scope_of.get(ancestor)?.0)?;
            let entry = scope.names.get(&lower)?;
            matches!(entry.target, Target::Export(_)).then(|| entry.ident.clone())
        })
    }

    fn check_inherited(&mut self, name: &Ident, inside: ScopeId) {
        let Some(other) = self.inherited_export(&name.text, inside) else { return };
        let message = format!("`{}` is already inherited", name.text);
        self.sink.push(
            Diagnostic::new(Code::InheritedClash, name.span, message)
                .label(other.span, "inherited from here")
                .hint("inherited operations and attributes cannot be defined again"),
        );
    }

    /// A type may not take the name of an inherited operation either.
    fn check_inherited_name(&mut self, item: &Item, inside: ScopeId) {
        let names: Vec<&Ident> = match item {
            Item::Struct(item) | Item::Exception(item) => vec![&item.name],
            Item::Union(item) => vec![&item.name],
            Item::Enum(item) => {
                let names = item.enumerators.iter().map(|(name, _)| name);
                std::iter::once(&item.name).chain(names).collect()
            }
            Item::Const { name, .. } => vec![name],
            Item::Typedef { declarators, .. } => {
                declarators.iter().map(|declarator| &declarator.name).collect()
            }
            _ => return,
        };
        names.into_iter().for_each(|name| self.check_inherited(name, inside));
    }

    fn operation(&mut self, item: &OperationItem, owner: DefId, inside: ScopeId) {
        self.check_inherited(&item.name, inside);
        let result = self.value_type(&item.result, inside);
        // Parameters have a scope of their own, but names used in it are used in the
        // interface too.
        let own = self.new_scope(None, inside, false);
        let mut params = Vec::new();
        for param in &item.params {
            let ty = self.value_type(&param.ty, own);
            if self.declare(own, &param.name, Target::Member, Role::Parameter) {
                params.push(Param {
                    direction: param.direction,
                    name: param.name.text.to_string(),
                    ty,
                    docs: param.docs.as_deref().map(str::to_owned),
                    span: param.name.span,
                });
            }
        }
        let raises = self.raises(&item.raises, own);
        self.scopes.pop();
        if item.oneway {
            self.check_oneway(item, &result);
        }
        if self.declare(inside, &item.name, Target::Export(owner), Role::Export)
            && let Some(interface) = self.interface_mut(owner)
        {
            interface.exports.push(Export::Operation(Operation {
                name: item.name.text.to_string(),
                oneway: item.oneway,
                result,
                params,
                raises,
                docs: item.docs.as_deref().map(str::to_owned),
                span: item.name.span,
            }));
        }
    }

    fn check_oneway(&mut self, item: &OperationItem, result: &Type) {
        let mut problems = Vec::new();
        if !matches!(result, Type::Void | Type::Error) {
            problems.push((item.result.span, "a oneway operation has no result"));
        }
        for param in &item.params {
            if param.direction != Direction::In {
                problems.push((param.name.span, "a oneway operation has only `in` parameters"));
            }
        }
        if let Some(first) = item.raises.first() {
            problems.push((first.span, "a oneway operation cannot raise exceptions"));
        }
        for (span, message) in problems {
            self.sink.push(
                Diagnostic::new(Code::OnewayShape, span, message)
                    .hint("no reply is sent to a oneway request: remove `oneway` or this"),
            );
        }
    }

    fn raises(&mut self, names: &[ScopedName], scope: ScopeId) -> Vec<DefId> {
        let mut raises = Vec::new();
        let mut seen: HashMap<DefId, Span> = HashMap::new();
        for name in names {
            let Some(id) = self.exception_name(name, scope) else { continue };
            if let Some(first) = seen.get(&id) {
                let message = "this exception is named twice";
                let diagnostic = Diagnostic::new(Code::DuplicateRaises, name.span, message);
                self.sink.push(diagnostic.label(*first, "first named here"));
            } else {
                seen.insert(id, name.span);
                raises.push(id);
            }
        }
        raises
    }

    fn attribute(&mut self, item: &AttributeItem, owner: DefId, inside: ScopeId) {
        let ty = self.value_type(&item.ty, inside);
        let get_raises = self.raises(&item.get_raises, inside);
        let set_raises = self.raises(&item.set_raises, inside);
        for name in &item.names {
            self.check_inherited(name, inside);
            if self.declare(inside, name, Target::Export(owner), Role::Export)
                && let Some(interface) = self.interface_mut(owner)
            {
                interface.exports.push(Export::Attribute(Attribute {
                    name: name.text.to_string(),
                    readonly: item.readonly,
                    ty: ty.clone(),
                    get_raises: get_raises.clone(),
                    set_raises: set_raises.clone(),
                    docs: item.docs.as_deref().map(str::to_owned),
                    span: name.span,
                }));
            }
        }
    }
}
