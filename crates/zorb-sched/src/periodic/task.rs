//! What is known of a periodic upcall.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::clock::UpcallClock;
use super::counts::{Finding, Tally, UpcallCounts, UpcallEvent};
use super::releases::{Activation, Backlog, Releases};
use crate::model::info::{Criticality, RtInfo};
use crate::{MAX_TIME, Time};

/// How the system schedules the thread of a periodic task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpcallScheduling {
    /// In turns with all others.
    #[default]
    Shared,
    /// `SCHED_FIFO`, at this priority: 1 to 99.
    Fifo(u8),
    /// `SCHED_DEADLINE`: by the task's budget, deadline and period. The system holds it to its
    /// budget, and refuses what it has no room for.
    Deadline,
}

/// An operation that runs in every period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeriodicTask {
    /// Its name, for those who read reports.
    pub name: String,
    /// The time between two releases; not zero.
    pub period: Time,
    /// How much processor time one upcall may use. Zero, the default, is no limit, and saves two
    /// system calls in each upcall.
    pub budget: Time,
    /// How long after its release an upcall has to be done. Zero, the default, stands for the period.
    pub deadline: Time,
    /// How long after the start the first release is. Default: at the start.
    pub phase: Time,
    /// What happens to releases that an earlier upcall holds up.
    pub backlog: Backlog,
    /// How its thread is scheduled. Where a set of tasks is admitted by a strategy, that decides.
    pub scheduling: UpcallScheduling,
    /// How much depends on it.
    pub criticality: Criticality,
    /// The processor that its thread stays on. Default: any, or the one that the admission finds.
    pub processor: Option<u32>,
}

impl PeriodicTask {
    /// A task of this name and period, and everything else by default.
    #[must_use]
    pub fn new(name: impl Into<String>, period: impl Into<Time>) -> Self {
        Self {
            name: name.into(),
            period: period.into(),
            budget: Time::ZERO,
            deadline: Time::ZERO,
            phase: Time::ZERO,
            backlog: Backlog::default(),
            scheduling: UpcallScheduling::default(),
            criticality: Criticality::default(),
            processor: None,
        }
    }

    /// With this much processor time for each upcall.
    #[must_use]
    pub fn budget(self, budget: impl Into<Time>) -> Self {
        Self { budget: budget.into(), ..self }
    }

    /// To be done so long after each release.
    #[must_use]
    pub fn deadline(self, deadline: impl Into<Time>) -> Self {
        Self { deadline: deadline.into(), ..self }
    }

    /// First released so long after the start.
    #[must_use]
    pub fn phase(self, phase: impl Into<Time>) -> Self {
        Self { phase: phase.into(), ..self }
    }

    /// With this for releases that are held up.
    #[must_use]
    pub fn backlog(self, backlog: Backlog) -> Self {
        Self { backlog, ..self }
    }

    /// Scheduled so.
    #[must_use]
    pub fn scheduling(self, scheduling: UpcallScheduling) -> Self {
        Self { scheduling, ..self }
    }

    /// Of this criticality.
    #[must_use]
    pub fn criticality(self, criticality: Criticality) -> Self {
        Self { criticality, ..self }
    }

    /// On this processor.
    #[must_use]
    pub fn processor(self, processor: u32) -> Self {
        Self { processor: Some(processor), ..self }
    }

    /// How long after its release an upcall has to be done.
    #[must_use]
    pub fn relative_deadline(&self) -> Time {
        if self.deadline.is_zero() { self.period } else { self.deadline }
    }

    /// Why it cannot run.
    pub(super) fn flaw(&self) -> Option<&'static str> {
        let longest = [self.period, self.budget, self.deadline, self.phase].into_iter().max();
        if self.period.is_zero() {
            Some("it has no period")
        } else if longest > Some(MAX_TIME) {
            Some("one of its times is too long")
        } else if self.scheduling == UpcallScheduling::Deadline && self.budget.is_zero() {
            Some("SCHED_DEADLINE needs a budget")
        } else if matches!(self.scheduling, UpcallScheduling::Fifo(0 | 100..)) {
            Some("priorities of SCHED_FIFO are 1 to 99")
        } else {
            None
        }
    }

    /// What it asks of its processor.
    pub(super) fn needs(&self) -> RtInfo {
        let info = RtInfo::new(self.name.clone(), self.budget)
            .period(self.period)
            .deadline(self.relative_deadline())
            .criticality(self.criticality);
        RtInfo { processor: self.processor, threads: 1, ..info }
    }

    /// Makes its upcalls on the calling thread, by `clock`, until that says to stop; `start` is what
    /// its phase counts from. Everything that goes wrong is reported to `on_event` at once, and
    /// counted.
    ///
    /// An upcall that panics is over; the next comes at its time.
    pub fn run_on<C: UpcallClock + ?Sized>(
        &self,
        clock: &C,
        start: Time,
        mut upcall: impl FnMut(&Activation),
        on_event: impl Fn(&UpcallEvent<'_>),
    ) -> UpcallCounts {
        let tally = Tally::default();
        self.serve(clock, start, &tally, &mut upcall, &on_event);
        tally.counts()
    }

    pub(super) fn serve<C: UpcallClock + ?Sized>(
        &self,
        clock: &C,
        start: Time,
        tally: &Tally,
        upcall: &mut dyn FnMut(&Activation),
        on_event: &dyn Fn(&UpcallEvent<'_>),
    ) {
        let mut releases = Releases::new(self, start);
        while clock.wait_until(releases.next()) {
            let began = clock.now();
            let Some(activation) = releases.take(began) else { continue };
            let used = self.measured(clock);
            let panicked = catch_unwind(AssertUnwindSafe(|| upcall(&activation))).is_err();
            let used = self.measured(clock) - used;
            let ended = clock.now();
            tally.add(&activation, began, ended, used);
            let report = |finding| {
                tally.note(&finding);
                on_event(&UpcallEvent {
                    task: &self.name,
                    activation,
                    began,
                    ended,
                    used,
                    finding,
                });
            };
            if activation.skipped > 0 {
                report(Finding::Skipped { releases: activation.skipped });
            }
            if panicked {
                report(Finding::Panicked);
            }
            if used > self.budget && !self.budget.is_zero() {
                report(Finding::BudgetOverrun { by: used - self.budget });
            }
            if ended > activation.deadline {
                report(Finding::DeadlineMissed { by: ended - activation.deadline });
            }
        }
    }

    /// The processor time used so far, where anybody asks.
    fn measured<C: UpcallClock + ?Sized>(&self, clock: &C) -> Time {
        if self.budget.is_zero() { Time::ZERO } else { clock.used() }
    }
}
