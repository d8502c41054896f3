//! The methods of object references and servants.

use zorb_idl::model::{Export, Initializer};
use zorb_idl::{DefId, Span};

use super::{Case, Names, Scope};
use crate::Warning;

/// Identifies a method: an operation, or the getter or setter of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MethodKey {
    /// The interface or valuetype that declares it.
    pub(crate) interface: DefId,
    /// Its index among the exports of that interface; the initialisers of a valuetype come after
    /// them.
    pub(crate) export: usize,
    /// Whether it is a setter.
    pub(crate) set: bool,
}

/// A method of an interface, declared or inherited.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) key: MethodKey,
    /// Its name in the reference type. For an interface's own methods also in the servant trait.
    pub(crate) name: String,
}

/// The methods for the exports of `id`: key, IDL name of the method, `raises` list.
pub(super) fn raising(id: DefId, exports: &[Export]) -> Vec<(MethodKey, String, &[DefId])> {
    let mut list: Vec<(MethodKey, String, &[DefId])> = Vec::new();
    for (export, item) in exports.iter().enumerate() {
        let key = MethodKey { interface: id, export, set: false };
        match item {
            Export::Operation(item) => list.push((key, item.name.clone(), &item.raises)),
            Export::Attribute(item) => {
                list.push((key, item.name.clone(), &item.get_raises));
                if !item.readonly {
                    let key = MethodKey { set: true, ..key };
                    list.push((key, format!("set_{}", item.name), &item.set_raises));
                }
            }
            Export::Definition(_) => {}
        }
    }
    list
}

fn span_of(exports: &[Export], key: MethodKey, fallback: Span) -> Span {
    match exports.get(key.export) {
        Some(Export::Operation(item)) => item.span,
        Some(Export::Attribute(item)) => item.span,
        _ => fallback,
    }
}

impl Names<'_> {
    /// Names the methods of `id`, after those of its ancestors.
    pub(super) fn name_methods(&mut self, id: DefId, warnings: &mut Vec<Warning>) {
        if self.methods.contains_key(&id) {
            return;
        }
        // An ancestor may be defined after a forward declaration of `id`.
        let ancestors = self.model.ancestors(id);
        for &ancestor in &ancestors {
            self.name_methods(ancestor, warnings);
        }
        let mut scope = Scope::default();
        let mut methods = Vec::new();
        for source in ancestors.into_iter().chain([id]) {
            let exports = self.model.exports(source);
            for (key, name, _) in raising(source, exports) {
                let span = span_of(exports, key, self.model[source].span);
                let name = scope.assign(&name, Case::Snake, span, warnings);
                methods.push(Method { key, name });
            }
        }
        self.methods.insert(id, methods);
    }

    /// All methods of the reference type; inherited ones come first.
    pub(crate) fn methods(&self, id: DefId) -> &[Method] {
        self.methods.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The methods that the interface declares itself.
    pub(crate) fn own_methods(&self, id: DefId) -> impl Iterator<Item = &Method> {
        self.methods(id).iter().filter(move |method| method.key.interface == id)
    }

    /// The initialisers of a valuetype, with their keys.
    pub(crate) fn initializers(&self, id: DefId) -> Vec<(MethodKey, &Initializer)> {
        let first = self.model.exports(id).len();
        let all = self.model.value(id).map_or(&[][..], |item| &item.initializers);
        let key = |index| MethodKey { interface: id, export: first + index, set: false };
        all.iter().enumerate().map(|(index, item)| (key(index), item)).collect()
    }

    /// Whether a valuetype has operations: its own, inherited, or from a supported interface.
    pub(crate) fn has_operations(&self, id: DefId) -> bool {
        let model = self.model;
        let is_operation = |export: &Export| !matches!(export, Export::Definition(_));
        model
            .ancestors(id)
            .into_iter()
            .chain([id])
            .any(|id| model.interface(id).is_some() || model.exports(id).iter().any(is_operation))
    }

    /// The error type of a method that raises user exceptions.
    pub(crate) fn error(&self, key: MethodKey) -> Option<&str> {
        self.errors.get(&key).map(String::as_str)
    }
}
