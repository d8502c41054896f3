//! The exports of a crate, and the definitions of its paths.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, UseTree};

use super::macros::definitions_of;
use super::outline::{is_hidden, is_public, outline, outline_impl};
use crate::tidy::Tree;
use crate::tidy::rules::cycles::modules::{Id, Modules, Segments};
use crate::tidy::rules::cycles::resolve::{Target, resolve};

/// The crates below `crates/`, by the names that paths use.
pub(super) struct Workspace {
    crates: BTreeMap<String, Crate>,
}

struct Crate {
    modules: Modules,
    /// The `impl` blocks of every type, by the definition of the type.
    impls: BTreeMap<(Id, String), Vec<syn::ItemImpl>>,
}

/// An item: its crate, module and name.
type Definition = (String, Id, String);

/// The API of one crate.
pub(super) struct Api {
    pub(super) text: String,
    /// Descriptions of the items with a second path.
    pub(super) duplicates: Vec<String>,
}

impl Workspace {
    pub(super) fn read(tree: &Tree) -> Self {
        let texts: BTreeMap<&str, &str> =
            tree.files().iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
        let mut crates = BTreeMap::new();
        for path in texts.keys() {
            let name = path.strip_prefix("crates/").and_then(|p| p.strip_suffix("/src/lib.rs"));
            let Some(name) = name.filter(|name| !name.contains('/')) else { continue };
            let modules = Modules::read(path, &|path| texts.get(path).copied());
            let impls = impls(&modules);
            crates.insert(name.replace('-', "_"), Crate { modules, impls });
        }
        Self { crates }
    }

    pub(super) fn api(&self, name: &str) -> Api {
        let name = name.replace('-', "_");
        let mut walk = Walk { workspace: self, paths: BTreeMap::new(), duplicates: Vec::new() };
        let items = walk.module(&name, 0, &name);
        let file = syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items };
        Api { text: prettyplease::unparse(&file), duplicates: walk.duplicates }
    }

    /// The target of `path` in a module, through re-exports of other crates.
    fn resolve(&self, krate: &str, module: Id, path: &[String]) -> Option<(String, Target)> {
        match resolve(&self.crates.get(krate)?.modules, module, path)? {
            Target::External(path) => {
                let (other, rest) = path.split_first()?;
                if !self.crates.contains_key(other) || other == krate {
                    return None;
                }
                let mut inside = vec!["crate".to_owned()];
                inside.extend_from_slice(rest);
                self.resolve(other, 0, &inside)
            }
            target => Some((krate.to_owned(), target)),
        }
    }
}

fn impls(modules: &Modules) -> BTreeMap<(Id, String), Vec<syn::ItemImpl>> {
    let mut impls: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (id, module) in modules.all.iter().enumerate() {
        for item in &module.items {
            let Item::Impl(block) = item else { continue };
            let Some(path) = path_of(&block.self_ty) else { continue };
            if let Some(Target::Item(id, name)) = resolve(modules, id, &path) {
                impls.entry((id, name)).or_default().push(block.clone());
            }
        }
    }
    impls
}

struct Walk<'a> {
    workspace: &'a Workspace,
    /// The first path found for each item.
    paths: BTreeMap<Definition, String>,
    duplicates: Vec<String>,
}

