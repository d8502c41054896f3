//! The dependencies between the modules of a crate, and their strongly connected components.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::{Id, Modules};
use super::resolve::{Target, resolve};

/// The modules of a crate and their dependencies. A path is a dependency on the module that defines
/// its target, also through re-exports, so a module that only re-exports has none.
#[derive(Debug)]
pub(super) struct Graph {
    /// `client::pool`; `crate` for the root.
    pub(super) names: Vec<String>,
    /// The modules that each module needs, with one path that causes the dependency.
    pub(super) needs: Vec<BTreeMap<Id, String>>,
}

impl Graph {
    pub(super) fn of(modules: &Modules) -> Self {
        let name = |path: &str| if path.is_empty() { "crate".to_owned() } else { path.to_owned() };
        let names = modules.all.iter().map(|module| name(&module.path)).collect();
        let needs = (0..modules.all.len()).map(|id| needs(modules, id)).collect();
        Self { names, needs }
    }

    /// The strongly connected components of more than one module, each sorted by name.
    pub(super) fn components(&self) -> Vec<Vec<Id>> {
        let reached: Vec<BTreeSet<Id>> =
            (0..self.names.len()).map(|from| self.reachable(from)).collect();
        let mut components: Vec<Vec<Id>> = Vec::new();
        for id in 0..self.names.len() {
            let together: Vec<Id> =
                reached[id].iter().copied().filter(|other| reached[*other].contains(&id)).collect();
            if together.len() > 1 && together.first() == Some(&id) {
                components.push(together);
            }
        }
        for component in &mut components {
            component.sort_by(|a, b| self.names[*a].cmp(&self.names[*b]));
        }
        components.sort_by(|a, b| self.names[a[0]].cmp(&self.names[b[0]]));
        components
    }

    fn reachable(&self, from: Id) -> BTreeSet<Id> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            open.extend(self.needs[id].keys().filter(|next| reached.insert(**next)));
        }
        reached
    }
}

fn needs(modules: &Modules, id: Id) -> BTreeMap<Id, String> {
    let module = &modules.all[id];
    let mut needs = BTreeMap::new();
    let paths = module.imports.iter().chain(&module.paths);
    for path in paths {
        if let Some(Target::Item(other, _)) = resolve(modules, id, path)
            && other != id
        {
            needs.entry(other).or_insert_with(|| path.join("::"));
        }
    }
    needs
}
