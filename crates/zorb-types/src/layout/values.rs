//! Valuetypes described by TypeCodes: null, sharing, cycles, chunks, derived types (CORBA 3.3 part 2,
//! 9.3.4).

mod equal;
mod head;
mod types;

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, ValueHeader, ValueTag};
use zorb_interp::Label;

use super::compile::compile;
use super::host::Types;
use super::{Foreign, Table, Walked};
use crate::TypeCode;

pub use head::ValueHead;
pub use types::{ValueTypes, WrittenValue, value_ids};
pub(super) use types::{base, has_state};
use types::{fits, is_open};

/// The state of copying, checking or comparing a value: what is known of the valuetypes in the stream.
pub(super) struct Walk {
    /// Whether all octets so far are what Zorb would write.
    pub(super) verbatim: bool,
    has_values: bool,
    is_opaque: bool,
    /// The values so far, by the offset of their tag.
    seen: BTreeMap<usize, Seen>,
    /// The types that were looked up in the reader's context, by id; `None` for unknown types.
    found: BTreeMap<String, Option<Known>>,
    /// In a comparison, the offset of the right value for that of the left one.
    pairs: BTreeMap<usize, usize>,
}

/// A value that was read.
struct Seen {
    /// Its address identifies the value in a writer.
    key: Arc<u64>,
    /// Its type, if that is known.
    known: Option<Known>,
}

/// A valuetype with a known state.
#[derive(Clone)]
struct Known {
    table: Arc<Table>,
    index: u32,
    state: Label,
}

impl Known {
    fn of(table: &Arc<Table>, index: u32) -> Option<Self> {
        let state = table.foreign.get(index as usize)?.state?;
        Some(Self { table: Arc::clone(table), index, state })
    }

