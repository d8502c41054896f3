//! Choosing the type as which a value is read.

use alloc::sync::Arc;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, ValueTag, fallible};

use crate::TypeCode;
use crate::layout::compile::compile;
use crate::layout::value_types::{fits, is_open};
use crate::layout::walk::{Known, TableHost};

/// What is being read, for errors.
pub(super) const WHAT: &str = "value";

/// The type as which a value is read.
pub(super) enum Choice {
    /// This type, whose id comes after this number of unknown ids.
    Known(Known, usize),
    /// No type is known, but the value can be skipped.
    Opaque,
}

impl TableHost<'_, '_> {
    /// Chooses the type as which a value with these ids is read, where a type of the table is expected.
    pub(super) fn choose(
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
                _ => self.find(id, reader)?,
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

    /// A valuetype by its id: from this table, from that of the outermost value, or from the reader's
    /// context.
    fn find(&mut self, id: &str, reader: &CdrReader<'_>) -> CdrResult<Option<Known>> {
        if let Some(found) = self.walk.found.get(id)
            && (found.is_some() || !self.table.by_id.contains_key(id))
        {
            return Ok(found.clone());
        }
        let tables = [Some(self.table), self.walk.root.as_ref()];
        let mut known = tables.into_iter().flatten().filter_map(|table| Known::with_id(table, id));
        let out_of_memory = || reader.error(CdrErrorKind::OutOfMemory, WHAT);
        let mut found = known.next();
        if found.is_none()
            && let Some(type_code) = reader.value_type(id)
            && let Ok(type_code) = type_code.downcast::<TypeCode>()
            && type_code.id() == id
        {
            let table = compile(&type_code).ok_or_else(out_of_memory)?;
            found = Known::with_id(&Arc::new(table), id);
        }
        let id = fallible::copy_text(id).map_err(|_| out_of_memory())?;
        self.walk.found.insert(id, found.clone());
        Ok(found)
    }
}
