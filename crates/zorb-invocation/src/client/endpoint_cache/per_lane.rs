//! A value for each lane.

use std::sync::OnceLock;

use zorb_base::calling_lane::MAX_LANES;

/// A value for each lane, created on first use.
#[derive(Debug)]
pub(super) struct PerLane<T> {
    /// By the lanes' numbers; allocated when the first thread of a lane calls.
    values: OnceLock<Box<[OnceLock<T>]>>,
}

impl<T> Default for PerLane<T> {
    fn default() -> Self {
        Self { values: OnceLock::new() }
    }
}

impl<T> PerLane<T> {
    /// The cell of the lane with this number.
    pub(super) fn cell(&self, lane: usize) -> Option<&OnceLock<T>> {
        let values = self.values.get_or_init(|| (0..MAX_LANES).map(|_| OnceLock::new()).collect());
        values.get(lane)
    }

    /// The value of the lane with this number, if it has been created.
    pub(super) fn get(&self, lane: usize) -> Option<&T> {
        self.values.get()?.get(lane)?.get()
    }

    /// The values that have been created.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.get().into_iter().flatten().filter_map(OnceLock::get)
    }
}
