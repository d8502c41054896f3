//! Scheduling parameters: how urgent a distributable thread is.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use zorb_rt::Priority;

/// From the beginning of CORBA's time, 15 October 1582, to that of Unix, in units of 100 ns.
const UNIX_IN_TIME_T: u64 = 0x01B2_1DD2_1381_4000;

/// A moment until which something has to be done, the same on every node: `TimeBase::TimeT`, units of
/// 100 ns since 15 October 1582, UTC. The clocks of nodes have to agree as well as deadlines are to be
/// kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadline(u64);

impl Deadline {
    /// So long from now.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(now().saturating_add(units(time)))
    }

    /// That moment.
    #[must_use]
    pub const fn from_time_t(time: u64) -> Self {
        Self(time)
    }

    /// As `TimeBase::TimeT`.
    #[must_use]
    pub const fn as_time_t(self) -> u64 {
        self.0
    }

    /// How long it is until then; zero when it has passed.
    #[must_use]
    pub fn time_left(self) -> Duration {
        let left = self.0.saturating_sub(now());
        Duration::from_micros(left / 10) + Duration::from_nanos(left % 10 * 100)
    }
}

fn units(time: Duration) -> u64 {
    u64::try_from(time.as_nanos() / 100).unwrap_or(u64::MAX)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_IN_TIME_T.saturating_add(units(since))
}

/// How much depends on a distributable thread: under overload the less critical are late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criticality {
    /// The lowest.
    VeryLow,
    /// Below the middle.
    Low,
    /// In the middle: the default.
    #[default]
    Medium,
    /// Above the middle.
    High,
    /// The highest.
    VeryHigh,
}

impl Criticality {
    /// All, the lowest first.
    pub const ALL: [Self; 5] = [Self::VeryLow, Self::Low, Self::Medium, Self::High, Self::VeryHigh];
}

/// The scheduling parameters of a segment (`sched_param`), as one of the disciplines has them. They
/// travel with requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Parameters {
    /// Fixed priority: a CORBA priority.
    Priority(Priority),
    /// Earliest deadline first.
    Deadline(Deadline),
    /// Maximum urgency first: the more critical first, and of equally critical ones that with the
    /// least laxity.
    Urgency {
        /// How much depends on it.
        criticality: Criticality,
        /// Until when it has to be done.
        deadline: Deadline,
        /// How long that takes, at most.
        execution: Duration,
    },
}
