//! A client that calls without a pause, and has the server for itself.

use core::time::Duration;

use super::lane::Lane;
use crate::link::Link;
use crate::time::Moment;

/// The next request is waited for at the client's connection alone if the last two came within this time, and for at most
/// this time. Other clients wait as long to be accepted.
pub(super) const PAUSE: Duration = Duration::from_millis(4);

/// When requests came, and when all sockets were last waited for.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    polled: Moment,
    received: Moment,
    is_short: bool,
}

impl Pauses {
    /// Notes that all sockets have been waited for.
    pub(super) fn note_poll(&mut self, now: Moment) {
        self.polled = now;
    }

    /// Notes that requests have been received.
    pub(super) fn note_requests(&mut self, now: Moment) {
        self.is_short = self.received.is_within(PAUSE, now);
        self.received = now;
    }

    /// Notes that none came within [`PAUSE`].
    pub(super) fn note_none(&mut self) {
        self.is_short = false;
    }

    /// Whether the next request is expected at once, and the other sockets can wait.
    pub(super) fn are_short(&self) -> bool {
        self.is_short && self.polled.is_within(PAUSE, self.received)
    }
}

/// The only open connection, if there is one and it is idle.
pub(super) fn only_link(lanes: &mut [Lane]) -> Option<&mut Link> {
    let [lane] = lanes else { return None };
    let mut open = lane.links_mut().iter_mut().filter(|link| link.socket().is_some());
    let only = open.next().filter(|link| !link.is_busy() && !link.is_datagram());
    only.filter(|_| open.next().is_none())
}
