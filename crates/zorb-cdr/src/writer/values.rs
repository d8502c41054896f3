//! Encoding valuetypes: tags, repository ids, indirections and chunks (CORBA 3.3 part 2, 9.3.4).

use alloc::borrow::Cow;
use alloc::collections::TryReserveError;
use alloc::rc::Rc;
use alloc::string::String;
use core::any::Any;

use super::CdrWriter;
use super::state::{Targets, Values};
use crate::value::{FIRST_TAG, IDS, INDIRECTION, IS_CHUNKED, ONE_ID};
use crate::{CdrErrorKind, CdrResult, fallible};

/// A repository id of a value: a constant of the program, or a string made at run time.
///
/// This trait is sealed: only `&'static str` and `String` implement it.
pub trait ValueId: AsRef<str> + sealed::Sealed {
    /// The id with a `'static` lifetime.
    ///
    /// # Errors
    /// Without memory for a copy.
    fn to_static(&self) -> Result<Cow<'static, str>, TryReserveError>;
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for &'static str {}
    impl Sealed for alloc::string::String {}
}

impl ValueId for &'static str {
    fn to_static(&self) -> Result<Cow<'static, str>, TryReserveError> {
        Ok(Cow::Borrowed(self))
    }
}

impl ValueId for String {
    fn to_static(&self) -> Result<Cow<'static, str>, TryReserveError> {
        fallible::copy_text(self).map(Cow::Owned)
    }
}

impl CdrWriter<'_> {
    /// Appends a value, or an indirection if the stream has it already.
    ///
    /// `address` identifies the value, and `owner` owns it, so that the address stays valid. `ids` are the repository ids
    /// of its type and of the types that it can be truncated to; none if the value is of the type that the
    /// receiver expects. `state` writes its state.
    ///
    /// # Errors
    /// What `state` returns; `TooDeep` at [`MAX_VALUE_DEPTH`](crate::MAX_VALUE_DEPTH).
    pub fn write_value<I: ValueId>(
        &mut self,
        address: usize,
        owner: impl Any,
        ids: &[I],
        is_chunked: bool,
        state: impl FnOnce(&mut Self) -> CdrResult<()>,
    ) -> CdrResult<()> {
        // Chunk sizes and indirections count the octets of the buffer, so it has to hold all of them.
        self.outlet = None;
        self.finish()?;
        if let Some(&offset) = self.values().targets_mut().values.get(&address) {
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
        values.targets_mut().values.insert(address, offset);
        let retained = fallible::push(&mut values.retained, Rc::new(owner) as Rc<dyn Any>);
        retained.map_err(|_| self.error(CdrErrorKind::OutOfMemory, "value"))?;
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

    /// Whether the stream has the value at this address.
    pub fn has_value(&self, address: usize) -> bool {
        self.targets().is_some_and(|targets| targets.values.contains_key(&address))
    }

    /// Whether the stream has values.
    pub fn has_values(&self) -> bool {
        self.targets().is_some_and(|targets| !targets.values.is_empty())
    }

    /// Retains something with the values of the stream, for [`retained_values`](Self::retained_values).
    pub fn retain(&mut self, owner: impl Any) {
        self.values().retained.push(Rc::new(owner));
    }

    /// Whether anything is retained.
    pub fn retains_values(&self) -> bool {
        self.values.as_ref().is_some_and(|values| !values.retained.is_empty())
    }

    /// The owners of the values that were [written](Self::write_value), and what was
    /// [retained](Self::retain).
    pub fn retained_values(&self) -> impl Iterator<Item = &dyn Any> {
        self.values.iter().flat_map(|values| values.retained.iter().map(|owner| &**owner))
    }

    /// From now on, writes the repository id of every value, also where the receiver expects its type:
    /// some receivers cannot decode an any without it.
    pub fn name_values(&mut self) {
        self.names_values = true;
    }

    /// Whether a value of the expected type has its repository id: inside chunked values, and after
    /// [`name_values`](Self::name_values).
    pub fn names_values(&self) -> bool {
        self.names_values || self.is_in_chunked_value()
    }

    /// Whether a chunked value is open, which a receiver may truncate.
    pub fn is_in_chunked_value(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.level > 0)
    }

    fn targets(&self) -> Option<&Targets> {
        self.values.as_ref().and_then(|values| values.targets())
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
                if let Some(&offset) = self.values().targets_mut().lists.get(first.as_ref()) {
                    self.write_u32(INDIRECTION);
                    return self.write_offset_to(offset);
                }
                self.align(4);
                let offset = self.offset();
                let id = self.static_id(first)?;
                self.values().targets_mut().lists.insert(id, offset);
                self.write_count(ids.len(), "repository ids")?;
                ids.iter().try_for_each(|id| self.write_id(id))?;
            }
        }
        Ok(())
    }

    fn write_id<I: ValueId>(&mut self, id: &I) -> CdrResult<()> {
        if let Some(&offset) = self.values().targets_mut().ids.get(id.as_ref()) {
            self.write_u32(INDIRECTION);
            return self.write_offset_to(offset);
        }
        self.align(4);
        let offset = self.offset();
        let static_id = self.static_id(id)?;
        self.values().targets_mut().ids.insert(static_id, offset);
        self.write_latin1(id.as_ref())
    }

    fn static_id(&self, id: &impl ValueId) -> CdrResult<Cow<'static, str>> {
        id.to_static().map_err(|_| self.error(CdrErrorKind::OutOfMemory, "repository id"))
    }

    /// Writes the negative distance from here to an offset.
    fn write_offset_to(&mut self, offset: usize) -> CdrResult<()> {
        self.finish()?;
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

    /// Ends the open chunk, or removes it if it is empty.
    fn close_chunk(&mut self) -> CdrResult<()> {
        let Some(at) = self.values().chunk.take() else { return Ok(()) };
        self.finish()?;
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

    /// Ends the innermost chunked value. If the buffer ends with the end tag of a nested value, one end
    /// tag is written for both.
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
