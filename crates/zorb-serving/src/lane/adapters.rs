//! The adapters that a pool serves.

use std::collections::BTreeMap;
use std::sync::Arc;

use zorb_os::lock::Lock;
use zorb_poa::ConnectionSetup;

/// The adapters that a pool serves, with the setup of their connections.
#[derive(Debug, Default)]
pub(crate) struct ServedAdapters(Lock<Known>);

#[derive(Debug, Default)]
struct Known {
    next: usize,
    /// By number.
    all: BTreeMap<usize, Option<Arc<ConnectionSetup>>>,
    /// Whether the pool has been destroyed.
    closed: bool,
}

impl ServedAdapters {
    /// Adds an adapter; returns its number, or `None` if the pool has been destroyed.
    pub(crate) fn add(&self) -> Option<usize> {
        let mut known = self.0.lock();
        if known.closed {
            return None;
        }
        known.next += 1;
        let number = known.next;
        known.all.insert(number, None);
        Some(number)
    }

    /// Closes the list if it is empty. Returns whether it is.
    pub(crate) fn close_if_empty(&self) -> bool {
        let mut known = self.0.lock();
        known.closed |= known.all.is_empty();
        known.all.is_empty()
    }

    /// Sets the connection setup of an adapter.
    pub(crate) fn set_up_by(&self, number: usize, setup: Option<Arc<ConnectionSetup>>) {
        if let Some(slot) = self.0.lock().all.get_mut(&number) {
            *slot = setup;
        }
    }

    pub(crate) fn remove(&self, number: usize) {
        self.0.lock().all.remove(&number);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().all.is_empty()
    }

    /// The connection setup of the only adapter; `None` if there are several, or none.
    pub(crate) fn only(&self) -> Option<Option<Arc<ConnectionSetup>>> {
        let known = self.0.lock();
        let mut setups = known.all.values();
        setups.next().filter(|_| known.all.len() == 1).cloned()
    }
}
