//! Resuming held requests when the gate opens.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::time::Instant;

use zorb_os::lock::Locked;

use super::waiting::Waiting;
use super::{Gate, Held, HoldQueue, ResumePass};

impl ResumePass {
    /// The time when the request was first held.
    pub fn since(&self) -> Instant {
        self.since
    }

    /// Whether a queue of a [`Forwarder`](crate::Forwarder) has held the request.
    pub(crate) fn forwarder_held(&self) -> bool {
        self.forwarder_held
    }
}

impl std::fmt::Debug for ResumePass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResumePass").finish_non_exhaustive()
    }
}

impl Drop for ResumePass {
    fn drop(&mut self) {
        let mut held = self.queue.0.held.lock();
        held.requests.resumed(self.since);
        self.queue.resume(held);
    }
}

impl HoldQueue {
    /// Sets the gate if `change` returns one, under the queue's lock. The queue is not [open](Self::is_open) meanwhile: a
    /// request that sees what `change` does waits for the lock, whose holder inherits its priority.
    pub(crate) fn set_gate<E>(&self, change: impl FnOnce() -> Result<Gate, E>) -> Result<(), E> {
        let mut held = self.0.held.lock();
        self.0.is_open.store(false, Ordering::Relaxed);
        let changed = change().map(|gate| held.gate = gate);
        self.resume(held);
        changed
    }

    /// Admits requests, those that wait first.
    pub(crate) fn open(&self) {
        let Ok(()) = self.set_gate(|| Ok::<_, Infallible>(Gate::Open));
    }

    /// Makes requests wait.
    pub(crate) fn close(&self) {
        let Ok(()) = self.set_gate(|| Ok::<_, Infallible>(Gate::Closed));
    }

    /// Answers held requests with `TRANSIENT`, and holds no further ones.
    #[doc(hidden)]
    pub fn release(&self) {
        let mut held = self.0.held.lock();
        held.is_released = true;
        self.resume(held);
    }

    /// Resumes the requests that may be resumed.
    pub(super) fn resume<'q>(&'q self, mut held: Locked<'q, Held>) {
        if held.callers + held.servers > 0 {
            self.0.changed.notify_all();
        }
        if held.is_resuming {
            return self.update_is_open(&held);
        }
        loop {
            let most = held.resumable(self.is_for_main_thread());
            let resumed = held.requests.resume(most);
            held.is_resuming = !resumed.is_empty();
            self.update_is_open(&held);
            if resumed.is_empty() {
                return;
            }
            self.0.limits.counts.remove(resumed.len());
            drop(held);
            for waiting in resumed {
                let pass = self.pass(&waiting);
                waiting.request.resume(pass);
            }
            held = self.0.held.lock();
        }
    }

    /// The pass of a request of this queue that is resumed.
    pub(super) fn pass<R>(&self, waiting: &Waiting<R>) -> ResumePass {
        let forwarder_held = waiting.forwarder_held || self.0.is_forwarders;
        ResumePass { queue: self.clone(), since: waiting.since, forwarder_held }
    }

    pub(super) fn update_is_open(&self, held: &Held) {
        let is_open = matches!(held.gate, Gate::Open) && held.requests.is_empty();
        self.0.is_open.store(is_open, Ordering::Release);
    }
}
