//! A definition is added to the repository, and stored.

use std::sync::{Arc, PoisonError};

use zorb::dynamic::repository::{EntryId, EntryKind, RenamedIds, Repository};
use zorb::{CompletionStatus, SystemException, minor};

use super::super::shared::Shared;
use super::super::view::View;
use super::super::{budget, check};

/// The maximum number of definitions in a repository that clients can change.
const MAX_DEFINITIONS: usize = 1 << 20;

impl Shared {
    /// Adds a definition and creates its object.
    pub(super) fn add(
        self: &Arc<Self>,
        make: impl FnOnce(&Repository, &RenamedIds) -> Result<Addition, SystemException>,
    ) -> Result<(), SystemException> {
        let mut definitions = self.definitions.write().unwrap_or_else(PoisonError::into_inner);
        if definitions.at(MAX_DEFINITIONS).is_some() {
            let minor = minor::no_resources::QUEUE_FULL;
            return Err(SystemException::no_resources(minor, CompletionStatus::No));
        }
        let addition = make(&definitions, &self.lock_renamed())?;
        let Addition { id, name, version, kind, .. } = &addition;
        let (id, octets) = (id.clone(), budget::of_definition(id, name, version, kind));
        self.budget.check(octets)?;
        match self.state.is_none() && !addition.is_tried() {
            true => addition.apply(&mut definitions)?,
            false => {
                let mut next = definitions.clone();
                addition.apply(&mut next)?;
                self.store(&next)?;
                *definitions = next;
            }
        }
        self.budget.add_definition(octets);
        if self.lock_renamed().remove(&id).is_some() {
            self.budget.remove_text(&id);
        }
        if let Some(entry_id) = definitions.lookup_id(&id) {
            self.activate_definition(&definitions[entry_id])?;
            View { shared: self, repository: &definitions }.make_types_of(entry_id);
        }
        Ok(())
    }
}

/// A definition to add.
pub(in crate::server) struct Addition {
    /// The container.
    pub(in crate::server) entry_id: EntryId,
    pub(in crate::server) id: String,
    pub(in crate::server) name: String,
    pub(in crate::server) version: String,
    pub(in crate::server) kind: EntryKind,
}

impl Addition {
    /// Whether the addition must be checked afterwards because it affects other definitions: a
    /// valuetype that gets a member.
    pub(in crate::server) fn is_tried(&self) -> bool {
        matches!(
            self.kind,
            EntryKind::ValueMember { .. } | EntryKind::Interface { .. } | EntryKind::Value { .. }
        )
    }

    pub(in crate::server) fn apply(
        self,
        definitions: &mut Repository,
    ) -> Result<(), SystemException> {
        let is_tried = self.is_tried();
        let is_state = matches!(self.kind, EntryKind::ValueMember { .. });
        let entry_id = definitions.add(self.entry_id, &self.id, &self.name, self.kind);
        definitions.set_version(entry_id, &self.version);
        if is_tried {
            check::inheritance(definitions, entry_id)?;
        }
        if is_state {
            definitions.refresh_types()?;
        }
        Ok(())
    }
}
