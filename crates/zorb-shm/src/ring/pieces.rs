//! Runs of octets that go past the ring, in buffers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Place;
use super::half::{Corrupt, End, Reader, Writer};
use super::platform::buffers::{
    Piece, ReceiveBuffers, ReceivedBuffer, SameUser, SendBuffer, SendBuffers,
};

/// What a writer has of buffers: those that it fills.
pub(crate) type Outgoing = Arc<SendBuffers>;

/// What a reader has of the buffers that its peer fills.
#[derive(Debug)]
pub(crate) struct Incoming {
    buffers: Arc<ReceiveBuffers>,
    /// Without it octets are copied out.
    trust: Option<SameUser>,
    /// How many octets of the next piece have been copied out.
    done: AtomicUsize,
}

impl Incoming {
    pub(crate) fn new(buffers: Arc<ReceiveBuffers>, trust: Option<SameUser>) -> Self {
        Self { buffers, trust, done: AtomicUsize::new(0) }
    }
}

impl Writer {
    /// Whether there are buffers.
    #[inline]
    pub(crate) fn has_buffers(&self) -> bool {
        self.1.is_some()
    }

    /// The buffers, if the reader takes pieces of them.
    fn buffers(&self) -> Option<&Outgoing> {
        let End { memory, place, .. } = &self.0;
        let taken = !place.is_of_replies()
            || memory.u32_at(place.takes_pieces()).load(Ordering::Acquire) != 0;
        self.1.as_ref().filter(|_| taken)
    }

    /// A free buffer for so many octets.
    pub(crate) fn loan(&self, len: usize) -> Option<SendBuffer> {
        self.buffers()?.take(len)
    }

    /// Has `octets` follow the next `before` octets that are written, as a piece: as it lies if it is
    /// in a buffer, otherwise by a copy into one. `false`, and nothing done, when no buffer is free or
    /// too many pieces wait to be taken.
    pub(crate) fn send_piece(&self, before: usize, octets: &[u8]) -> bool {
        let Some(buffers) = self.buffers() else { return false };
        let End { memory, place, own, pieces, .. } = &self.0;
        let number = pieces.load(Ordering::Relaxed);
        let taken = memory.u32_at(place.taken()).load(Ordering::Acquire);
        if number.wrapping_sub(taken) >= place.queue_len() {
            return false;
        }
        let copied = match buffers.piece(octets) {
            Some(_) => None,
            None => match buffers.take(octets.len()) {
                Some(mut buffer) => buffer.fill(octets).then_some(buffer),
                None => return false,
            },
        };
        let Some(piece) = buffers.piece(copied.as_deref().unwrap_or(octets)) else { return false };
        buffers.will_send(piece);
        let position = own.load(Ordering::Relaxed).wrapping_add(before as u64);
        let (at, name) = place.name(number);
        memory.u64_at(at).store(position, Ordering::Relaxed);
        memory.u64_at(name).store(piece.to_word(), Ordering::Relaxed);
        let number = number.wrapping_add(1);
        pieces.store(number, Ordering::Relaxed);
        memory.u32_at(place.named()).store(number, Ordering::Release);
        true
    }
}

impl Reader {
    /// Tells the writer that pieces are taken.
    pub(super) fn announce_pieces(&self) {
        if self.1.is_some() {
            let End { memory, place, .. } = &self.0;
            memory.u32_at(place.takes_pieces()).store(1, Ordering::Release);
        }
    }

    /// The position up to which the ring is to be read: that of the next piece, if one comes before
    /// `writer`. One that comes later was named, but what stands before it is not there yet.
    #[inline(never)]
    pub(super) fn before_piece(&self, own: u64, writer: u64) -> u64 {
        match self.next_name() {
            Some((at, _)) if at.wrapping_sub(own) <= writer.wrapping_sub(own) => at,
            _ => writer,
        }
    }

    /// Whether a piece was named that has not been taken.
    #[inline]
    pub(super) fn is_piece_named(&self) -> bool {
        let End { memory, place, pieces, .. } = &self.0;
        let named = || memory.u32_at(place.named()).load(Ordering::Acquire);
        self.1.is_some() && named() != pieces.load(Ordering::Relaxed)
    }

    /// Where the next piece comes, and which one it is, if one was named.
    fn next_name(&self) -> Option<(u64, u64)> {
        if !self.is_piece_named() {
            return None;
        }
        let End { memory, place, pieces, .. } = &self.0;
        let taken = pieces.load(Ordering::Relaxed);
        let (at, name) = Place::name(*place, taken);
        let read = |at| memory.u64_at(at).load(Ordering::Relaxed);
        Some((read(at), read(name)))
    }

    /// The piece that comes next, now.
    fn piece(&self) -> Result<Option<(&Incoming, Piece)>, Corrupt> {
        let Some(incoming) = self.1.as_ref() else { return Ok(None) };
        match self.next_name() {
            Some((at, name)) if at == self.0.own.load(Ordering::Relaxed) => {
                let piece = incoming.buffers.piece(name).ok_or(Corrupt)?;
                Ok(Some((incoming, piece)))
            }
            _ => Ok(None),
        }
    }

    /// Whether a piece comes next.
    pub(super) fn has_piece(&self) -> bool {
        !matches!(self.piece(), Ok(None))
    }

    /// Copies octets out of the piece that comes next, if one does, and says how many.
    #[cold]
    pub(super) fn read_piece(&self, target: &mut [u8]) -> Result<usize, Corrupt> {
        if self.there()? != 0 {
            return Ok(0);
        }
        let Some((incoming, piece)) = self.piece()? else { return Ok(0) };
        let done = incoming.done.load(Ordering::Relaxed);
        let count = incoming.buffers.read(piece, done, target);
        // The peer may have put another, shorter one into its place.
        if count == 0 || done + count >= piece.len() {
            incoming.done.store(0, Ordering::Relaxed);
            self.taken();
            incoming.buffers.give_back(piece);
        } else {
            incoming.done.store(done + count, Ordering::Relaxed);
        }
        Ok(count)
    }

    /// Takes the piece that comes next, if it has `len` octets and its writer is trusted.
    pub(crate) fn borrow(&self, len: usize) -> Option<ReceivedBuffer> {
        if self.there() != Ok(0) {
            return None;
        }
        let (incoming, piece) = self.piece().ok()??;
        if piece.len() != len || incoming.done.load(Ordering::Relaxed) != 0 {
            return None;
        }
        let lent = incoming.buffers.lend(piece, incoming.trust?);
        self.taken();
        Some(lent)
    }

    /// Takes note that the next piece was taken.
    fn taken(&self) {
        let End { memory, place, pieces, .. } = &self.0;
        let taken = pieces.load(Ordering::Relaxed).wrapping_add(1);
        pieces.store(taken, Ordering::Relaxed);
        memory.u32_at(place.taken()).store(taken, Ordering::Release);
    }
}
