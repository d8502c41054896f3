//! Chunks: reading the state of chunked values (CORBA 3.3 part 2, 9.3.4).

use alloc::sync::Arc;

use super::CdrReader;
use super::state::Chunks;
use crate::value::{CODEBASE, FIRST_TAG, IDS, IS_CHUNKED, LAST_TAG};
use crate::{CdrErrorKind, CdrResult};

impl<'a> CdrReader<'a> {
    /// All octets of the stream, beyond the current chunk too.
    pub(super) fn stream(&self) -> &'a [u8] {
        match self.is_in_chunks() {
            true => self.chunks().stream,
            false => self.buffer,
        }
    }

    pub(super) fn chunks(&self) -> Chunks<'a> {
        self.values.as_ref().map(|values| values.chunks).unwrap_or_default()
    }

    pub(super) fn chunks_mut(&mut self) -> &mut Chunks<'a> {
        &mut Arc::make_mut(self.values.get_or_insert_default()).chunks
    }

    /// Runs `work` with chunking disabled.
    pub(super) fn unchunked<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        if !self.is_in_chunks() {
            return work(self);
        }
        let chunks = core::mem::take(self.chunks_mut());
        let result = work(self);
        *self.chunks_mut() = chunks;
        result
    }

    #[cold]
    pub(super) fn step_in_chunks(&mut self, alignment: usize) {
        self.enter_next_chunk(alignment);
    }

    /// Skips to behind the end tag of the value of this level.
    pub(super) fn skip_to_end(&mut self, level: u32) -> CdrResult<()> {
        self.position = self.buffer.len();
        self.buffer = self.chunks().stream;
        // The level of the innermost open value, among those that are skipped.
        let mut open = level;
        loop {
            let tag = self.read_between()?;
            match tag {
                1..FIRST_TAG => {
                    self.take(tag as usize, "chunk")?;
                }
                FIRST_TAG..=LAST_TAG if tag & IS_CHUNKED != 0 => {
                    let offset = self.origin + self.position - 4;
                    if tag & CODEBASE != 0 {
                        self.read_id()?;
                    }
                    self.read_ids(tag & IDS)?;
                    self.note_value(offset, open);
                    open += 1;
                }
                _ => {
                    let ended = tag.wrapping_neg();
                    if tag < 1 << 31 || ended == 0 || ended > open {
                        return Err(self.error(CdrErrorKind::BadValue, "end of a value"));
                    }
                    if ended <= level {
                        self.chunks_mut().ended = Some(ended);
                        return Ok(());
                    }
                    open = ended - 1;
                }
            }
        }
    }

    /// A number between chunks, where the buffer is the whole stream.
    pub(super) fn read_between(&mut self) -> CdrResult<u32> {
        self.unchunked(Self::read_u32)
    }

    /// Leaves the current chunk, and enters the next one if it follows.
    pub(super) fn leave_chunk(&mut self) {
        self.buffer = self.chunks().stream.get(..self.position).unwrap_or_default();
        self.enter_next_chunk(1);
    }

    /// Enters the next chunk, if nothing but padding is left of the current one and a chunk follows.
    pub(super) fn enter_next_chunk(&mut self, alignment: usize) {
        if !self.is_in_chunks()
            || self.chunks().ended.is_some()
            || self.aligned(alignment) < self.buffer.len()
        {
            return;
        }
        let (position, buffer) = (self.position, self.buffer);
        self.position = buffer.len();
        self.buffer = self.chunks().stream;
        if let Ok(size @ 1..FIRST_TAG) = self.read_between()
            && let end = self.position.saturating_add(size as usize)
            && let Some(chunk) = self.buffer.get(..end)
        {
            self.buffer = chunk;
        } else {
            (self.position, self.buffer) = (position, buffer);
        }
    }

    /// Number of octets up to the end of the stream, beyond the current chunk too.
    pub fn remaining_in_all(&self) -> usize {
        self.stream().len() - self.position
    }

    /// Whether the reader is inside a chunked value.
    #[inline]
    pub fn is_in_chunks(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.chunks.level > 0)
    }
}
