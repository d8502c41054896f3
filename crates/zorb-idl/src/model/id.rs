//! Ids of definitions.

/// The id of a [`Definition`](super::Definition) in its [`Model`](super::Model).
///
/// Cheap to copy, ordered by first declaration. Valid only in the model it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(pub(crate) u32);

impl DefId {
    /// The position in [`Model::definitions`](super::Model::definitions): an index for side tables.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
