//! The connections of one lane, by number.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwapOption;
use zorb_base::steady_events::{Event, record};
use zorb_os::lock::Lock;

/// A table for as many connections as a lane may have. Threads read it without a lock; only a thread that
/// opens or closes a connection takes one.
#[derive(Debug)]
pub(crate) struct Connections<C> {
    slots: Box<[ArcSwapOption<C>]>,
    free: Lock<Vec<u32>>,
    open: AtomicUsize,
}

impl<C> Connections<C> {
    pub(crate) fn new(limit: usize) -> Self {
        let count = u32::try_from(limit).unwrap_or(u32::MAX);
        Self {
            slots: (0..count).map(|_| ArcSwapOption::empty()).collect(),
            free: Lock::new((0..count).rev().collect()),
            open: AtomicUsize::new(0),
        }
    }

    /// Reserves a slot; `None` when all are taken.
    pub(crate) fn reserve(&self) -> Option<u32> {
        let slot = self.free.lock().pop()?;
        // Before the lane's `stopping` is read: either this connection sees it, or `stop` sees the connection.
        self.open.fetch_add(1, Ordering::SeqCst);
        Some(slot)
    }

    /// Puts a connection into the slot that was reserved for it.
    pub(crate) fn put(&self, slot: u32, connection: &Arc<C>) {
        if let Some(slot) = self.slots.get(slot as usize) {
            slot.store(Some(Arc::clone(connection)));
            record(Event::TableWritten);
        }
    }

    /// Frees a slot. Returns whether no connection is left.
    pub(crate) fn release(&self, slot: u32) -> bool {
        if let Some(slot) = self.slots.get(slot as usize) {
            slot.store(None);
            record(Event::TableWritten);
        }
        self.free.lock().push(slot);
        self.open.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Calls `work` with the connection in a slot, if there is one.
    pub(crate) fn with(&self, slot: u64, work: impl FnOnce(&Arc<C>)) {
        let slot = usize::try_from(slot).ok().and_then(|slot| self.slots.get(slot));
        if let Some(slot) = slot
            && let Some(connection) = &*slot.load()
        {
            work(connection);
        }
    }

    /// Calls `work` with every connection.
    pub(crate) fn each(&self, mut work: impl FnMut(&Arc<C>)) {
        let mut left = self.count();
        for slot in &self.slots {
            if left == 0 {
                return;
            }
            if let Some(connection) = &*slot.load() {
                left -= 1;
                work(connection);
            }
        }
    }

    pub(crate) fn all(&self) -> Vec<Arc<C>> {
        self.slots.iter().filter_map(ArcSwapOption::load_full).collect()
    }

    /// How many slots are taken.
    pub(crate) fn count(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}
