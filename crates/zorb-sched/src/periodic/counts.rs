//! Statistics of upcalls.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::releases::Activation;
use crate::Time;

/// A problem of an upcall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// It finished after its deadline.
    DeadlineMissed {
        /// By how much.
        by: Time,
    },
    /// It used more processor time than its budget.
    BudgetOverrun {
        /// By how much.
        by: Time,
    },
    /// Releases before it were skipped because their periods had passed.
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

/// A report about an upcall, made on its thread after it has finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpcallEvent<'t> {
    /// The task's name.
    pub task: &'t str,
    /// The release of the upcall.
    pub activation: Activation,
    /// Its start.
    pub began: Time,
    /// Its end.
    pub ended: Time,
    /// The processor time used; zero without a budget.
    pub used: Time,
    /// The problem.
    pub finding: Finding,
}

/// The statistics of a task's upcalls so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpcallCounts {
    /// Upcalls finished.
    pub upcalls: u64,
    /// Upcalls that missed their deadlines.
    pub missed: u64,
    /// Upcalls that exceeded their budgets.
    pub overruns: u64,
    /// Upcalls that panicked.
    pub panicked: u64,
    /// Releases skipped.
    pub skipped: u64,
    /// The sum of the start latencies: the times from release to start.
    pub lateness: Time,
    /// The maximum start latency.
    pub latest_start: Time,
    /// The maximum response time.
    pub longest_response: Time,
    /// The maximum processor time of an upcall; zero without a budget.
    pub most_used: Time,
}

impl UpcallCounts {
    /// The mean start latency.
    #[must_use]
    pub fn mean_lateness(&self) -> Time {
        Time::from_nanos(self.lateness.as_nanos().checked_div(self.upcalls).unwrap_or_default())
    }
}

/// Lock-free counters with one writing thread and any number of readers.
#[derive(Debug, Default)]
pub(super) struct Counters {
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

fn raise(maximum: &AtomicU64, time: Time) {
    maximum.store(maximum.load(Ordering::Relaxed).max(time.as_nanos()), Ordering::Relaxed);
}

impl Counters {
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
