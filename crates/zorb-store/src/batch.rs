//! Changes that are made together.

use std::borrow::Cow;

/// Changes of any tables, which [`Store::commit`](crate::Store::commit) makes in their order: all of
/// them, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a batch changes nothing before it is committed"]
pub struct Batch {
    changes: Vec<Change>,
    octets: usize,
}

/// A change of one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The name of the table.
    pub table: Cow<'static, str>,
    /// The key.
    pub key: Vec<u8>,
    /// The new value; `None` to delete the entry.
    pub value: Option<Vec<u8>>,
}

/// What a change takes beside its octets, about.
const CHANGE_OCTETS: usize = 96;

impl Batch {
    /// Creates an empty batch.
    pub const fn new() -> Self {
        Self { changes: Vec::new(), octets: 0 }
    }

    /// Adds an entry, or replaces the value of its key.
    pub fn put(
        mut self,
        table: impl Into<Cow<'static, str>>,
        key: impl Into<Vec<u8>>,
        value: impl Into<Vec<u8>>,
    ) -> Self {
        self.push(table.into(), key.into(), Some(value.into()));
        self
    }

    /// Deletes the entry of a key, if there is one.
    pub fn delete(mut self, table: impl Into<Cow<'static, str>>, key: impl Into<Vec<u8>>) -> Self {
        self.push(table.into(), key.into(), None);
        self
    }

    /// Adds a change: a deletion if `value` is `None`.
    pub fn push(&mut self, table: Cow<'static, str>, key: Vec<u8>, value: Option<Vec<u8>>) {
        self.octets += CHANGE_OCTETS + table.len() + key.len() + value.as_ref().map_or(0, Vec::len);
        self.changes.push(Change { table, key, value });
    }

    /// The changes.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The changes, as their owner.
    #[must_use]
    pub fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    /// The number of changes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether there are no changes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The size of all changes, in octets: names of tables, keys, values, and 96 octets for each change.
    #[must_use]
    pub const fn octets(&self) -> usize {
        self.octets
    }
}
