//! Decoding valuetypes: tags, repository ids and indirections (CORBA 3.3 part 2, 9.3.4).

mod revisit;

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;

use super::CdrReader;
use super::state::{Begun, Chunks, Values};
use crate::value::{CODEBASE, FIRST_TAG, IDS, INDIRECTION, IS_CHUNKED, LAST_TAG, ONE_ID};
use crate::{CdrErrorKind, CdrResult};

pub use revisit::Mark;

/// The maximum number of repository ids of a value.
const MAX_IDS: u32 = 64;
/// The octets of memory that count for a value, in addition to its sequences.
const DECODED: usize = 128;
/// The maximum length of a repository id, in octets.
const MAX_ID: usize = 1024;

/// The beginning of a value in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueHeader<'a> {
    /// The null value.
    Null,
    /// An indirection to the value that began at this offset.
    Shared(usize),
    /// A new value, whose state follows.
    New(ValueTag<'a>),
}

/// The tag of a value, with its repository ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueTag<'a> {
    /// The offset of the tag, which is the target of indirections to the value.
    pub offset: usize,
    /// Whether the state is chunked.
    pub is_chunked: bool,
    /// The repository ids of the type and of the bases that it can be truncated to, most derived first.
    /// Empty when the value is of the type that the receiver expects.
    pub ids: Vec<Cow<'a, str>>,
}

impl<'a> CdrReader<'a> {
    /// State that decoders share for this stream, such as the values decoded so far. `make` makes it on
    /// first use, and clones of the reader share it.
    pub fn shared<T: Any + Send + Sync>(&mut self, make: impl FnOnce() -> T) -> Arc<T> {
        let values = Arc::make_mut(self.values.get_or_insert_default());
        if let Some(shared) = values.shared.clone()
            && let Ok(shared) = Arc::downcast(shared)
        {
            return shared;
        }
        let made = Arc::new(make());
        values.shared = Some(made.clone());
        made
    }

