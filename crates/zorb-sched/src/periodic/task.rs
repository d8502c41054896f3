//! Periodic tasks.

use crate::model::info::{Criticality, RtInfo};
use crate::{MAX_TIME, Time};

/// The scheduling of a periodic task's thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpcallScheduling {
    /// Time-shared with all other threads.
    #[default]
    Shared,
    /// `SCHED_FIFO` at this priority: 1 to 99.
    Fifo(u8),
    /// `SCHED_DEADLINE` with the task's budget, deadline and period. The system enforces the
    /// budget, and rejects tasks that exceed the available bandwidth.
    Deadline,
}

/// The policy for releases that occur while an earlier upcall still runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backlog {
    /// Skip and count those whose whole periods have passed: after a long upcall the next one
    /// belongs to the current period. The default.
    #[default]
    Skip,
    /// Run all of them, one after another.
    Run,
}

/// A periodic operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeriodicTask {
    /// Its name in reports.
    pub name: String,
    /// The period; not zero.
    pub period: Time,
    /// The processor time that an upcall may use. Zero, the default, is unlimited, and saves two
    /// system calls per upcall.
    pub budget: Time,
    /// The deadline relative to the release. Zero, the default, stands for the period.
    pub deadline: Time,
    /// The time from the start to the first release. Default: zero.
    pub phase: Time,
    /// The policy for releases that an earlier upcall delays.
    pub backlog: Backlog,
    /// The scheduling of its thread. If a strategy admits the tasks, the strategy determines it.
    pub scheduling: UpcallScheduling,
    /// The criticality.
    pub criticality: Criticality,
    /// The processor that its thread is bound to. Default: any, or the one chosen by admission.
    pub processor: Option<u32>,
}

impl PeriodicTask {
    /// A task with this name and period, and defaults for the rest.
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

    /// Sets the budget.
    #[must_use]
    pub fn budget(self, budget: impl Into<Time>) -> Self {
        Self { budget: budget.into(), ..self }
    }

    /// Sets the deadline.
    #[must_use]
    pub fn deadline(self, deadline: impl Into<Time>) -> Self {
        Self { deadline: deadline.into(), ..self }
    }

    /// Sets the phase.
    #[must_use]
    pub fn phase(self, phase: impl Into<Time>) -> Self {
        Self { phase: phase.into(), ..self }
    }

    /// Sets the policy for delayed releases.
    #[must_use]
    pub fn backlog(self, backlog: Backlog) -> Self {
        Self { backlog, ..self }
    }

    /// Sets the scheduling.
    #[must_use]
    pub fn scheduling(self, scheduling: UpcallScheduling) -> Self {
        Self { scheduling, ..self }
    }

    /// Sets the criticality.
    #[must_use]
    pub fn criticality(self, criticality: Criticality) -> Self {
        Self { criticality, ..self }
    }

    /// Sets the processor.
    #[must_use]
    pub fn processor(self, processor: u32) -> Self {
        Self { processor: Some(processor), ..self }
    }

    /// The deadline relative to the release.
    #[must_use]
    pub fn relative_deadline(&self) -> Time {
        if self.deadline.is_zero() { self.period } else { self.deadline }
    }

    /// Why the task is invalid, if it is.
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

    /// Its load on the processor.
    pub(super) fn needs(&self) -> RtInfo {
        let info = RtInfo::new(self.name.clone(), self.budget)
            .period(self.period)
            .deadline(self.relative_deadline())
            .criticality(self.criticality);
        RtInfo { processor: self.processor, threads: 1, ..info }
    }
}
