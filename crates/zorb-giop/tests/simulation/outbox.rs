//! The messages that one side is sending, in pieces that may overtake each other.

use std::collections::VecDeque;

use zorb_giop::fragments;

use super::network::Pipe;
use super::random::Random;

/// A message, or the fragments of one; `T` says what it is.
#[derive(Debug)]
struct Sending<T> {
    what: T,
    pieces: VecDeque<Vec<u8>>,
    begun: bool,
}

/// The messages that have not been sent yet. Fragments of one go between those of others.
#[derive(Debug)]
pub(crate) struct Outbox<T> {
    messages: Vec<Sending<T>>,
}

impl<T> Default for Outbox<T> {
    fn default() -> Self {
        Self { messages: Vec::new() }
    }
}

impl<T> Outbox<T> {
    pub(crate) fn put(&mut self, what: T, message: &[u8], random: &mut Random) {
        let pieces = if random.once_in(3) {
            let most = 24 + random.below(200);
            let whole =
                |piece: zorb_giop::FragmentPiece<'_>| [piece.header(), piece.payload].concat();
            fragments(message, most).map(whole).collect()
        } else {
            [message.to_vec()].into()
        };
        self.messages.push(Sending { what, pieces, begun: false });
    }

    /// Sends a piece of any of them; what it was if it was the last.
    pub(crate) fn send_piece(
        &mut self,
        pipe: &mut Pipe,
        now: u64,
        random: &mut Random,
    ) -> Option<T> {
        if !pipe.has_room() || self.messages.is_empty() {
            return None;
        }
        let index = random.below(self.messages.len());
        let message = &mut self.messages[index];
        let piece = message.pieces.pop_front()?;
        message.begun = true;
        pipe.send(&piece, now, random);
        message.pieces.is_empty().then(|| self.messages.remove(index).what)
    }

    /// Takes a message out, and says whether a part of it has been sent.
    pub(crate) fn withdraw(&mut self, is_it: impl Fn(&T) -> bool) -> Option<(T, bool)> {
        let index = self.messages.iter().position(|message| is_it(&message.what))?;
        let message = self.messages.remove(index);
        Some((message.what, message.begun))
    }

    /// Takes any of them out.
    pub(crate) fn take(&mut self) -> Option<T> {
        self.messages.pop().map(|message| message.what)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}
