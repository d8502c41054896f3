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

/// The maximum number of octets between two publications, so that both sides work in parallel on a
/// longer message.
const PIECE: usize = 16 << 10;

/// The size of a cache line.
const LINE: usize = 64;

/// The number of cache lines that a reader prefetches: a request with a few arguments.
const LINES_AHEAD: usize = 2;

/// The writing end. Used by one thread at a time.
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

    /// Writes as many of `bytes` as there is room for; returns their number.
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

    /// The free space in octets. Loads the reader's position only if the known space is less than
    /// `wanted`.
    fn room(&self, wanted: usize) -> Result<usize, Corrupt> {
        let End { memory, region, own, seen, .. } = &self.end;
        let own = own.load(Ordering::Relaxed);
        // The known position was checked: it is at most a ring's size behind.
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

    /// Whether [`write`](Self::write) would do something or fail.
    pub(crate) fn is_ready(&self) -> bool {
        self.room(1) != Ok(0)
    }

    /// Whether the reader has closed its end.
    pub(crate) fn is_refused(&self) -> bool {
        let End { memory, region, .. } = &self.end;
        memory.u32_at(region.read_closed()).load(Ordering::Acquire) != 0
    }

    /// Sleeps until the reader has made room or closed its end, unless `ready` returns true.
    pub(crate) fn wait_unless(&self, ready: impl FnOnce() -> bool, limit: Option<Duration>) {
        self.end.wait_unless(self.end.region.writer_sleeping(), ready, limit);
    }

    /// Wakes the thread of this process that sleeps here.
    pub(crate) fn wake_sleepers(&self) {
        futex::wake(self.end.memory.u32_at(self.end.region.writer_sleeping()));
    }

    /// Whether there are buffers.
    #[cfg(feature = "buffers")]
    pub(crate) fn has_buffers(&self) -> bool {
        self.buffers.is_some()
    }

    /// A free buffer for `len` octets.
    #[cfg(feature = "buffers")]
    pub(crate) fn loan(&self, len: usize) -> Option<SendBuffer> {
        self.buffers.as_ref()?.loan(&self.end, len)
    }

    /// Names a piece with `octets`, which the reader gets after the next `before` octets that are
    /// written. Octets in a loaned buffer are sent in place, others are copied into a buffer.
    /// Returns `false` without any effect if no buffer is free or too many pieces wait to be taken.
    pub(crate) fn send_piece(&self, before: usize, octets: &[u8]) -> bool {
        self.buffers.as_ref().is_some_and(|buffers| buffers.send(&self.end, before, octets))
    }

    /// Closes the end and wakes the reader.
    pub(crate) fn close(&self) {
        let region = self.end.region;
        self.end.close(region.write_closed(), region.reader_sleeping());
    }
}

/// The reading end. Used by one thread at a time.
#[derive(Debug)]
pub(crate) struct Reader {
    end: End,
    buffers: Option<Incoming>,
    /// The own position at the last check whether the writer sleeps.
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

    /// Reads as many octets as are available and fit into `buffer`; returns their number.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Result<usize, Corrupt> {
        let End { memory, region, own, seen, .. } = &self.end;
        let mut done = 0;
        while done < buffer.len() {
            let has_looked = seen.load(Ordering::Relaxed) == own.load(Ordering::Relaxed);
            let available = self.available()?;
            let rest = buffer.get_mut(done..).unwrap_or_default();
            let wanted = rest.len().min(available).min(PIECE);
            let Some(piece) = rest.get_mut(..wanted).filter(|piece| !piece.is_empty()) else {
                // The octets before a piece are returned separately, so that the piece can be
                // borrowed.
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
            // The writer's position was loaded just now, and everything up to it was read.
            if has_looked && wanted < PIECE {
                break;
            }
        }
        Ok(done)
    }

    /// Wakes the writer when a quarter of the ring is free. The writer sleeps only if the ring is
    /// full, and it then knew the position of the last check or a later one. The room that it does
    /// not know of is at most what was read since, so a check per message is unnecessary: its fence
    /// takes longer than the rest of a read.
    fn made_room(&self, position: u64) {
        let checked = &self.checked;
        if position.wrapping_sub(checked.load(Ordering::Relaxed)) >= self.end.region.size as u64 / 4
        {
            checked.store(position, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            self.end.wake(self.end.region.writer_sleeping());
        }
    }

    /// The number of available octets. Loads the writer's position only if no octets are known; if
    /// there are none, prefetches the lines of the next octets for a busy-waiting thread, so that
    /// they arrive together with the position.
    fn available(&self) -> Result<usize, Corrupt> {
        let End { memory, region, own, seen, .. } = &self.end;
        let own = own.load(Ordering::Relaxed);
        // The known position was checked: it is at most a ring's size ahead.
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

    fn prefetch(&self, position: u64) {
        for line in 0..LINES_AHEAD {
            let (at, _) = self.end.at(position.wrapping_add((line * LINE) as u64));
            self.end.memory.prefetch(at);
        }
    }

    /// Whether [`read`](Self::read) would find nothing and the writer has not closed its end: a
    /// check of a few instructions for busy-waiting.
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

    /// Whether [`read`](Self::read) would do something or fail.
    pub(crate) fn is_ready(&self) -> bool {
        let has_piece = |incoming: &Incoming| incoming.has_piece(&self.end);
        self.available() != Ok(0) || self.buffers.as_ref().is_some_and(has_piece)
    }

    /// Whether the writer has named a piece that has not been taken.
    fn is_piece_named(&self) -> bool {
        self.buffers.as_ref().is_some_and(|incoming| incoming.is_named(&self.end))
    }

    /// Copies octets of the next piece to `target`, if one comes now; returns how many.
    fn read_piece(&self, target: &mut [u8]) -> Result<usize, Corrupt> {
        match &self.buffers {
            Some(incoming) if self.available()? == 0 => incoming.read(&self.end, target),
            _ => Ok(0),
        }
    }

    /// Takes the piece that comes next, if it has `len` octets and its writer is trusted.
    #[cfg(feature = "buffers")]
    pub(crate) fn borrow(&self, len: usize) -> Option<ReceivedBuffer> {
        match self.available() {
            Ok(0) => self.buffers.as_ref()?.borrow(&self.end, len),
            _ => None,
        }
    }

    /// Whether the writer has closed its end. Check this before reading the last octets.
    pub(crate) fn is_ended(&self) -> bool {
        let End { memory, region, .. } = &self.end;
        memory.u32_at(region.write_closed()).load(Ordering::Acquire) != 0
    }

    /// Sleeps until the writer has written something or closed its end, unless `ready` returns
    /// true.
    pub(crate) fn wait_unless(&self, ready: impl FnOnce() -> bool, limit: Option<Duration>) {
        self.end.wait_unless(self.end.region.reader_sleeping(), ready, limit);
    }

    /// Wakes the thread of this process that sleeps here.
    pub(crate) fn wake_sleepers(&self) {
        futex::wake(self.end.memory.u32_at(self.end.region.reader_sleeping()));
    }

    /// Closes the end and wakes the writer.
    pub(crate) fn close(&self) {
        let region = self.end.region;
        self.end.close(region.read_closed(), region.writer_sleeping());
    }
}
