//! Runs of octets that bypass the ring, in buffers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::end::{Corrupt, End};
use super::platform::buffers::{
    Piece, ReceiveBuffers, ReceivedBuffer, SameUser, SendBuffer, SendBuffers,
};

/// The buffers that a writer fills.
#[derive(Debug)]
pub(crate) struct Outgoing(pub(crate) Arc<SendBuffers>);

impl Outgoing {
    pub(crate) fn new(buffers: Arc<SendBuffers>) -> Self {
        Self(buffers)
    }

    /// Whether the reader takes pieces.
    fn is_accepted(end: &End) -> bool {
        let End { memory, region, .. } = end;
        !region.is_of_replies() || memory.u32_at(region.takes_pieces()).load(Ordering::Acquire) != 0
    }

    /// A free buffer for `len` octets.
    pub(super) fn loan(&self, end: &End, len: usize) -> Option<SendBuffer> {
        if Self::is_accepted(end) { self.0.take(len) } else { None }
    }

    /// See [`Writer::send_piece`](super::half::Writer::send_piece).
    pub(super) fn send(&self, end: &End, before: usize, octets: &[u8]) -> bool {
        if !Self::is_accepted(end) {
            return false;
        }
        let Self(buffers) = self;
        let End { memory, region, own, pieces, .. } = end;
        let number = pieces.load(Ordering::Relaxed);
        let taken = memory.u32_at(region.taken()).load(Ordering::Acquire);
        if number.wrapping_sub(taken) >= region.queue_len() {
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
        let (at, name) = region.name(number);
        memory.u64_at(at).store(position, Ordering::Relaxed);
        memory.u64_at(name).store(piece.to_word(), Ordering::Relaxed);
        let number = number.wrapping_add(1);
        pieces.store(number, Ordering::Relaxed);
        memory.u32_at(region.named()).store(number, Ordering::Release);
        true
    }
}

/// The buffers that the peer of a reader fills.
#[derive(Debug)]
pub(crate) struct Incoming {
    buffers: Arc<ReceiveBuffers>,
    /// Octets of a peer without it are copied.
    trust: Option<SameUser>,
    /// How many octets of the next piece have been copied.
    done: AtomicUsize,
}

impl Incoming {
    pub(crate) fn new(buffers: Arc<ReceiveBuffers>, trust: Option<SameUser>) -> Self {
        Self { buffers, trust, done: AtomicUsize::new(0) }
    }

    /// Informs the writer that the reader takes pieces.
    pub(super) fn announce(end: &End) {
        end.memory.u32_at(end.region.takes_pieces()).store(1, Ordering::Release);
    }

    /// The position up to which the ring is to be read: that of the next piece, if it comes before
    /// `writer`. The octets before a piece that comes later have not been written yet.
    pub(super) fn limit(&self, end: &End, own: u64, writer: u64) -> u64 {
        match self.next_name(end) {
            Some((at, _)) if at.wrapping_sub(own) <= writer.wrapping_sub(own) => at,
            _ => writer,
        }
    }

    /// Whether the writer has named a piece that has not been taken.
    pub(super) fn is_named(&self, end: &End) -> bool {
        let End { memory, region, pieces, .. } = end;
        let named = memory.u32_at(region.named()).load(Ordering::Acquire);
        named != pieces.load(Ordering::Relaxed)
    }

    /// The position of the next piece and its name, if there is one.
    fn next_name(&self, end: &End) -> Option<(u64, u64)> {
        if !self.is_named(end) {
            return None;
        }
        let End { memory, region, pieces, .. } = end;
        let (at, name) = region.name(pieces.load(Ordering::Relaxed));
        let read = |at| memory.u64_at(at).load(Ordering::Relaxed);
        Some((read(at), read(name)))
    }

    /// The piece at the current position.
    fn piece(&self, end: &End) -> Result<Option<Piece>, Corrupt> {
        match self.next_name(end) {
            Some((at, name)) if at == end.own.load(Ordering::Relaxed) => {
                self.buffers.piece(name).map(Some).ok_or(Corrupt)
            }
            _ => Ok(None),
        }
    }

    /// Whether a piece comes next.
    pub(super) fn has_piece(&self, end: &End) -> bool {
        !matches!(self.piece(end), Ok(None))
    }

    /// Copies octets of the piece that comes next, if one does; returns how many.
    pub(super) fn read(&self, end: &End, target: &mut [u8]) -> Result<usize, Corrupt> {
        let Some(piece) = self.piece(end)? else { return Ok(0) };
        let done = self.done.load(Ordering::Relaxed);
        let count = self.buffers.read(piece, done, target);
        // The peer may have replaced it by a shorter one.
        if count == 0 || done + count >= piece.len() {
            self.done.store(0, Ordering::Relaxed);
            Self::count_taken(end);
            self.buffers.return_piece(piece);
        } else {
            self.done.store(done + count, Ordering::Relaxed);
        }
        Ok(count)
    }

    /// Takes the piece that comes next, if it has `len` octets and its writer is trusted.
    pub(super) fn borrow(&self, end: &End, len: usize) -> Option<ReceivedBuffer> {
        let piece = self.piece(end).ok()??;
        if piece.len() != len || self.done.load(Ordering::Relaxed) != 0 {
            return None;
        }
        let loan = self.buffers.loan(piece, self.trust?);
        Self::count_taken(end);
        Some(loan)
    }

    /// Counts the next piece as taken.
    fn count_taken(end: &End) {
        let End { memory, region, pieces, .. } = end;
        let taken = pieces.load(Ordering::Relaxed).wrapping_add(1);
        pieces.store(taken, Ordering::Relaxed);
        memory.u32_at(region.taken()).store(taken, Ordering::Release);
    }
}
