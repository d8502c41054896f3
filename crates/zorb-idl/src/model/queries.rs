//! Questions a back end asks.

use std::collections::HashSet;

use super::{
    Attribute, ConstValue, DefId, Definition, DefinitionKind, Enum, Export, InheritedExport,
    Interface, Model, Operation, Type,
};

impl std::ops::Index<DefId> for Model {
    type Output = Definition;

    fn index(&self, id: DefId) -> &Definition {
        &self.definitions[id.index()]
    }
}

impl Model {
    /// The definitions at file level, in order of first declaration.
    #[must_use]
    pub fn roots(&self) -> &[DefId] {
        &self.roots
    }

    /// Every definition, however deep, in order of first declaration: a definition comes
    /// after its parent, and after the types it uses, save those defined inside it and those
    /// declared ahead.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.iter()
    }

    /// How many definitions there are: every [`DefId::index`] is below it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// Whether there is no definition at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// The definition at `id` (also `model[id]`).
    ///
    /// # Panics
    /// When `id` comes from another model and is out of range here.
    #[must_use]
    pub fn definition(&self, id: DefId) -> &Definition {
        &self[id]
    }

    /// The definition with this scoped name, for example `CosNaming::NamingContext`; a
    /// leading `::` is allowed. The spelling must match.
    #[must_use]
    pub fn find(&self, scoped_name: &str) -> Option<DefId> {
        let scoped_name = scoped_name.strip_prefix("::").unwrap_or(scoped_name);
        let mut level = self.roots.clone();
        let mut found = None;
        for part in scoped_name.split("::") {
            let id = level.iter().copied().find(|id| self[*id].name == part)?;
            found = Some(id);
            level = self.children(id);
        }
        found
    }

    /// The definitions directly inside `id`, in order: of a module, an interface, or of a
    /// struct, union or exception that defines types inside. Empty for the others.
    #[must_use]
    pub fn children(&self, id: DefId) -> Vec<DefId> {
        match &self[id].kind {
            DefinitionKind::Module(module) => module.children.clone(),
            DefinitionKind::Interface(interface) => interface.definitions().collect(),
            DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => item.children.clone(),
            DefinitionKind::Union(item) => item.children.clone(),
            DefinitionKind::Enum(_) | DefinitionKind::Typedef(_) | DefinitionKind::Const(_) => {
                Vec::new()
            }
        }
    }

    /// The interface at `id`, if it is one.
    #[must_use]
    pub fn interface(&self, id: DefId) -> Option<&Interface> {
        match &self[id].kind {
            DefinitionKind::Interface(interface) => Some(interface),
            _ => None,
        }
    }

    /// The enum at `id`, if it is one.
    #[must_use]
    pub fn enumeration(&self, id: DefId) -> Option<&Enum> {
        match &self[id].kind {
            DefinitionKind::Enum(item) => Some(item),
            _ => None,
        }
    }

    /// Every interface that `id` inherits from, directly or not, without repetition and
    /// without `id` itself: depth first, bases in declared order, each base's own ancestors
    /// before the base.
    #[must_use]
    pub fn ancestors(&self, id: DefId) -> Vec<DefId> {
        let mut order = Vec::new();
        let mut seen = HashSet::from([id]);
        // (interface, position of its next base to visit)
        let mut stack = vec![(id, 0_usize)];
        while let Some((current, next)) = stack.pop() {
            match self.interface(current).and_then(|interface| interface.bases.get(next)) {
                Some(&base) => {
                    stack.push((current, next + 1));
                    if seen.insert(base) {
                        stack.push((base, 0));
                    }
                }
                None if current != id => order.push(current),
                None => {}
            }
        }
        order
    }

    /// Whether an object of interface `id` is also one of interface `base`.
    #[must_use]
    pub fn is_a(&self, id: DefId, base: DefId) -> bool {
        id == base || self.ancestors(id).contains(&base)
    }

    /// Operations and attributes of the interface and all its ancestors, each with the
    /// interface that declares it: the ancestors' first (in the order of
    /// [`Model::ancestors`]), then its own.
    #[must_use]
    pub fn all_exports(&self, id: DefId) -> Vec<InheritedExport<'_>> {
        let mut all = Vec::new();
        for interface in self.ancestors(id).into_iter().chain([id]) {
            let exports = self.interface(interface).map_or(&[][..], |item| &item.exports);
            all.extend(
                exports
                    .iter()
                    .filter(|export| !matches!(export, Export::Definition(_)))
                    .map(|export| InheritedExport { interface, export }),
            );
        }
        all
    }

    /// The operations among [`Model::all_exports`], with their defining interfaces.
    #[must_use]
    pub fn all_operations(&self, id: DefId) -> Vec<(DefId, &Operation)> {
        let exports = self.all_exports(id).into_iter();
        exports
            .filter_map(|item| match item.export {
                Export::Operation(operation) => Some((item.interface, operation)),
                _ => None,
            })
            .collect()
    }

    /// The attributes among [`Model::all_exports`], with their defining interfaces.
    #[must_use]
    pub fn all_attributes(&self, id: DefId) -> Vec<(DefId, &Attribute)> {
        let exports = self.all_exports(id).into_iter();
        exports
            .filter_map(|item| match item.export {
                Export::Attribute(attribute) => Some((item.interface, attribute)),
                _ => None,
            })
            .collect()
    }

    /// The type behind typedefs: follows [`Type::Named`] typedefs until something else.
    #[must_use]
    pub fn resolve<'a>(&'a self, ty: &'a Type) -> &'a Type {
        let mut ty = ty;
        // A typedef only ever names an earlier definition, so this ends.
        while let Type::Named(id) = ty {
            let DefinitionKind::Typedef(typedef) = &self[*id].kind else { break };
            ty = &typedef.ty;
        }
        ty
    }

    /// The definition behind typedefs, when `ty` names a struct, union, enum or interface.
    #[must_use]
    pub fn resolved_definition(&self, ty: &Type) -> Option<&Definition> {
        match self.resolve(ty) {
            Type::Named(id) => Some(&self[*id]),
            _ => None,
        }
    }

    /// The name of the enumerator that a [`ConstValue::Enumerator`] stands for.
    #[must_use]
    pub fn enumerator_name(&self, value: &ConstValue) -> Option<&str> {
        let ConstValue::Enumerator { enumeration, index } = value else { return None };
        let item = self.enumeration(*enumeration)?.enumerators.get(*index as usize)?;
        Some(&item.name)
    }

    /// `A::B::C`, for messages.
    #[must_use]
    pub fn scoped_name(&self, id: DefId) -> String {
        self[id].scoped_name.join("::")
    }
}
