//! The sentinel: it notices upcalls that take long, so that their connections are read on.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::ServerConnection;

/// Watches the served connections. It sleeps while there are none.
#[derive(Debug, Default)]
pub(crate) struct Sentinel {
    watched: Mutex<Watched>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Watched {
    connections: HashMap<usize, (Arc<ServerConnection>, u32)>,
    stopped: bool,
}

impl Sentinel {
    /// Begins to watch; `false` when the sentinel has stopped or `limit` are watched already.
    pub(crate) fn watch(&self, connection: &Arc<ServerConnection>, limit: usize) -> bool {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.stopped || watched.connections.len() >= limit {
            return false;
        }
        let key = Arc::as_ptr(connection).addr();
        watched.connections.insert(key, (Arc::clone(connection), 0));
        self.changed.notify_all();
        true
    }

    pub(crate) fn forget(&self, connection: &ServerConnection) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.connections.remove(&std::ptr::from_ref(connection).addr());
    }

    /// Every watched connection.
    pub(crate) fn connections(&self) -> Vec<Arc<ServerConnection>> {
        let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.connections.values().map(|(connection, _)| Arc::clone(connection)).collect()
    }

    /// Ends the watch and refuses new connections.
    pub(crate) fn stop(&self) {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
        self.changed.notify_all();
    }

    /// The body of the sentinel's thread: looks after every `period` until stopped.
    pub(crate) fn run(&self, period: Duration) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        while !watched.stopped {
            if watched.connections.is_empty() {
                watched = self.changed.wait(watched).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            for (connection, seen) in watched.connections.values_mut() {
                *seen = connection.relieve(*seen);
            }
            let waited =
                self.changed.wait_timeout_while(watched, period, |watched| !watched.stopped);
            watched = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
