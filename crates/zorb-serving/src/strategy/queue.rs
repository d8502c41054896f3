//! The queue of the half-sync/half-async strategy: requests that wait for a thread, threads that wait for a
//! request.

mod spares;
#[cfg(test)]
mod tests;
pub(super) mod worker;

use std::sync::Arc;

use zorb_os::lock::Lock;

use self::spares::{SPARE_CAPACITY, Spares};
use self::worker::{Call, Worker};
use super::backlog::{Backlog, MAX_WAITING};
use crate::message::RequestMessage;
use crate::settings::Buffering;

/// The maximum octets of waiting requests, if the program sets no limit.
const MAX_OCTETS: usize = 256 << 20;
/// The number of waiting requests whose messages are allocated with the queue if the lane does not buffer
/// requests: then one of each connection may wait.
const UNBUFFERED_SPARES: usize = 64;
/// The number of waiting requests whose messages are allocated with the queue in any case, as far as the limits permit
/// that many; more only if the limit in octets permits as many buffers.
const SPARES: usize = 1024;
/// The octets of the smallest request.
const LEAST_REQUEST: usize = 40;
/// The queue of a lane. Its lock is held for a few instructions; borrowed threads may have other
/// priorities, so the lock has priority inheritance.
#[derive(Debug)]
pub(crate) struct RequestQueue<J> {
    waiting: Lock<Waiting<J>>,
    buffering: Option<Buffering>,
    /// Whether requests of higher priority are served first.
    by_priority: bool,
}

#[derive(Debug)]
struct Waiting<J> {
    jobs: Backlog<J>,
    octets: usize,
    /// The number of jobs for which a thread has been called.
    assigned: usize,
    /// The number of further jobs for which a dynamic thread is starting. A thread that becomes free earlier
    /// takes them.
    requested: usize,
    idle: Vec<Arc<Worker>>,
    /// How often threads have been free for their next request.
    freed: u64,
    spares: Spares,
    ended: bool,
}

impl<J: Request> Waiting<J> {
    /// The next request, if there is one for which no thread has been called.
    fn take_unassigned(&mut self) -> Option<J> {
        if self.jobs.len() > self.assigned { self.take() } else { None }
    }

    fn take(&mut self) -> Option<J> {
        let job = self.jobs.take()?;
        self.octets = self.octets.saturating_sub(job.size());
        Some(job)
    }
}

/// The limit that applies to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// That of the lane's buffering.
    Limited,
    /// None: it is counted elsewhere.
    Unlimited,
}

/// A request that may wait.
pub(crate) trait Request {
    /// Its size in octets.
    fn size(&self) -> usize;

    /// Its priority, if the lane orders requests.
    fn priority(&self) -> i16;

    /// Charges its octets to the budget while it waits, if the lane buffers requests; `false` if there is no memory for
    /// it. Otherwise nothing more is read from its connection until it has a thread.
    fn begin_wait(&mut self, is_buffered: bool) -> bool;
}

/// The result of offering a request to the queue.
pub(super) enum Offered<J> {
    /// It is queued, and the caller must call this thread.
    Assigned(Arc<Worker>),
    /// It is queued, and the caller must call the borrowed thread.
    Borrowed,
    /// It is queued, and a thread has been requested.
    Requested,
    /// It is queued.
    Waits,
    /// Too many wait.
    TooMany(J),
    /// There is no memory for it to wait.
    NoMemory(J),
    /// The lane has ended.
    Ended(J),
}

/// Why a thread takes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taker {
    /// It was called for one.
    Called,
    /// It was started for one.
    Requested,
    /// It is free.
    Free,
}

/// What a free thread does next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<J> {
    Serve(J),
    Wait,
    End,
}

/// The number of waiting requests whose messages are allocated with the queue.
fn prepared(limit: Buffering) -> usize {
    let most = if limit.max_requests == 0 { SPARES } else { limit.max_requests.min(MAX_WAITING) };
    let octets = limit.max_octets.unwrap_or(MAX_OCTETS);
    most.min(octets / LEAST_REQUEST).min(SPARES.max(octets / SPARE_CAPACITY))
}

impl<J: Request> RequestQueue<J> {
    /// A queue for `threads` threads.
    ///
    /// It allocates a message with a buffer for each request that may be in progress or wait: their number
    /// depends on timing, so one that is allocated on demand could be allocated in the steady state. See
    /// [`Buffering`] for how many; what is allocated on demand is retained.
    pub(super) fn new(threads: usize, buffering: Option<Buffering>, by_priority: bool) -> Self {
        // One per thread, and two for the reader.
        let under_way = threads.saturating_add(2);
        let octets = buffering.and_then(|limit| limit.max_octets).unwrap_or(MAX_OCTETS);
        let room = under_way.saturating_add(buffering.map_or(UNBUFFERED_SPARES, prepared));
        let waiting = Waiting {
            jobs: Backlog::new(by_priority, room),
            octets: 0,
            assigned: 0,
            requested: 0,
            idle: Vec::with_capacity(threads),
            freed: 0,
            spares: Spares::new(room, octets),
            ended: false,
        };
        Self { waiting: Lock::new(waiting), buffering, by_priority }
    }

    fn with<R>(&self, work: impl FnOnce(&mut Waiting<J>) -> R) -> R {
        work(&mut self.waiting.lock())
    }

    /// A message for the next request.
    pub(super) fn spare(&self) -> Option<Box<RequestMessage>> {
        self.with(|waiting| waiting.spares.take())
    }

