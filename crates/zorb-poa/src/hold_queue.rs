//! Queues of held requests. A held request is a message in a queue; it occupies no thread, connection or lane.
//!
//! ```text
//!             hold             the gate opens           admit
//! new request ----> waiting -----------------> resuming ----> upcall
//!                      ^                           |
//!                      +---------------------------+
//!                       hold: the gate has closed again
//! ```
//!
//! A resuming request is back in the lane that received it, which asks again whether it is admitted. While requests
//! wait or are resuming, new ones are held behind them. A request that has to wait again, in this queue or in the next
//! one on its way, keeps the position of the time when it was first held. Thus requests keep their order, however
//! often gates open and close. A request that has been held for too long is discarded, and one whose reply nobody awaits
//! any more is [withdrawn](HoldQueue::withdraw).
//!
//! The gate of some queues admits one request at a time, whose [`UpcallPermit`] lasts until the end of its upcall: that of an
//! adapter with the single-thread model, and that of the ORB's main thread, which [serves](HoldQueue::serve_next) the
//! requests itself.

mod admission;
mod collocated;
mod expiry;
mod resume;
pub(crate) mod serializer;
#[cfg(test)]
mod tests;
mod waiting;
mod withdrawal;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

use zorb_giop::ServedRequest;
use zorb_os::lock::{Condition, Lock};
use zorb_types::{CompletionStatus, SystemException, minor};

pub(crate) use self::waiting::HoldLimits;
use self::waiting::{WaitingRequests, Weight};
pub use self::withdrawal::WeakHoldQueue;

/// A request that can wait in a queue as a message.
pub trait Holdable: Send {
    /// The size of its message in octets.
    fn size(&self) -> usize;

    /// The number of its peer, which is unique among those of held requests.
    fn peer(&self) -> usize;

    /// Whether it waits regardless of the limits, and does not count towards them.
    fn is_unlimited(&self) -> bool {
        false
    }

    /// The number of the connection whose client waits for the reply, which is unique among those of held requests,
    /// and which of its requests this is; `None` if no connection waits.
    fn awaited_by(&self) -> Option<(usize, ServedRequest)> {
        None
    }

    /// Returns the request to its lane, whose threads ask again whether it is admitted before they drop `pass`.
    fn resume(self: Box<Self>, pass: ResumePass);

    /// Serves the request on the calling thread, which asks again whether it is admitted before it drops `pass`.
    fn serve(self: Box<Self>, pass: ResumePass);

    /// Returns the request to its lane, whose threads answer it with [`discarded`].
    fn discard(self: Box<Self>);
}

/// How a request has come to its adapter.
#[derive(Clone, Copy, Debug)]
pub enum Arrival<'a> {
    /// It has just been received.
    New,
    /// It was held, and has been resumed.
    Resumed(&'a ResumePass),
    /// By a collocated call, which waits itself while requests are held. It is not ordered with the requests of
    /// connections: the caller may be the thread that those wait for.
    Collocated,
}

/// The reason why a request is not admitted.
pub(crate) enum Stopped {
    /// [Hold](HoldQueue::hold) the request.
    Held(HoldQueue),
    /// Answer it with this exception.
    Refused(SystemException),
}

/// What happens to requests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gate {
    /// They wait.
    Closed,
    /// They are admitted, those that wait first.
    Open,
    /// They are admitted one at a time, those that wait first, by [`HoldQueue::acquire_permit`].
    OneAtATime,
    /// They are answered with this exception, those that wait, too.
    Refusing(fn() -> SystemException),
}

/// A queue of held requests. Clones are the same queue, and compare equal.
#[derive(Clone, Debug)]
pub struct HoldQueue(Arc<Queue>);

#[derive(Debug)]
struct Queue {
    /// See [`HoldQueue::is_open`].
    is_open: AtomicBool,
    held: Lock<Held>,
    changed: Condition,
    limits: HoldLimits,
    /// The id of the main thread, in the queue of requests for it.
    main_thread: Option<AtomicU32>,
    /// Whether it is a forwarder's.
    is_forwarders: bool,
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.limits.counts.remove(self.held.lock().requests.len());
    }
}

/// The thread that has the permit.
#[derive(Clone, Copy, Debug)]
struct PermitHolder {
    thread: u32,
    /// The number of upcalls that are nested in each other.
    depth: usize,
}

/// The state of a queue.
#[derive(Debug)]
pub(crate) struct Held {
    gate: Gate,
    holder: Option<PermitHolder>,
    requests: WaitingRequests<Box<dyn Holdable>>,
    /// The number of threads of this process whose collocated calls wait.
    callers: usize,
    /// The number of threads that wait for requests to serve.
    servers: usize,
    /// Whether a thread is resuming requests. It looks for further ones before it stops.
    is_resuming: bool,
    /// Whether the ORB is shutting down: no requests are held any more.
    is_released: bool,
}

