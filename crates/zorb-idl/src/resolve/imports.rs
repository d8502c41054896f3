//! Native types and imports.

use std::collections::HashSet;

use super::Resolver;
use super::scope::{NameKind, ScopeId, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::DefinitionKind;
use crate::syntax::{Docs, Ident, ScopedName};

impl Resolver<'_> {
    /// `native N;`
    pub(super) fn native(&mut self, name: &Ident, docs: &Docs, scope: ScopeId) {
        let module = self.scopes.get(scope.0).and_then(|scope| scope.owner);
        if self.is_type_code(name, module) {
            // This type is predefined.
            if self.entry(scope, &name.text).is_none() {
                self.declare(scope, name, Target::TypeCode, NameKind::Definition);
            }
            return;
        }
        self.define(name, DefinitionKind::Native, docs, scope);
    }

    /// `import A::B;`: the scope must be part of the compilation, so its names are visible by their scoped names.
    fn check_import(&mut self, name: &ScopedName, scope: ScopeId) {
        let Some(target) = self.lookup(name, scope) else { return };
        let is_scope = match target {
            Target::Definition(id) => self.scope_of.contains_key(&id),
            _ => false,
        };
        if !is_scope {
            let written: Vec<&str> = name.parts.iter().map(|part| &*part.text).collect();
            let message = format!("`{}` is not a scope", written.join("::"));
            self.sink.push(Diagnostic::new(Code::BadImport, name.span, message).hint(
                "only definitions with a scope, such as modules and interfaces, can be imported",
            ));
        }
    }

    /// Checks imports at the end: the preprocessor reads the file of a module behind its import, and now ids are known.
    pub(super) fn check_imports(&mut self) {
        for (name, scope) in std::mem::take(&mut self.imported) {
            self.check_import(&name, scope);
        }
        let imports = std::mem::take(&mut self.imports);
        if imports.is_empty() {
            return;
        }
        let scopes = self.model.definitions().filter(|item| self.scope_of.contains_key(&item.id));
        let ids: HashSet<&str> = scopes.map(|item| item.repository_id.as_str()).collect();
        for (id, span) in imports {
            if !ids.contains(&*id) {
                let message = format!("no definition in this compilation has the id `{id}`");
                self.sink.push(
                    Diagnostic::new(Code::BadImport, span, message)
                        .hint("include the file: importing from a repository is not supported"),
                );
            }
        }
    }
}
