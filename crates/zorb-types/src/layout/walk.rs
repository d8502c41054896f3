//! The state of processing one value.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;

use zorb_interp::Label;

use super::table::Table;
use super::value_types::ValueTypes;
use crate::TypeCode;

/// The state of copying, checking or comparing a value: what is known of the valuetypes in the stream.
pub(super) struct Walk {
    /// Whether all octets so far are what Zorb would write.
    pub(super) verbatim: bool,
    /// Whether there were valuetypes.
    pub(super) has_values: bool,
    /// Whether some state of a valuetype is unknown.
    pub(super) is_opaque: bool,
    /// The values so far, by the offset of their tag.
    pub(super) seen: BTreeMap<usize, Seen>,
    /// The table of the outermost value.
    pub(super) root: Option<Arc<Table>>,
    /// The types that were looked up by their ids; `None` for unknown types.
    pub(super) found: BTreeMap<String, Option<Known>>,
    /// In a comparison, the offset of the right value for that of the left one.
    pub(super) pairs: BTreeMap<usize, usize>,
}

/// A value that was read.
pub(super) struct Seen {
    /// Its address identifies the value in a writer.
    pub(super) key: Arc<u64>,
    /// Its type, if that is known.
    pub(super) known: Option<Known>,
}

/// A valuetype with a known state.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) table: Arc<Table>,
    index: u32,
    pub(super) state: Label,
}

impl Known {
    pub(super) fn of(table: &Arc<Table>, index: u32) -> Option<Self> {
        let state = table.foreign.get(index as usize)?.state?;
        Some(Self { table: Arc::clone(table), index, state })
    }

    /// The valuetype with this id, if the table describes it.
    pub(super) fn with_id(table: &Arc<Table>, id: &str) -> Option<Self> {
        Self::of(table, *table.by_id.get(id)?)
    }

    pub(super) fn type_code(&self) -> Option<&TypeCode> {
        self.table.foreign.get(self.index as usize).map(|foreign| &foreign.type_code)
    }
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            verbatim: true,
            has_values: false,
            is_opaque: false,
            seen: BTreeMap::new(),
            root: None,
            found: BTreeMap::new(),
            pairs: BTreeMap::new(),
        }
    }
}

impl Walk {
    pub(super) fn done(self) -> Walked {
        let Self { verbatim, has_values, is_opaque, found, .. } = self;
        let found = found.values().flatten().filter_map(Known::type_code);
        let types: ValueTypes = found.cloned().collect();
        let types = (!types.is_empty()).then(|| Arc::new(types));
        Walked { verbatim, has_values, is_opaque, types }
    }
}

/// The findings of copying or checking a value.
#[derive(Clone, Debug)]
pub(crate) struct Walked {
    /// Whether the octets are what Zorb would write in the same byte order, alignment and text coding.
    pub(crate) verbatim: bool,
    /// Whether there are valuetypes.
    pub(crate) has_values: bool,
    /// Whether some state of a valuetype is unknown.
    pub(crate) is_opaque: bool,
    /// The types of values whose type is not the expected one.
    pub(crate) types: Option<Arc<ValueTypes>>,
}

impl Walked {
    pub(super) const PLAIN: Self =
        Self { verbatim: true, has_values: false, is_opaque: false, types: None };
}

/// The [`Host`](zorb_interp::Host) of a table.
pub(super) struct TableHost<'t, 'w> {
    pub(super) table: &'t Arc<Table>,
    /// The state of this walk, which nested tables share.
    pub(super) walk: &'w mut Walk,
}

impl<'t, 'w> TableHost<'t, 'w> {
    pub(super) fn of(table: &'t Arc<Table>, walk: &'w mut Walk) -> Self {
        Self { table, walk }
    }
}
