//! Items that are valid in any scope, and modules.

use std::rc::Rc;

use super::scope::{ScopeId, Target};
use super::{Resolver, interfaces, unions, values};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DefId, DefinitionKind};
use crate::source::Span;
use crate::syntax::{Docs, Ident, InterfaceKind, Item};

impl Resolver<'_> {
    /// Resolves the items of a file or module.
    pub(super) fn items(&mut self, items: &[Item], scope: ScopeId) {
        items.iter().for_each(|item| self.item(item, scope));
    }

    /// Resolves an item that is valid in any scope.
    pub(super) fn item(&mut self, item: &Item, scope: ScopeId) {
        match item {
            Item::Interface(item) => self.redeclare_pseudo(&item.name, item.kind, scope),
            Item::InterfaceForward(name, kind) => self.redeclare_pseudo(name, *kind, scope),
            _ => {}
        }
        if self.is_built_in(item, scope) {
            return;
        }
        match item {
            Item::Module { name, items, docs } => self.module(name, items, docs, scope),
            Item::Interface(item) => self.interface(item, scope),
            Item::InterfaceForward(name, kind) => {
                if *kind == InterfaceKind::Pseudo {
                    self.make_forward_local(name, scope);
                }
                let kind = DefinitionKind::Interface(crate::model::Interface {
                    forward_only: true,
                    ..interfaces::empty(*kind)
                });
                self.forward(name, kind, scope);
            }
            Item::Value(item) => self.value(item, scope),
            Item::ValueForward { name, is_event, is_abstract } => {
                let value = crate::model::ValueType {
                    forward_only: true,
                    is_abstract: *is_abstract,
                    ..Default::default()
                };
                let kind = values::kind(*is_event, value);
                self.forward(name, kind, scope);
            }
            Item::ValueBox { name, ty, docs } => self.value_box(name, ty, docs, scope),
            Item::Bitmask(item) => self.bitmask(item, Vec::new(), scope),
            Item::Bitset(item) => self.bitset(item, scope),
            Item::AnnotationType(item) => self.annotation_type(item, scope),
            Item::Annotated(list, item) => self.annotated(list, item, scope),
            Item::Native(name, docs) => self.native(name, docs, scope),
            Item::Import(name) => self.imported.push((name.clone(), scope)),
            Item::ImportId(id, span) => self.imports.push((Rc::clone(id), *span)),
            Item::StructForward(name) => {
                let kind = DefinitionKind::Struct(crate::model::Struct {
                    forward_only: true,
                    ..Default::default()
                });
                self.forward(name, kind, scope);
            }
            Item::UnionForward(name) => self.forward(name, unions::forward(), scope),
            Item::Struct(_) | Item::Union(_) | Item::Enum(_) => {
                self.defined_type(item, scope);
            }
            Item::Exception(item) => self.exception(item, scope),
            Item::Typedef { ty, declarators, docs } => {
                self.typedef(ty, declarators, docs, scope);
            }
            Item::Const { ty, name, value, docs } => self.constant(ty, name, value, docs, scope),
            Item::ComponentForward(name) => {
                let interface =
                    crate::model::Interface { forward_only: true, ..Default::default() };
                let component = crate::model::Component { interface, ..Default::default() };
                self.forward(name, DefinitionKind::Component(component), scope);
            }
            Item::Component(item) => self.component(item, scope),
            Item::PortType(item) => self.port_type(item, scope),
            Item::Home(item) => self.home(item, scope),
            Item::Template(item) => self.template(item, scope),
            Item::Instance(item) => self.instance(item, scope),
            Item::TypeId { name, id, span } => self.type_id(name, id, *span, scope),
            Item::TypePrefix { name, prefix, span } => {
                self.type_prefix(name, prefix, *span, scope);
            }
            Item::Event(event) => self.event(event, scope),
            // The parser reports these outside an interface or valuetype.
            Item::Operation(_)
            | Item::Attribute(_)
            | Item::State { .. }
            | Item::Initializer(_)
            | Item::Port(_)
            | Item::Finder(_) => {}
        }
    }

    /// Whether a built-in file defines this item of a module. A tree with an `orb.idl` of its own, or another
    /// built-in file, may define it again.
    fn is_built_in(&self, item: &Item, scope: ScopeId) -> bool {
        let is_defined = |name: &Ident| self.is_built_in_name(name, scope);
        match item {
            Item::Annotated(_, item) => self.is_built_in(item, scope),
            Item::Interface(item) => is_defined(&item.name),
            Item::Value(item) => is_defined(&item.name),
            Item::Struct(item) | Item::Exception(item) => is_defined(&item.name),
            Item::Union(item) => is_defined(&item.name),
            Item::Enum(item) => is_defined(&item.name),
            Item::InterfaceForward(name, _)
            | Item::ValueForward { name, .. }
            | Item::ValueBox { name, .. }
            | Item::Native(name, _)
            | Item::StructForward(name)
            | Item::UnionForward(name)
            | Item::Const { name, .. } => is_defined(name),
            Item::Typedef { declarators, .. } => {
                declarators.iter().all(|declarator| is_defined(&declarator.name))
            }
            _ => false,
        }
    }

    /// Whether a built-in file defines this name of a module.
    pub(super) fn is_built_in_name(&self, name: &Ident, scope: ScopeId) -> bool {
        let built_in = |span: Span| self.sources.file(span.file).is_built_in();
        let Some(earlier) = self.entry(scope, &name.text) else { return false };
        let is_complete = match earlier.target {
            Target::Definition(id) => !self.incomplete.contains_key(&id),
            _ => true,
        };
        scope != ScopeId(0)
            && is_complete
            && earlier.ident.text == name.text
            && built_in(earlier.ident.span)
            && earlier.ident.span.file != name.span.file
    }

    fn module(&mut self, name: &Ident, items: &[Item], docs: &Docs, scope: ScopeId) {
        let reopened = self.entry(scope, &name.text).and_then(|entry| match entry.target {
            Target::Definition(id) => Some((id, Rc::clone(&entry.ident.text), entry.ident.span)),
            _ => None,
        });
        let reopened = reopened.filter(|(id, ..)| {
            matches!(self.model.definition(*id).kind, DefinitionKind::Module(_))
        });
        let id = match reopened {
            Some((id, spelling, span)) => {
                if spelling != name.text {
                    let message = format!("`{}` differs from `{spelling}` only in case", name.text);
                    self.sink.push(
                        Diagnostic::new(Code::CaseCollision, name.span, message)
                            .label(span, "first defined here")
                            .hint(format!("write `{spelling}` to reopen the module")),
                    );
                }
                self.reopen(id, name, docs);
                id
            }
            None => {
                let kind = DefinitionKind::Module(crate::model::Module {
                    openings: vec![name.span],
                    ..Default::default()
                });
                self.define(name, kind, docs, scope)
            }
        };
        self.apply_early_prefix(name, id, scope);
        let inside = match self.scope_of.get(&id) {
            Some(inside) => *inside,
            None => self.new_scope(Some(id), scope, true),
        };
        self.clear_introduced(inside);
        // Around the scope of a template's instance are the parameters, which its text alone refers to.
        let around = self.set_parent(inside, Some(scope));
        self.ids.enter_scope();
        self.items(items, inside);
        self.ids.leave_scope();
        self.set_parent(inside, around);
    }

    /// Sets the scope around a scope, unless that leads back to it, and returns the one before.
    pub(super) fn set_parent(
        &mut self,
        scope: ScopeId,
        parent: Option<ScopeId>,
    ) -> Option<ScopeId> {
        let leads_back = self.is_around(scope, parent);
        let item = self.scopes.get_mut(scope.0)?;
        if leads_back {
            return item.parent;
        }
        std::mem::replace(&mut item.parent, parent)
    }

    /// Whether a scope is `inner`, or around it.
    pub(super) fn is_around(&self, scope: ScopeId, mut inner: Option<ScopeId>) -> bool {
        while let Some(id) = inner {
            if id == scope {
                return true;
            }
            inner = self.scopes.get(id.0).and_then(|scope| scope.parent);
        }
        false
    }

    pub(super) fn reopen(&mut self, id: DefId, name: &Ident, docs: &Docs) {
        let from_include = !self.main_files.contains(&name.span.file);
        let built_in = self.sources.file(name.span.file).is_built_in();
        let Some(module) = self.model.definitions.get_mut(id.index()) else { return };
        module.from_include &= from_include;
        module.built_in &= built_in;
        if module.docs.is_none() {
            module.docs = docs.as_deref().map(str::to_owned);
        }
        if let DefinitionKind::Module(module) = &mut module.kind {
            module.openings.push(name.span);
        }
    }

    pub(super) fn check_completed(&mut self) {
        let mut open: Vec<_> = self.incomplete.iter().map(|(id, span)| (*id, *span)).collect();
        open.sort_unstable();
        for (id, span) in open {
            let item = self.model.definition(id);
            let (word, name) = (item.kind.keyword(), item.name.clone());
            let message = format!("{word} `{name}` is declared here but never defined");
            // References to objects of an undefined interface can still be passed.
            let is_interface = matches!(item.kind, DefinitionKind::Interface(_));
            let code = if is_interface { Code::ForwardInterface } else { Code::NeverCompleted };
            let mut diagnostic = Diagnostic::new(code, span, message);
            if !self.sink.is_full()
                && let Some(other) = self.model.definitions().find(|other| {
                    other.name == name
                        && other.id != id
                        && other.kind.keyword() == word
                        && !self.incomplete.contains_key(&other.id)
                })
            {
                diagnostic = diagnostic
                    .label(other.span, "this definition is in another scope")
                    .hint("a type must be defined in the scope of its forward declaration");
            }
            match self.model.definition(id).kind {
                DefinitionKind::Struct(_) | DefinitionKind::Value(_) => {
                    self.sink.push_tolerable(diagnostic);
                }
                _ => self.sink.push(diagnostic),
            }
        }
    }
}
