//! What became of upcalls.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::releases::Activation;
use crate::Time;

/// Something that went wrong with an upcall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// It was not done in time.
    DeadlineMissed {
        /// How much later it was done.
        by: Time,
    },
    /// It used more processor time than its budget.
    BudgetOverrun {
        /// How much more.
        by: Time,
    },
    /// Releases before it were left out, because their periods were over when their turn came.
    Skipped {
        /// How many.
        releases: u64,
    },
    /// It panicked.
    Panicked,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeadlineMissed { by } => write!(f, "deadline missed by {by}"),
            Self::BudgetOverrun { by } => write!(f, "budget overrun by {by}"),
            Self::Skipped { releases: 1 } => f.write_str("1 release skipped"),
            Self::Skipped { releases } => write!(f, "{releases} releases skipped"),
            Self::Panicked => f.write_str("panicked"),
        }
    }
}

/// A report of an upcall, made on its thread when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpcallEvent<'t> {
    /// The task's name.
    pub task: &'t str,
    /// Which upcall.
    pub activation: Activation,
    /// When it began.
    pub began: Time,
    /// When it ended.
    pub ended: Time,
    /// The processor time that it used; zero without a budget.
    pub used: Time,
    /// What went wrong.
    pub finding: Finding,
}

/// What became of a task's upcalls so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpcallCounts {
    /// Upcalls that ended.
    pub upcalls: u64,
    /// Of them, those that ended after their deadlines.
    pub missed: u64,
    /// Of them, those that used more than their budgets.
    pub overruns: u64,
    /// Of them, those that panicked.
    pub panicked: u64,
    /// Releases that were left out.
    pub skipped: u64,
    /// The sum of the times from releases to beginnings.
    pub lateness: Time,
    /// The longest of them.
    pub latest_start: Time,
    /// The longest time from a release to its upcall's end.
    pub longest_response: Time,
    /// The most processor time that an upcall used; zero without a budget.
    pub most_used: Time,
}

impl UpcallCounts {
    /// The mean time from a release to the beginning of its upcall.
    #[must_use]
    pub fn mean_lateness(&self) -> Time {
        Time::from_nanos(self.lateness.as_nanos().checked_div(self.upcalls).unwrap_or_default())
    }
}

/// Counts of which one thread writes all, and others read any; so there is no lock.
#[derive(Debug, Default)]
pub(super) struct Tally {
    upcalls: AtomicU64,
    missed: AtomicU64,
    overruns: AtomicU64,
    panicked: AtomicU64,
    skipped: AtomicU64,
    lateness: AtomicU64,
    latest_start: AtomicU64,
    longest_response: AtomicU64,
    most_used: AtomicU64,
}

fn add(count: &AtomicU64, more: u64) {
    count.store(count.load(Ordering::Relaxed).saturating_add(more), Ordering::Relaxed);
}

fn raise(most: &AtomicU64, time: Time) {
    most.store(most.load(Ordering::Relaxed).max(time.as_nanos()), Ordering::Relaxed);
}

impl Tally {
    pub(super) fn add(&self, activation: &Activation, began: Time, ended: Time, used: Time) {
        let late = began - activation.release;
        add(&self.lateness, late.as_nanos());
        raise(&self.latest_start, late);
        raise(&self.longest_response, ended - activation.release);
        raise(&self.most_used, used);
        add(&self.upcalls, 1);
    }

    pub(super) fn note(&self, finding: &Finding) {
        match finding {
            Finding::DeadlineMissed { .. } => add(&self.missed, 1),
            Finding::BudgetOverrun { .. } => add(&self.overruns, 1),
            Finding::Skipped { releases } => add(&self.skipped, *releases),
            Finding::Panicked => add(&self.panicked, 1),
        }
    }

    pub(super) fn counts(&self) -> UpcallCounts {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let time = |nanos: &AtomicU64| Time::from_nanos(nanos.load(Ordering::Relaxed));
        UpcallCounts {
            upcalls: count(&self.upcalls),
            missed: count(&self.missed),
            overruns: count(&self.overruns),
            panicked: count(&self.panicked),
            skipped: count(&self.skipped),
            lateness: time(&self.lateness),
            latest_start: time(&self.latest_start),
            longest_response: time(&self.longest_response),
            most_used: time(&self.most_used),
        }
    }
}
