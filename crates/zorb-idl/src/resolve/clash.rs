//! Names that clash with others of their scope.

use super::Resolver;
use super::scope::{NameKind, ScopeId, Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::DefinitionKind;
use crate::syntax::Ident;

impl Resolver<'_> {
    /// Whether a name differs from that of the enclosing module, in case only.
    pub(super) fn is_other_case(&self, scope: ScopeId, ident: &Ident) -> bool {
        let owner = self.scopes.get(scope.0).and_then(|scope| scope.owner);
        let owner = owner.map(|id| self.model.definition(id));
        owner.is_some_and(|owner| {
            matches!(owner.kind, DefinitionKind::Module(_)) && owner.name != *ident.text
        })
    }

    pub(super) fn clash(&self, id: ScopeId, ident: &Ident, kind: NameKind) -> Option<Diagnostic> {
        let scope = self.scopes.get(id.0)?;
        let name = &*ident.text;
        if let Some(earlier) = scope.names.get(&key(name)) {
            let other = &earlier.ident;
            let diagnostic = if *other.text == *name {
                let both_exports =
                    kind == NameKind::Export && matches!(earlier.target, Target::Export(_));
                match kind {
                    NameKind::Parameter => Diagnostic::new(
                        Code::DuplicateParameter,
                        ident.span,
                        format!("two parameters are named `{name}`"),
                    ),
                    NameKind::Member
                        if matches!(earlier.target, Target::Member | Target::State(_)) =>
                    {
                        Diagnostic::new(
                            Code::DuplicateMember,
                            ident.span,
                            format!("two members are named `{name}`"),
                        )
                    }
                    NameKind::Port => Diagnostic::new(
                        Code::DuplicatePort,
                        ident.span,
                        format!("`{name}` is already declared here"),
                    ),
                    NameKind::Export if matches!(earlier.target, Target::Port(_)) => {
                        Diagnostic::new(
                            Code::DuplicatePort,
                            ident.span,
                            format!("there is already a port `{name}`"),
                        )
                    }
                    NameKind::Export if both_exports => Diagnostic::new(
                        Code::Overloaded,
                        ident.span,
                        format!("this interface already declares `{name}`"),
                    )
                    .hint("IDL has no overloading: give each operation a unique name"),
                    _ => Diagnostic::new(
                        Code::Redefinition,
                        ident.span,
                        format!("`{name}` is already defined in this scope"),
                    ),
                }
            } else {
                Diagnostic::new(
                    Code::CaseCollision,
                    ident.span,
                    format!("`{name}` differs from `{}` only in case", other.text),
                )
            };
            if other.span == ident.span {
                if self.sources.expansion(ident.span).is_some() {
                    let note = "the macro defines it twice, or the file is included twice";
                    return Some(diagnostic.note(note));
                }
                return Some(
                    diagnostic
                        .note("the file is included twice")
                        .hint("add `#pragma once` or an include guard to the file"),
                );
            }
            return Some(diagnostic.label(other.span, "first defined here"));
        }
        if let Some(owner) = scope.owner {
            let owner = self.model.definition(owner);
            if owner.name.eq_ignore_ascii_case(name) && kind != NameKind::Parameter {
                let message =
                    format!("`{name}` has the name of its enclosing {}", owner.kind.keyword());
                // IDL files of the standard itself have such members.
                let tolerated = kind == NameKind::Member && owner.name != name;
                let code = if tolerated { Code::MemberLikeScope } else { Code::SameNameAsScope };
                return Some(
                    Diagnostic::new(code, ident.span, message).label(owner.span, "defined here"),
                );
            }
        }
        if let Some(used) = scope.introduced.get(&key(name)) {
            let message = format!("`{name}` was used in this scope to refer to another definition");
            let mut diagnostic = Diagnostic::new(Code::RedefinedAfterUse, ident.span, message)
                .label(used.span, "introduced into the scope by this use");
            if matches!(kind, NameKind::Member | NameKind::Parameter) {
                diagnostic = diagnostic
                    .hint("choose a name that differs from the type name in more than case");
            }
            return Some(diagnostic);
        }
        None
    }
}