impl Held {
    fn gate(&self) -> Gate {
        match self.gate {
            Gate::Closed | Gate::OneAtATime if self.is_released => Gate::Refusing(discarded),
            gate => gate,
        }
    }

    /// Whether requests wait, also if there are no others.
    fn is_closed(&self) -> bool {
        match self.gate() {
            Gate::Closed => true,
            Gate::OneAtATime => self.holder.is_some(),
            Gate::Open | Gate::Refusing(_) => false,
        }
    }

    /// The number of requests that may be resumed now.
    fn resumable(&self, by_main_thread: bool) -> usize {
        match self.gate() {
            _ if self.is_closed() || self.requests.is_resuming() => 0,
            Gate::OneAtATime => usize::from(!by_main_thread),
            _ => usize::MAX,
        }
    }
}

/// Represents a resumed request until it has asked again whether it is admitted. Its queue resumes no further requests
/// until all passes have been dropped.
pub struct ResumePass {
    queue: HoldQueue,
    /// The time when the request was first held.
    since: Instant,
    /// Whether a queue of a forwarder has held it.
    forwarder_held: bool,
}

impl HoldQueue {
    /// An empty queue.
    pub(crate) fn new(gate: Gate, limits: HoldLimits) -> Self {
        Self::with(gate, limits, None, false)
    }

    /// An empty queue of a [`Forwarder`](crate::Forwarder), whose requests wait.
    pub(crate) fn of_forwarder(limits: HoldLimits) -> Self {
        Self::with(Gate::Closed, limits, None, true)
    }

    fn with(
        gate: Gate,
        limits: HoldLimits,
        main_thread: Option<AtomicU32>,
        is_forwarders: bool,
    ) -> Self {
        let held = Held {
            gate,
            holder: None,
            requests: WaitingRequests::default(),
            callers: 0,
            servers: 0,
            is_resuming: false,
            is_released: false,
        };
        Self(Arc::new(Queue {
            is_open: AtomicBool::new(matches!(gate, Gate::Open)),
            held: Lock::new(held),
            changed: Condition::new(),
            limits,
            main_thread,
            is_forwarders,
        }))
    }

    /// Whether new requests are admitted at once: the gate is open, and no request waits or is resuming.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.0.is_open.load(Ordering::Acquire)
    }

    /// Holds a request; `since` is the time when it was first held. If the gate has opened in the meantime, the
    /// request is resumed at once. Returns the time at which the request expires and
    /// [`discard_expired`](Self::discard_expired) must be called; `None` for no limit, or if no request waits.
    ///
    /// # Errors
    /// The request, and the exception to answer it with, `TRANSIENT`, if too many requests are held.
    #[doc(hidden)]
    pub fn hold<R: Holdable + 'static>(
        &self,
        request: Box<R>,
        arrival: Arrival<'_>,
        since: Instant,
    ) -> Result<Option<Instant>, (Box<R>, SystemException)> {
        let mut held = self.0.held.lock();
        // One that this queue has resumed was within the limits before.
        let is_counted = matches!(arrival, Arrival::Resumed(pass) if pass.queue == *self);
        let weight = Weight { octets: request.size(), peer: request.peer() };
        let weight = Some(weight).filter(|_| !request.is_unlimited());
        if !is_counted
            && let Some(weight) = weight
            && !held.requests.has_room(weight, held.callers, &self.0.limits)
        {
            drop(held);
            self.0.limits.counts.refuse();
            return Err((request, too_many()));
        }
        let forwarder_held = matches!(arrival, Arrival::Resumed(pass) if pass.forwarder_held());
        held.requests.add(since, request, weight, forwarder_held);
        self.0.limits.counts.add();
        let waits = held.is_closed() || held.requests.is_resuming() || self.is_for_main_thread();
        self.resume(held);
        Ok(self.expiry(since).filter(|_| waits && weight.is_some()))
    }

    /// The number of requests and collocated calls that wait.
    pub fn len(&self) -> usize {
        let held = self.0.held.lock();
        held.requests.len() + held.callers
    }

    /// Whether no request waits or is resuming. Collocated calls may wait.
    pub(crate) fn has_no_requests(&self) -> bool {
        self.0.held.lock().requests.is_empty()
    }

    /// Whether no request and no collocated call waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Whether both are the same queue.
impl PartialEq for HoldQueue {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for HoldQueue {}

/// The exception for discarded requests: `TRANSIENT` (OMG 1), completed NO.
#[cold]
pub fn discarded() -> SystemException {
    let code = minor::transient::REQUEST_DISCARDED;
    SystemException::transient(code, CompletionStatus::No)
}

#[cold]
fn too_many() -> SystemException {
    SystemException::transient(minor::transient::QUEUE_FULL, CompletionStatus::No)
}
