//! The memory that the definitions and types of clients may take.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use zorb::dynamic::repository::{Entry, EntryKind, Repository};
use zorb::{CompletionStatus, MinorCode, SystemException};
use zorb_os::machine;

/// The most octets, where the process can have eight times as many.
const MOST: usize = 256 << 20;

/// What a definition or type counts for beside its text: its entries in tables, and its object.
const CHARGE: usize = 512;

/// The octets that are taken. What a server has from the start counts, too, but is never refused.
#[derive(Debug)]
pub(super) struct Budget {
    most: usize,
    definitions: AtomicUsize,
    /// Of anonymous types, and of former ids.
    others: AtomicUsize,
    /// Whether there is a limit, which is not so while the server takes what it has from the start.
    is_limited: AtomicBool,
}

impl Budget {
    pub(super) fn new() -> Self {
        let share = machine::memory().and_then(|octets| usize::try_from(octets / 8).ok());
        Self::with(share.unwrap_or(MOST).min(MOST))
    }

    pub(super) fn with(most: usize) -> Self {
        let (definitions, others) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { most, definitions, others, is_limited: AtomicBool::new(false) }
    }

    /// From now on, there is a limit.
    pub(super) fn limit(&self) {
        self.is_limited.store(true, Ordering::Relaxed);
    }

    /// Checks whether there is room for more octets.
    ///
    /// # Errors
    /// `IMP_LIMIT`: there is not.
    pub(super) fn check(&self, more: usize) -> Result<(), SystemException> {
        self.check_definitions(self.definitions.load(Ordering::Relaxed).saturating_add(more))
    }

    /// Checks whether the definitions may become these, which take less memory, or have room.
    ///
    /// # Errors
    /// `IMP_LIMIT`: they may not.
    pub(super) fn check_change(&self, octets: usize) -> Result<(), SystemException> {
        match octets > self.definitions.load(Ordering::Relaxed) {
            true => self.check_definitions(octets),
            false => Ok(()),
        }
    }

    fn check_definitions(&self, octets: usize) -> Result<(), SystemException> {
        let all = octets.saturating_add(self.others.load(Ordering::Relaxed));
        match all > self.most && self.is_limited.load(Ordering::Relaxed) {
            true => Err(SystemException::imp_limit(MinorCode::NONE, CompletionStatus::No)),
            false => Ok(()),
        }
    }

    /// Counts an additional definition.
    pub(super) fn add_definition(&self, octets: usize) {
        self.definitions.fetch_add(octets, Ordering::Relaxed);
    }

    /// Sets the octets that all definitions take together.
    pub(super) fn set_definitions(&self, octets: usize) {
        self.definitions.store(octets, Ordering::Relaxed);
    }

    /// Counts an anonymous type with this text, or a former id.
    pub(super) fn add_text(&self, text: &str) {
        self.others.fetch_add(of_text(text), Ordering::Relaxed);
    }

    /// The octets of anonymous types and former ids.
    #[cfg(test)]
    pub(super) fn others(&self) -> usize {
        self.others.load(Ordering::Relaxed)
    }

    /// No longer counts it.
    pub(super) fn remove_text(&self, text: &str) {
        self.others.fetch_sub(of_text(text), Ordering::Relaxed);
    }
}

/// The octets of an anonymous type with this text, or of a former id: as a key, as the id of an object, and in it.
pub(super) fn of_text(text: &str) -> usize {
    CHARGE + 3 * text.len()
}

/// The octets of a definition. Its id is a key in tables, the id of an object, and in it.
pub(super) fn of_definition(id: &str, name: &str, version: &str, kind: &EntryKind) -> usize {
    CHARGE + 7 * id.len() + name.len() + version.len() + kind.octets()
}

/// The octets of all definitions.
pub(super) fn of_all(definitions: &Repository) -> usize {
    let of_entry =
        |entry: &Entry| of_definition(&entry.id, &entry.name, &entry.version, &entry.kind);
    definitions.entries().map(|(_, entry)| of_entry(entry)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_and_types_share_the_room() {
        let budget = Budget::with(10_000);
        budget.check(usize::MAX).unwrap();
        budget.limit();
        budget.set_definitions(6000);
        budget.add_text("");
        budget.check(10_000 - 6000 - CHARGE).unwrap();
        budget.check(10_000 - 6000 - CHARGE + 1).unwrap_err();
        budget.add_definition(3000);
        budget.check_change(10_000).unwrap_err();
        budget.remove_text("");
        budget.check_change(10_000).unwrap();
        budget.check(usize::MAX).unwrap_err();
    }

    #[test]
    fn definitions_beyond_the_limit_may_shrink() {
        let budget = Budget::with(100);
        budget.limit();
        budget.set_definitions(1000);
        budget.check(0).unwrap_err();
        budget.check_change(1000).unwrap();
        budget.check_change(1001).unwrap_err();
    }
}