impl Walk<'_> {
    /// The exports of a module, in the order of their names.
    fn module(&mut self, krate: &str, id: Id, path: &str) -> Vec<Item> {
        let Some(definition) = self.workspace.crates.get(krate) else { return Vec::new() };
        let mut exported: BTreeMap<String, Vec<Item>> = BTreeMap::new();
        let mut names = BTreeSet::new();
        for item in &definition.modules.all[id].items {
            match item {
                Item::Use(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                    leaves(&item.tree, &Vec::new(), &mut |target, name| {
                        let items = self.import(krate, id, target, &name, path);
                        exported.entry(name).or_default().extend(items);
                    });
                }
                Item::Mod(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                    let name = item.ident.to_string();
                    let target = ["self".to_owned(), name.clone()];
                    let items = self.import(krate, id, target.to_vec(), &name, path);
                    exported.entry(name).or_default().extend(items);
                }
                // Exported macros belong to the root, others are private.
                Item::Macro(_) => {}
                other => {
                    if let Some(name) = name_of(other).filter(|name| names.insert(name.clone())) {
                        let items = self.define(krate, id, &name, path);
                        exported.entry(name).or_default().extend(items);
                    }
                }
            }
        }
        if id == 0 {
            for (name, module) in &definition.modules.exported_macros {
                let items = self.define(krate, *module, name, path);
                exported.entry(name.clone()).or_insert(items);
            }
        }
        exported.into_values().flatten().collect()
    }

    fn import(
        &mut self,
        krate: &str,
        id: Id,
        target: Segments,
        name: &str,
        path: &str,
    ) -> Vec<Item> {
        match self.workspace.resolve(krate, id, &target) {
            Some((krate, Target::Module(id))) => {
                let items = self.module(&krate, id, &format!("{path}::{name}"));
                module_of(name, items).into_iter().collect()
            }
            Some((krate, Target::Item(id, original))) => {
                let items = self.define(&krate, id, &original, path);
                // The source does not name what a macro defines.
                let is_named = items.iter().any(|item| !is_invocation(item));
                let named = if is_named { Vec::new() } else { reexport(&target, name) };
                [named, items].concat()
            }
            _ => reexport(&target, name),
        }
    }

    /// The items of a name that a module defines, with their `impl` blocks.
    fn define(&mut self, krate: &str, id: Id, name: &str, path: &str) -> Vec<Item> {
        let Some(definition) = self.workspace.crates.get(krate) else { return Vec::new() };
        let items = &definition.modules.all[id].items;
        let named = items.iter().filter(|item| name_of(item).as_deref() == Some(name));
        let mut found: Vec<Item> = named.filter_map(outline).collect();
        found.extend(definitions_of(name, items));
        if found.is_empty() {
            return found;
        }
        let here = format!("{path}::{name}");
        let first = self.paths.entry((krate.to_owned(), id, name.to_owned()));
        let first = first.or_insert_with(|| here.clone()).clone();
        if first != here {
            self.duplicates.push(format!("{here} is also {first}"));
            return reexport(&first.split("::").map(str::to_owned).collect(), name);
        }
        let mut targets: Vec<Segments> = found.iter().filter_map(aliased).collect();
        let impls = definition.impls.get(&(id, name.to_owned()));
        for block in impls.into_iter().flatten() {
            found.extend(outline_impl(block));
            targets.extend(dereferenced(block));
        }
        for target in targets {
            found.extend(self.inherent(krate, id, &target));
        }
        found
    }

    /// The inherent `impl` blocks of a type of the workspace that an alias or `Deref` leads to: its methods
    /// are those of the item, too.
    fn inherent(&self, krate: &str, id: Id, path: &Segments) -> Vec<Item> {
        let Some((krate, Target::Item(id, name))) = self.workspace.resolve(krate, id, path) else {
            return Vec::new();
        };
        let Ok(named) = syn::parse_str(&format!("{krate}::{name}")) else { return Vec::new() };
        let named = syn::Type::Path(named);
        let impls = self.workspace.crates.get(&krate).and_then(|it| it.impls.get(&(id, name)));
        let inherent = impls.into_iter().flatten().filter(|block| block.trait_.is_none());
        let outlined = inherent.filter_map(|block| {
            outline_impl(&syn::ItemImpl { self_ty: Box::new(named.clone()), ..block.clone() })
        });
        outlined.collect()
    }
}

fn is_invocation(item: &Item) -> bool {
    matches!(item, Item::Macro(item) if item.ident.is_none())
}

/// The path of the type that `type NAME = PATH` stands for.
fn aliased(item: &Item) -> Option<Segments> {
    match item {
        Item::Type(alias) => path_of(&alias.ty),
        _ => None,
    }
}

/// The path of the `Target` of an `impl Deref`.
fn dereferenced(block: &syn::ItemImpl) -> Option<Segments> {
    let (of, _) = block.trait_.as_ref()?;
    let is_deref = of.segments.last().is_some_and(|segment| segment.ident == "Deref");
    let mut types = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Type(item) if is_deref => path_of(&item.ty),
        _ => None,
    });
    types.next()
}

fn path_of(ty: &syn::Type) -> Option<Segments> {
    match ty {
        syn::Type::Path(path) => {
            Some(path.path.segments.iter().map(|segment| segment.ident.to_string()).collect())
        }
        _ => None,
    }
}

/// Every name that a `use` imports, with its path; `*` for globs.
fn leaves(tree: &UseTree, before: &Segments, found: &mut dyn FnMut(Segments, String)) {
    let with = |name: String| {
        let mut segments = before.clone();
        if name != "self" {
            segments.push(name);
        }
        segments
    };
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(path.ident.to_string()), found),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, before, found)),
        UseTree::Name(name) => {
            let segments = with(name.ident.to_string());
            let last = segments.last().cloned().unwrap_or_default();
            found(segments, last);
        }
        UseTree::Rename(rename) => found(with(rename.ident.to_string()), rename.rename.to_string()),
        UseTree::Glob(_) => found(with("*".to_owned()), "*".to_owned()),
    }
}

fn name_of(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Macro(item) => item.ident.as_ref()?.to_string(),
        Item::Static(item) => item.ident.to_string(),
        Item::Struct(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        _ => return None,
    })
}

fn module_of(name: &str, items: Vec<Item>) -> Option<Item> {
    let mut module: syn::ItemMod = syn::parse_str(&format!("pub mod {name} {{}}")).ok()?;
    module.content.as_mut()?.1 = items;
    Some(Item::Mod(module))
}

fn reexport(path: &Segments, name: &str) -> Vec<Item> {
    let path = path.join("::");
    let renamed = if path.ends_with(name) { String::new() } else { format!(" as {name}") };
    syn::parse_str(&format!("pub use {path}{renamed};")).map(|item| vec![item]).unwrap_or_default()
}
