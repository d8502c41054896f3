//! The watchdog: it notices upcalls that take long, so that another thread reads on from their
//! connections.
//!
//! It watches the connections with threads of their own that have had an upcall of late, and sleeps while
//! there are none. So a server that nobody calls does nothing at all, and one with thousands of
//! connections watches the few that are in use.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use zorb_os::lock::{Condition, Lock};

use crate::connection::ServerConnection;

/// So many looks in a row find no upcall of a connection before it is not watched any more. The next
/// upcall then calls the watchdog, which takes it longer than all looks at one call.
pub(super) const QUIET_LOOKS: u32 = 50;

/// Watches the connections that are in use.
#[derive(Debug, Default)]
pub(crate) struct Watchdog {
    watched: Lock<Watched>,
    changed: Condition,
}

#[derive(Debug, Default)]
struct Watched {
    connections: HashMap<usize, Watch>,
    stopped: bool,
}

/// A connection that has had an upcall of late.
#[derive(Clone, Debug)]
struct Watch {
    connection: Arc<ServerConnection>,
    /// What to compare with at the next look.
    seen: u32,
    /// Looks since the last upcall.
    quiet: u32,
}

impl Watchdog {
    pub(super) fn forget(&self, connection: &ServerConnection) {
        let forgotten = self.watched.lock().connections.remove(&key_of(connection));
        drop(forgotten);
    }

    /// Watches a connection from its present upcall on.
    #[cold]
    pub(super) fn watch(&self, connection: &Arc<ServerConnection>, seen: u32) {
        let mut watched = self.watched.lock();
        if connection.is_finished()
            || connection.own_threads.is_watched.swap(true, Ordering::SeqCst)
        {
            return;
        }
        let was_asleep = watched.connections.is_empty();
        let connection = Arc::clone(connection);
        let key = key_of(&connection);
        watched.connections.insert(key, Watch { connection, seen, quiet: 0 });
        drop(watched);
        if was_asleep {
            self.changed.notify_all();
        }
    }

    /// Ends the watch.
    pub(crate) fn stop(&self) {
        self.watched.lock().stopped = true;
        self.changed.notify_all();
    }

    /// The body of the watchdog's thread: looks every `period` until stopped.
    pub(crate) fn run(&self, period: Duration) {
        loop {
            let watches = self.look();
            let watched = self.watched.lock();
            if watched.stopped {
                return;
            }
            let watched = match watches {
                0 if watched.connections.is_empty() => self.changed.wait(watched),
                _ => self.changed.wait_while(watched, period, |watched| !watched.stopped),
            };
            if watched.stopped {
                return;
            }
        }
    }

    /// One look; how many connections are still watched. Threads are started without the lock, which
    /// serving threads take.
    pub(super) fn look(&self) -> usize {
        let mut watches: Vec<_> = self.watched.lock().connections.values().cloned().collect();
        watches.iter_mut().for_each(Watch::look);
        let mut watched = self.watched.lock();
        for watch in watches {
            let key = key_of(&watch.connection);
            if !watched.connections.contains_key(&key) {
                continue; // it has been closed meanwhile
            }
            if watch.quiet < QUIET_LOOKS || !watch.connection.stop_watching(watch.seen) {
                watched.connections.insert(key, watch);
            } else {
                watched.connections.remove(&key);
            }
        }
        watched.connections.len()
    }
}

impl Watch {
    fn look(&mut self) {
        let upcalls = self.connection.relieve(self.seen);
        let is_quiet = upcalls == self.seen && self.connection.input.is_empty();
        self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
        self.seen = upcalls;
    }
}

fn key_of(connection: &ServerConnection) -> usize {
    std::ptr::from_ref(connection).addr()
}

#[cfg(test)]
mod tests;
