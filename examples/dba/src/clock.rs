//! The clock of cycles and their segments: the processor's counter, which is read in less than half the time that the
//! system's clock takes.

use zorb_os::clock::{MonotonicTime, ticks};

/// Both clocks at the same moment, by which a node finds out how long the counter's units are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    time: MonotonicTime,
    ticks: u64,
}

impl Start {
    pub(crate) fn now() -> Self {
        Self { time: MonotonicTime::now(), ticks: ticks() }
    }

    /// What converts units of the counter to nanoseconds. The longer ago the start, the more precise.
    pub(crate) fn scale(self) -> Scale {
        let units = ticks().saturating_sub(self.ticks).max(1);
        Scale(self.time.elapsed().as_nanos() as f64 / units as f64)
    }
}

/// Nanoseconds of a unit of the counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale(f64);

impl Scale {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times of a run, and positive"
    )]
    pub(crate) fn nanos(self, ticks: u64) -> u64 {
        (ticks as f64 * self.0).round() as u64
    }

    /// A percentile of times; 0 if there are none.
    pub(crate) fn percentile(self, sorted: &[u64], percent: usize) -> u64 {
        let index = sorted.len().saturating_sub(1) * percent / 100;
        self.nanos(sorted.get(index).copied().unwrap_or_default())
    }
}
