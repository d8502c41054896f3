//! Valuetypes: tags, repository ids, indirections and chunks (CORBA 3.3 part 2, 9.3.4).

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::Any;

use super::CdrWriter;
use crate::value::{FIRST_TAG, IDS, INDIRECTION, IS_CHUNKED, Nesting, ONE_ID};
use crate::{CdrErrorKind, CdrResult};

/// The values of a stream so far.
#[derive(Clone, Default)]
pub(super) struct Values {
    /// Offsets of values by their address.
    offsets: BTreeMap<usize, usize>,
    /// What keeps the addresses from being used again.
    kept: Vec<Rc<dyn Any>>,
    /// Offsets of single ids, and of lists by their first.
    ids: BTreeMap<Cow<'static, str>, usize>,
    lists: BTreeMap<Cow<'static, str>, usize>,
    nesting: Nesting,
    /// How many chunked values are open.
    level: u32,
    /// Where in the buffer the size of the open chunk is.
    chunk: Option<usize>,
    /// Where in the buffer the last end tag is.
    end: Option<usize>,
}

/// A repository id of a value, one of the program or one known at run time.
pub trait ValueId: AsRef<str> {
    /// The id, to be remembered.
    fn kept(&self) -> Cow<'static, str>;
}

impl ValueId for &'static str {
    fn kept(&self) -> Cow<'static, str> {
        Cow::Borrowed(self)
    }
}

impl ValueId for String {
    fn kept(&self) -> Cow<'static, str> {
        Cow::Owned(self.clone())
    }
}

