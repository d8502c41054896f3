//! Counters of datagrams.

use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers with names.
#[derive(Debug)]
pub(crate) struct Counters(Box<[(&'static str, AtomicU64)]>);

impl Counters {
    pub(crate) fn new(names: &[&'static str]) -> Self {
        Self(names.iter().map(|name| (*name, AtomicU64::new(0))).collect())
    }

    /// Increments a counter; an unknown name is an error of the caller and has no effect.
    pub(crate) fn count(&self, name: &'static str) {
        if let Some((_, counter)) = self.0.iter().find(|(known, _)| *known == name) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn all(&self) -> Vec<(&'static str, u64)> {
        self.0.iter().map(|(name, counter)| (*name, counter.load(Ordering::Relaxed))).collect()
    }
}
