//! The connections of one lane, by number.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwapOption;
use zorb_base::steady_events::{Event, record};
use zorb_os::lock::Lock;

use crate::connection::ServerConnection;

/// Places for so many connections as a lane may have. Threads look into them without a lock; only
/// who opens or closes a connection takes one.
#[derive(Debug)]
pub(crate) struct Connections {
    places: Box<[ArcSwapOption<ServerConnection>]>,
    free: Lock<Vec<u32>>,
    open: AtomicUsize,
}

impl Connections {
    pub(crate) fn new(limit: usize) -> Self {
        let count = u32::try_from(limit).unwrap_or(u32::MAX);
        Self {
            places: (0..count).map(|_| ArcSwapOption::empty()).collect(),
            free: Lock::new((0..count).rev().collect()),
            open: AtomicUsize::new(0),
        }
    }

    /// Reserves a place; `None` when all are taken.
    pub(crate) fn reserve(&self) -> Option<u32> {
        let place = self.free.lock().pop()?;
        // Before the lane's `stopping` is read: either this connection sees it, or `stop` sees the connection.
        self.open.fetch_add(1, Ordering::SeqCst);
        Some(place)
    }

    /// Puts a connection into the place that was reserved for it.
    pub(crate) fn put(&self, place: u32, connection: &Arc<ServerConnection>) {
        if let Some(slot) = self.places.get(place as usize) {
            slot.store(Some(Arc::clone(connection)));
            record(Event::TableWritten);
        }
    }

    /// Gives a place free again; whether no connection is left.
    pub(crate) fn release(&self, place: u32) -> bool {
        if let Some(slot) = self.places.get(place as usize) {
            slot.store(None);
            record(Event::TableWritten);
        }
        self.free.lock().push(place);
        self.open.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Does something with the connection in a place, if there is one.
    pub(crate) fn with(&self, place: u64, work: impl FnOnce(&Arc<ServerConnection>)) {
        let slot = usize::try_from(place).ok().and_then(|place| self.places.get(place));
        if let Some(slot) = slot
            && let Some(connection) = &*slot.load()
        {
            work(connection);
        }
    }

    /// Does something with every connection.
    pub(crate) fn each(&self, mut work: impl FnMut(&Arc<ServerConnection>)) {
        let mut left = self.count();
        for slot in &self.places {
            if left == 0 {
                return;
            }
            if let Some(connection) = &*slot.load() {
                left -= 1;
                work(connection);
            }
        }
    }

    pub(crate) fn all(&self) -> Vec<Arc<ServerConnection>> {
        self.places.iter().filter_map(ArcSwapOption::load_full).collect()
    }

    /// How many places are taken.
    pub(crate) fn count(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}
