//! Changes of definitions.
//!
//! Each change also updates the TypeCodes that contain a changed type. A change that fails leaves the
//! repository inconsistent; make it on a clone to be able to continue.

use std::collections::HashSet;
use std::mem;

use zorb_types::{Any, TypeCode, TypeCodeError};

use super::canonical::{Canon, RenamedIds};
use super::{
    Entry, EntryId, EntryKind, InitializerDescription, OperationDescription, ParameterDescription,
    Repository, mentions,
};

impl Repository {
    /// Changes the repository id of a definition, and all references to it. The new id must be free.
    ///
    /// # Errors
    /// As [`canonical`](Self::canonical).
    pub fn set_id(&mut self, entry_id: EntryId, id: &str) -> Result<(), TypeCodeError> {
        let Some(entry) = self.entries.get_mut(entry_id.index()) else { return Ok(()) };
        let old = mem::replace(&mut entry.id, id.to_owned());
        self.by_id.remove(&old);
        self.by_id.insert(id.to_owned(), entry_id);
        let rename = |name: &mut String| {
            if *name == old {
                id.clone_into(name);
            }
        };
        for entry in &mut self.entries {
            match &mut entry.kind {
                EntryKind::Interface { bases, .. } => bases.iter_mut().for_each(rename),
                EntryKind::Value { bases, supports, .. } => {
                    bases.iter_mut().chain(supports).for_each(rename);
                }
                EntryKind::Component { bases, base, supports, .. } => {
                    bases.iter_mut().chain(supports).chain([base]).for_each(rename);
                }
                EntryKind::Home { bases, base, supports, manages, primary_key, .. } => {
                    let others = [base, manages, primary_key];
                    bases.iter_mut().chain(supports).chain(others).for_each(rename);
                }
                EntryKind::Port { target, .. } => rename(target),
                EntryKind::Operation(operation)
                | EntryKind::Factory(operation)
                | EntryKind::Finder(operation) => {
                    rename(&mut operation.id);
                    rename(&mut operation.defined_in);
                }
                EntryKind::Attribute(attribute) => {
                    rename(&mut attribute.id);
                    rename(&mut attribute.defined_in);
                }
                _ => {}
            }
        }
        self.refresh(&RenamedIds::from([(old, id.to_owned())]))
    }

    /// Changes the name of a definition.
    ///
    /// # Errors
    /// As [`canonical`](Self::canonical).
    pub fn set_name(&mut self, entry_id: EntryId, name: &str) -> Result<(), TypeCodeError> {
        let Some(entry) = self.entries.get_mut(entry_id.index()) else { return Ok(()) };
        name.clone_into(&mut entry.name);
        match &mut entry.kind {
            EntryKind::Operation(operation)
            | EntryKind::Factory(operation)
            | EntryKind::Finder(operation) => name.clone_into(&mut operation.name),
            EntryKind::Attribute(attribute) => name.clone_into(&mut attribute.name),
            _ => {}
        }
        self.refresh(&RenamedIds::new())
    }

    /// Changes the version of a definition, but not that in its id.
    pub fn set_version(&mut self, entry_id: EntryId, version: &str) {
        if let Some(entry) = self.entries.get_mut(entry_id.index()) {
            version.clone_into(&mut entry.version);
        }
    }

    /// Changes the contents of a definition: its members, type or bases.
    ///
    /// # Errors
    /// As [`canonical`](Self::canonical).
    pub fn set_kind(&mut self, entry_id: EntryId, kind: EntryKind) -> Result<(), TypeCodeError> {
        if let Some(entry) = self.entries.get_mut(entry_id.index()) {
            entry.kind = kind;
        }
        self.refresh(&RenamedIds::new())
    }

    /// Updates all TypeCodes after definitions were added to types that others contain.
    ///
    /// # Errors
    /// As [`canonical`](Self::canonical).
    pub fn refresh_types(&mut self) -> Result<(), TypeCodeError> {
        self.refresh(&RenamedIds::new())
    }

