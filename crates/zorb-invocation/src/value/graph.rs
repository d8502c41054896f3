//! The nodes of the graph that the values of a message form. Each is read once.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, ValueTag};
use zorb_os::lock::Lock;
use zorb_types::TypeDesc;

use super::drops;
use super::erased::{AnyValue, KnownValue};
use super::kinds::{ValueBase, ValueType};
use super::operated::Operated;

/// A value; it has no state while the state is being read.
pub(super) struct Node<T: Send + Sync + 'static>(OnceLock<T>);

impl<T: Send + Sync + 'static> Node<T> {
    pub(super) fn new(state: T) -> Self {
        Self(OnceLock::from(state))
    }
}

impl<T: Send + Sync + 'static> Drop for Node<T> {
    fn drop(&mut self) {
        if let Some(state) = self.0.take() {
            drops::drop_flat(state);
        }
    }
}

impl<T: ValueType> AnyValue for Node<T> {
    fn type_desc(&self) -> &'static TypeDesc {
        T::type_desc()
    }

    fn ids(&self) -> &'static [&'static str] {
        T::IDS
    }

    fn inherits(&self, kind: TypeId) -> bool {
        kind == TypeId::of::<ValueBase>() || T::inherits(kind)
    }

    fn part(&self, kind: TypeId) -> Option<&dyn Any> {
        self.0.get()?.part(kind)
    }

    fn operations(&self, kind: TypeId) -> Option<Operated<'_>> {
        self.0.get()?.operations(kind)
    }

    fn is_custom(&self) -> bool {
        T::IS_CUSTOM
    }

    fn is_chunked(&self) -> bool {
        T::IS_CHUNKED
    }

    fn write_state(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        match self.0.get() {
            Some(state) => state.write_state(writer),
            None => Err(writer.error(CdrErrorKind::BadValue, T::NAME)),
        }
    }
}

/// The values of a message by the offsets of their tags.
#[derive(Default)]
pub(super) struct Graph(HashMap<usize, Seen>);

impl Graph {
    /// The value that began at this offset, and whether its state is still being read.
    pub(super) fn find(&self, offset: usize) -> Option<(Arc<dyn AnyValue>, bool)> {
        self.0.get(&offset).map(|seen| (Arc::clone(&seen.value), seen.is_open))
    }
}

struct Seen {
    value: Arc<dyn AnyValue>,
    /// Whether its state is being read: then values that refer to it are part of it.
    is_open: bool,
}

impl KnownValue {
    /// The valuetype with the state `T`.
    pub const fn of<T: ValueType>() -> Self {
        Self {
            id: T::REPOSITORY_ID,
            inherits: T::inherits,
            type_desc: T::type_desc,
            read: read_node::<T>,
        }
    }
}

/// Reads the state of a value whose tag has been read.
fn read_node<T: ValueType>(
    reader: &mut CdrReader<'_>,
    tag: &ValueTag<'_>,
) -> CdrResult<Arc<dyn AnyValue>> {
    let node = Arc::new(Node::<T>(OnceLock::new()));
    let value: Arc<dyn AnyValue> = node.clone();
    let graph = reader.shared(Lock::<Graph>::default);
    let note = |is_open, reader: &CdrReader<'_>| {
        let seen = Seen { value: Arc::clone(&value), is_open };
        let mut graph = graph.lock();
        let reserved = graph.0.try_reserve(1);
        reserved.map_err(|_| reader.error(CdrErrorKind::OutOfMemory, "value"))?;
        graph.0.insert(tag.offset, seen);
        Ok(())
    };
    note(true, reader)?;
    reader.begin_value(tag)?;
    let state = T::read_state(reader)?;
    reader.end_value(tag)?;
    // It was empty: only this function sets it.
    let _ = node.0.set(state);
    note(false, reader)?;
    Ok(value)
}
