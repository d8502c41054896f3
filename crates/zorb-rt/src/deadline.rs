//! Absolute deadlines.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The time from CORBA's epoch, 15 October 1582, to Unix's, in units of 100 ns.
const UNIX_IN_TIME_T: u64 = 0x01B2_1DD2_1381_4000;

/// An absolute deadline that is valid on all nodes: `TimeBase::TimeT`, units of 100 ns since 15 October 1582, UTC. The
/// clocks of the nodes must be synchronized with the accuracy that deadlines need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadline(u64);

impl Deadline {
    /// The deadline `time` from now.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(now().saturating_add(units(time)))
    }

    /// The deadline at `moment` of the monotonic clock, converted with the current offset of the system clock.
    #[must_use]
    pub fn at(moment: Instant) -> Self {
        let (steady, wall) = (Instant::now(), now());
        Self(match moment.checked_duration_since(steady) {
            Some(left) => wall.saturating_add(units(left)),
            None => wall.saturating_sub(units(steady.saturating_duration_since(moment))),
        })
    }

    /// The deadline with this `TimeBase::TimeT`.
    #[must_use]
    pub const fn from_time_t(time: u64) -> Self {
        Self(time)
    }

    /// The `TimeBase::TimeT`.
    #[must_use]
    pub const fn as_time_t(self) -> u64 {
        self.0
    }

    /// The time until the deadline; zero if it has passed.
    #[must_use]
    pub fn time_left(self) -> Duration {
        time(self.0.saturating_sub(now()))
    }

    /// The time since the deadline; zero if it has not passed.
    #[must_use]
    pub fn time_since(self) -> Duration {
        time(now().saturating_sub(self.0))
    }
}

fn time(units: u64) -> Duration {
    Duration::from_micros(units / 10) + Duration::from_nanos(units % 10 * 100)
}

fn units(time: Duration) -> u64 {
    u64::try_from(time.as_nanos() / 100).unwrap_or(u64::MAX)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_IN_TIME_T.saturating_add(units(since))
}
