//! Values whose types are erased.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, ValueTag};
use zorb_types::TypeDesc;

use super::operated::Operated;

/// A value whose type is erased.
pub(super) trait AnyValue: Any + Send + Sync {
    /// The description of its type.
    fn type_desc(&self) -> &'static TypeDesc;
    /// The id of its type, and those of the types that it may be truncated to.
    fn ids(&self) -> &'static [&'static str];
    /// Whether it is of this type, or supports this interface.
    fn inherits(&self, kind: TypeId) -> bool;
    /// The part of its state that belongs to this type; `None` until the state has been read.
    fn part(&self, kind: TypeId) -> Option<&dyn Any>;
    /// Its operations by this type or abstract interface.
    fn operations(&self, kind: TypeId) -> Option<Operated<'_>>;
    /// Whether its id is always sent.
    fn is_custom(&self) -> bool;
    /// Whether its state is sent in chunks.
    fn is_chunked(&self) -> bool;
    /// Writes its state.
    fn write_state(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()>;
}

/// The decoder of values of one type.
#[derive(Clone, Copy)]
pub struct KnownValue {
    pub(super) id: &'static str,
    pub(super) inherits: fn(TypeId) -> bool,
    pub(super) type_desc: fn() -> &'static TypeDesc,
    pub(super) read: fn(&mut CdrReader<'_>, &ValueTag<'_>) -> CdrResult<Arc<dyn AnyValue>>,
}

impl fmt::Debug for KnownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownValue").field("id", &self.id).finish_non_exhaustive()
    }
}
