//! Queries of back ends.

use std::collections::HashSet;

use super::{
    Attribute, ConstValue, DefId, Definition, DefinitionKind, Enum, Export, InheritedExport,
    Interface, Member, Model, Operation, StateMember, Type, ValueType,
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

    /// Every definition, at any depth, in order of first declaration: a definition comes after its
    /// parent, and after the types it uses, except those defined inside it and forward
    /// declarations.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.iter()
    }

    /// The number of definitions: every [`DefId::index`] is less than this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// Whether there are no definitions.
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

    /// The definition with this scoped name, for example `CosNaming::NamingContext`; a leading `::`
    /// is allowed. Case is significant.
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

    /// The definitions directly inside `id`, in order: of a module, an interface or valuetype, or
    /// of a struct, union, exception or value box that defines types inside. Empty for other kinds.
    #[must_use]
    pub fn children(&self, id: DefId) -> Vec<DefId> {
        match &self[id].kind {
            DefinitionKind::Module(module) => module.children.clone(),
            DefinitionKind::Interface(_)
            | DefinitionKind::Value(_)
            | DefinitionKind::Event(_)
            | DefinitionKind::Component(_)
            | DefinitionKind::Home(_) => {
                let exports = self.exports(id).iter();
                exports
                    .filter_map(|export| match export {
                        Export::Definition(id) => Some(*id),
                        _ => None,
                    })
                    .collect()
            }
            DefinitionKind::ValueBox(item) => item.children.clone(),
            DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => item.children.clone(),
            DefinitionKind::Union(item) => item.children.clone(),
            DefinitionKind::Enum(_)
            | DefinitionKind::Typedef(_)
            | DefinitionKind::Const(_)
            | DefinitionKind::Native
            | DefinitionKind::Bitmask(_)
            | DefinitionKind::Bitset(_)
            | DefinitionKind::PortType(_)
            | DefinitionKind::Connector(_)
            | DefinitionKind::TemplateModule(_) => Vec::new(),
            DefinitionKind::Annotation(item) => item.children.clone(),
        }
    }

    /// The interface at `id`, if it is one; for a component or home its equivalent interface.
    #[must_use]
    pub fn interface(&self, id: DefId) -> Option<&Interface> {
        match &self[id].kind {
            DefinitionKind::Interface(interface) => Some(interface),
            DefinitionKind::Component(item) => Some(&item.interface),
            DefinitionKind::Home(item) => Some(&item.interface),
            _ => None,
        }
    }

    /// The valuetype at `id`, if it is one; for an event type its equivalent valuetype. None for a
    /// value box.
    #[must_use]
    pub fn value(&self, id: DefId) -> Option<&ValueType> {
        match &self[id].kind {
            DefinitionKind::Value(item) => Some(item),
            DefinitionKind::Event(item) => Some(&item.value),
            _ => None,
        }
    }

    /// The declarations inside the (equivalent) interface or valuetype at `id`; empty for other
    /// kinds.
    #[must_use]
    pub fn exports(&self, id: DefId) -> &[Export] {
        let interface = self.interface(id).map(|item| &item.exports);
        let exports = interface.or_else(|| self.value(id).map(|item| &item.exports));
        exports.map_or(&[], Vec::as_slice)
    }

    /// The direct bases of the interface or valuetype at `id`, including the interfaces that a
    /// valuetype supports, in order; empty for other kinds.
    #[must_use]
    pub fn parents(&self, id: DefId) -> Vec<DefId> {
        if let Some(item) = self.interface(id) {
            return item.bases.clone();
        }
        let value = self.value(id);
        value.map_or_else(Vec::new, |item| {
            item.bases.iter().chain(&item.supports).copied().collect()
        })
    }

    /// The concrete valuetype that the valuetype at `id` inherits from, if any.
    #[must_use]
    pub fn concrete_base(&self, id: DefId) -> Option<DefId> {
        let first = *self.value(id)?.bases.first()?;
        self.value(first).is_some_and(|base| !base.is_abstract).then_some(first)
    }

    /// The whole state of a valuetype in wire order, each member with the valuetype that declares
    /// it; the most distant concrete base comes first.
    #[must_use]
    pub fn value_state(&self, id: DefId) -> Vec<(DefId, &StateMember)> {
        let mut line = vec![id];
        while let Some(base) = line.last().and_then(|id| self.concrete_base(*id)) {
            line.push(base);
        }
        let state = |id: DefId| self.value(id).map_or(&[][..], |item| &item.members);
        let line = line.into_iter().rev();
        line.flat_map(|id| state(id).iter().map(move |member| (id, member))).collect()
    }

    /// The repository ids of the types that a value of `id` may be received as: its own first, then
    /// those of the bases that it may be truncated to. With more than one, the sender writes a list
    /// of ids, and chunks.
    #[must_use]
    pub fn truncatable_ids(&self, id: DefId) -> Vec<&str> {
        let mut ids = vec![self[id].repository_id.as_str()];
        let mut at = id;
        while self.value(at).is_some_and(|item| item.is_truncatable)
            && let Some(base) = self.concrete_base(at)
        {
            ids.push(&self[base].repository_id);
            at = base;
        }
        ids
    }

    /// All members of a struct or exception in wire order, those of its bases first.
    #[must_use]
    pub fn all_members(&self, id: DefId) -> Vec<&Member> {
        let mut line = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at
            && let DefinitionKind::Struct(item) | DefinitionKind::Exception(item) = &self[id].kind
        {
            line.push(item);
            at = item.base;
        }
        line.into_iter().rev().flat_map(|item| &item.members).collect()
    }

    /// Whether the state of a value of `id` is always sent in chunks: because it is custom or
    /// truncatable.
    #[must_use]
    pub fn is_chunked(&self, id: DefId) -> bool {
        self.value(id).is_some_and(|item| item.is_custom || item.is_truncatable)
    }

    /// The concrete interface that a valuetype or its bases support.
    #[must_use]
    pub fn supported_interface(&self, id: DefId) -> Option<DefId> {
        self.value(id)?;
        let mut found = None;
        // The nearest one counts: ancestors come before the types derived from them.
        for id in self.ancestors(id).into_iter().chain([id]) {
            let supports = self.value(id).map_or(&[][..], |item| &item.supports);
            let concrete =
                |id: &&DefId| self.interface(**id).is_some_and(|interface| !interface.is_abstract);
            found = supports.iter().find(concrete).copied().or(found);
        }
        found
    }

    /// The enum at `id`, if it is one.
    #[must_use]
    pub fn enumeration(&self, id: DefId) -> Option<&Enum> {
        match &self[id].kind {
            DefinitionKind::Enum(item) => Some(item),
            _ => None,
        }
    }

    /// Every interface (for a valuetype also every valuetype) that `id` inherits from or supports,
    /// directly or indirectly, without duplicates and without `id` itself: depth first, bases in
    /// declaration order, each base after its own ancestors.
    #[must_use]
    pub fn ancestors(&self, id: DefId) -> Vec<DefId> {
        let mut order = Vec::new();
        let mut seen = HashSet::from([id]);
        // (interface, index of its next base to visit)
        let mut stack = vec![(id, 0_usize)];
        while let Some((current, next)) = stack.pop() {
            match self.parents(current).get(next) {
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

    /// Whether an object of interface `id`, or a value of valuetype `id`, is also a `base`.
    #[must_use]
    pub fn is_a(&self, id: DefId, base: DefId) -> bool {
        id == base || self.ancestors(id).contains(&base)
    }

    /// The operations and attributes of the interface or valuetype and all its ancestors, each with
    /// its declaring interface: those of the ancestors first (in the order of
    /// [`Model::ancestors`]), then its own.
    #[must_use]
    pub fn all_exports(&self, id: DefId) -> Vec<InheritedExport<'_>> {
        let mut all = Vec::new();
        for interface in self.ancestors(id).into_iter().chain([id]) {
            all.extend(
                self.exports(interface)
                    .iter()
                    .filter(|export| !matches!(export, Export::Definition(_)))
                    .map(|export| InheritedExport { interface, export }),
            );
        }
        all
    }

    /// The operations among [`Model::all_exports`], with their declaring interfaces.
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

    /// The attributes among [`Model::all_exports`], with their declaring interfaces.
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

    /// The type behind typedefs: follows [`Type::Named`] until it is not a typedef.
    #[must_use]
    pub fn resolve<'a>(&'a self, ty: &'a Type) -> &'a Type {
        let mut ty = ty;
        // A typedef refers only to earlier definitions, so this terminates.
        while let Type::Named(id) = ty {
            let DefinitionKind::Typedef(typedef) = &self[*id].kind else { break };
            ty = &typedef.ty;
        }
        ty
    }

    /// The definition behind typedefs, when `ty` names a struct, union, enum, interface,
    /// valuetype or native type.
    #[must_use]
    pub fn resolved_definition(&self, ty: &Type) -> Option<&Definition> {
        match self.resolve(ty) {
            Type::Named(id) => Some(&self[*id]),
            _ => None,
        }
    }

    /// The name of a [`ConstValue::Enumerator`].
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
