//! The two ends of a ring.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[cfg(feature = "buffers")]
use super::platform::Count;
use super::platform::{AtomicU64, SharedMemory, fence, futex};
use super::{Incoming, Outgoing, Place};
use crate::BUFFERS;

/// The most octets that are moved before their number is published, so that the two sides work at
/// the same time on a message longer than this.
const PIECE: usize = 16 << 10;

/// Octets that the processor moves at a time.
const LINE: usize = 64;

/// How many lines a reader asks for ahead of a message: those of a request with a few arguments.
const LINES_AHEAD: usize = 2;

/// The peer has published a position that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Corrupt;

/// What both ends have: the memory, the own position, and the peer's as it was last seen.
#[derive(Debug)]
pub(super) struct End {
    pub(super) memory: Arc<SharedMemory>,
    pub(super) place: Place,
    pub(super) own: AtomicU64,
    seen: AtomicU64,
    /// Pieces named or taken at this end.
    #[cfg(feature = "buffers")]
    pub(super) pieces: Count,
}

impl End {
    fn new(memory: &Arc<SharedMemory>, place: Place) -> Self {
        Self {
            memory: Arc::clone(memory),
            place,
            own: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            #[cfg(feature = "buffers")]
            pieces: Count::new(0),
        }
    }

    /// The octet of the memory at a position, and how many follow before the ring's end.
    #[inline]
    fn at(&self, position: u64) -> (usize, usize) {
        let size = self.place.size;
        let offset = position as usize & (size - 1);
        (self.place.body + offset, size - offset)
    }

    /// Sets a word and wakes who sleeps on `sleeping`.
    fn close(&self, closed: usize, sleeping: usize) {
        self.memory.u32_at(closed).store(1, Ordering::Release);
        fence(Ordering::SeqCst);
        self.wake(sleeping);
    }

    /// Wakes who sleeps on `sleeping`, if somebody does. Comes after a fence.
    #[inline]
    fn wake(&self, sleeping: usize) {
        let word = self.memory.u32_at(sleeping);
        if word.load(Ordering::Relaxed) != 0 {
            word.store(0, Ordering::Relaxed);
            futex::wake(word);
        }
    }

    /// Sleeps on the word `sleeping` unless `ready` by the time it is set.
    fn wait_unless(&self, sleeping: usize, ready: impl FnOnce() -> bool, limit: Option<Duration>) {
        let word = self.memory.u32_at(sleeping);
        word.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if !ready() {
            futex::wait(word, 1, limit);
        }
        word.store(0, Ordering::Relaxed);
    }
}

/// The end that octets are put into. One thread at a time uses it.
#[derive(Debug)]
pub(crate) struct Writer(pub(super) End, pub(super) Option<Outgoing>);

impl Writer {
    pub(super) fn new(memory: &Arc<SharedMemory>, place: Place, buffers: Option<Outgoing>) -> Self {
        Self(End::new(memory, place), buffers)
    }

    /// Puts in as many of `bytes` as there is room for, and says how many.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<usize, Corrupt> {
        let End { memory, place, own, .. } = &self.0;
        let mut done = 0;
        while done < bytes.len() {
            let room = self.room((bytes.len() - done).min(PIECE))?;
            let rest = bytes.get(done..).unwrap_or_default();
            let piece = rest.get(..room.min(PIECE)).unwrap_or(rest);
            if piece.is_empty() {
                break;
            }
            let position = own.load(Ordering::Relaxed);
            let (at, before_end) = self.0.at(position);
            let (first, second) = piece.split_at(before_end.min(piece.len()));
            memory.write(at, first);
            if !second.is_empty() {
                memory.write(place.body, second);
            }
            let position = position.wrapping_add(piece.len() as u64);
            own.store(position, Ordering::Relaxed);
            memory.u64_at(place.tail()).store(position, Ordering::Release);
            fence(Ordering::SeqCst);
            self.0.wake(place.reader_sleeping());
            done += piece.len();
        }
        Ok(done)
    }

    /// How many octets there is room for. Looks at the reader's position only if that seems to be
    /// fewer than `wanted`.
    #[inline]
    fn room(&self, wanted: usize) -> Result<usize, Corrupt> {
        let End { memory, place, own, seen, .. } = &self.0;
        let own = own.load(Ordering::Relaxed);
        // What was seen has been checked: never more than a ring's size behind.
        let room = |seen: u64| place.size - (own.wrapping_sub(seen) as usize).min(place.size);
        let known = room(seen.load(Ordering::Relaxed));
        if known >= wanted {
            return Ok(known);
        }
        let reader = memory.u64_at(place.read_position()).load(Ordering::Acquire);
        if own.wrapping_sub(reader) > place.size as u64 {
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
        let End { memory, place, .. } = &self.0;
        memory.u32_at(place.read_closed()).load(Ordering::Acquire) != 0
    }

    /// Sleeps until the reader has made room or takes no more, unless `ready` by then.
    pub(crate) fn wait_unless(&self, ready: impl FnOnce() -> bool, limit: Option<Duration>) {
        self.0.wait_unless(self.0.place.writer_sleeping(), ready, limit);
    }

    /// Wakes the thread that sleeps here, in this process, if it does by now.
    pub(crate) fn rouse(&self) {
        futex::wake(self.0.memory.u32_at(self.0.place.writer_sleeping()));
    }

    /// Tells the reader that no more comes.
    pub(crate) fn close(&self) {
        let place = self.0.place;
        self.0.close(place.write_closed(), place.reader_sleeping());
    }
}

