//! Release times of periodic upcalls.

use super::task::{Backlog, PeriodicTask};
use crate::Time;

/// A release of a periodic task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// Its number, from 0 on; skipped releases are numbered too.
    pub number: u64,
    /// Its time: a whole number of periods after the first release.
    pub release: Time,
    /// Its deadline.
    pub deadline: Time,
    /// The number of releases skipped just before it.
    pub skipped: u64,
}

/// The releases of a periodic task in order. The caller provides the clock.
///
/// The n-th is at `first + n * period`: releases do not drift.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Releases {
    first: Time,
    period: Time,
    deadline: Time,
    backlog: Backlog,
    next: u64,
}

impl Releases {
    /// The releases of `task`, whose phase is relative to `start`.
    #[must_use]
    pub fn new(task: &PeriodicTask, start: Time) -> Self {
        Self {
            first: start + task.phase,
            period: task.period.max(Time::from_nanos(1)),
            deadline: task.relative_deadline(),
            backlog: task.backlog,
            next: 0,
        }
    }

    /// The time of the next release.
    #[must_use]
    pub const fn next(&self) -> Time {
        self.at(self.next)
    }

    const fn at(&self, number: u64) -> Time {
        let since = self.period.times(number).as_nanos();
        Time::from_nanos(self.first.as_nanos().saturating_add(since))
    }

    /// The release that is due at `now`, if any.
    pub fn take(&mut self, now: Time) -> Option<Activation> {
        let due = self.next();
        if now < due {
            return None;
        }
        let skipped = match self.backlog {
            Backlog::Skip => (now - due).whole(self.period),
            Backlog::Run => 0,
        };
        let number = self.next.saturating_add(skipped);
        self.next = number.saturating_add(1);
        let release = self.at(number);
        Some(Activation { number, release, deadline: release + self.deadline, skipped })
    }
}
