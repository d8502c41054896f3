//! Reports names that are not found, with what may have been meant.

use super::Resolver;
use super::other_languages::{BASIC_TYPES, translation};
use super::scope::{ScopeId, Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::DefId;
use crate::suggest::closest;
use crate::syntax::{Ident, ScopedName};

impl Resolver<'_> {
    pub(super) fn unknown(&mut self, ident: &Ident, scope: ScopeId, name: &ScopedName) {
        let text = &*ident.text;
        if self.sink.is_full() {
            self.sink.error(Code::UnknownName, ident.span, "a name is not defined");
            return;
        }
        let message = format!("`{text}` is not defined");
        let mut diagnostic =
            Diagnostic::new(Code::UnknownName, ident.span, message).note("not found in this scope");
        let mut near = None;
        let mut at = if name.absolute { Some(ScopeId(0)) } else { Some(scope) };
        while let (Some(id), None) = (at, &near) {
            let Some(scope) = self.scopes.get(id.0) else { break };
            near = closest(text, scope.names.values().map(|entry| &*entry.ident.text));
            at = scope.parent;
        }
        if let Some(word) = translation(text) {
            diagnostic = diagnostic.hint(format!("the IDL type is `{word}`"));
        } else if text == "TypeCode" {
            diagnostic = diagnostic.hint("include <orb.idl> and write `CORBA::TypeCode`");
        } else if text == "CORBA" {
            diagnostic = diagnostic.hint("write `#include <orb.idl>` at the top of the file");
        } else if let Some(near) = near.or_else(|| closest(text, BASIC_TYPES.into_iter())) {
            diagnostic = diagnostic.hint(format!("did you mean `{near}`?"));
        } else if let Some(elsewhere) = self.elsewhere(text) {
            diagnostic = diagnostic.hint(format!("did you mean `{elsewhere}`?"));
        }
        self.sink.push(diagnostic);
    }

    /// The full name of a definition of this name in any other scope, for a suggestion.
    fn elsewhere(&self, text: &str) -> Option<String> {
        self.scopes.iter().take(2_000).find_map(|scope| {
            let entry = scope.names.get(&key(text)).filter(|entry| *entry.ident.text == *text)?;
            matches!(entry.target, Target::Definition(_) | Target::Enumerator { .. })
                .then_some(())?;
            let owner = scope.owner.map(|owner| self.model.scoped_name(owner) + "::");
            Some(owner.unwrap_or_else(|| "::".into()) + text)
        })
    }

    pub(super) fn unknown_inside(&mut self, ident: &Ident, owner: DefId, inside: Option<ScopeId>) {
        if self.sink.is_full() {
            self.sink.error(Code::UnknownName, ident.span, "a name is not defined");
            return;
        }
        let outer = self.model.scoped_name(owner);
        let message = format!("`{}` is not defined in `{outer}`", ident.text);
        let mut diagnostic = Diagnostic::new(Code::UnknownName, ident.span, message);
        if let Some(scope) = inside.and_then(|id| self.scopes.get(id.0))
            && let Some(near) =
                closest(&ident.text, scope.names.values().map(|entry| &*entry.ident.text))
        {
            diagnostic = diagnostic.hint(format!("did you mean `{near}`?"));
        }
        self.sink.push(diagnostic);
    }
}
