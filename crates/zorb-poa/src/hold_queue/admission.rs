//! Whether a request is admitted, or has to wait behind others.

use super::{Arrival, Gate, Held, HoldQueue, ResumePass, Stopped};

impl HoldQueue {
    /// Admits a request, or returns the reason why not. Does not block.
    pub(crate) fn admit(&self, arrival: Arrival<'_>) -> Result<(), Stopped> {
        match self.is_open() {
            true => Ok(()),
            false => self.admit_behind(arrival, |pass| pass.queue == *self),
        }
    }

    /// Like [`admit`](Self::admit), but requests that have been resumed together are admitted in their order, too: the
    /// threads of a lane need not ask in it.
    #[cold]
    pub(crate) fn admit_in_order(&self, arrival: Arrival<'_>) -> Result<(), Stopped> {
        self.admit_behind(arrival, |_| false)
    }

    /// Admits a request if no other precedes it; those that are resuming do not precede one that `overtakes`.
    #[cold]
    fn admit_behind(
        &self,
        arrival: Arrival<'_>,
        overtakes: impl FnOnce(&ResumePass) -> bool,
    ) -> Result<(), Stopped> {
        let held = self.0.held.lock();
        match held.gate() {
            Gate::Refusing(exception) => return Err(Stopped::Refused(exception())),
            Gate::Open if is_next(&held, arrival, overtakes) => return Ok(()),
            Gate::Open | Gate::Closed | Gate::OneAtATime => {}
        }
        drop(held);
        Err(Stopped::Held(self.clone()))
    }
}

/// Whether no other request precedes this one.
pub(super) fn is_next(
    held: &Held,
    arrival: Arrival<'_>,
    overtakes: impl FnOnce(&ResumePass) -> bool,
) -> bool {
    match arrival {
        Arrival::New => held.requests.is_empty(),
        Arrival::Resumed(pass) => held.requests.is_next(pass.since, overtakes(pass)),
        Arrival::Collocated => true,
    }
}
