//! The sentinel: it notices upcalls that take long, so that their connections are read on.
//!
//! It looks after the connections that have had an upcall of late, and sleeps while there are none.
//! So a server that nobody calls does nothing at all, and one with thousands of connections looks
//! after the few that are in use.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use zorb_os::lock::{Condition, Lock, Locked};

use super::ServerConnection;

/// So many looks in a row find no upcall of a connection before it is no longer looked after. The
/// next upcall then has to say so, which takes it longer than all looks at one call.
pub(super) const QUIET_LOOKS: u32 = 50;

/// Knows the served connections, and looks after those in use.
#[derive(Debug, Default)]
pub(crate) struct Sentinel {
    watched: Lock<Watched>,
    changed: Condition,
}

#[derive(Debug, Default)]
struct Watched {
    connections: HashMap<usize, Arc<ServerConnection>>,
    /// How many of them are not in lanes, which have limits of their own.
    outside: usize,
    /// Those in use.
    busy: HashMap<usize, Busy>,
    stopped: bool,
}

/// A connection that has had an upcall of late.
#[derive(Debug)]
struct Busy {
    connection: Arc<ServerConnection>,
    /// What to compare with at the next look.
    seen: u32,
    /// Looks since the last upcall.
    quiet: u32,
}

impl Sentinel {
    fn watched(&self) -> Locked<'_, Watched> {
        self.watched.lock()
    }

    /// Gets to know a connection; `false` when the sentinel has stopped, or knows `limit` outside lanes
    /// already.
    pub(crate) fn watch(&self, connection: &Arc<ServerConnection>, limit: usize) -> bool {
        let mut watched = self.watched();
        if watched.stopped || watched.outside >= limit {
            return false;
        }
        watched.outside += usize::from(connection.lane.is_none());
        watched.connections.insert(key_of(connection), Arc::clone(connection));
        true
    }

    pub(crate) fn forget(&self, connection: &ServerConnection) {
        let key = key_of(connection);
        let mut watched = self.watched();
        watched.busy.remove(&key);
        if watched.connections.remove(&key).is_some() && connection.lane.is_none() {
            watched.outside -= 1;
        }
    }

    /// Looks after a connection from its present upcall on.
    #[cold]
    pub(super) fn look_after(&self, connection: &Arc<ServerConnection>, seen: u32) {
        let key = key_of(connection);
        let mut watched = self.watched();
        if !watched.connections.contains_key(&key)
            || connection.looked_after.swap(true, Ordering::SeqCst)
        {
            return;
        }
        let was_asleep = watched.busy.is_empty();
        let connection = Arc::clone(connection);
        watched.busy.insert(key, Busy { connection, seen, quiet: 0 });
        drop(watched);
        if was_asleep {
            self.changed.tell_all();
        }
    }

    /// Every connection that is known.
    pub(crate) fn connections(&self) -> Vec<Arc<ServerConnection>> {
        self.watched().connections.values().map(Arc::clone).collect()
    }

    /// Ends the watch and refuses new connections.
    pub(crate) fn stop(&self) {
        self.watched().stopped = true;
        self.changed.tell_all();
    }

    /// The body of the sentinel's thread: looks every `period` until stopped.
    pub(crate) fn run(&self, period: Duration) {
        let mut watched = self.watched();
        while !watched.stopped {
            watched.look();
            watched = if watched.busy.is_empty() {
                self.changed.wait(watched)
            } else {
                self.changed.wait_while(watched, period, |watched| !watched.stopped)
            };
        }
    }

    /// One look; how many connections are looked after.
    #[cfg(test)]
    pub(super) fn look(&self) -> usize {
        let mut watched = self.watched();
        watched.look();
        watched.busy.len()
    }
}

impl Watched {
    fn look(&mut self) {
        self.busy.retain(|_, busy| {
            let upcalls = busy.connection.relieve(busy.seen);
            busy.quiet = if upcalls == busy.seen && busy.connection.parked.is_empty() {
                busy.quiet + 1
            } else {
                0
            };
            busy.seen = upcalls;
            busy.quiet < QUIET_LOOKS || !busy.connection.let_go(upcalls)
        });
    }
}

fn key_of(connection: &ServerConnection) -> usize {
    std::ptr::from_ref(connection).addr()
}
