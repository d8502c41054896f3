//! What a servant counts of floods.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::peer::client::Tally;
use crate::processor::process_cpu_ns;
use crate::values::Value;

/// What arrived since it was last asked.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    calls: AtomicU32,
    elements: AtomicU64,
    sum: AtomicU64,
}

impl Tallies {
    /// Counts the elements of a call.
    pub(super) fn count<T: Value>(&self, data: &[T]) {
        let ends = data.first().map_or(0, T::number) + data.last().map_or(0, T::number);
        self.add(data.len(), ends);
    }

    /// Counts a call with so many elements, and the numbers of the first and the last of them.
    pub(super) fn add(&self, elements: usize, ends: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.elements.fetch_add(elements as u64, Ordering::Relaxed);
        self.sum.fetch_add(ends, Ordering::Relaxed);
    }

    /// What was counted; the next tally begins from nothing.
    pub(super) fn take(&self) -> Tally {
        Tally {
            calls: self.calls.swap(0, Ordering::Relaxed),
            elements: self.elements.swap(0, Ordering::Relaxed),
            sum: self.sum.swap(0, Ordering::Relaxed),
            cpu_ns: process_cpu_ns(),
        }
    }
}
