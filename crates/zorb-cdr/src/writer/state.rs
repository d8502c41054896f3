//! The values of a stream.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::any::Any;

use crate::value::Nesting;

/// The values of a stream so far.
#[derive(Clone, Default)]
pub(super) struct Values {
    /// Offsets of values by their address.
    pub(super) offsets: BTreeMap<usize, usize>,
    /// Owners of the values, so that no address is used again.
    pub(super) retained: Vec<Rc<dyn Any>>,
    /// Offsets of repository ids.
    pub(super) ids: BTreeMap<Cow<'static, str>, usize>,
    /// Offsets of lists of repository ids, by the first id.
    pub(super) lists: BTreeMap<Cow<'static, str>, usize>,
    pub(super) nesting: Nesting,
    /// How many chunked values are open.
    pub(super) level: u32,
    /// Buffer index of the size of the open chunk.
    pub(super) chunk: Option<usize>,
    /// Buffer index of the last end tag.
    pub(super) end: Option<usize>,
}
