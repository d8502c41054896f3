//! Going back in a stream: to a place that was marked, and to values that indirections lead to.

use super::Chunks;
use crate::value::Nesting;
use crate::{CdrErrorKind, CdrReader, CdrResult, Tail};

/// What following indirections may cost: octets read again for each octet of the message, and a few
/// for short ones.
const FOLLOW: usize = 32;

/// A place in a stream to come [back to](CdrReader::rewind).
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
    /// This place, to come [back to](Self::rewind).
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

    /// Goes back to a place; what is known of values that were read since stays known.
    pub fn rewind(&mut self, mark: &Mark<'a>) {
        (self.position, self.buffer, self.depth) = (mark.position, mark.buffer, mark.depth);
        (self.origin, self.tail, self.in_tail) = (mark.origin, mark.tail, mark.in_tail);
        if self.values.is_some() {
            self.values_mut().nesting = mark.nesting;
            let followed = self.chunks().followed;
            *self.chunks_mut() = Chunks { followed, ..mark.chunks };
        }
    }

    /// The octets from a place to here, if they are in one piece: not where there is a seam between
    /// chunks in them.
    pub fn since(&self, mark: &Mark<'a>) -> Option<&'a [u8]> {
        let in_one = core::ptr::eq(self.buffer, mark.buffer);
        self.buffer.get(mark.position..self.position).filter(|_| in_one)
    }

    /// The first offset that an indirection of values led to since this was last asked for.
    pub fn take_reach(&mut self) -> Option<usize> {
        match self.values {
            Some(_) => self.values_mut().reach.take(),
            None => None,
        }
    }

    /// Says that an indirection led to an offset: what [`take_reach`](Self::take_reach) took may
    /// concern others, too.
    pub fn note_reach(&mut self, offset: usize) {
        let reach = &mut self.values_mut().reach;
        *reach = Some(reach.map_or(offset, |before| before.min(offset)));
    }

    /// Whether a value began anywhere in the stream so far.
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

    /// Goes back to the value that began at this offset, where `work` reads it again, and returns to
    /// here.
    ///
    /// # Errors
    /// `BadValue` when no value began there, and when this was done too often: together such values
    /// may be 32 times as long as the stream. What `work` returns.
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
        let whole = self.whole();
        self.position = position;
        let followed = here.chunks.followed;
        *self.chunks_mut() = match level {
            0 => Chunks { followed, ..Chunks::default() },
            _ => Chunks { followed, whole, level, ended: None },
        };
        // A value inside others stands between chunks.
        self.buffer = if level == 0 { whole } else { whole.get(..position).unwrap_or_default() };
        let result = work(self)?;
        let length = self.position.saturating_sub(position);
        self.rewind(&here);
        self.follow(length)?;
        Ok(result)
    }

    /// Counts octets that were read again.
    pub(super) fn follow(&mut self, octets: usize) -> CdrResult<()> {
        let limit = FOLLOW * (256 + self.whole().len());
        let chunks = self.chunks_mut();
        chunks.followed = chunks.followed.saturating_add(8 + octets);
        if chunks.followed > limit {
            return Err(self.error(CdrErrorKind::BadValue, "indirection"));
        }
        Ok(())
    }
}
