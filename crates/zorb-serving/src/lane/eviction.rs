//! Which connection of a lane, or of all lanes, is closed to make room for another one.

use std::cmp::Reverse;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Instant;

use zorb_base::connections::{Evictable, Evicted, Newcomer, Shares};
use zorb_base::progress::Progress;
use zorb_transport::log_limited;

use super::{LANES, Lane};
use crate::connection::ServerConnection;

/// All lanes, that with most connections first.
fn lanes() -> Vec<Arc<Lane>> {
    let mut lanes: Vec<Arc<Lane>> = LANES.lock().iter().filter_map(Weak::upgrade).collect();
    lanes.sort_by_key(|lane| Reverse(lane.connections.count()));
    lanes
}

/// Closes a connection of the process for which `is_meant`, one whose requests are all held only if there is no other.
/// Returns whether there is one.
#[cold]
pub(super) fn close_one_of_process(
    newcomer: Newcomer,
    is_meant: &dyn Fn(&ServerConnection) -> bool,
) -> bool {
    close_one_where(is_meant) || close_held_where(newcomer, is_meant)
}

/// Closes a connection for which `is_meant`, of the lane that has most, or of another one if that has none to close:
/// whoever floods one endpoint keeps nobody out of others. Returns whether there is one.
#[cold]
pub(super) fn close_one_where(is_meant: &dyn Fn(&ServerConnection) -> bool) -> bool {
    lanes().iter().any(|lane| lane.close_one(is_meant))
}

/// How many connections of the process end at once.
#[cold]
pub(super) fn count_ending_of_process() -> usize {
    lanes().iter().map(|lane| lane.count_ending(&|_| true)).sum()
}

/// Closes a connection for which `is_meant`, and whose requests are all held: of the address that has most connections in
/// the process. Returns whether there is one.
#[cold]
pub(super) fn close_held_where(
    newcomer: Newcomer,
    is_meant: &dyn Fn(&ServerConnection) -> bool,
) -> bool {
    let lanes = lanes();
    let none = Shares::new(newcomer);
    let shares = lanes.iter().fold(none, |shares, lane| shares.with(&lane.connections));
    let mut most: Option<(usize, &Arc<Lane>, Arc<ServerConnection>)> = None;
    for lane in &lanes {
        if let Some((count, connection)) = lane.connections.held_to_evict(&shares, is_meant)
            && most.as_ref().is_none_or(|(most, ..)| count > *most)
        {
            most = Some((count, lane, connection));
        }
    }
    most.is_some_and(|(_, lane, connection)| lane.evict_held(&connection))
}

impl Lane {
    /// How many of its connections for which `is_meant` end at once: they make room without another one.
    pub(super) fn count_ending(&self, is_meant: &dyn Fn(&ServerConnection) -> bool) -> usize {
        let mut count = 0;
        let is_ending = |it: &ServerConnection| it.is_ending() && is_meant(it);
        self.connections.each(|connection| count += usize::from(is_ending(connection)));
        count
    }

    /// Closes a connection for which `is_meant`: an idle one, else one whose client does not read. Returns whether there is
    /// one.
    pub(crate) fn close_one(&self, is_meant: &dyn Fn(&ServerConnection) -> bool) -> bool {
        let (connection, what) = match self.connections.to_evict(is_meant) {
            Some(Evicted::Idle(connection)) => {
                connection.close();
                (connection, "an idle connection")
            }
            Some(Evicted::Unread(connection)) => {
                connection.give_up_output("closed to make room for another connection");
                // Known to end, so that no further one is closed in its place.
                connection.close();
                (connection, "a connection whose client does not read")
            }
            None => return false,
        };
        self.note_evicted(&connection, what);
        true
    }

    /// Closes a connection for which `is_meant`, and whose requests are all held. Returns whether there is one.
    pub(super) fn close_held(
        &self,
        newcomer: Newcomer,
        is_meant: &dyn Fn(&ServerConnection) -> bool,
    ) -> bool {
        let shares = Shares::new(newcomer).with(&self.connections);
        let found = self.connections.held_to_evict(&shares, is_meant);
        found.is_some_and(|(_, connection)| self.evict_held(&connection))
    }

    fn evict_held(&self, connection: &ServerConnection) -> bool {
        connection.close();
        self.note_evicted(connection, "a connection whose requests are all held");
        true
    }

    fn note_evicted(&self, connection: &ServerConnection, what: &str) {
        self.evicted.fetch_add(1, Ordering::Relaxed);
        if connection.core.awaiting_threads().load(Ordering::SeqCst) > 0 {
            // It may be one of those, which no thread serves.
            connection.core.watchdog().try_again();
        }
        let (peer, lane) = (connection.peer(), &*self.name);
        log_limited!(info, peer, lane, "closed {what} to stay within the limit");
    }
}

impl Evictable for ServerConnection {
    type Time = Instant;

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn is_closing(&self) -> bool {
        self.requests.is_closing()
    }

    fn is_idle(&self) -> bool {
        Self::is_idle(self)
    }

    fn is_held(&self) -> bool {
        Self::is_held(self)
    }

    fn unread_since(&self) -> Option<Instant> {
        self.waiting_output().map(|waits| waits.progress)
    }

    fn peer(&self) -> Option<IpAddr> {
        self.ip_address()
    }
}
