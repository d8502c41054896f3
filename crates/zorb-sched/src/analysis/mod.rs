//! Whether deadlines are met: arithmetic on loads of one processor.
//!
//! Everything here is exact in whole nanoseconds, errs to the safe side where it errs, and stops
//! when its [`Budget`] is used up.

pub(crate) mod demand;
pub(crate) mod dynamic;
pub(crate) mod fixed;
pub(crate) mod utilization;

use crate::Time;

/// What one task asks of its processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// The longest that it runs in each period.
    pub worst: Time,
    /// The shortest time between arrivals; not zero.
    pub period: Time,
    /// How long after an arrival it has to be done; may be longer than the period.
    pub deadline: Time,
    /// How late after an arrival it may be released.
    pub jitter: Time,
    /// The longest that it waits for less urgent ones.
    pub blocking: Time,
    /// Its queue: 0 is the most urgent. Loads of lower numbers interrupt those of higher ones.
    pub level: u32,
}

impl Load {
    /// One that is asked for once in `period`, with the period as its deadline, in queue 0.
    #[must_use]
    pub fn new(worst: Time, period: Time) -> Self {
        Self { worst, period, deadline: period, ..Self::default() }
    }

    /// How often it is released in the first `length` of time after a moment at which everything
    /// that had been late was released, the end not counted.
    pub(crate) fn releases_before(&self, length: Time) -> u64 {
        (length + self.jitter).covers(self.period)
    }

    /// The same, the end counted.
    pub(crate) fn releases_until(&self, length: Time) -> u64 {
        (length + self.jitter).whole(self.period).saturating_add(1)
    }
}

/// Longer than this, nothing is followed.
pub(crate) const HORIZON: Time = Time::from_nanos(1 << 62);

/// How much work an analysis may be: the number of times that it looks at a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(u64);

/// A [`Budget`] is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl Budget {
    /// So much.
    #[must_use]
    pub const fn new(looks: u64) -> Self {
        Self(looks)
    }

    /// How much is left.
    #[must_use]
    pub const fn left(self) -> u64 {
        self.0
    }

    pub(crate) fn charge(&mut self, looks: usize) -> Result<(), Exhausted> {
        self.0 = self.0.checked_sub(looks as u64).ok_or(Exhausted)?;
        Ok(())
    }
}

/// Two hundred million: about a second.
impl Default for Budget {
    fn default() -> Self {
        Self(200_000_000)
    }
}

/// The smallest solution of `length = demand(length)` from `start` on, for a `demand` that grows
/// with the length; `None` where there is none before [`HORIZON`].
pub(crate) fn fixed_point(
    start: Time,
    looks: usize,
    budget: &mut Budget,
    demand: impl Fn(Time) -> Time,
) -> Result<Option<Time>, Exhausted> {
    // From 1 ns on, so that what arrives together is seen even by loads without length.
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
