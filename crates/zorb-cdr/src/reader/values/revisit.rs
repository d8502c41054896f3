//! Moving back in a stream: to a mark, and to the targets of indirections.

use super::Chunks;
use crate::value::Nesting;
use crate::{CdrErrorKind, CdrReader, CdrResult, Tail};

/// Limits the work that indirections cause: octets read again, for each octet of the message.
const FOLLOW: usize = 32;

/// A position in a stream to [return to](CdrReader::rewind).
#[derive(Clone, Copy)]
pub struct Mark<'a> {
    position: usize,
    buffer: &'a [u8],
    origin: usize,
    tail: Option<&'a Tail<'a>>,
    in_tail: bool,
    depth: u16,
    nesting: Nesting,
    chunks: Chunks<'a>,
}

impl core::fmt::Debug for Mark<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Mark").field("position", &self.position).finish_non_exhaustive()
    }
}

impl<'a> CdrReader<'a> {
    /// The current position, to [return to](Self::rewind).
    pub fn mark(&self) -> Mark<'a> {
        Mark {
            position: self.position,
            buffer: self.buffer,
            origin: self.origin,
            tail: self.tail,
            in_tail: self.in_tail,
            depth: self.depth,
            nesting: self.values.as_ref().map(|values| values.nesting).unwrap_or_default(),
            chunks: self.chunks(),
        }
    }

    /// Returns to a mark. The values read since then stay known.
    pub fn rewind(&mut self, mark: &Mark<'a>) {
        (self.position, self.buffer, self.depth) = (mark.position, mark.buffer, mark.depth);
        (self.origin, self.tail, self.in_tail) = (mark.origin, mark.tail, mark.in_tail);
        if self.values.is_some() {
            self.values_mut().nesting = mark.nesting;
            let followed = self.chunks().followed;
            *self.chunks_mut() = Chunks { followed, ..mark.chunks };
        }
    }

    /// The octets from a mark to the current position; `None` when they span chunks.
    pub fn since(&self, mark: &Mark<'a>) -> Option<&'a [u8]> {
        let in_one = core::ptr::eq(self.buffer, mark.buffer);
        self.buffer.get(mark.position..self.position).filter(|_| in_one)
    }

    /// The lowest target offset of the indirections read since the last call.
    pub fn take_first_target(&mut self) -> Option<usize> {
        match self.values {
            Some(_) => self.values_mut().first_target.take(),
            None => None,
        }
    }

    /// Records the target of an indirection, also one that [`take_first_target`](Self::take_first_target)
    /// returned and that concerns an enclosing value too.
    pub fn note_target(&mut self, offset: usize) {
        let first = &mut self.values_mut().first_target;
        *first = Some(first.map_or(offset, |before| before.min(offset)));
    }

    /// Whether a value began in the stream so far.
    pub fn has_values(&self) -> bool {
        self.values.as_ref().is_some_and(|values| !values.begun.is_empty())
    }

    /// Whether a value began at this offset.
    pub fn has_value_at(&self, offset: usize) -> bool {
        self.level_at(offset).is_some()
    }

    fn level_at(&self, offset: usize) -> Option<u32> {
        let begun = &self.values.as_ref()?.begun;
        let found = begun.binary_search_by_key(&offset, |begun| begun.offset).ok()?;
        begun.get(found).map(|begun| begun.level)
    }

    /// Lets `work` read the value at this offset again, then returns to the current position.
    ///
    /// # Errors
    /// `BadValue` when no value began there, or when the octets read again exceed 32 times the length of
    /// the stream; what `work` returns.
    pub fn revisit<T>(
        &mut self,
        offset: usize,
        work: impl FnOnce(&mut Self) -> CdrResult<T>,
    ) -> CdrResult<T> {
        let level = self.level_at(offset);
        let (Some(level), Some(position)) = (level, offset.checked_sub(self.origin)) else {
            return Err(self.error(CdrErrorKind::BadValue, "indirection"));
        };
        let here = self.mark();
        let stream = self.stream();
        self.position = position;
        let followed = here.chunks.followed;
        *self.chunks_mut() = match level {
            0 => Chunks { followed, ..Chunks::default() },
            _ => Chunks { followed, stream, level, ended: None },
        };
        // A nested value is between two chunks.
        self.buffer = if level == 0 { stream } else { stream.get(..position).unwrap_or_default() };
        let result = work(self)?;
        let length = self.position.saturating_sub(position);
        self.rewind(&here);
        self.follow(length)?;
        Ok(result)
    }

    /// Counts octets that are read again, against the limit.
    pub(super) fn follow(&mut self, octets: usize) -> CdrResult<()> {
        // Short messages get an allowance.
        let limit = FOLLOW * (256 + self.stream().len());
        let chunks = self.chunks_mut();
        chunks.followed = chunks.followed.saturating_add(8 + octets);
        if chunks.followed > limit {
            return Err(self.error(CdrErrorKind::BadValue, "indirection"));
        }
        Ok(())
    }
}
