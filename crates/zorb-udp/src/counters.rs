//! What was done with datagrams.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::datagram::{Datagram, KINDS};

/// How many datagrams of each kind there were.
#[derive(Debug, Default)]
pub(crate) struct Counters([AtomicU64; KINDS.len()]);

impl Counters {
    pub(crate) fn count(&self, datagram: Datagram) {
        let found = KINDS.iter().position(|kind| *kind == datagram);
        if let Some(counter) = found.and_then(|place| self.0.get(place)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn all(&self) -> Vec<(&'static str, u64)> {
        let counts = self.0.iter().map(|counter| counter.load(Ordering::Relaxed));
        KINDS.iter().map(|kind| kind.name()).zip(counts).collect()
    }
}
