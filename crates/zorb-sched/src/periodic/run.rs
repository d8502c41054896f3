//! Runs the upcalls of a periodic task.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::clock::UpcallClock;
use super::counts::{Counters, Finding, UpcallCounts, UpcallEvent};
use super::releases::{Activation, Releases};
use super::task::PeriodicTask;
use crate::Time;

impl PeriodicTask {
    /// Runs the upcalls on the calling thread, until `clock` stops; the phase is relative to
    /// `start`. Every problem is reported to `on_event` immediately, and counted.
    ///
    /// After a panic of an upcall, the next one runs as usual.
    pub fn run_on<C: UpcallClock + ?Sized>(
        &self,
        clock: &C,
        start: Time,
        mut upcall: impl FnMut(&Activation),
        on_event: impl Fn(&UpcallEvent<'_>),
    ) -> UpcallCounts {
        let counters = Counters::default();
        self.serve(clock, start, &counters, &mut upcall, &on_event);
        counters.counts()
    }

    pub(super) fn serve<C: UpcallClock + ?Sized>(
        &self,
        clock: &C,
        start: Time,
        counters: &Counters,
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
            counters.add(&activation, began, ended, used);
            let report = |finding| {
                counters.note(&finding);
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

    /// The processor time used so far, if it is needed.
    fn measured<C: UpcallClock + ?Sized>(&self, clock: &C) -> Time {
        if self.budget.is_zero() { Time::ZERO } else { clock.used() }
    }
}
