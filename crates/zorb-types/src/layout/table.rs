//! Tables: the programs of types and what they refer to.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use zorb_interp::{Label, Program};

use super::value_types::ById;
use crate::TypeCode;

/// The program of a type that needs one.
pub(super) struct Table {
    pub(super) program: Program,
    pub(super) root: Label,
    /// The types whose values the host handles.
    pub(super) foreign: Vec<Foreign>,
    /// Index in `foreign` of the valuetypes with state, by repository id.
    pub(super) by_id: BTreeMap<ById, u32>,
}

/// A valuetype or an abstract interface.
pub(super) struct Foreign {
    pub(super) type_code: TypeCode,
    /// The state of a value of exactly this type, if it is known.
    pub(super) state: Option<Label>,
}

impl Table {
    #[expect(clippy::mutable_key_type, reason = "what a type keeps does not change its order")]
    pub(super) fn new(program: Program, root: Label, foreign: Vec<Foreign>) -> Self {
        let mut by_id = BTreeMap::new();
        for (index, one) in (0..).zip(&foreign) {
            if one.state.is_some() {
                by_id.entry(ById(one.type_code.clone())).or_insert(index);
            }
        }
        Self { program, root, foreign, by_id }
    }
}