/// The end that octets are taken out of. One thread at a time uses it.
#[derive(Debug)]
pub(crate) struct Reader(pub(super) End, pub(super) Option<Incoming>, Checked);

/// The position that was published when it was last looked whether the writer sleeps.
#[derive(Debug, Default)]
struct Checked(AtomicU64);

impl Reader {
    pub(super) fn new(memory: &Arc<SharedMemory>, place: Place, buffers: Option<Incoming>) -> Self {
        let reader = Self(End::new(memory, place), buffers, Checked::default());
        reader.announce_pieces();
        reader
    }

    /// Takes out as many octets as there are and `buffer` holds, and says how many.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Result<usize, Corrupt> {
        let End { memory, place, own, seen, .. } = &self.0;
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
            let (at, before_end) = self.0.at(position);
            let (first, second) = piece.split_at_mut(before_end.min(wanted));
            memory.read(at, first);
            if !second.is_empty() {
                memory.read(place.body, second);
            }
            let position = position.wrapping_add(wanted as u64);
            own.store(position, Ordering::Relaxed);
            memory.u64_at(place.read_position()).store(position, Ordering::Release);
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
        let Checked(checked) = &self.2;
        if position.wrapping_sub(checked.load(Ordering::Relaxed)) >= self.0.place.size as u64 / 4 {
            checked.store(position, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            self.0.wake(self.0.place.writer_sleeping());
        }
    }

    /// How many octets are there. Looks at the writer's position only if none seem to be; when there
    /// are none, asks for the lines where the next will lie, as is of use to who looks again and again.
    /// They come together with the position then, and not after it.
    #[inline]
    pub(super) fn there(&self) -> Result<usize, Corrupt> {
        let End { memory, place, own, seen, .. } = &self.0;
        let own = own.load(Ordering::Relaxed);
        // What was seen has been checked: never more than a ring's size ahead.
        let known = seen.load(Ordering::Relaxed).wrapping_sub(own) as usize;
        if known != 0 {
            return Ok(known.min(place.size));
        }
        let writer = memory.u64_at(place.tail()).load(Ordering::Acquire);
        if writer == own {
            self.fetch_ahead(own);
            return Ok(0);
        }
        if writer.wrapping_sub(own) > place.size as u64 {
            return Err(Corrupt);
        }
        let known =
            if BUFFERS && self.is_piece_named() { self.before_piece(own, writer) } else { writer };
        seen.store(known, Ordering::Relaxed);
        Ok(known.wrapping_sub(own) as usize)
    }

    #[inline]
    fn fetch_ahead(&self, position: u64) {
        for line in 0..LINES_AHEAD {
            let (at, _) = self.0.at(position.wrapping_add((line * LINE) as u64));
            self.0.memory.fetch_ahead(at);
        }
    }

    /// Whether [`read`](Self::read) would find nothing, and the writer has not ended: a look that takes a
    /// few instructions, for who makes one after the other.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        let End { memory, place, own, seen, .. } = &self.0;
        let own = own.load(Ordering::Relaxed);
        let is_quiet = seen.load(Ordering::Relaxed) == own
            && memory.u64_at(place.tail()).load(Ordering::Acquire) == own
            && !self.is_ended()
            && !self.is_piece_named();
        if is_quiet {
            self.fetch_ahead(own);
        }
        is_quiet
    }

    /// Whether [`read`](Self::read) would do something, if only fail.
    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        self.there() != Ok(0) || self.has_piece()
    }

    /// Whether no more comes than is there: look at this first.
    #[inline]
    pub(crate) fn is_ended(&self) -> bool {
        let End { memory, place, .. } = &self.0;
        memory.u32_at(place.write_closed()).load(Ordering::Acquire) != 0
    }

    /// Sleeps until the writer has put something in or ended, unless `ready` by then.
    pub(crate) fn wait_unless(&self, ready: impl FnOnce() -> bool, limit: Option<Duration>) {
        self.0.wait_unless(self.0.place.reader_sleeping(), ready, limit);
    }

    /// Wakes the thread that sleeps here, in this process, if it does by now.
    pub(crate) fn rouse(&self) {
        futex::wake(self.0.memory.u32_at(self.0.place.reader_sleeping()));
    }

    /// Tells the writer that no more is taken.
    pub(crate) fn close(&self) {
        let place = self.0.place;
        self.0.close(place.read_closed(), place.writer_sleeping());
    }
}
