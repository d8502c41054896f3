//! Definitions, as the objects of the repository see them.

use std::collections::HashSet;
use std::sync::Arc;

use zorb::dynamic::repository::{Entry, EntryId, Repository};
use zorb::{Interface, ObjectRef, TypeCode};

use super::kind::{self, matches};
use super::{Shared, definition_id};
use crate::corba::DefinitionKind;

/// The definitions, for the length of one request.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) shared: &'a Arc<Shared>,
    pub(super) repository: &'a Repository,
}

impl View<'_> {
    /// The reference of a definition; nil when there is none such any more.
    pub(super) fn reference<T: Interface>(&self, place: EntryId) -> Option<T> {
        let id = &self.repository.get(place)?.id;
        self.shared.poa.reference(&definition_id(id)).ok()
    }

    pub(super) fn references<T: Interface>(&self, places: Vec<EntryId>) -> Vec<Option<T>> {
        places.into_iter().map(|place| self.reference(place)).collect()
    }

    /// The reference of the definition of a repository id; nil when there is none.
    pub(super) fn reference_of_id<T: Interface>(&self, id: &str) -> Option<T> {
        self.reference(self.repository.lookup_id(id)?)
    }

    pub(super) fn references_of_ids<T: Interface>(&self, ids: &[String]) -> Vec<Option<T>> {
        ids.iter().map(|id| self.reference_of_id(id)).collect()
    }

    /// The object of a type: its definition, or where it has no name, one of its own. Nil when the
    /// definition is not here.
    pub(super) fn type_def<T: Interface>(&self, type_code: &TypeCode) -> Option<T> {
        if type_code.kind().has_id() && kind::primitive_of(type_code).is_none() {
            return self.reference_of_id(type_code.id());
        }
        self.shared.type_object(type_code).ok()
    }

    /// Makes the objects of the types that a definition uses, so that references to them are good
    /// after a restart as well.
    pub(super) fn make_types_of(&self, place: EntryId) {
        let mut used = self.repository[place].types();
        while let Some(type_code) = used.pop() {
            let _: Option<ObjectRef> = self.type_def(&type_code);
            // An alias has a definition, which makes its own.
            if !type_code.kind().has_id() {
                used.extend(type_code.content_type().ok());
            }
        }
    }

    /// What is in a container, in order.
    pub(super) fn contents(
        &self,
        place: EntryId,
        wanted: DefinitionKind,
        exclude_inherited: bool,
    ) -> Vec<EntryId> {
        let mut containers = vec![place];
        if !exclude_inherited {
            containers.extend(self.repository.ancestors(place));
        }
        let entries = containers.iter().flat_map(|container| &self.repository[*container].contents);
        let found =
            entries.filter(|item| matches(wanted, kind::of_entry(&self.repository[**item])));
        found.copied().collect()
    }

    /// What has a name in a container and in what is in it, `levels` deep; -1 is to the bottom.
    pub(super) fn lookup_name(
        &self,
        place: EntryId,
        name: &str,
        levels: i32,
        wanted: DefinitionKind,
        exclude_inherited: bool,
    ) -> Vec<EntryId> {
        let mut found = Vec::new();
        // What is inherited from a container around it is not looked through again.
        let mut seen = HashSet::new();
        let mut containers = vec![(place, levels)];
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

    /// What a scoped name means in a container: names of the container, else of those around it.
    pub(super) fn lookup(&self, place: EntryId, name: &str) -> Option<EntryId> {
        let mut scope = place;
        loop {
            let found = self.repository.lookup(scope, name);
            if found.is_some() || scope == Repository::ROOT {
                return found;
            }
            scope = self.repository[scope].container;
        }
    }

    /// The repository id of what a definition is in; empty for the repository.
    pub(super) fn container_id(&self, entry: &Entry) -> String {
        self.repository[entry.container].id.clone()
    }
}
