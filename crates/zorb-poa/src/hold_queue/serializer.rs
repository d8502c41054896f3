//! Queues whose gate admits one request at a time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use zorb_os::thread;

use super::admission::is_next;
use super::{Arrival, Gate, Held, HoldLimits, HoldQueue, PermitHolder, Stopped};

/// The right to make an upcall, where only one thread at a time has it. Dropping it ends the upcall.
#[derive(Debug)]
pub(crate) struct UpcallPermit(HoldQueue);

impl Drop for UpcallPermit {
    fn drop(&mut self) {
        let mut held = self.0.0.held.lock();
        held.holder = held.holder.map(|holder| PermitHolder { depth: holder.depth - 1, ..holder });
        held.holder.take_if(|holder| holder.depth == 0);
        self.0.resume(held);
    }
}

impl HoldQueue {
    /// The queue of requests for the main thread, which is the calling one until another
    /// [serves](Self::serve_next) them.
    pub(crate) fn for_main_thread(limits: HoldLimits) -> Self {
        Self::with(Gate::OneAtATime, limits, Some(AtomicU32::new(thread::id())), false)
    }

    /// Admits a request if no other one has the permit, or returns the reason why not. Does not block. The thread that
    /// has it may make collocated calls.
    pub(crate) fn acquire_permit(&self, arrival: Arrival<'_>) -> Result<UpcallPermit, Stopped> {
        let thread = thread::id();
        let mut held = self.0.held.lock();
        let is_local = matches!(arrival, Arrival::Collocated);
        if let Some(holder) =
            held.holder.as_mut().filter(|holder| is_local && holder.thread == thread)
        {
            holder.depth += 1;
            return Ok(UpcallPermit(self.clone()));
        }
        if let Gate::Refusing(exception) = held.gate() {
            return Err(Stopped::Refused(exception()));
        }
        let is_here = match (&self.0.main_thread, arrival) {
            (None, _) => true,
            (Some(main), Arrival::Collocated) => main.load(Ordering::Relaxed) == thread,
            (Some(_), Arrival::Resumed(pass)) => pass.queue == *self,
            (Some(_), Arrival::New) => false,
        };
        if held.holder.is_none() && is_here && is_next(&held, arrival, |pass| pass.queue == *self) {
            held.holder = Some(PermitHolder { thread, depth: 1 });
            return Ok(UpcallPermit(self.clone()));
        }
        drop(held);
        Err(Stopped::Held(self.clone()))
    }

    /// How many permits, each within the one before, the calling thread has.
    pub(crate) fn permits_of_caller(&self) -> usize {
        let holder = self.0.held.lock().holder;
        holder.filter(|holder| holder.thread == thread::id()).map_or(0, |holder| holder.depth)
    }

    /// Whether its requests are served by the main thread, to which other threads hand collocated calls.
    pub fn is_for_main_thread(&self) -> bool {
        self.0.main_thread.is_some()
    }

    /// Serves the next request on the calling thread, which becomes the main thread; waits for one if `limit` is not
    /// zero, for ever if it is `None`. Returns whether there was one. Returns at once after the ORB's shutdown.
    #[doc(hidden)]
    pub fn serve_next(&self, limit: Option<Duration>) -> bool {
        let Some(main_thread) = &self.0.main_thread else { return false };
        let mut held = self.0.held.lock();
        main_thread.store(thread::id(), Ordering::Relaxed);
        let waits = |held: &mut Held| {
            !held.is_released && (held.resumable(false) == 0 || held.requests.oldest().is_none())
        };
        held.servers += 1;
        match limit {
            Some(limit) => held = self.0.changed.wait_while(held, limit, waits),
            None => {
                while waits(&mut held) {
                    held = self.0.changed.wait(held);
                }
            }
        }
        held.servers -= 1;
        if waits(&mut held) || held.is_released {
            return false;
        }
        let next = held.requests.resume(1).pop();
        drop(held);
        let Some(next) = next else { return false };
        self.0.limits.counts.remove(1);
        let pass = self.pass(&next);
        next.request.serve(pass);
        true
    }
}
