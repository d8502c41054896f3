//! Restrictions on local interfaces, native types, and types that contain them.

use std::collections::HashMap;

use super::resolver::{RemoteUse, Resolver};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DefId, DefinitionKind, Type};
use crate::source::Span;

impl Resolver<'_> {
    /// The native type that a type is or contains, if any.
    pub(super) fn native_part(&self, ty: &Type) -> Option<DefId> {
        named(ty).find_map(|id| match self.model.definition(id).kind {
            DefinitionKind::Native => Some(id),
            _ => self.natives.get(&id).copied(),
        })
    }

    /// Records that `id` contains a value of type `ty`.
    pub(super) fn holds(&mut self, id: DefId, ty: &Type) {
        if let Some(native) = self.native_part(ty) {
            self.natives.entry(id).or_insert(native);
        }
    }

    /// Reports a native type that is used as part of another type.
    pub(super) fn reject_native(&mut self, ty: &Type, span: Span) {
        if let Some(native) = self.native_part(ty) {
            let name = self.model.scoped_name(native);
            let message = format!("the native type `{name}` is not allowed here");
            self.sink.push(Diagnostic::new(Code::NativeUse, span, message).hint(
                "a native type can only be a parameter, a result or an exception of an operation",
            ));
        }
    }

    /// Reports a native type in an operation that can be called remotely. Local types are reported
    /// [at the end](Self::check_local_uses).
    pub(super) fn reject_restricted(&mut self, owner: DefId, ty: &Type, span: Span) {
        if !self.is_remote(owner) {
            return;
        }
        let Some(native) = self.native_part(ty) else {
            if named(ty).next().is_some() {
                self.remote_uses.push(RemoteUse { owner, ty: ty.clone(), span });
            }
            return;
        };
        let diagnostic = self.restricted_use(Code::NativeUse, "native type", native, span);
        let interface = self.model.definitions.get_mut(owner.index());
        match interface.map(|owner| &mut owner.kind) {
            // Older IDL has no local interfaces.
            Some(DefinitionKind::Interface(item)) if !item.is_abstract => {
                if self.sink.push_tolerable(diagnostic) {
                    item.is_local = true;
                    self.made_local.insert(owner);
                }
            }
            _ => self.sink.push(diagnostic),
        }
    }

    /// Reports local types in operations and attributes of remote interfaces. Only the definition of
    /// an interface says whether an interface that was declared before is local.
    pub(super) fn check_local_uses(&mut self) {
        let uses = std::mem::take(&mut self.remote_uses);
        let local = self.local_parts();
        for RemoteUse { owner, ty, span } in uses {
            if let Some(part) = named(&ty).find_map(|id| local.get(&id))
                && self.is_remote(owner)
            {
                let diagnostic =
                    self.restricted_use(Code::LocalInRemote, "local interface", *part, span);
                self.sink.push(diagnostic);
            }
        }
    }

    fn is_remote(&self, owner: DefId) -> bool {
        self.model.interface(owner).is_some_and(|interface| !interface.is_local)
    }

    /// The local interfaces, and the types that contain one, each with this interface.
    fn local_parts(&self) -> HashMap<DefId, DefId> {
        let mut holders: HashMap<DefId, Vec<DefId>> = HashMap::new();
        let mut parts = HashMap::new();
        let mut work = Vec::new();
        for item in self.model.definitions() {
            let mut types: Vec<&Type> = Vec::new();
            let mut base = None;
            match &item.kind {
                DefinitionKind::Interface(interface) if interface.is_local => {
                    parts.insert(item.id, item.id);
                    work.push(item.id);
                }
                DefinitionKind::Struct(kind) | DefinitionKind::Exception(kind) => {
                    types.extend(kind.members.iter().map(|member| &member.ty));
                    base = kind.base;
                }
                DefinitionKind::Union(kind) => types.extend(kind.cases.iter().map(|case| &case.ty)),
                DefinitionKind::Typedef(kind) => types.push(&kind.ty),
                _ => {}
            }
            for held in types.into_iter().flat_map(named).chain(base) {
                holders.entry(held).or_default().push(item.id);
            }
        }
        while let Some(id) = work.pop() {
            let Some(part) = parts.get(&id).copied() else { continue };
            for holder in holders.remove(&id).unwrap_or_default() {
                parts.entry(holder).or_insert_with(|| {
                    work.push(holder);
                    part
                });
            }
        }
        parts
    }

    fn restricted_use(&self, code: Code, what: &str, id: DefId, span: Span) -> Diagnostic {
        let message = format!("{what} `{}` is not allowed here", self.model.scoped_name(id));
        Diagnostic::new(code, span, message)
            .label(self.model.definition(id).span, "defined here")
            .hint("make this interface `local` as well, or use another type")
    }
}

/// The definitions that a type names: one, or those of the keys and values of maps.
fn named(ty: &Type) -> impl Iterator<Item = DefId> + '_ {
    let mut work = vec![ty];
    std::iter::from_fn(move || {
        loop {
            match work.pop()? {
                Type::Sequence { element, .. } | Type::Array { element, .. } => work.push(element),
                Type::Map { key, value, .. } => work.extend([&**value, &**key]),
                Type::Named(id) => return Some(*id),
                _ => {}
            }
        }
    })
}