    /// Moves a definition with its contents to another container, which must not be part of it. Its
    /// repository id does not change. Entry ids are invalid afterwards.
    pub fn relocate(&mut self, entry_id: EntryId, container: EntryId) {
        let Some(entry) = self.entries.get_mut(entry_id.index()) else { return };
        let old = mem::replace(&mut entry.container, container);
        let id = self[container].id.clone();
        match &mut self.entries[entry_id.index()].kind {
            EntryKind::Operation(operation)
            | EntryKind::Factory(operation)
            | EntryKind::Finder(operation) => operation.defined_in = id,
            EntryKind::Attribute(attribute) => attribute.defined_in = id,
            _ => {}
        }
        self.entries[old.index()].contents.retain(|item| *item != entry_id);
        self.entries[container.index()].contents.push(entry_id);
        self.renumber();
    }

    /// Removes a definition with its contents, which no other definition may [use](Self::users). Entry ids
    /// are invalid afterwards.
    pub fn remove(&mut self, entry_id: EntryId) {
        if entry_id == Self::ROOT || self.get(entry_id).is_none() {
            return;
        }
        let container = self[entry_id].container;
        self.entries[container.index()].contents.retain(|item| *item != entry_id);
        self.renumber();
    }

    /// A definition and its direct and indirect contents, each after its container.
    pub fn within(&self, entry_id: EntryId) -> Vec<EntryId> {
        let mut found = Vec::new();
        let mut open = vec![entry_id];
        while let Some(at) = open.pop() {
            found.push(at);
            open.extend(self[at].contents.iter().rev());
        }
        found
    }

    /// The definitions that use one of these as a base, a type or an exception, except for these
    /// themselves.
    pub fn users(&self, entry_ids: &[EntryId]) -> Vec<EntryId> {
        let ids: HashSet<&str> = entry_ids.iter().map(|entry_id| &*self[*entry_id].id).collect();
        let entry_ids: HashSet<EntryId> = entry_ids.iter().copied().collect();
        let is_user = |(entry_id, entry): &(EntryId, &Entry)| {
            !entry_ids.contains(entry_id)
                && (entry.types().iter().any(|each| mentions(each, &ids))
                    || entry.references().any(|id| ids.contains(id)))
        };
        self.entries().filter(is_user).map(|(entry_id, _)| entry_id).collect()
    }

    /// Orders the definitions so that each follows its container.
    fn renumber(&mut self) {
        let order = self.within(Self::ROOT);
        let mut entry_ids = vec![Self::ROOT; self.entries.len()];
        for (index, old) in (0..).zip(&order) {
            entry_ids[old.index()] = EntryId(index);
        }
        let mut old: Vec<Option<Entry>> =
            mem::take(&mut self.entries).into_iter().map(Some).collect();
        self.by_id.clear();
        for entry_id in order {
            let Some(mut entry) = old[entry_id.index()].take() else { continue };
            entry.container = entry_ids[entry.container.index()];
            for item in &mut entry.contents {
                *item = entry_ids[item.index()];
            }
            if entry_id != Self::ROOT {
                self.by_id.insert(entry.id.clone(), entry_ids[entry_id.index()]);
            }
            self.entries.push(entry);
        }
    }

    fn refresh(&mut self, renamed: &RenamedIds) -> Result<(), TypeCodeError> {
        let mut kinds = Vec::new();
        let mut canon = Canon::new(self, renamed);
        for entry in &self.entries {
            kinds.push(canon.kind(&entry.kind)?);
        }
        for (entry, kind) in self.entries.iter_mut().zip(kinds) {
            entry.kind = kind;
        }
        Ok(())
    }
}

