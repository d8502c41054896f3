//! The arena of definitions.

use super::{DefId, Definition};

/// The definitions of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) roots: Vec<DefId>,
}
