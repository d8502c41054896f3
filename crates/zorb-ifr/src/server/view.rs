//! Access of the repository's objects to the definitions.

use std::collections::HashSet;
use std::sync::Arc;

use zorb::dynamic::repository::{Entry, EntryId, Repository};
use zorb::{Interface, ObjectRef, TypeCode};

use super::kind::{self, matches};
use super::shared::{Shared, definition_id};
use crate::corba::DefinitionKind;

/// The definitions, locked for the duration of a request.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) shared: &'a Arc<Shared>,
    pub(super) repository: &'a Repository,
}

impl View<'_> {
    /// The reference of a definition; nil if it does not exist any more.
    pub(super) fn reference<T: Interface>(&self, entry_id: EntryId) -> Option<T> {
        let id = &self.repository.get(entry_id)?.id;
        self.shared.poa.reference(&definition_id(id)).ok()
    }

    pub(super) fn references<T: Interface>(&self, entry_ids: Vec<EntryId>) -> Vec<Option<T>> {
        entry_ids.into_iter().map(|entry_id| self.reference(entry_id)).collect()
    }

    /// The reference of the definition with a repository id; nil if there is none.
    pub(super) fn reference_of_id<T: Interface>(&self, id: &str) -> Option<T> {
        self.reference(self.repository.lookup_id(id)?)
    }

    pub(super) fn references_of_ids<T: Interface>(&self, ids: &[String]) -> Vec<Option<T>> {
        ids.iter().map(|id| self.reference_of_id(id)).collect()
    }

    /// The object of a type: its definition, or an object of its own for an anonymous type. Nil if
    /// the definition is not in this repository.
    pub(super) fn type_def<T: Interface>(&self, type_code: &TypeCode) -> Option<T> {
        if type_code.kind().has_id() && kind::primitive_of(type_code).is_none() {
            return self.reference_of_id(type_code.id());
        }
        self.shared.type_object(type_code).ok()
    }

    /// Creates the objects of the types that a definition uses, so that references to them stay
    /// valid after a restart.
    pub(super) fn make_types_of(&self, entry_id: EntryId) {
        let mut used = self.repository[entry_id].types();
        while let Some(type_code) = used.pop() {
            let _: Option<ObjectRef> = self.type_def(&type_code);
            // An alias has its own definition, which creates the objects.
            if !type_code.kind().has_id() {
                used.extend(type_code.content_type().ok());
            }
        }
    }

    /// The contents of a container, in order.
    pub(super) fn contents(
        &self,
        entry_id: EntryId,
        wanted: DefinitionKind,
        exclude_inherited: bool,
    ) -> Vec<EntryId> {
        let mut containers = vec![entry_id];
        if !exclude_inherited {
            containers.extend(self.repository.ancestors(entry_id));
        }
        let entries = containers.iter().flat_map(|container| &self.repository[*container].contents);
        let found =
            entries.filter(|item| matches(wanted, kind::of_entry(&self.repository[**item])));
        found.copied().collect()
    }

    /// The definitions with a name in a container, searched `levels` deep; -1 means unlimited.
    pub(super) fn lookup_name(
        &self,
        entry_id: EntryId,
        name: &str,
        levels: i32,
        wanted: DefinitionKind,
        exclude_inherited: bool,
    ) -> Vec<EntryId> {
        let mut found = Vec::new();
        // Definitions inherited from an enclosing container are searched only once.
        let mut seen = HashSet::new();
        let mut containers = vec![(entry_id, levels)];
        while let Some((container, levels)) = containers.pop() {
            if levels == 0 || !seen.insert(container) {
                continue;
            }
            for item in self.contents(container, DefinitionKind::DkAll, exclude_inherited) {
                let entry = &self.repository[item];
                if entry.name == name && matches(wanted, kind::of_entry(entry)) {
                    found.push(item);
                }
                if !entry.contents.is_empty() {
                    containers.push((item, levels.saturating_sub(1).max(-1)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Resolves a scoped name in a container and its enclosing containers.
    pub(super) fn lookup(&self, entry_id: EntryId, name: &str) -> Option<EntryId> {
        let mut scope = entry_id;
        loop {
            let found = self.repository.lookup(scope, name);
            if found.is_some() || scope == Repository::ROOT {
                return found;
            }
            scope = self.repository[scope].container;
        }
    }

    /// The repository id of the container of a definition; empty for the repository.
    pub(super) fn container_id(&self, entry: &Entry) -> String {
        self.repository[entry.container].id.clone()
    }
}
