//! Paths between modules of the generated code.

use zorb_idl::DefId;

use super::external::External;
use super::table::{AmhTraits, Module, Names};

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

    /// The path to a trait of servants that answer later, from inside `from`.
    pub(crate) fn amh_path(
        &self,
        id: DefId,
        of: fn(&AmhTraits) -> &str,
        from: Module,
    ) -> Option<String> {
        Some(self.relative(id, self.parent_path(id), of(self.amh_traits(id)?), from))
    }

    /// The path to the view of a struct, from inside `from`; none unless it has one.
    pub(crate) fn view_path(&self, id: DefId, from: Module) -> Option<String> {
        Some(self.relative(id, self.parent_path(id), self.view(id)?, from))
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
