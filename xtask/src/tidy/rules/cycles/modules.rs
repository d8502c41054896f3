//! The modules of a crate: declarations, imports and paths, without test code.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The segments of a path: `["crate", "client", "Pool"]`.
pub(crate) type Segments = Vec<String>;

/// The index of a module in [`Modules::all`].
pub(crate) type Id = usize;

/// The meaning of a name in a module.
#[derive(Clone, Debug)]
pub(crate) enum Name {
    /// An item that the module defines.
    Item,
    Module(Id),
    /// `use path::name`.
    Import(Segments),
}

/// One module: a file, or a `mod` with a body.
#[derive(Default)]
pub(crate) struct Module {
    /// `client::pool`; empty for the crate's root.
    pub(crate) path: String,
    pub(crate) parent: Id,
    /// One name may have several meanings: a module and a function, for example.
    pub(crate) names: BTreeMap<String, Vec<Name>>,
    /// `use path::*`.
    pub(crate) globs: Vec<Segments>,
    /// Private imports. A public import is a re-export, which is not a dependency.
    pub(crate) imports: Vec<Segments>,
    /// Paths in code.
    pub(crate) paths: Vec<Segments>,
    /// The items of the module, without its child modules.
    pub(crate) items: Vec<syn::Item>,
}

/// All modules of a crate; the first is its root.
#[derive(Default)]
pub(crate) struct Modules {
    pub(crate) all: Vec<Module>,
    /// `#[macro_export]` macros, which paths name as items of the root.
    pub(crate) exported_macros: BTreeMap<String, Id>,
}

impl Modules {
    /// Reads the crate whose root is `root`; `text` returns the text of a file by its path. Files
    /// that do not parse are left to the compiler.
    pub(crate) fn read<'a>(root: &str, text: &dyn Fn(&str) -> Option<&'a str>) -> Self {
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let mut reader = Reader { modules: Self::default(), text, current: 0, folder };
        reader.modules.all.push(Module::default());
        reader.read_file(root);
        reader.modules
    }
}

struct Reader<'a, 't> {
    modules: Modules,
    text: &'a dyn Fn(&str) -> Option<&'t str>,
    current: Id,
    /// The folder of the files of the current module's children.
    folder: String,
}

impl Reader<'_, '_> {
    fn read_file(&mut self, path: &str) -> bool {
        let Some(file) = (self.text)(path).and_then(|text| syn::parse_file(text).ok()) else {
            return false;
        };
        if !file.attrs.iter().any(is_test) {
            self.read_items(file.items);
        }
        true
    }

    fn read_items(&mut self, items: Vec<syn::Item>) {
        for item in items {
            self.visit_item(&item);
            if !parts(&item).0.iter().any(is_test) {
                self.module().items.push(item);
            }
        }
    }

    fn module(&mut self) -> &mut Module {
        &mut self.modules.all[self.current]
    }

    fn define(&mut self, name: &str, what: Name) {
        self.module().names.entry(name.to_owned()).or_default().push(what);
    }

    fn read_module(&mut self, module: &syn::ItemMod) {
        let name = module.ident.to_string();
        let parent = self.current;
        let above = &self.modules.all[parent].path;
        let path = if above.is_empty() { name.clone() } else { format!("{above}::{name}") };
        let id = self.modules.all.len();
        self.modules.all.push(Module { path, parent, ..Module::default() });
        self.define(&name, Name::Module(id));

        let folder = format!("{}/{name}", self.folder);
        let outer = std::mem::replace(&mut self.folder, folder.clone());
        self.current = id;
        match &module.content {
            Some((_, items)) => self.read_items(items.clone()),
            None => {
                let _ = self.read_file(&format!("{folder}.rs"))
                    || self.read_file(&format!("{folder}/mod.rs"));
            }
        }
        self.current = parent;
        self.folder = outer;
    }

