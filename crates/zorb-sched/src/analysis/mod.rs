//! Schedulability analysis of the loads of one processor.
//!
//! All computations are exact in nanoseconds or err on the safe side, and stop when their
//! [`Budget`] is exhausted.

pub(crate) mod demand;
pub(crate) mod dynamic;
pub(crate) mod fixed;
pub(crate) mod utilization;

use crate::Time;

/// The load of a task on its processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// The worst-case execution time per period.
    pub worst: Time,
    /// The minimum time between arrivals; not zero.
    pub period: Time,
    /// The deadline relative to the arrival; may be longer than the period.
    pub deadline: Time,
    /// The release jitter: the maximum delay between arrival and release.
    pub jitter: Time,
    /// The maximum blocking time by less urgent loads.
    pub blocking: Time,
    /// Its queue: 0 is the most urgent. Loads of lower numbers preempt those of higher numbers.
    pub level: u32,
}

impl Load {
    /// A load with `period` as its period and deadline, in queue 0.
    #[must_use]
    pub fn new(worst: Time, period: Time) -> Self {
        Self { worst, period, deadline: period, ..Self::default() }
    }

    /// The number of releases in the interval `[0, length)` after a time at which all delayed
    /// instances are released.
    pub(crate) fn releases_before(&self, length: Time) -> u64 {
        (length + self.jitter).covers(self.period)
    }

    /// The number of releases in `[0, length]`.
    pub(crate) fn releases_until(&self, length: Time) -> u64 {
        (length + self.jitter).whole(self.period).saturating_add(1)
    }
}

/// The maximum length of time that is analyzed.
pub(crate) const HORIZON: Time = Time::from_nanos(1 << 62);

/// The budget of an analysis: the number of times that it examines a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(u64);

/// A [`Budget`] is exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl Budget {
    /// A budget of this size.
    #[must_use]
    pub const fn new(looks: u64) -> Self {
        Self(looks)
    }

    /// The remaining budget.
    #[must_use]
    pub const fn left(self) -> u64 {
        self.0
    }

    pub(crate) fn charge(&mut self, looks: usize) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(looks as u64).ok_or(Exhausted)?;
        Ok(())
    }
}

/// 200 million: about a second.
impl Default for Budget {
    fn default() -> Self {
        Self(200_000_000)
    }
}

/// The smallest solution of `length = demand(length)` from `start` on, for a monotonic `demand`;
/// `None` if there is none before [`HORIZON`].
pub(crate) fn fixed_point(
    start: Time,
    looks: usize,
    budget: &mut Budget,
    demand: impl Fn(Time) -> Time,
) -> Result<Option<Time>, Exhausted> {
    // From 1 ns on, so that even loads without execution time see simultaneous arrivals.
    let mut length = start.max(Time::from_nanos(1));
    loop {
        budget.charge(looks + 1)?;
        let next = demand(length);
        if next > HORIZON {
            return Ok(None);
        }
        if next <= length {
            return Ok(Some(next.max(start)));
        }
        length = next;
    }
}

#[cfg(test)]
mod tests;
