//! The Rust names of all definitions, and the paths between them.

mod built_in;
mod case;
mod methods;
mod paths;
mod scope;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub(crate) use case::Case;
pub(crate) use methods::{Method, MethodKey};
pub(crate) use paths::external;
pub(crate) use scope::Scope;
use zorb_idl::model::Definition;
use zorb_idl::{Compilation, DefId, DefinitionKind, Model};

use crate::{Options, Warning};

/// A Rust module: the root of the generated code, or the module of this definition.
pub(crate) type Module = Option<DefId>;

/// The Rust names of a compilation's definitions.
#[derive(Debug)]
pub(crate) struct Names<'m> {
    pub(crate) model: &'m Model,
    /// The name of each definition.
    own: Vec<String>,
    /// The companion module of a type, which contains the definitions inside it.
    companions: HashMap<DefId, String>,
    /// The trait for the operations of an interface's servant, or of a valuetype.
    servants: HashMap<DefId, String>,
    /// The type that carries the TypeCode of a typedef.
    aliases: HashMap<DefId, String>,
    /// The trait for the initialisers of a valuetype.
    factories: HashMap<DefId, String>,
    methods: HashMap<DefId, Vec<Method>>,
    /// The error type of an operation that raises user exceptions.
    errors: HashMap<MethodKey, String>,
    enumerators: HashMap<DefId, Vec<String>>,
    scopes: HashMap<Module, Scope>,
    /// Where each external definition is; none for definitions generated here.
    external: Vec<Option<paths::External>>,
}

impl<'m> Names<'m> {
    pub(crate) fn new(compilation: &'m Compilation, options: &Options) -> (Self, Vec<Warning>) {
        let model = &compilation.model;
        let mut warnings = Vec::new();
        let mut names = Self {
            model,
            own: vec![String::new(); model.len()],
            companions: HashMap::new(),
            servants: HashMap::new(),
            aliases: HashMap::new(),
            factories: HashMap::new(),
            methods: HashMap::new(),
            errors: HashMap::new(),
            enumerators: HashMap::new(),
            scopes: HashMap::new(),
            external: paths::external(compilation, options),
        };
        names.name_module(None, model.roots(), &mut warnings);
        // Depth first; the front end bounds nesting.
        for definition in model.definitions() {
            let children = model.children(definition.id);
            if !children.is_empty() {
                names.name_module(Some(definition.id), &children, &mut warnings);
            }
        }
        for definition in model.definitions() {
            names.name_companions(definition);
            if let DefinitionKind::Enum(item) = &definition.kind {
                let mut scope = Scope::default();
                let variants = item.enumerators.iter();
                let variants = variants
                    .map(|it| scope.assign(&it.name, Case::Pascal, it.span, &mut warnings))
                    .collect();
                names.enumerators.insert(definition.id, variants);
            }
        }
        for definition in model.definitions() {
            if matches!(definition.kind, DefinitionKind::Interface(_) | DefinitionKind::Value(_)) {
                names.name_errors(definition.id);
                names.name_methods(definition.id, &mut warnings);
            }
        }
        (names, warnings)
    }

    /// Names the IDL definitions of one scope, before any generated names.
    fn name_module(&mut self, module: Module, children: &[DefId], warnings: &mut Vec<Warning>) {
        let scope = self.scopes.entry(module).or_default();
        for &id in children {
            let definition = &self.model[id];
            let case = match definition.kind {
                DefinitionKind::Module(_) => Case::Module,
                DefinitionKind::Const(_) => Case::Screaming,
                _ => Case::Pascal,
            };
            let name = scope.assign(&definition.name, case, definition.span, warnings);
            self.own[id.index()] = name;
        }
    }

    /// Names the items generated in addition to a definition.
    fn name_companions(&mut self, definition: &Definition) {
        let id = definition.id;
        let is_sendable = self.is_sendable(id);
        let own = self.own[id.index()].trim_end_matches('_').to_owned();
        let mut needs_module = !self.model.children(id).is_empty();
        let is_raising = self.raises_exceptions(id);
        let has_operations = self.has_operations(id);
        let scope = self.scopes.entry(definition.parent).or_default();
        match &definition.kind {
            DefinitionKind::Interface(interface) => {
                if !interface.is_local {
                    let servant = scope.assign_silently(&format!("{own}Servant"), Case::Pascal);
                    self.servants.insert(id, servant);
                }
                needs_module |= is_raising;
            }
            DefinitionKind::Value(value) => {
                if has_operations {
                    let operations =
                        scope.assign_silently(&format!("{own}Operations"), Case::Pascal);
                    self.servants.insert(id, operations);
                }
                if !value.initializers.is_empty() {
                    let factory = scope.assign_silently(&format!("{own}Factory"), Case::Pascal);
                    self.factories.insert(id, factory);
                }
                needs_module |= is_raising;
            }
            _ => {}
        }
        if matches!(definition.kind, DefinitionKind::Typedef(_)) && is_sendable {
            let alias = scope.assign_silently(&format!("{own}Alias"), Case::Pascal);
            self.aliases.insert(id, alias);
        }
        if needs_module && !matches!(definition.kind, DefinitionKind::Module(_)) {
            let wanted = case::convert(&definition.name, Case::Module);
            let companion = scope.assign_silently(&wanted, Case::Module);
            self.companions.insert(id, companion);
        }
    }

    /// The operations, attributes and initialisers of an interface or valuetype: key, name and exceptions.
    fn raising(&self, id: DefId) -> Vec<(MethodKey, String, &'m [DefId])> {
        let mut all = methods::raising(id, self.model.exports(id));
        let first = self.model.exports(id).len();
        let initializers = self.model.value(id).map_or(&[][..], |item| &item.initializers);
        for (index, item) in initializers.iter().enumerate() {
            let key = MethodKey { interface: id, export: first + index, set: false };
            all.push((key, item.name.clone(), &item.raises));
        }
        all
    }

    fn raises_exceptions(&self, id: DefId) -> bool {
        self.raising(id).iter().any(|(_, _, raises)| !raises.is_empty())
    }

    fn name_errors(&mut self, id: DefId) {
        let mut errors = Vec::new();
        let raising = self.raising(id);
        let scope = self.scopes.entry(Some(id)).or_default();
        for (key, name, raises) in raising {
            if !raises.is_empty() {
                let wanted = format!("{}Error", case::convert(&name, Case::Pascal));
                errors.push((key, scope.assign_silently(&wanted, Case::Pascal)));
            }
        }
        self.errors.extend(errors);
    }

    /// The Rust name of a definition.
    pub(crate) fn own(&self, id: DefId) -> &str {
        &self.own[id.index()]
    }

    /// The name of an interface's servant trait, or of the trait for a valuetype's operations.
    pub(crate) fn servant(&self, id: DefId) -> &str {
        self.servants.get(&id).map_or("", String::as_str)
    }

    /// The name of the trait for a valuetype's initialisers.
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

    /// Whether `module` shadows `name` by an item of its own.
    pub(crate) fn hides(&self, module: Module, name: &str) -> bool {
        self.scopes.get(&module).is_some_and(|scope| scope.has(name))
    }
}
