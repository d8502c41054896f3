//! Paths between modules of the generated code.

use zorb_idl::model::Definition;
use zorb_idl::{Compilation, DefId, DefinitionKind};

use super::{Module, Names};
use crate::Options;

/// Where the Rust code of a definition is when it is not generated here.
#[derive(Clone, Debug)]
pub(crate) enum External {
    /// An IDL module that maps to the Rust module at this path.
    Module(String),
    /// A definition of a file whose code is included in the Rust module at this path.
    File(String),
    /// A definition inside an external one.
    Inside,
}

/// The definitions that the options declare as external.
pub(crate) fn external(compilation: &Compilation, options: &Options) -> Vec<Option<External>> {
    let model = &compilation.model;
    let mut external: Vec<Option<External>> = Vec::with_capacity(model.len());
    for definition in model.definitions() {
        let is_module = matches!(definition.kind, DefinitionKind::Module(_));
        // A parent comes before its children.
        let parent = definition.parent.and_then(|parent| external.get(parent.index()));
        let target = if definition.built_in && !is_module {
            // Not generated, unless it is used: see below.
            Some(External::Inside)
        } else if is_module {
            let scoped = definition.scoped_name.join("::");
            let mapped = options.extern_modules.iter().find(|(module, _)| *module == scoped);
            mapped.map(|(_, path)| External::Module(path.clone()))
        } else {
            let file = compilation.sources.file(definition.file).path();
            let from = |name: &str| definition.from_include && file.ends_with(name);
            let mapped = options.extern_files.iter().find(|(name, _)| from(name));
            mapped.map(|(_, path)| External::File(path.clone()))
        };
        external.push(match (target, parent) {
            (Some(module @ External::Module(_)), _) => Some(module),
            (_, Some(Some(_))) => Some(External::Inside),
            (target, _) => target,
        });
    }
    let is_written =
        |item: &Definition| !item.built_in && matches!(external.get(item.id.index()), Some(None));
    let used = super::built_in::used(model, is_written);
    for definition in model.definitions().filter(|item| used.contains(&item.id)) {
        let parent = definition.parent.and_then(|parent| external.get(parent.index()));
        let is_external = parent.is_some_and(Option::is_some);
        if let Some(slot) = external.get_mut(definition.id.index()) {
            *slot = is_external.then_some(External::Inside);
        }
    }
    external
}

impl Names<'_> {
    /// The path of a module from the root of the generated code, or an absolute path when it is
    /// external.
    fn module_path(&self, module: Module) -> Vec<String> {
        let Some(id) = module else { return Vec::new() };
        if let Some(External::Module(path)) = &self.external[id.index()] {
            return vec![path.clone()];
        }
        let mut path = self.parent_path(id);
        path.push(self.module_name(id).to_owned());
        path
    }

    /// The path of the module that contains a definition.
    fn parent_path(&self, id: DefId) -> Vec<String> {
        let mut path = self.module_path(self.model[id].parent);
        if let Some(External::File(root)) = &self.external[id.index()] {
            path.insert(0, root.clone());
        }
        path
    }

    /// The path to a definition from inside `from`.
    pub(crate) fn path(&self, id: DefId, from: Module) -> String {
        self.relative(id, self.parent_path(id), self.own(id), from)
    }

    /// The path to the type that carries the TypeCode of a typedef, from inside `from`.
    pub(crate) fn alias_path(&self, id: DefId, from: Module) -> Option<String> {
        Some(self.relative(id, self.parent_path(id), self.alias(id)?, from))
    }

    /// The path to an interface's servant trait or a valuetype's operations trait, from inside
    /// `from`.
    pub(crate) fn servant_path(&self, id: DefId, from: Module) -> String {
        self.relative(id, self.parent_path(id), self.servant(id), from)
    }

    /// The path to an item in the companion module of `id`, from inside `from`.
    pub(crate) fn inside_path(&self, id: DefId, name: &str, from: Module) -> String {
        self.relative(id, self.module_path(Some(id)), name, from)
    }

    fn relative(&self, id: DefId, target: Vec<String>, name: &str, from: Module) -> String {
        let mut parts = Vec::new();
        if self.is_external(id) {
            parts = target;
        } else {
            let from = self.module_path(from);
            let shared = from.iter().zip(&target).take_while(|(a, b)| a == b).count();
            parts.extend(from.iter().skip(shared).map(|_| "super".to_owned()));
            parts.extend(target.into_iter().skip(shared));
        }
        parts.push(name.to_owned());
        parts.join("::")
    }
}