impl CdrWriter<'_> {
    /// Appends a value, or an indirection to where it is in this stream already.
    ///
    /// `address` says which value it is, and `keep` holds it there. `ids` are those of its type and
    /// of the types it may be truncated to; none for a value of the very type that the receiver
    /// expects.
    ///
    /// # Errors
    /// What `state` returns; `TooDeep` at [`MAX_VALUE_DEPTH`](crate::MAX_VALUE_DEPTH).
    pub fn write_value<I: ValueId>(
        &mut self,
        address: usize,
        keep: impl Any,
        ids: &[I],
        is_chunked: bool,
        state: impl FnOnce(&mut Self) -> CdrResult<()>,
    ) -> CdrResult<()> {
        // What is written may be measured and pointed at later: it has to be here.
        self.outlet = None;
        if let Some(&offset) = self.values().offsets.get(&address) {
            self.write_u32(INDIRECTION);
            return self.write_offset_to(offset);
        }
        if !self.values().nesting.enter() {
            return Err(self.error(CdrErrorKind::TooDeep, "value"));
        }
        self.close_chunk()?;
        let is_chunked = is_chunked || self.values().level > 0;
        self.align(4);
        let offset = self.offset();
        let values = self.values();
        values.offsets.insert(address, offset);
        values.kept.push(Rc::new(keep));
        self.write_tag(ids, is_chunked)?;
        if is_chunked {
            self.values().level += 1;
            self.open_chunk();
        }
        state(self)?;
        if is_chunked {
            self.close_chunk()?;
            self.write_end();
            if self.values().level > 0 {
                self.open_chunk();
            }
        }
        self.values().nesting.leave();
        Ok(())
    }

    /// Whether the value of this address is in the stream.
    pub fn has_value(&self, address: usize) -> bool {
        self.values.as_ref().is_some_and(|values| values.offsets.contains_key(&address))
    }

    /// Whether there are values in the stream.
    pub fn has_values(&self) -> bool {
        self.values.as_ref().is_some_and(|values| !values.offsets.is_empty())
    }

    /// Keeps something beside the values of the stream, for [`kept_values`](Self::kept_values).
    pub fn keep(&mut self, kept: impl Any) {
        self.values().kept.push(Rc::new(kept));
    }

    /// Whether anything is kept.
    pub fn keeps_values(&self) -> bool {
        self.values.as_ref().is_some_and(|values| !values.kept.is_empty())
    }

    /// What was handed to [`write_value`](Self::write_value) to be kept, a value each, and to
    /// [`keep`](Self::keep).
    pub fn kept_values(&self) -> impl Iterator<Item = &dyn Any> {
        self.values.iter().flat_map(|values| values.kept.iter().map(|kept| &**kept))
    }

    /// Has values tell their types from here on where their very type is expected, too: in an any,
    /// some receivers know no other.
    pub fn name_values(&mut self) {
        self.names_values = true;
    }

    /// Whether a value tells its type where its very type is expected: in values in chunks, and
    /// after [`name_values`](Self::name_values).
    pub fn names_values(&self) -> bool {
        self.names_values || self.is_in_chunked_value()
    }

    /// Whether a value in chunks is being written: one that a receiver may cut down.
    pub fn is_in_chunked_value(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.level > 0)
    }

    fn values(&mut self) -> &mut Values {
        Rc::make_mut(self.values.get_or_insert_default())
    }

    fn write_tag<I: ValueId>(&mut self, ids: &[I], is_chunked: bool) -> CdrResult<()> {
        let chunks = if is_chunked { IS_CHUNKED } else { 0 };
        match ids {
            [] => self.write_u32(FIRST_TAG | chunks),
            [id] => {
                self.write_u32(FIRST_TAG | chunks | ONE_ID);
                self.write_id(id)?;
            }
            [first, ..] => {
                self.write_u32(FIRST_TAG | chunks | IDS);
                if let Some(&offset) = self.values().lists.get(first.as_ref()) {
                    self.write_u32(INDIRECTION);
                    return self.write_offset_to(offset);
                }
                self.align(4);
                let offset = self.offset();
                self.values().lists.insert(first.kept(), offset);
                self.write_count(ids.len(), "repository ids")?;
                ids.iter().try_for_each(|id| self.write_id(id))?;
            }
        }
        Ok(())
    }

    fn write_id<I: ValueId>(&mut self, id: &I) -> CdrResult<()> {
        if let Some(&offset) = self.values().ids.get(id.as_ref()) {
            self.write_u32(INDIRECTION);
            return self.write_offset_to(offset);
        }
        self.align(4);
        let offset = self.offset();
        self.values().ids.insert(id.kept(), offset);
        self.write_latin1(id.as_ref())
    }

    /// The way from here back to an offset.
    fn write_offset_to(&mut self, offset: usize) -> CdrResult<()> {
        let back = i32::try_from(self.offset() - offset)
            .map_err(|_| self.error(CdrErrorKind::TooLong, "indirection"))?;
        self.write_i32(-back);
        Ok(())
    }

    fn open_chunk(&mut self) {
        self.align(4);
        let at = self.buffer.len();
        self.values().chunk = Some(at);
        self.write_u32(0);
    }

    /// Ends the open chunk; one without octets is taken back.
    fn close_chunk(&mut self) -> CdrResult<()> {
        let Some(at) = self.values().chunk.take() else { return Ok(()) };
        let size = self.buffer.len() - at - 4;
        if size == 0 {
            self.buffer.truncate(at);
            return Ok(());
        }
        if size >= FIRST_TAG as usize {
            return Err(self.error(CdrErrorKind::TooLong, "chunk"));
        }
        self.patch_count(at, size, "chunk")
    }

    /// Ends the innermost chunked value. Where the last thing is the end of a value inside it, that
    /// becomes the end of both.
    fn write_end(&mut self) {
        self.align(4);
        let here = self.buffer.len();
        let values = self.values();
        let tag = values.level.cast_signed().wrapping_neg();
        values.level = values.level.saturating_sub(1);
        let at = match values.end {
            Some(end) if end + 4 == here => end,
            _ => here,
        };
        values.end = Some(at);
        self.buffer.truncate(at);
        self.write_i32(tag);
    }
}