    fn values_mut(&mut self) -> &mut Values<'a> {
        Arc::make_mut(self.values.get_or_insert_default())
    }

    /// Holds on to what is charged for decoded values.
    pub(super) fn retain_charge(&mut self, charge: Arc<dyn Any + Send + Sync>) {
        self.values_mut().charged.push(charge);
    }

    /// Records that a value begins at this offset, unless it is read again.
    pub(super) fn note_value(&mut self, offset: usize, level: u32) {
        let begun = &mut self.values_mut().begun;
        if begun.last().is_none_or(|last| last.offset < offset) {
            begun.push(Begun { offset, level });
        }
    }

    /// Reads what comes before the state of a value: null, an indirection, or a tag with its ids.
    ///
    /// # Errors
    /// `BadValue` for a number that is not a tag, or a tag that is not allowed here; the errors of ids;
    /// `Truncated`.
    pub fn read_value_header(&mut self) -> CdrResult<ValueHeader<'a>> {
        let is_between = self.align_to_value()?;
        let tag = self.read_u32()?;
        let start = self.position - 4;
        match tag {
            0 => Ok(ValueHeader::Null),
            INDIRECTION => {
                let target = self.read_target()?;
                Ok(ValueHeader::Shared(self.origin + target))
            }
            FIRST_TAG..=LAST_TAG => {
                let is_chunked = tag & IS_CHUNKED != 0;
                // A nested value is chunked too, and begins between chunks.
                if self.is_in_chunks() && !(is_between && is_chunked) {
                    return Err(self.error(CdrErrorKind::BadValue, "value tag"));
                }
                if tag & CODEBASE != 0 {
                    self.read_id()?;
                }
                let ids = self.read_ids(tag & IDS)?;
                let offset = self.origin + start;
                self.note_value(offset, self.chunks().level);
                Ok(ValueHeader::New(ValueTag { offset, is_chunked, ids }))
            }
            _ => Err(self.error(CdrErrorKind::BadValue, "value tag")),
        }
    }

    /// Enters the state of a value.
    ///
    /// # Errors
    /// `TooDeep` at [`MAX_VALUE_DEPTH`](crate::MAX_VALUE_DEPTH).
    pub fn begin_value(&mut self, tag: &ValueTag<'_>) -> CdrResult<()> {
        self.allow(DECODED, "value")?;
        if !self.values_mut().nesting.enter() {
            return Err(self.error(CdrErrorKind::TooDeep, "value"));
        }
        if tag.is_chunked {
            let buffer = self.buffer;
            let chunks = self.chunks_mut();
            if chunks.level == 0 {
                chunks.stream = buffer;
            }
            chunks.level += 1;
            self.leave_chunk();
        }
        Ok(())
    }

    /// Leaves a value entered with [`begin_value`](Self::begin_value). If it is chunked, skips what is
    /// left of its state.
    ///
    /// # Errors
    /// `BadValue` for chunks with a bad end tag.
    pub fn end_value(&mut self, tag: &ValueTag<'_>) -> CdrResult<()> {
        self.values_mut().nesting.leave();
        if !tag.is_chunked {
            return Ok(());
        }
        let level = self.chunks().level;
        if self.chunks().ended.is_none() {
            self.skip_to_end(level)?;
        }
        let chunks = self.chunks_mut();
        chunks.level = level.saturating_sub(1);
        if chunks.ended.is_some_and(|ended| ended >= level) {
            chunks.ended = None;
        }
        if chunks.level == 0 {
            let stream = core::mem::take(&mut chunks.stream);
            self.buffer = stream;
        } else {
            self.leave_chunk();
        }
        Ok(())
    }

    /// Moves to the tag of a value: in the current chunk, in the next one, or between the two. Returns
    /// whether it is between chunks.
    fn align_to_value(&mut self) -> CdrResult<bool> {
        if !self.is_in_chunks() {
            return Ok(true);
        }
        if self.aligned(4) < self.buffer.len() {
            return Ok(false);
        }
        let (position, chunk) = (self.position, self.buffer);
        self.position = chunk.len();
        self.buffer = self.chunks().stream;
        if self.chunks().ended.is_none() {
            let start = self.position;
            if (FIRST_TAG..=LAST_TAG).contains(&self.read_between()?) {
                self.position = start;
                return Ok(true);
            }
        }
        (self.position, self.buffer) = (position, chunk);
        self.enter_next_chunk(4);
        Ok(false)
    }

    /// The ids that a tag with these bits announces.
    pub(super) fn read_ids(&mut self, bits: u32) -> CdrResult<Vec<Cow<'a, str>>> {
        match bits {
            0 => Ok(Vec::new()),
            ONE_ID => Ok(alloc::vec![self.read_id()?]),
            IDS => {
                let count = self.unchunked(Self::read_u32)?;
                if count != INDIRECTION {
                    return self.read_id_list(count);
                }
                let target = self.unchunked(Self::read_target)?;
                self.at_position(target, |reader| {
                    let count = reader.read_u32()?;
                    reader.read_id_list(count)
                })
            }
            _ => Err(self.error(CdrErrorKind::BadValue, "value tag")),
        }
    }

    fn read_id_list(&mut self, count: u32) -> CdrResult<Vec<Cow<'a, str>>> {
        if count == 0 || count > MAX_IDS {
            return Err(self.error(CdrErrorKind::BadValue, "repository ids"));
        }
        (0..count).map(|_| self.read_id()).collect()
    }

    /// A repository id or codebase, or an indirection to one.
    pub(super) fn read_id(&mut self) -> CdrResult<Cow<'a, str>> {
        let mut ahead = self.clone();
        ahead.values = None;
        if ahead.read_u32()? != INDIRECTION {
            return self.unchunked(|reader| reader.read_latin1("repository id"));
        }
        self.position = ahead.position;
        let target = self.unchunked(Self::read_target)?;
        let id = self.at_position(target, |reader| reader.read_latin1("repository id"))?;
        if id.len() > MAX_ID {
            return Err(self.error(CdrErrorKind::BadValue, "repository id"));
        }
        self.follow(id.len())?;
        Ok(id)
    }

    /// Reads the offset of an indirection, and returns its target position, which is before the tag.
    fn read_target(&mut self) -> CdrResult<usize> {
        let offset = self.read_i32()?;
        let from = self.position - 4;
        let back = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
        match from.checked_sub(back) {
            Some(target) if offset < -4 => {
                self.note_target(self.origin + target);
                Ok(target)
            }
            _ => Err(self.error(CdrErrorKind::BadValue, "indirection")),
        }
    }

    /// Runs `work` at another position with chunking disabled, then returns to the current one.
    fn at_position<T>(&mut self, position: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let (here, chunks) = (self.position, self.chunks());
        self.position = position;
        *self.chunks_mut() = Chunks { followed: chunks.followed, ..Chunks::default() };
        let result = work(self);
        let followed = self.chunks().followed;
        *self.chunks_mut() = Chunks { followed, ..chunks };
        self.position = here;
        result
    }
}
