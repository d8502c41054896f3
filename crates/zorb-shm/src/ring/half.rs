//! The two ends of a ring.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::end::{Corrupt, End};
use super::pieces::{Incoming, Outgoing};
#[cfg(feature = "buffers")]
use super::platform::buffers::{ReceivedBuffer, SendBuffer};
use super::platform::{AtomicU64, SharedMemory, fence, futex};
use super::region::Region;
use crate::BUFFERS;

/// The most octets that are moved before their number is published, so that the two sides work at
/// the same time on a message longer than this.
const PIECE: usize = 16 << 10;

/// Octets that the processor moves at a time.
const LINE: usize = 64;

/// How many lines a reader asks for ahead of a message: those of a request with a few arguments.
const LINES_AHEAD: usize = 2;

/// The end that octets are put into. One thread at a time uses it.
#[derive(Debug)]
pub(crate) struct Writer {
    end: End,
    buffers: Option<Outgoing>,
}

impl Writer {
    pub(super) fn new(
        memory: &Arc<SharedMemory>,
        region: Region,
        buffers: Option<Outgoing>,
    ) -> Self {
        Self { end: End::new(memory, region), buffers }
    }

    /// Puts in as many of `bytes` as there is room for, and says how many.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<usize, Corrupt> {
        let End { memory, region, own, .. } = &self.end;
        let mut done = 0;
        while done < bytes.len() {
            let room = self.room((bytes.len() - done).min(PIECE))?;
            let rest = bytes.get(done..).unwrap_or_default();
            let piece = rest.get(..room.min(PIECE)).unwrap_or(rest);
            if piece.is_empty() {
                break;
            }
            let position = own.load(Ordering::Relaxed);
            let (at, before_end) = self.end.at(position);
            let (first, second) = piece.split_at(before_end.min(piece.len()));
            memory.write(at, first);
            if !second.is_empty() {
                memory.write(region.body, second);
            }
            let position = position.wrapping_add(piece.len() as u64);
            own.store(position, Ordering::Relaxed);
            memory.u64_at(region.tail()).store(position, Ordering::Release);
            fence(Ordering::SeqCst);
            self.end.wake(region.reader_sleeping());
            done += piece.len();
        }
        Ok(done)
    }

    /// How many octets there is room for. Looks at the reader's position only if that seems to be
    /// fewer than `wanted`.
    #[inline]
    fn room(&self, wanted: usize) -> Result<usize, Corrupt> {
        let End { memory, region, own, seen, .. } = &self.end;
        let own = own.load(Ordering::Relaxed);
        // What was seen has been checked: never more than a ring's size behind.
        let room = |seen: u64| region.size - (own.wrapping_sub(seen) as usize).min(region.size);
        let known = room(seen.load(Ordering::Relaxed));
        if known >= wanted {
            return Ok(known);
        }
        let reader = memory.u64_at(region.read_position()).load(Ordering::Acquire);
        if own.wrapping_sub(reader) > region.size as u64 {
            return Err(Corrupt);
        }
        seen.store(reader, Ordering::Relaxed);
        Ok(room(reader))
    }

    /// Whether [`write`](Self::write) would do something, if only fail.
    pub(crate) fn is_ready(&self) -> bool {
        self.room(1) != Ok(0)
    }

    /// Whether the reader takes no more.
    #[inline]
    pub(crate) fn is_refused(&self) -> bool {
        let End { memory, region, .. } = &self.end;
        memory.u32_at(region.read_closed()).load(Ordering::Acquire) != 0
    }

    /// Sleeps until the reader has made room or takes no more, unless `ready` by then.
    pub(crate) fn wait_unless(&self, ready: impl FnOnce() -> bool, limit: Option<Duration>) {
        self.end.wait_unless(self.end.region.writer_sleeping(), ready, limit);
    }

    /// Wakes the thread that sleeps here, in this process, if it does by now.
    pub(crate) fn rouse(&self) {
        futex::wake(self.end.memory.u32_at(self.end.region.writer_sleeping()));
    }

    /// Whether there are buffers.
    #[cfg(feature = "buffers")]
    #[inline]
    pub(crate) fn has_buffers(&self) -> bool {
        self.buffers.is_some()
    }

    /// A free buffer for `len` octets.
    #[cfg(feature = "buffers")]
    pub(crate) fn loan(&self, len: usize) -> Option<SendBuffer> {
        self.buffers.as_ref()?.loan(&self.end, len)
    }

    /// Names a piece with `octets`, which the reader gets after the next `before` octets that are
    /// written: the octets as they lie if they are in a buffer, otherwise a copy of them. Returns
    /// `false`, and does nothing, if no buffer is free or too many pieces wait to be taken.
    pub(crate) fn send_piece(&self, before: usize, octets: &[u8]) -> bool {
        self.buffers.as_ref().is_some_and(|buffers| buffers.send(&self.end, before, octets))
    }

    /// Tells the reader that no more comes.
    pub(crate) fn close(&self) {
        let region = self.end.region;
        self.end.close(region.write_closed(), region.reader_sleeping());
    }
}

