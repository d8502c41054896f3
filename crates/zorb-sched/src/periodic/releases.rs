//! When periodic upcalls are due.

use super::task::PeriodicTask;
use crate::Time;

/// What happens to releases that come while an earlier upcall still runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backlog {
    /// Those whose whole periods are over are left out, and counted: after a long upcall the next one
    /// is that of the period that has begun. The default.
    #[default]
    Skip,
    /// Each is made up for, one after the other.
    Run,
}

/// One release of a periodic task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// Its number, from 0 on; those that were skipped have numbers, too.
    pub number: u64,
    /// When it was released: a whole number of periods after the first, whatever happened since.
    pub release: Time,
    /// When it has to be done.
    pub deadline: Time,
    /// How many releases were skipped just before it.
    pub skipped: u64,
}

/// The releases of a periodic task, in their order. The clock is the caller's.
///
/// The n-th is at `first + n * period`: no release is late because another was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Releases {
    first: Time,
    period: Time,
    deadline: Time,
    backlog: Backlog,
    next: u64,
}

impl Releases {
    /// Those of `task`, whose phase counts from `start`.
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

    /// When the next one is.
    #[must_use]
    pub const fn next(&self) -> Time {
        self.at(self.next)
    }

    const fn at(&self, number: u64) -> Time {
        let since = self.period.times(number).as_nanos();
        Time::from_nanos(self.first.as_nanos().saturating_add(since))
    }

    /// The one that is due at `now`; `None` before its time.
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
