//! Definitions whose Rust code is elsewhere.

use zorb_idl::model::Definition;
use zorb_idl::{Compilation, DefId, DefinitionKind};

use super::built_in;
use crate::Options;

/// The location of the Rust code of a definition that is not generated here.
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
        let target = if is_module {
            let scoped = definition.scoped_name.join("::");
            let mapped = options.extern_modules.iter().find(|(module, _)| *module == scoped);
            mapped.map(|(_, path)| External::Module(path.clone()))
        } else {
            let file = compilation.sources.file(definition.file).path();
            let is_included = definition.from_include || definition.built_in;
            let from = |name: &str| is_included && file.ends_with(name);
            let mapped = options.extern_files.iter().find(|(name, _)| from(name));
            match mapped {
                Some((_, path)) => Some(External::File(path.clone())),
                // Not generated, unless it is used: see below.
                None => definition.built_in.then_some(External::Inside),
            }
        };
        external.push(match (target, parent) {
            (Some(module @ External::Module(_)), _) => Some(module),
            (_, Some(Some(_))) => Some(External::Inside),
            (target, _) => target,
        });
    }
    let is_written =
        |item: &Definition| !item.built_in && matches!(external.get(item.id.index()), Some(None));
    let used = built_in::used(model, is_written);
    let is_elsewhere =
        |id: DefId| matches!(external.get(id.index()), Some(Some(External::File(_))));
    let generated: Vec<_> = model
        .definitions()
        .filter(|item| used.contains(&item.id) && !is_elsewhere(item.id))
        .collect();
    for definition in generated {
        let parent = definition.parent.and_then(|parent| external.get(parent.index()));
        let is_external = parent.is_some_and(Option::is_some);
        if let Some(slot) = external.get_mut(definition.id.index()) {
            *slot = is_external.then_some(External::Inside);
        }
    }
    external
}
