//! Which module of a crate needs which, and the groups of modules that need each other.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::{Id, Modules, Name, Segments};

/// The modules of a crate and their needs. A path leads to the module that defines what it names,
/// also through re-exports, so a module that only re-exports needs nothing.
#[derive(Debug)]
pub(super) struct Graph {
    /// `client::pool`; `crate` for the root.
    pub(super) names: Vec<String>,
    /// Which modules each module needs, with one path by which it does.
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
        if let Some(Target::Item(other)) = resolve(modules, id, path, &mut BTreeSet::new())
            && other != id
        {
            needs.entry(other).or_insert_with(|| path.join("::"));
        }
    }
    needs
}

#[derive(Clone, Copy, Debug)]
enum Target {
    /// Something that the module defines.
    Item(Id),
    Module(Id),
}

/// Names under way, so that imports in a circle end.
type Seen = BTreeSet<(Id, String)>;

/// What `path` names in the module `from`; `None` for what another crate defines.
fn resolve(modules: &Modules, from: Id, path: &[String], seen: &mut Seen) -> Option<Target> {
    let (first, mut rest) = path.split_first()?;
    let mut target = match first.as_str() {
        "crate" => Target::Module(0),
        "self" => Target::Module(from),
        "super" => Target::Module(modules.all[from].parent),
        name => lookup(modules, from, name, rest.is_empty(), seen)?,
    };
    while let (Target::Module(id), Some((name, after))) = (target, rest.split_first()) {
        target = match name.as_str() {
            "super" => Target::Module(modules.all[id].parent),
            // An item that is not in the text, as a macro makes it, is taken for the module's.
            name => lookup(modules, id, name, after.is_empty(), seen).unwrap_or(Target::Item(id)),
        };
        rest = after;
    }
    Some(target)
}

/// What `name` means in the module `id`: the module of that name when a path goes on behind it.
fn lookup(modules: &Modules, id: Id, name: &str, last: bool, seen: &mut Seen) -> Option<Target> {
    if !seen.insert((id, name.to_owned())) {
        return None;
    }
    let module = &modules.all[id];
    let meanings = module.names.get(name).into_iter().flatten();
    let mut found: Vec<Target> = meanings
        .filter_map(|meaning| match meaning {
            Name::Item => Some(Target::Item(id)),
            Name::Module(child) => Some(Target::Module(*child)),
            Name::Import(path) => resolve(modules, id, path, seen),
        })
        .collect();
    if found.is_empty() {
        found.extend(module.globs.iter().find_map(|glob| in_glob(modules, id, glob, name, seen)));
    }
    if found.is_empty() && id == 0 {
        found.extend(modules.exported_macros.get(name).map(|id| Target::Item(*id)));
    }
    let fits = |target: &&Target| matches!(target, Target::Item(_)) == last;
    let result = found.iter().find(fits).or(found.first()).copied();
    seen.remove(&(id, name.to_owned()));
    result
}

fn in_glob(
    modules: &Modules,
    id: Id,
    glob: &Segments,
    name: &str,
    seen: &mut Seen,
) -> Option<Target> {
    match resolve(modules, id, glob, seen)? {
        Target::Module(other) => lookup(modules, other, name, true, seen),
        Target::Item(_) => None,
    }
}
