//! Values in a message: each is written and read once.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, ValueHeader, ValueTag, Wire};
use zorb_os::lock::Lock;
use zorb_types::{TypeDesc, Typed, WrittenValue};

use super::drops;
use super::kinds::{ValueKind, ValueType};
use super::operations::Operated;
use super::registry::{KnownValue, ValueRegistry};
use super::{Link, Value};

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
        kind == TypeId::of::<super::ValueBase>() || T::inherits(kind)
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
struct Graph(HashMap<usize, Seen>);

struct Seen {
    value: Arc<dyn AnyValue>,
    /// Whether its state is being read: then values that refer to it are part of it.
    is_open: bool,
}

/// Reads the state of a value whose tag has been read.
pub(super) fn read_node<T: ValueType>(
    reader: &mut CdrReader<'_>,
    tag: &ValueTag<'_>,
) -> CdrResult<Arc<dyn AnyValue>> {
    let node = Arc::new(Node::<T>(OnceLock::new()));
    let value: Arc<dyn AnyValue> = node.clone();
    let graph = reader.shared(Lock::<Graph>::default);
    let note = |is_open| {
        let seen = Seen { value: Arc::clone(&value), is_open };
        graph.lock().0.insert(tag.offset, seen);
    };
    note(true);
    reader.begin_value(tag)?;
    let state = T::read_state(reader)?;
    reader.end_value(tag)?;
    // It was empty: only this function sets it.
    let _ = node.0.set(state);
    note(false);
    Ok(value)
}

impl<K: ValueKind + ?Sized> Value<K> {
    /// Writes a value, or null.
    ///
    /// # Errors
    /// The state has no encoding; `BadValue` if the value has been dropped.
    pub(super) fn write_option(value: Option<&Self>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        let Some(value) = value else {
            writer.write_i32(0);
            return Ok(());
        };
        let Some(node) = value.node() else {
            return Err(writer.error(CdrErrorKind::BadValue, K::NAME));
        };
        // Inside a value that may be truncated, values name their types, since a receiver skips them.
        let is_named = writer.names_values() || node.is_custom();
        let ids = match node.ids() {
            [id] if *id == K::REPOSITORY_ID && !is_named => &[],
            ids => ids,
        };
        let written = WrittenValue { type_desc: (*node).type_desc(), value: node.clone() };
        let state = |writer: &mut CdrWriter<'_>| node.write_state(writer);
        writer.write_value(value.address(), written, ids, node.is_chunked(), state)
    }

    /// The type as which a value with these ids is read.
    fn known(reader: &CdrReader<'_>, tag: &ValueTag<'_>) -> CdrResult<KnownValue> {
        let error = |kind| reader.error(kind, K::NAME);
        let own = K::known();
        if tag.ids.is_empty() {
            return own.ok_or_else(|| error(CdrErrorKind::BadValue));
        }
        let registry = reader.context::<ValueRegistry>();
        let find = |id: &str| match own {
            Some(own) if own.id == id => Some(own),
            _ => registry.and_then(|registry| registry.find(id)),
        };
        // The additional state of an unknown derived type can be skipped only if it is in chunks.
        let usable = if tag.is_chunked { tag.ids.len() } else { 1 };
        let known = tag.ids.iter().take(usable).find_map(|id| find(id));
        let known = known.ok_or_else(|| error(CdrErrorKind::UnknownValue))?;
        let kind = TypeId::of::<K>();
        let fits = kind == TypeId::of::<super::ValueBase>() || (known.inherits)(kind);
        if fits { Ok(known) } else { Err(error(CdrErrorKind::BadValue)) }
    }
}

impl<K: ValueKind + ?Sized> Value<K> {
    /// The value that began at this offset.
    fn read_shared(offset: usize, reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let graph = reader.shared(Lock::<Graph>::default);
        let seen = {
            let graph = graph.lock();
            graph.0.get(&offset).map(|seen| (Arc::clone(&seen.value), seen.is_open))
        };
        let error = reader.error(CdrErrorKind::BadValue, "indirection");
        match seen {
            Some((value, is_open)) if value.inherits(TypeId::of::<K>()) => {
                let strong = Self::of(Link::Strong(value));
                Ok(if is_open { strong.downgrade() } else { strong })
            }
            Some(_) => Err(error),
            // It has not been read as a Rust value: it is in an any, or in a truncated part.
            None => reader.revisit(offset, |reader| match reader.read_value_header()? {
                ValueHeader::New(tag) => {
                    let known = Self::known(reader, &tag)?;
                    (known.read)(reader, &tag).map(|node| Self::of(Link::Strong(node)))
                }
                _ => Err(error),
            }),
        }
    }
}

impl<K: ValueKind + ?Sized> Wire for Value<K> {
    type Value = Option<Self>;
    type View = Option<Self>;
    type Borrowed<'a> = Option<Self>;
    const MIN_SIZE: usize = 4;

    fn view(value: &Option<Self>) -> &Option<Self> {
        value
    }

    fn write(value: &Option<Self>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Self::write_option(value.as_ref(), writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Option<Self>> {
        match reader.read_value_header()? {
            ValueHeader::Null => Ok(None),
            ValueHeader::New(tag) => {
                let known = Self::known(reader, &tag)?;
                (known.read)(reader, &tag).map(|node| Some(Self::of(Link::Strong(node))))
            }
            ValueHeader::Shared(offset) => Self::read_shared(offset, reader).map(Some),
        }
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Option<Self>> {
        Self::read(reader)
    }
}

impl<K: ValueKind + ?Sized> Typed for Value<K> {
    fn type_desc() -> &'static TypeDesc {
        K::type_desc()
    }
}
