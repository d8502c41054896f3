//! What must stay in its process: local interfaces, native types, and what holds them.

use super::Resolver;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DefId, DefinitionKind, Type};
use crate::source::Span;

/// Why something must stay in its process: the definition that says so.
#[derive(Clone, Copy, Debug)]
pub(super) enum Restriction {
    Local(DefId),
    Native(DefId),
}

impl Resolver<'_> {
    /// What in a type keeps it from being sent.
    pub(super) fn restriction(&self, ty: &Type) -> Option<Restriction> {
        let id = match ty {
            Type::Sequence { element, .. } | Type::Array { element, .. } => {
                return self.restriction(element);
            }
            Type::Map { key, value, .. } => {
                return self.restriction(key).or_else(|| self.restriction(value));
            }
            Type::Named(id) => id,
            _ => return None,
        };
        match &self.model.definition(*id).kind {
            DefinitionKind::Interface(item) => item.is_local.then_some(Restriction::Local(*id)),
            DefinitionKind::Native => Some(Restriction::Native(*id)),
            _ => self.restricted.get(id).copied(),
        }
    }

    /// Notes that `id` holds a value of type `ty`.
    pub(super) fn holds(&mut self, id: DefId, ty: &Type) {
        if let Some(restriction) = self.restriction(ty) {
            self.restricted.entry(id).or_insert(restriction);
        }
    }

    /// Native types cannot be parts of anything.
    pub(super) fn refuse_native(&mut self, ty: &Type, span: Span) {
        if let Some(Restriction::Native(native)) = self.restriction(ty) {
            let name = self.model.scoped_name(native);
            let message = format!("the native type `{name}` cannot be used here");
            self.sink.push(Diagnostic::new(Code::NativeUse, span, message).hint(
                "a native type can only be a parameter, a result or an exception of an operation",
            ));
        }
    }

    /// Operations that may be called from elsewhere have no use for what must stay here.
    pub(super) fn refuse_restricted(&mut self, owner: DefId, ty: &Type, span: Span) {
        let remote = self.model.interface(owner).is_some_and(|interface| !interface.is_local);
        if !remote {
            return;
        }
        let (code, message, id) = match self.restriction(ty) {
            None => return,
            Some(Restriction::Local(id)) => {
                let name = self.model.scoped_name(id);
                (Code::LocalInRemote, format!("local interface `{name}` is used here"), id)
            }
            Some(Restriction::Native(id)) => {
                let name = self.model.scoped_name(id);
                (Code::NativeUse, format!("native type `{name}` is used here"), id)
            }
        };
        let place = self.model.definition(id).span;
        self.sink.push(
            Diagnostic::new(code, span, message)
                .label(place, "defined here")
                .hint("make this interface `local` as well, or use another type"),
        );
    }
}