/// The end that octets are taken out of. One thread at a time uses it.
#[derive(Debug)]
pub(crate) struct Reader {
    end: End,
    buffers: Option<Incoming>,
    /// The own position when this last checked whether the writer sleeps.
    checked: AtomicU64,
}

impl Reader {
    pub(super) fn new(
        memory: &Arc<SharedMemory>,
        region: Region,
        buffers: Option<Incoming>,
    ) -> Self {
        let end = End::new(memory, region);
        if buffers.is_some() {
            Incoming::announce(&end);
        }
        Self { end, buffers, checked: AtomicU64::new(0) }
    }

    /// Takes out as many octets as there are and `buffer` holds, and says how many.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Result<usize, Corrupt> {
        let End { memory, region, own, seen, .. } = &self.end;
        let mut done = 0;
        while done < buffer.len() {
            let has_looked = seen.load(Ordering::Relaxed) == own.load(Ordering::Relaxed);
            let there = self.there()?;
            let rest = buffer.get_mut(done..).unwrap_or_default();
            let wanted = rest.len().min(there).min(PIECE);
            let Some(piece) = rest.get_mut(..wanted).filter(|piece| !piece.is_empty()) else {
                // What stands before a piece comes by itself, so that the piece can be borrowed.
                if BUFFERS && done == 0 && self.is_piece_named() {
                    done = self.read_piece(rest)?;
                }
                break;
            };
            let position = own.load(Ordering::Relaxed);
            let (at, before_end) = self.end.at(position);
            let (first, second) = piece.split_at_mut(before_end.min(wanted));
            memory.read(at, first);
            if !second.is_empty() {
                memory.read(region.body, second);
            }
            let position = position.wrapping_add(wanted as u64);
            own.store(position, Ordering::Relaxed);
            memory.u64_at(region.read_position()).store(position, Ordering::Release);
            self.made_room(position);
            done += wanted;
            // That was all when the writer's position was looked at, just now.
            if has_looked && wanted < PIECE {
                break;
            }
        }
        Ok(done)
    }

    /// Wakes the writer when there is room enough to be worth it: a quarter of the ring. It sleeps only
    /// with a full one, and saw then what had been taken by the last time that this looked, or more. So
    /// no more than what was taken since can be room that a sleeper knows nothing of, and this need not
    /// look for each message: its fence takes longer than the rest of a read.
    #[inline]
    fn made_room(&self, position: u64) {
        let checked = &self.checked;
        if position.wrapping_sub(checked.load(Ordering::Relaxed)) >= self.end.region.size as u64 / 4
        {
            checked.store(position, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            self.end.wake(self.end.region.writer_sleeping());
        }
    }

    /// How many octets are there. Looks at the writer's position only if none seem to be; when there
    /// are none, asks for the lines where the next will lie, as is of use to who looks again and again.
    /// They come together with the position then, and not after it.
    #[inline]
    fn there(&self) -> Result<usize, Corrupt> {
        let End { memory, region, own, seen, .. } = &self.end;
        let own = own.load(Ordering::Relaxed);
        // What was seen has been checked: never more than a ring's size ahead.
        let known = seen.load(Ordering::Relaxed).wrapping_sub(own) as usize;
        if known != 0 {
            return Ok(known.min(region.size));
        }
        let writer = memory.u64_at(region.tail()).load(Ordering::Acquire);
        if writer == own {
            self.prefetch(own);
            return Ok(0);
        }
        if writer.wrapping_sub(own) > region.size as u64 {
            return Err(Corrupt);
        }
        let known = match &self.buffers {
            Some(incoming) if BUFFERS => incoming.limit(&self.end, own, writer),
            _ => writer,
        };
        seen.store(known, Ordering::Relaxed);
        Ok(known.wrapping_sub(own) as usize)
    }

    #[inline]
    fn prefetch(&self, position: u64) {
        for line in 0..LINES_AHEAD {
            let (at, _) = self.end.at(position.wrapping_add((line * LINE) as u64));
            self.end.memory.prefetch(at);
        }
    }

    /// Whether [`read`](Self::read) would find nothing, and the writer has not ended: a look that takes a
    /// few instructions, for who makes one after the other.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        let End { memory, region, own, seen, .. } = &self.end;
        let own = own.load(Ordering::Relaxed);
        let is_quiet = seen.load(Ordering::Relaxed) == own
            && memory.u64_at(region.tail()).load(Ordering::Acquire) == own
            && !self.is_ended()
            && !self.is_piece_named();
        if is_quiet {
            self.prefetch(own);
        }
        is_quiet
    }

    /// Whether [`read`](Self::read) would do something, if only fail.
    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        let has_piece = |incoming: &Incoming| incoming.has_piece(&self.end);
        self.there() != Ok(0) || self.buffers.as_ref().is_some_and(has_piece)
    }

    /// Whether the writer has named a piece that has not been taken.
    #[inline]
    fn is_piece_named(&self) -> bool {
        self.buffers.as_ref().is_some_and(|incoming| incoming.is_named(&self.end))
    }

    /// Copies octets of the next piece to `target`, if one comes now; returns how many.
    fn read_piece(&self, target: &mut [u8]) -> Result<usize, Corrupt> {
        match &self.buffers {
            Some(incoming) if self.there()? == 0 => incoming.read(&self.end, target),
            _ => Ok(0),
        }
    }

    /// Takes the piece that comes next, if it has `len` octets and its writer is trusted.
    #[cfg(feature = "buffers")]
    pub(crate) fn borrow(&self, len: usize) -> Option<ReceivedBuffer> {
        match self.there() {
            Ok(0) => self.buffers.as_ref()?.borrow(&self.end, len),
            _ => None,
        }
    }

    /// Whether no more comes than is there: look at this first.
    #[inline]
    pub(crate) fn is_ended(&self) -> bool {
        let End { memory, region, .. } = &self.end;
        memory.u32_at(region.write_closed()).load(Ordering::Acquire) != 0
    }

    /// Sleeps until the writer has put something in or ended, unless `ready` by then.
    pub(crate) fn wait_unless(&self, ready: impl FnOnce() -> bool, limit: Option<Duration>) {
        self.end.wait_unless(self.end.region.reader_sleeping(), ready, limit);
    }

    /// Wakes the thread that sleeps here, in this process, if it does by now.
    pub(crate) fn rouse(&self) {
        futex::wake(self.end.memory.u32_at(self.end.region.reader_sleeping()));
    }

    /// Tells the writer that no more is taken.
    pub(crate) fn close(&self) {
        let region = self.end.region;
        self.end.close(region.read_closed(), region.writer_sleeping());
    }
}
