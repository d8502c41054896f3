//! The encoding of values. Each value of a message is written and read once.

use std::any::TypeId;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, ValueHeader, ValueTag, Wire};
use zorb_os::lock::Lock;
use zorb_types::{TypeDesc, Typed, WrittenValue};

use super::erased::KnownValue;
use super::graph::Graph;
use super::kinds::{ValueBase, ValueKind};
use super::registry::ValueRegistry;
use super::{Link, Value};

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
        let fits = kind == TypeId::of::<ValueBase>() || (known.inherits)(kind);
        if fits { Ok(known) } else { Err(error(CdrErrorKind::BadValue)) }
    }

    /// The value that began at this offset.
    fn read_shared(offset: usize, reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let graph = reader.shared(Lock::<Graph>::default);
        let seen = graph.lock().find(offset);
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

impl<K: ValueKind + ?Sized> zorb_interp::Tabled for Value<K> {}

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
