//! Valuetypes described by TypeCodes: null, sharing, cycles, chunks, derived types (CORBA 3.3 part 2,
//! 9.3.4).

mod choice;
mod equal;
mod head;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, ValueHeader, ValueTag, fallible};

use super::table::Foreign;
use super::value_types::fits;
use super::walk::{Known, Seen, TableHost};
use crate::TypeCode;
use choice::{Choice, WHAT};
pub use head::ValueHead;

impl TableHost<'_, '_> {
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
        self.walk.root.get_or_insert_with(|| Arc::clone(self.table));
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
        let own = (unknown >= tag.ids.len() && !id.is_empty()).then_some(id);
        let ids = tag.ids.iter().skip(unknown).map(|id| &**id).chain(own).map(fallible::copy_text);
        let ids = ids.collect::<Result<_, _>>();
        let ids = ids.map_err(|_| writer.error(CdrErrorKind::OutOfMemory, WHAT))?;
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
        let mut host = TableHost::of(&known.table, self.walk);
        known.table.program.run(known.state, reader, writer, &mut host)?;
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
}

fn address(key: &Arc<u64>) -> usize {
    Arc::as_ptr(key).addr()
}

/// Appends an indirection to a value that the stream has.
fn write_shared(key: &Arc<u64>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_value::<String>(address(key), (), &[], false, |_| Ok(()))
}
