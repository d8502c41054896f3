//! Clients that do not read their replies.

use std::sync::Arc;
use std::time::Instant;

use super::{Watchdog, Watched, key_of};

impl Watchdog {
    /// Ends a connection if its client does not read until `deadline`. Returns whether the caller must
    /// [run](Self::run) the watchdog again, because it has ended with the ORB's shutdown.
    #[cold]
    pub(crate) fn watch_output<C: Watched + 'static>(
        &self,
        connection: &Arc<C>,
        deadline: Instant,
    ) -> bool {
        let mut watched = self.state.lock();
        let key = key_of(connection);
        let connection: Arc<C> = Arc::clone(connection);
        watched.sending.insert(key, (connection, deadline));
        let has_ended = std::mem::take(&mut watched.ended);
        drop(watched);
        self.changed.notify_all();
        has_ended
    }

    /// Called when the client of a connection has read everything.
    #[cold]
    pub(crate) fn forget_output<C: Watched>(&self, connection: &Arc<C>) {
        let mut watched = self.state.lock();
        let forgotten = watched.sending.remove(&key_of(connection));
        let is_stopping = watched.stopped;
        drop(watched);
        drop(forgotten);
        if is_stopping {
            self.changed.notify_all();
        }
    }

    /// Ends connections whose clients have missed their deadline at `now`.
    pub(crate) fn expire_output(&self, now: Instant) {
        let all: Vec<_> = {
            let watched = self.state.lock();
            let due = |deadline: Instant| watched.stopped || deadline <= now;
            let due = watched.sending.iter().filter(|(_, (_, deadline))| due(*deadline));
            due.map(|(key, (connection, deadline))| (*key, Arc::clone(connection), *deadline))
                .collect()
        };
        for (key, connection, seen) in all {
            let next = Arc::clone(&connection).expire_output(now);
            let mut watched = self.state.lock();
            let forgotten = match (watched.sending.get_mut(&key), next) {
                (Some(entry), Some(next)) => {
                    entry.1 = next;
                    None
                }
                // Nothing waited, but another reply does since.
                (Some(entry), None) if entry.1 != seen => None,
                _ => watched.sending.remove(&key),
            };
            drop(watched);
            drop(forgotten);
        }
    }
}
