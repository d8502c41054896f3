//! Receiving several replies together while no caller waits for them: the reader, which has just received, pauses
//! before it waits for further ones. Otherwise each reply would wake it, which takes longer than everything else about
//! a reply, and takes the processor from the thread that is still sending.
//!
//! A caller that waits meanwhile receives itself. The reader does not pause while a waker or a function is registered
//! for the end of a request, or a thread polls for it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use zorb_os::lock::Locked;
use zorb_os::poll::Arrivals;

use super::pending_request::Reader;
use super::reader::Reading;
use super::{MultiplexedConnection, State};
use crate::client::connection::LastReceived;

/// How long replies gather that nobody waits for.
const GATHERING: Duration = Duration::from_millis(1);

/// Octets that are received at once from which on the reader receives the next ones without a pause, in which the stream
/// could fill.
const MANY: usize = 16 << 10;

impl MultiplexedConnection {
    /// Receives at once what arrives from now on, until no request is pending: somebody who does not receive is to be told
    /// that one has ended, or looks for that. Called while one is pending.
    #[inline]
    pub(in crate::client) fn watch(&self) {
        if !self.is_watched() {
            self.begin_to_watch();
        }
    }

    /// Whether what arrives is received at once.
    #[inline]
    pub(in crate::client) fn is_watched(&self) -> bool {
        self.is_watched.load(Ordering::Relaxed)
    }

    #[cold]
    fn begin_to_watch(&self) {
        self.watch_in(&mut self.state());
    }

    /// The same with the state locked.
    pub(super) fn watch_in(&self, state: &mut State) {
        self.is_watched.store(true, Ordering::Relaxed);
        if state.pending.reader == Reader::Gathers {
            self.wake_reader(state);
        }
    }

    /// Nobody watches, as no request is pending. Called with the state locked.
    pub(super) fn end_watching(&self) {
        self.is_watched.store(false, Ordering::Relaxed);
    }

    /// Whether further replies may gather after so many octets have been received, which were all.
    pub(super) fn lets_gather(&self, received: usize) -> bool {
        received < MANY && !self.is_watched()
    }

    /// Lets replies gather, at most for `limit`. Ends the request of the reply that was received last before that.
    pub(super) fn gather<'s>(
        &'s self,
        mut state: Locked<'s, State>,
        arrivals: &Arrivals,
        limit: Option<Duration>,
        reading: &mut Reading,
    ) -> Locked<'s, State> {
        state.pending.reader = Reader::Gathers;
        drop(state);
        self.end_received(reading);
        // If it fails, the reader waits for the next one at once.
        let _ = arrivals.pause(limit.map_or(GATHERING, |limit| limit.min(GATHERING)));
        let mut state = self.state();
        state.pending.reader = Reader::Runs;
        reading.now = LastReceived::now();
        state
    }
}

#[cfg(test)]
mod tests;
