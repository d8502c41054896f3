//! Restrictions on local interfaces, native types, and types that contain them.

use super::resolver::{Resolver, Restriction};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DefId, DefinitionKind, Type};
use crate::source::Span;

impl Resolver<'_> {
    /// The restriction that a type is subject to, if any.
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

    /// Records that `id` contains a value of type `ty`.
    pub(super) fn holds(&mut self, id: DefId, ty: &Type) {
        if let Some(restriction) = self.restriction(ty) {
            self.restricted.entry(id).or_insert(restriction);
        }
    }

    /// Reports a native type that is used as part of another type.
    pub(super) fn reject_native(&mut self, ty: &Type, span: Span) {
        if let Some(Restriction::Native(native)) = self.restriction(ty) {
            let name = self.model.scoped_name(native);
            let message = format!("the native type `{name}` is not allowed here");
            self.sink.push(Diagnostic::new(Code::NativeUse, span, message).hint(
                "a native type can only be a parameter, a result or an exception of an operation",
            ));
        }
    }

    /// Reports a local or native type in an operation that can be called remotely.
    pub(super) fn reject_restricted(&mut self, owner: DefId, ty: &Type, span: Span) {
        let remote = self.model.interface(owner).is_some_and(|interface| !interface.is_local);
        if !remote {
            return;
        }
        let (code, what, id) = match self.restriction(ty) {
            None => return,
            Some(Restriction::Local(id)) => (Code::LocalInRemote, "local interface", id),
            Some(Restriction::Native(id)) => (Code::NativeUse, "native type", id),
        };
        let message = format!("{what} `{}` is not allowed here", self.model.scoped_name(id));
        let diagnostic = Diagnostic::new(code, span, message)
            .label(self.model.definition(id).span, "defined here")
            .hint("make this interface `local` as well, or use another type");
        let interface = self.model.definitions.get_mut(owner.index());
        match interface.map(|owner| &mut owner.kind) {
            // Older IDL has no local interfaces.
            Some(DefinitionKind::Interface(item))
                if code == Code::NativeUse && !item.is_abstract =>
            {
                if self.sink.push_tolerable(diagnostic) {
                    item.is_local = true;
                    self.made_local.insert(owner);
                }
            }
            _ => self.sink.push(diagnostic),
        }
    }
}
