//! Times of cycles.

use alloc::vec::Vec;

/// A time of each cycle: the sum, and the last of them.
#[derive(Debug)]
pub struct CycleTimes {
    count: u64,
    total: u64,
    /// The oldest is overwritten first.
    samples: Vec<u64>,
    capacity: usize,
}

impl CycleTimes {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { count: 0, total: 0, samples: Vec::with_capacity(capacity), capacity }
    }

    pub(crate) fn add(&mut self, time: u64) {
        if self.samples.len() < self.capacity {
            self.samples.push(time);
        } else if let Some(place) = self.count.checked_rem(self.capacity as u64)
            && let Some(sample) = self.samples.get_mut(place as usize)
        {
            *sample = time;
        }
        self.count += 1;
        self.total += time;
    }

    /// The number of completed cycles.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their times together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The times of the last cycles in ascending order. Allocates.
    #[must_use]
    pub fn sorted(&self) -> Vec<u64> {
        let mut sorted = self.samples.clone();
        sorted.sort_unstable();
        sorted
    }
}