impl Canon<'_> {
    fn all(&mut self, types: &[TypeCode]) -> Result<Vec<TypeCode>, TypeCodeError> {
        types.iter().map(|type_code| self.of(type_code)).collect()
    }

    fn parameters(
        &mut self,
        parameters: &[ParameterDescription],
    ) -> Result<Vec<ParameterDescription>, TypeCodeError> {
        let again = |parameter: &ParameterDescription| {
            let type_code = self.of(&parameter.type_code)?;
            Ok(ParameterDescription { type_code, ..parameter.clone() })
        };
        parameters.iter().map(again).collect()
    }

    fn operation(
        &mut self,
        operation: &OperationDescription,
    ) -> Result<OperationDescription, TypeCodeError> {
        Ok(OperationDescription {
            result: self.of(&operation.result)?,
            parameters: self.parameters(&operation.parameters)?,
            exceptions: self.all(&operation.exceptions)?,
            ..operation.clone()
        })
    }

    /// The definition with updated types.
    fn kind(&mut self, kind: &EntryKind) -> Result<EntryKind, TypeCodeError> {
        Ok(match kind {
            EntryKind::Repository => EntryKind::Repository,
            EntryKind::Module => EntryKind::Module,
            EntryKind::Interface { type_code, bases } => {
                EntryKind::Interface { type_code: self.of(type_code)?, bases: bases.clone() }
            }
            EntryKind::Value { type_code, bases, supports, initializers } => {
                let mut again = Vec::new();
                for initializer in initializers {
                    again.push(InitializerDescription {
                        name: initializer.name.clone(),
                        parameters: self.parameters(&initializer.parameters)?,
                        exceptions: self.all(&initializer.exceptions)?,
                    });
                }
                EntryKind::Value {
                    type_code: self.of(type_code)?,
                    bases: bases.clone(),
                    supports: supports.clone(),
                    initializers: again,
                }
            }
            EntryKind::ValueMember { type_code, visibility } => {
                EntryKind::ValueMember { type_code: self.of(type_code)?, visibility: *visibility }
            }
            EntryKind::Type(type_code) => EntryKind::Type(self.definition(type_code)?),
            EntryKind::Exception(type_code) => EntryKind::Exception(self.definition(type_code)?),
            EntryKind::Constant(value) => {
                let type_code = self.of(value.type_code())?;
                // A type that the value of a constant does not have is not used.
                let value = Any::read_value(type_code, &mut value.reader());
                EntryKind::Constant(value.map_err(|_| TypeCodeError::BadMemberType)?)
            }
            EntryKind::Operation(operation) => EntryKind::Operation(self.operation(operation)?),
            EntryKind::Factory(operation) => EntryKind::Factory(self.operation(operation)?),
            EntryKind::Finder(operation) => EntryKind::Finder(self.operation(operation)?),
            EntryKind::Component { type_code, bases, base, supports } => EntryKind::Component {
                type_code: self.of(type_code)?,
                bases: bases.clone(),
                base: base.clone(),
                supports: supports.clone(),
            },
            EntryKind::Home { type_code, bases, base, supports, manages, primary_key } => {
                EntryKind::Home {
                    type_code: self.of(type_code)?,
                    bases: bases.clone(),
                    base: base.clone(),
                    supports: supports.clone(),
                    manages: manages.clone(),
                    primary_key: primary_key.clone(),
                }
            }
            EntryKind::Port { kind, target } => {
                EntryKind::Port { kind: *kind, target: target.clone() }
            }
            EntryKind::Attribute(attribute) => {
                let mut again = attribute.clone();
                again.type_code = self.of(&attribute.type_code)?;
                again.get_exceptions = self.all(&attribute.get_exceptions)?;
                again.set_exceptions = self.all(&attribute.set_exceptions)?;
                EntryKind::Attribute(again)
            }
        })
    }

    /// The type of a definition, which may not have members yet.
    fn definition(&mut self, type_code: &TypeCode) -> Result<TypeCode, TypeCodeError> {
        match super::canonical::is_unfinished(type_code) {
            true => self.unfinished(type_code),
            false => self.of(type_code),
        }
    }
}
