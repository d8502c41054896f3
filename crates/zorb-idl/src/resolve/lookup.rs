//! Declarations and lookup of names.

use std::rc::Rc;

use super::Resolver;
use super::scope::{Entry, NameKind, Scope, ScopeId, Target, key};
use crate::diagnostics::{Code, Diagnostic, Severity};
use crate::model::{DefId, DefinitionKind, Type};
use crate::source::Span;
use crate::syntax::{Ident, ScopedName};

impl Resolver<'_> {
    /// Creates a scope inside `parent`.
    pub(super) fn new_scope(
        &mut self,
        owner: Option<DefId>,
        parent: ScopeId,
        introduces_names: bool,
    ) -> ScopeId {
        let id = ScopeId(self.scopes.len());
        let parent = Some(parent);
        self.scopes.push(Scope { owner, parent, introduces_names, ..Scope::default() });
        if let Some(owner) = owner {
            self.scope_of.insert(owner, id);
        }
        id
    }

    pub(super) fn clear_introduced(&mut self, scope: ScopeId) {
        if let Some(scope) = self.scopes.get_mut(scope.0) {
            scope.introduced.clear();
        }
    }

    pub(super) fn entry(&self, scope: ScopeId, name: &str) -> Option<&Entry> {
        self.scopes.get(scope.0)?.names.get(&key(name))
    }

    /// Declares a name if it may be declared here; otherwise reports an error and returns false.
    pub(super) fn declare(
        &mut self,
        scope: ScopeId,
        ident: &Ident,
        target: Target,
        kind: NameKind,
    ) -> bool {
        // A tree's own enum may have another name than the built-in one with its enumerators.
        let replaces =
            matches!(target, Target::Enumerator { .. }) && self.is_built_in_name(ident, scope);
        if replaces && let Some(scope) = self.scopes.get_mut(scope.0) {
            let entry = Entry { ident: ident.clone(), target };
            scope.names.insert(key(&ident.text), entry);
            return true;
        }
        let fine = match self.clash(scope, ident, kind) {
            None => true,
            Some(clash)
                if clash.code == Code::RedefinedAfterUse && kind != NameKind::Definition
                    || clash.code == Code::SameNameAsScope && self.is_other_case(scope, ident) =>
            {
                self.sink.push_tolerable(clash)
            }
            Some(clash) => {
                let is_warning = clash.severity == Severity::Warning;
                self.sink.push(clash);
                is_warning
            }
        };
        if let Some(scope) = self.scopes.get_mut(scope.0) {
            let entry = Entry { ident: ident.clone(), target };
            scope.names.entry(key(&ident.text)).or_insert(entry);
        }
        fine
    }

    /// Resolves a scoped name in `scope`, or reports why it cannot be resolved.
    pub(super) fn lookup(&mut self, name: &ScopedName, scope: ScopeId) -> Option<Target> {
        let (first, rest) = name.parts.split_first()?;
        let entry = if name.absolute {
            self.lookup_in(first, ScopeId(0))?
        } else {
            self.lookup_outward(first, scope)?
        };
        let Some(entry) = entry else {
            let module = self.owner_of(scope);
            if let ([last], "CORBA") = (rest, &*first.text)
                && &*last.text == "TypeCode"
            {
                return Some(Target::TypeCode);
            }
            if rest.is_empty() && !name.absolute && self.is_type_code(first, module) {
                return Some(Target::TypeCode);
            }
            self.unknown(first, scope, name);
            return None;
        };
        let mut target = entry.target;
        for part in rest {
            let Target::Definition(id) = target else {
                let message = format!("`{}` is not a scope", entry.ident.text);
                self.sink.error(Code::UnknownName, part.span, message);
                return None;
            };
            let inside = self.scope_of.get(&id).copied();
            let found = match inside {
                Some(inside) => self.lookup_in(part, inside)?,
                None => None,
            };
            target = match found {
                Some(found) => found.target,
                None if self.is_type_code(part, Some(id)) => Target::TypeCode,
                None => {
                    self.unknown_inside(part, id, inside);
                    return None;
                }
            };
        }
        Some(target)
    }

    /// What a typedef of a definition names, through any number of typedefs.
    pub(super) fn without_typedefs(&self, mut target: Target) -> Target {
        // Typedefs are never circular.
        while let Target::Definition(id) = target
            && let DefinitionKind::Typedef(item) = &self.model.definition(id).kind
            && let Type::Named(original) = item.ty
        {
            target = Target::Definition(original);
        }
        target
    }

    /// The definition that a scope belongs to.
    fn owner_of(&self, scope: ScopeId) -> Option<DefId> {
        let mut at = Some(scope);
        while let Some(scope) = at.and_then(|id| self.scopes.get(id.0)) {
            if scope.owner.is_some() {
                return scope.owner;
            }
            at = scope.parent;
        }
        None
    }

    /// `TypeCode` is predefined in the module `CORBA`.
    pub(super) fn is_type_code(&self, ident: &Ident, inside: Option<DefId>) -> bool {
        if &*ident.text != "TypeCode" {
            return false;
        }
        let scoped_name = inside.map(|id| &self.model.definition(id).scoped_name);
        scoped_name.and_then(|name| name.first()).is_some_and(|first| first == "CORBA")
    }

    /// Searches one scope and its bases. `Some(None)`: not found; `None`: ambiguous, and reported.
    #[allow(clippy::option_option, reason = "reported failure and absence differ")]
    fn lookup_in(&mut self, ident: &Ident, id: ScopeId) -> Option<Option<Entry>> {
        let lower = key(&ident.text);
        let Some(scope) = self.scopes.get(id.0) else { return Some(None) };
        let mut found: Option<&Entry> = scope.names.get(&lower);
        if found.is_none() {
            for ancestor in &scope.ancestors {
                let inherited = self.scope_of.get(ancestor).and_then(|id| self.scopes.get(id.0));
                let Some(entry) = inherited.and_then(|scope| scope.names.get(&lower)) else {
                    continue;
                };
                match found {
                    None => found = Some(entry),
                    Some(other) if other.target == entry.target => {}
                    // A redefinition in a derived interface hides the one in its base.
                    Some(other) if self.hides(entry, other) => found = Some(entry),
                    Some(other) if self.hides(other, entry) => {}
                    Some(other) => {
                        let message = format!(
                            "`{}` is ambiguous: it is inherited from two bases",
                            ident.text
                        );
                        let diagnostic = Diagnostic::new(Code::AmbiguousName, ident.span, message)
                            .label(other.ident.span, "it may refer to this")
                            .label(entry.ident.span, "or this")
                            .hint("qualify the name: `Interface::name`");
                        self.sink.push(diagnostic);
                        return None;
                    }
                }
            }
        }
        let Some(found) = found.cloned() else { return Some(None) };
        if found.ident.text != ident.text {
            let message =
                format!("`{}` is spelled `{}` in its definition", ident.text, found.ident.text);
            self.sink.push(
                Diagnostic::new(Code::CaseMismatch, ident.span, message)
                    .label(found.ident.span, "defined here")
                    .hint(format!("write `{}`", found.ident.text)),
            );
        }
        Some(Some(found))
    }

    /// Whether `lower` is declared in an interface that inherits from the one of `upper`.
    fn hides(&self, lower: &Entry, upper: &Entry) -> bool {
        let interface = |entry: &Entry| match entry.target {
            Target::Definition(id)
            | Target::Enumerator { enumeration: id, .. }
            | Target::Bit { bitmask: id, .. } => self.model.definition(id).parent,
            Target::Export(id) | Target::State(id) | Target::Port(id) => Some(id),
            _ => None,
        };
        let (Some(lower), Some(upper)) = (interface(lower), interface(upper)) else {
            return false;
        };
        let scope = self.scope_of.get(&lower).and_then(|id| self.scopes.get(id.0));
        scope.is_some_and(|scope| scope.ancestors.contains(&upper))
    }

    /// Searches a scope and its enclosing scopes, and records the use.
    #[allow(clippy::option_option, reason = "reported failure and absence differ")]
    fn lookup_outward(&mut self, ident: &Ident, start: ScopeId) -> Option<Option<Entry>> {
        let mut at = Some(start);
        while let Some(id) = at {
            if let Some(found) = self.lookup_in(ident, id)? {
                self.introduce(ident, start, id, &found);
                return Some(Some(found));
            }
            at = self.scopes.get(id.0).and_then(|scope| scope.parent);
        }
        Some(None)
    }

    /// Introduces a name found in `found_in` into every scope from `start` up to the nearest module
    /// or interface.
    fn introduce(&mut self, ident: &Ident, start: ScopeId, found_in: ScopeId, entry: &Entry) {
        if entry.target == Target::Member {
            return;
        }
        let lower = key(&ident.text);
        let mut at = Some(start);
        while let Some(id) = at {
            let Some(scope) = self.scopes.get_mut(id.0) else { return };
            if id == found_in && scope.names.contains_key(&lower) {
                return;
            }
            scope.introduced.entry(Rc::clone(&lower)).or_insert_with(|| ident.clone());
            if scope.introduces_names {
                return;
            }
            at = scope.parent;
        }
    }

    /// The span of the definition of a symbol, for labels.
    pub(super) fn target_span(&self, target: Target) -> Option<Span> {
        match target {
            Target::Definition(id) => Some(self.model.definition(id).span),
            Target::Enumerator { enumeration, index } => {
                let item = self.model.enumeration(enumeration)?;
                item.enumerators.get(index as usize).map(|item| item.span)
            }
            _ => None,
        }
    }
}