    /// Retains the message of a served request.
    pub(super) fn give_back(&self, message: Box<RequestMessage>) {
        self.with(|waiting| waiting.spares.put(message));
    }

    pub(super) fn has_idle(&self) -> bool {
        self.with(|waiting| !waiting.idle.is_empty())
    }

    /// Whether a thread waits, and how often threads have been free for their next request.
    pub(crate) fn progress(&self) -> (bool, u64) {
        self.with(|waiting| (!waiting.idle.is_empty(), waiting.freed))
    }

    /// The number of requests that wait.
    pub(crate) fn len(&self) -> usize {
        self.with(|waiting| waiting.jobs.len())
    }

    /// Queues a request if there is a thread for it (an idle one, else a borrowed one, else a new one if
    /// `ask` succeeds) or room. `spare` becomes the message for the next request.
    pub(super) fn offer(
        &self,
        mut job: J,
        room: Room,
        is_borrowed: bool,
        spare: &mut Option<Box<RequestMessage>>,
        ask: impl FnOnce() -> bool,
    ) -> Offered<J> {
        self.with(|waiting| {
            if spare.is_none() {
                *spare = waiting.spares.take();
            }
            if waiting.ended {
                return Offered::Ended(job);
            }
            let offered = match waiting.idle.pop() {
                Some(worker) => Offered::Assigned(worker),
                None if is_borrowed => Offered::Borrowed,
                None if ask() => Offered::Requested,
                None if room == Room::Unlimited => Offered::Waits,
                None if !self.has_room(waiting, job.size()) => return Offered::TooMany(job),
                None if !job.begin_wait(self.buffering.is_some()) => return Offered::NoMemory(job),
                None => Offered::Waits,
            };
            match offered {
                Offered::Assigned(_) | Offered::Borrowed => waiting.assigned += 1,
                Offered::Requested => waiting.requested += 1,
                _ => {}
            }
            waiting.octets = waiting.octets.saturating_add(job.size());
            waiting.jobs.put(job.priority(), job);
            offered
        })
    }

    fn has_room(&self, waiting: &Waiting<J>, size: usize) -> bool {
        // Otherwise one request of each connection waits.
        let Some(limit) = self.buffering else { return true };
        let most = if limit.max_requests == 0 { MAX_WAITING } else { limit.max_requests };
        let octets = waiting.octets.saturating_add(size);
        let expected = waiting.assigned.saturating_add(waiting.requested);
        waiting.jobs.len().saturating_sub(expected) < most.min(MAX_WAITING)
            && octets <= limit.max_octets.unwrap_or(MAX_OCTETS)
    }

    /// Whether requests of higher priority are served first.
    pub(super) fn orders(&self) -> bool {
        self.by_priority
    }

    /// Cancels a requested thread.
    pub(crate) fn withdraw(&self) {
        self.with(|waiting| waiting.requested = waiting.requested.saturating_sub(1));
    }

    /// Whether a requested thread is still needed; if not, cancels it.
    pub(crate) fn needs_requested_thread(&self) -> bool {
        self.with(|waiting| {
            let wanted = waiting.jobs.len() > waiting.assigned;
            waiting.requested = waiting.requested.saturating_sub(usize::from(!wanted));
            wanted
        })
    }

    /// An idle thread of this lane, for another lane.
    pub(super) fn take_idle(&self) -> Option<Arc<Worker>> {
        self.with(|waiting| waiting.idle.pop())
    }

    /// Takes the next request.
    pub(super) fn take(&self, taker: Taker) -> Option<J> {
        self.with(|waiting| match taker {
            Taker::Called => {
                waiting.assigned = waiting.assigned.saturating_sub(1);
                waiting.take()
            }
            Taker::Requested => {
                waiting.requested = waiting.requested.saturating_sub(1);
                waiting.take_unassigned()
            }
            Taker::Free => waiting.take_unassigned(),
        })
    }

    /// Whether a request waits for which no thread has been called.
    pub(super) fn has_unassigned(&self) -> bool {
        self.with(|waiting| waiting.jobs.len() > waiting.assigned)
    }

    /// The next request; without one, `worker` becomes idle. Retains the message of the request that it has
    /// `served`.
    pub(super) fn next(
        &self,
        worker: &Arc<Worker>,
        served: Option<Box<RequestMessage>>,
    ) -> Next<J> {
        self.with(|waiting| {
            waiting.freed += 1;
            if let Some(message) = served {
                waiting.spares.put(message);
            }
            if let Some(job) = waiting.take_unassigned() {
                return Next::Serve(job);
            }
            if waiting.ended {
                return Next::End;
            }
            worker.begin_wait();
            waiting.idle.push(Arc::clone(worker));
            Next::Wait
        })
    }

    /// Removes `worker` from the idle threads; `false` if it has been called.
    pub(super) fn leave(&self, worker: &Arc<Worker>) -> bool {
        self.with(|waiting| {
            let before = waiting.idle.len();
            waiting.idle.retain(|idle| !Arc::ptr_eq(idle, worker));
            waiting.idle.len() < before
        })
    }

    /// Ends all threads once the queue is empty.
    pub(crate) fn end(&self) {
        let idle = self.with(|waiting| {
            waiting.ended = true;
            std::mem::take(&mut waiting.idle)
        });
        for worker in idle {
            worker.call(Call::Check);
        }
    }
}
