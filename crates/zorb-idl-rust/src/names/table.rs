//! The table of the Rust names of a compilation.

use std::collections::HashMap;

use zorb_idl::model::{Export, Initializer};
use zorb_idl::{DefId, Model};

use super::external::External;
use super::methods::{Method, MethodKey};
use super::scope::Scope;

/// A Rust module: the root of the generated code, or the module of this definition.
pub(crate) type Module = Option<DefId>;

/// The Rust names of a compilation's definitions.
#[derive(Debug)]
pub(crate) struct Names<'m> {
    pub(crate) model: &'m Model,
    /// The name of each definition.
    pub(super) own: Vec<String>,
    /// The companion module of a type, which contains the definitions inside it.
    pub(super) companions: HashMap<DefId, String>,
    /// The trait for the operations of an interface's servant, or of a valuetype.
    pub(super) servants: HashMap<DefId, String>,
    /// The type that serves an interface of the small ORB by a servant.
    pub(super) skeletons: HashMap<DefId, String>,
    /// The traits of servants that answer later, of the interfaces that get them.
    pub(super) amh_traits: HashMap<DefId, AmhTraits>,
    /// The view of a struct that has one.
    pub(super) views: HashMap<DefId, String>,
    /// The type that carries the TypeCode of a typedef.
    pub(super) aliases: HashMap<DefId, String>,
    /// The trait for the initializers of a valuetype.
    pub(super) factories: HashMap<DefId, String>,
    pub(super) methods: HashMap<DefId, Vec<Method>>,
    /// The error type of an operation that raises user exceptions.
    pub(super) errors: HashMap<MethodKey, String>,
    pub(super) enumerators: HashMap<DefId, Vec<String>>,
    pub(super) scopes: HashMap<Module, Scope>,
    /// Where each external definition is; none for definitions generated here.
    pub(super) external: Vec<Option<External>>,
}

/// The traits of an interface's servants that answer later.
#[derive(Clone, Debug)]
pub(crate) struct AmhTraits {
    pub(crate) deferred: String,
    pub(crate) asynchronous: String,
}

impl Names<'_> {
    /// The traits of an interface's servants that answer later; none unless they are wanted.
    pub(crate) fn amh_traits(&self, id: DefId) -> Option<&AmhTraits> {
        self.amh_traits.get(&id)
    }

    /// The name of a struct's view; none unless it has one.
    pub(crate) fn view(&self, id: DefId) -> Option<&str> {
        self.views.get(&id).map(String::as_str)
    }

    /// The Rust name of a definition.
    pub(crate) fn own(&self, id: DefId) -> &str {
        &self.own[id.index()]
    }

    /// The name of an interface's servant trait, or of the trait for a valuetype's operations.
    pub(crate) fn servant(&self, id: DefId) -> &str {
        self.servants.get(&id).map_or("", String::as_str)
    }

    /// The name of the type that serves an interface of the small ORB.
    pub(crate) fn skeleton(&self, id: DefId) -> &str {
        self.skeletons.get(&id).map_or("", String::as_str)
    }

    /// The name of the trait for a valuetype's initializers.
    pub(crate) fn factory(&self, id: DefId) -> Option<&str> {
        self.factories.get(&id).map(String::as_str)
    }

    /// The name of the companion module of a definition; for a module its own name.
    pub(crate) fn module_name(&self, id: DefId) -> &str {
        self.companions.get(&id).map_or_else(|| self.own(id), String::as_str)
    }

    /// The name of the type that carries the TypeCode of a typedef; none if it cannot be sent.
    pub(crate) fn alias(&self, id: DefId) -> Option<&str> {
        self.aliases.get(&id).map(String::as_str)
    }

    /// Whether values of a type can be sent: they contain no local and no native types.
    pub(crate) fn is_sendable(&self, id: DefId) -> bool {
        let facts = self.model.definition_facts(id);
        !facts.local_interface && !facts.native
    }

    /// The variants of an enumeration, in order.
    pub(crate) fn enumerators(&self, id: DefId) -> &[String] {
        self.enumerators.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Whether a definition has a companion module.
    pub(crate) fn has_companion(&self, id: DefId) -> bool {
        self.companions.contains_key(&id)
    }

    /// Whether a definition is external.
    pub(crate) fn is_external(&self, id: DefId) -> bool {
        self.external[id.index()].is_some()
    }

    /// Whether an item of `module` shadows `name`.
    pub(crate) fn hides(&self, module: Module, name: &str) -> bool {
        self.scopes.get(&module).is_some_and(|scope| scope.has(name))
    }

    /// All methods of the reference type; inherited ones come first.
    pub(crate) fn methods(&self, id: DefId) -> &[Method] {
        self.methods.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The methods that the interface declares itself.
    pub(crate) fn own_methods(&self, id: DefId) -> impl Iterator<Item = &Method> {
        self.methods(id).iter().filter(move |method| method.key.interface == id)
    }

    /// The initializers of a valuetype, with their keys.
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
