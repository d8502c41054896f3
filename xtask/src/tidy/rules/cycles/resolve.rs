//! Resolves paths.

use std::collections::BTreeSet;

use super::modules::{Id, Modules, Name, Segments};

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// An item of this name that the module defines.
    Item(Id, String),
    Module(Id),
    /// The path continues in another crate.
    External(Segments),
}

/// The target of `path` in the module `from`; `None` for circular imports.
pub(crate) fn resolve(modules: &Modules, from: Id, path: &[String]) -> Option<Target> {
    Resolver { modules, seen: BTreeSet::new() }.path(from, path)
}

struct Resolver<'a> {
    modules: &'a Modules,
    /// The names being resolved, to detect circular imports.
    seen: BTreeSet<(Id, String)>,
}

impl Resolver<'_> {
    fn path(&mut self, from: Id, path: &[String]) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(from),
            "super" => Target::Module(self.modules.all[from].parent),
            name => match self.name(from, name, rest.is_empty()) {
                Some(target) => target,
                None => return Some(Target::External(path.to_vec())),
            },
        };
        while let Some((name, after)) = rest.split_first() {
            target = match target {
                Target::Module(id) if name == "super" => {
                    Target::Module(self.modules.all[id].parent)
                }
                // An item that a macro defines is not in the source: it is attributed to the
                // module.
                Target::Module(id) => self
                    .name(id, name, after.is_empty())
                    .unwrap_or_else(|| Target::Item(id, name.clone())),
                Target::External(mut before) => {
                    before.push(name.clone());
                    Target::External(before)
                }
                // A variant, or an associated item.
                item @ Target::Item(..) => return Some(item),
            };
            rest = after;
        }
        Some(target)
    }

    /// The meaning of `name` in the module `id`: the module of that name unless it is the last
    /// segment.
    fn name(&mut self, id: Id, name: &str, last: bool) -> Option<Target> {
        let key = (id, name.to_owned());
        if !self.seen.insert(key.clone()) {
            return None;
        }
        let module = &self.modules.all[id];
        let mut found = Vec::new();
        for meaning in module.names.get(name).into_iter().flatten() {
            found.extend(match meaning {
                Name::Item => Some(Target::Item(id, name.to_owned())),
                Name::Module(child) => Some(Target::Module(*child)),
                Name::Import(path) => self.path(id, path),
            });
        }
        if found.is_empty() {
            found.extend(module.globs.iter().find_map(|glob| self.in_glob(id, glob, name)));
        }
        if found.is_empty() && id == 0 {
            let exported = self.modules.exported_macros.get(name);
            found.extend(exported.map(|id| Target::Item(*id, name.to_owned())));
        }
        self.seen.remove(&key);
        let fits = |target: &&Target| matches!(target, Target::Module(_)) != last;
        found.iter().find(fits).or(found.first()).cloned()
    }

    fn in_glob(&mut self, id: Id, glob: &Segments, name: &str) -> Option<Target> {
        match self.path(id, glob)? {
            Target::Module(other) => self.name(other, name, true),
            _ => None,
        }
    }
}