    fn read_use(&mut self, tree: &syn::UseTree, before: &Segments, public: bool) {
        let with = |ident: &syn::Ident| {
            let mut segments = before.clone();
            if ident != "self" || before.is_empty() {
                segments.push(ident.to_string());
            }
            segments
        };
        let (segments, name) = match tree {
            syn::UseTree::Path(path) => {
                return self.read_use(&path.tree, &with(&path.ident), public);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.read_use(tree, before, public));
            }
            syn::UseTree::Glob(_) => return self.module().globs.push(before.clone()),
            syn::UseTree::Name(name) => {
                let segments = with(&name.ident);
                let last = segments.last().cloned().unwrap_or_default();
                (segments, last)
            }
            syn::UseTree::Rename(rename) => (with(&rename.ident), rename.rename.to_string()),
        };
        if !public {
            self.module().imports.push(segments.clone());
        }
        // `pub(crate) use name;` makes a macro available by path; the name is known already.
        if segments.len() > 1 || segments.first() != Some(&name) {
            self.define(&name, Name::Import(segments));
        }
    }

    /// Finds paths in the tokens of a macro: absolute ones, and relative ones. Only the macro
    /// itself can parse its tokens.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.read_tokens(group.stream()),
                TokenTree::Ident(first) => {
                    let mut segments = vec![first.to_string()];
                    while let Some(next) = segment(&tokens[at + 1..]) {
                        segments.push(next);
                        at += 3;
                    }
                    if segments.len() > 1 {
                        self.module().paths.push(segments);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// `::name` at the start of `tokens`.
fn segment(tokens: &[TokenTree]) -> Option<String> {
    match tokens {
        [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(name), ..]
            if a.as_char() == ':' && b.as_char() == ':' =>
        {
            Some(name.to_string())
        }
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Reader<'_, '_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (attributes, ident) = parts(item);
        if attributes.iter().any(is_test) {
            return;
        }
        if let Some(ident) = ident {
            self.define(&ident.to_string(), Name::Item);
        }
        match item {
            syn::Item::Mod(module) => self.read_module(module),
            syn::Item::Use(item) if item.leading_colon.is_none() => {
                let public = !matches!(item.vis, syn::Visibility::Inherited);
                self.read_use(&item.tree, &Vec::new(), public);
            }
            syn::Item::Macro(item) => {
                if let Some(name) = &item.ident
                    && attributes.iter().any(|a| a.path().is_ident("macro_export"))
                {
                    self.modules.exported_macros.insert(name.to_string(), self.current);
                }
                visit::visit_item_macro(self, item);
            }
            other => visit::visit_item(self, other),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        let attributes = match item {
            syn::ImplItem::Const(item) => &item.attrs,
            syn::ImplItem::Fn(item) => &item.attrs,
            _ => return visit::visit_impl_item(self, item),
        };
        if !attributes.iter().any(is_test) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let segments = path.segments.iter().map(|s| s.ident.to_string()).collect();
            self.module().paths.push(segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.read_tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

/// The attributes of an item, and the name that it defines in its module. Modules, and macros
/// without a name, define none here.
fn parts(item: &syn::Item) -> (&[syn::Attribute], Option<&syn::Ident>) {
    match item {
        syn::Item::Const(item) => (&item.attrs, Some(&item.ident)),
        syn::Item::Enum(item) => (&item.attrs, Some(&item.ident)),
        syn::Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
        syn::Item::Impl(item) => (&item.attrs, None),
        syn::Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
        syn::Item::Mod(item) => (&item.attrs, None),
        syn::Item::Static(item) => (&item.attrs, Some(&item.ident)),
        syn::Item::Struct(item) => (&item.attrs, Some(&item.ident)),
        syn::Item::Trait(item) => (&item.attrs, Some(&item.ident)),
        syn::Item::TraitAlias(item) => (&item.attrs, Some(&item.ident)),
        syn::Item::Type(item) => (&item.attrs, Some(&item.ident)),
        syn::Item::Union(item) => (&item.attrs, Some(&item.ident)),
        syn::Item::Use(item) => (&item.attrs, None),
        _ => (&[], None),
    }
}

/// `#[test]`, `#[cfg(test)]` and `#[cfg(all(test, …))]`.
fn is_test(attribute: &syn::Attribute) -> bool {
    if attribute.path().is_ident("test") {
        return true;
    }
    let syn::Meta::List(list) = &attribute.meta else { return false };
    let condition: String = list.tokens.clone().into_iter().map(|t| t.to_string()).collect();
    let all = || condition.strip_prefix("all(").and_then(|rest| rest.strip_suffix(')'));
    list.path.is_ident("cfg")
        && (condition == "test"
            || all().is_some_and(|rest| rest.split(',').any(|part| part.trim() == "test")))
}
