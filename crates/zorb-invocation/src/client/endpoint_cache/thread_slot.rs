//! The slot for a thread's idle connection.

use std::sync::atomic::{AtomicBool, Ordering};

use zorb_os::slot::Slot;

use super::super::exclusive::ExclusiveConnection;

/// The slot for one thread's idle connection to one endpoint.
///
/// The thread takes the connection out for a call and puts it back after it, with one atomic exchange
/// each. Other threads take it only if it has been idle for long and they have none, if the limit of
/// connections is reached, or if the cache closes. The alignment keeps each slot in a cache line of its own.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct ThreadSlot {
    idle: Slot<ExclusiveConnection>,
    /// Whether connections go back to the cache instead: a thread waits for one, or the cache closes.
    recalled: AtomicBool,
}

impl ThreadSlot {
    pub(super) const fn new() -> Self {
        Self { idle: Slot::empty(), recalled: AtomicBool::new(false) }
    }

    /// Takes the connection.
    #[inline]
    pub(super) fn take(&self) -> Option<Box<ExclusiveConnection>> {
        self.idle.take()
    }

    /// Takes the connection of another thread if it satisfies `condition`.
    pub(super) fn take_if(
        &self,
        condition: impl FnOnce(&ExclusiveConnection) -> bool,
    ) -> Option<Box<ExclusiveConnection>> {
        if self.idle.is_empty() {
            return None;
        }
        let connection = self.idle.take()?;
        if condition(&connection) {
            return Some(connection);
        }
        // If the slot has been filled meanwhile, this returns the other connection.
        self.idle.put(connection)
    }

    /// Puts a connection into the slot, and returns the one that was there.
    #[inline]
    pub(super) fn put(
        &self,
        connection: Box<ExclusiveConnection>,
    ) -> Option<Box<ExclusiveConnection>> {
        self.idle.put(connection)
    }

    /// Whether connections go back to the cache. Sequentially consistent with taking and putting: a thread
    /// that recalls and then looks into the slot finds what was put there before.
    #[inline]
    pub(super) fn is_recalled(&self) -> bool {
        self.recalled.load(Ordering::SeqCst)
    }

    /// Sets whether connections go back to the cache.
    pub(super) fn set_recalled(&self, recalled: bool) {
        self.recalled.store(recalled, Ordering::SeqCst);
    }
}