    fn type_code(&self) -> Option<&TypeCode> {
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

/// The type as which a value is read.
enum Choice {
    /// This type, whose id comes after this number of unknown ids.
    Known(Known, usize),
    /// No type is known, but the value can be skipped.
    Opaque,
}

const WHAT: &str = "value";

impl Types<'_, '_> {
    /// Copies a value of a type of the table, or of a derived type.
    pub(super) fn value(
        &mut self,
        index: u32,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        match reader.read_value_header()? {
            ValueHeader::Null => {
                if let Some(writer) = writer {
                    writer.write_u32(0);
                }
                Ok(())
            }
            ValueHeader::Shared(offset) => self.shared_value(index, offset, reader, writer),
            ValueHeader::New(tag) => self.new_value(index, &tag, reader, writer),
        }
    }

    fn new_value(
        &mut self,
        index: u32,
        tag: &ValueTag<'_>,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        let Some(known) = self.note(index, tag, reader, writer.is_some())? else {
            reader.begin_value(tag)?;
            return reader.end_value(tag);
        };
        let Some(writer) = writer else { return self.state(&known, tag, reader, None) };
        let Some((key, ids)) = self.heading(&known, tag, writer)? else {
            return self.state(&known, tag, reader, None);
        };
        let is_chunked = tag.is_chunked || ids.len() > 1;
        writer.write_value(address(&key), key, &ids, is_chunked, |writer| {
            self.state(&known, tag, reader, Some(writer))
        })
    }

    /// Records a new value and returns its type; `None` if it can only be skipped.
    #[inline(never)]
    fn note(
        &mut self,
        index: u32,
        tag: &ValueTag<'_>,
        reader: &CdrReader<'_>,
        is_copied: bool,
    ) -> CdrResult<Option<Known>> {
        let choice = self.choose(index, tag, reader)?;
        self.walk.has_values = true;
        let (known, is_opaque) = match choice {
            Choice::Known(known, unknown_ids) => (Some(known), unknown_ids > 0),
            Choice::Opaque if is_copied => {
                return Err(reader.error(CdrErrorKind::UnknownValue, WHAT));
            }
            Choice::Opaque => (None, true),
        };
        self.walk.is_opaque |= is_opaque;
        let seen = self.walk.seen.entry(tag.offset);
        seen.or_insert_with(|| Seen { key: Arc::new(0), known: known.clone() });
        Ok(known)
    }

    /// What to write before the state of a value. `None` if the stream has the value already: then this
    /// has written an indirection.
    #[inline(never)]
    fn heading(
        &self,
        known: &Known,
        tag: &ValueTag<'_>,
        writer: &mut CdrWriter<'_>,
    ) -> CdrResult<Option<(Arc<u64>, Vec<String>)>> {
        let seen = self.walk.seen.get(&tag.offset);
        let key = seen.map(|seen| Arc::clone(&seen.key)).unwrap_or_default();
        if writer.has_value(address(&key)) {
            // An earlier indirection led to it.
            write_shared(&key, writer)?;
            return Ok(None);
        }
        // The ids of unknown types are truncated with their state.
        let id = known.type_code().map(TypeCode::id).unwrap_or_default();
        let unknown = tag.ids.iter().position(|one| **one == *id).unwrap_or_default();
        let mut ids: Vec<String> =
            tag.ids.iter().skip(unknown).map(|id| id.clone().into_owned()).collect();
        if ids.is_empty() && !id.is_empty() {
            ids.push(id.to_owned());
        }
        Ok(Some((key, ids)))
    }

    fn state(
        &mut self,
        known: &Known,
        tag: &ValueTag<'_>,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        reader.begin_value(tag)?;
        let mut types = Types::of(&known.table, self.walk);
        known.table.program.run(known.state, reader, writer, &mut types)?;
        reader.end_value(tag)
    }

    /// Copies an indirection to an earlier value.
    #[inline(never)]
    fn shared_value(
        &mut self,
        index: u32,
        offset: usize,
        reader: &mut CdrReader<'_>,
        writer: Option<&mut CdrWriter<'_>>,
    ) -> CdrResult<()> {
        let error = reader.error(CdrErrorKind::BadValue, "indirection");
        let Some(seen) = self.walk.seen.get(&offset) else {
            // It was read as another part of the message, or skipped.
            if !reader.has_value_at(offset) {
                return Err(error);
            }
            let Some(writer) = writer else { return Ok(()) };
            return reader.revisit(offset, |reader| match reader.read_value_header()? {
                ValueHeader::New(tag) => self.new_value(index, &tag, reader, Some(writer)),
                _ => Err(error),
            });
        };
        let expected = self.table.foreign.get(index as usize);
        let is_one = match (expected, seen.known.as_ref().and_then(Known::type_code)) {
            (Some(Foreign { type_code, .. }), Some(found)) => fits(type_code, found),
            (Some(_), None) => true,
            _ => false,
        };
        match writer {
            _ if !is_one => Err(error),
            None => Ok(()),
            Some(writer) if writer.has_value(address(&seen.key)) => write_shared(&seen.key, writer),
            Some(_) => Err(reader.error(CdrErrorKind::UnknownValue, WHAT)),
        }
    }

    /// Chooses the type as which a value with these ids is read, where a type of the table is expected.
    fn choose(
        &mut self,
        index: u32,
        tag: &ValueTag<'_>,
        reader: &CdrReader<'_>,
    ) -> CdrResult<Choice> {
        let bad = || reader.error(CdrErrorKind::BadValue, WHAT);
        let expected = &self.table.foreign.get(index as usize).ok_or_else(bad)?.type_code;
        let own = Known::of(self.table, index);
        if tag.ids.is_empty() {
            return match own {
                Some(own) => Ok(Choice::Known(own, 0)),
                None if tag.is_chunked && !is_open(expected) => Ok(Choice::Opaque),
                None => Err(bad()),
            };
        }
        // Only a chunked value can be truncated to one of the other ids.
        let usable = if tag.is_chunked { tag.ids.len() } else { 1 };
        for (unknown, id) in tag.ids.iter().take(usable).enumerate() {
            let known = match &own {
                Some(own) if *expected.id() == **id => Some(own.clone()),
                _ => match self.table.by_id.get(&**id) {
                    Some(&index) => Known::of(self.table, index),
                    None => self.find(id, reader),
                },
            };
            let Some(known) = known else { continue };
            return match known.type_code() {
                Some(type_code) if fits(expected, type_code) => Ok(Choice::Known(known, unknown)),
                _ => Err(bad()),
            };
        }
        match tag.is_chunked {
            true => Ok(Choice::Opaque),
            false => Err(reader.error(CdrErrorKind::UnknownValue, WHAT)),
        }
    }

    /// A type that is not in the table, from the reader's context.
    fn find(&mut self, id: &str, reader: &CdrReader<'_>) -> Option<Known> {
        if let Some(found) = self.walk.found.get(id) {
            return found.clone();
        }
        let found = reader.value_type(id).and_then(|found| found.downcast::<TypeCode>().ok());
        let found = found.filter(|type_code| type_code.id() == id);
        let found = found.and_then(|type_code| {
            let table = Arc::new(compile(&type_code));
            let index = *table.by_id.get(id)?;
            Known::of(&table, index)
        });
        self.walk.found.insert(id.to_owned(), found.clone());
        found
    }
}

fn address(key: &Arc<u64>) -> usize {
    Arc::as_ptr(key).addr()
}

/// Appends an indirection to a value that the stream has.
fn write_shared(key: &Arc<u64>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_value::<String>(address(key), (), &[], false, |_| Ok(()))
}
