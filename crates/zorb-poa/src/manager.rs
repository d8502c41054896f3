//! POA managers: they admit, hold, discard or reject the requests for a group of adapters (CORBA 3.3 part 1, 15.3.3).
//!
//! A held request is a message in the manager's queue. It occupies no thread, connection or lane:
//!
//! ```text
//!             hold             leaves the holding state           admit
//! new request ----> requests ----------------------------> resuming ----> upcall
//!                                                           |   ^
//!                              the manager is holding again |   | the last resuming request
//!                                                           v   | has been admitted or held
//!                                                          reheld
//! ```
//!
//! A resuming request is back in the lane that received it, which asks the manager again. While requests are
//! resuming, new ones are held behind them, and held ones are not resumed. Thus requests keep their order, however
//! often the state changes. A request that has been held for too long is discarded.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use zorb_base::options::Options;
use zorb_os::lock::{Condition, Lock, Locked};
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::error::PoaError;

/// The state of a [`PoaManager`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ManagerState {
    /// Requests wait. The state of a new manager.
    Holding = 0,
    /// Requests are served.
    Active = 1,
    /// Requests are answered with `TRANSIENT`.
    Discarding = 2,
    /// Requests are answered with `OBJ_ADAPTER`. This state is final.
    Inactive = 3,
}

/// The limits of a manager's queue of held requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldLimits {
    /// The maximum number of requests; option `MaxHeldRequests`.
    pub(crate) requests: usize,
    /// The maximum total size of their messages in octets; option `MaxHeldOctets`.
    pub(crate) octets: usize,
    /// The maximum time that they wait; option `MaxHeldTime`.
    pub(crate) time: Option<Duration>,
}

impl HoldLimits {
    /// The limits in the options.
    pub fn of(options: &Options) -> Self {
        Self {
            requests: options.max_held_requests,
            octets: options.max_held_octets,
            time: options.max_held_time,
        }
    }
}

/// A request that can wait in a manager's queue as a message.
pub trait Holdable: Send {
    /// The size of its message in octets.
    fn size(&self) -> usize;

    /// Returns the request to its lane, whose threads ask the manager again before they drop `pass`.
    fn resume(self: Box<Self>, pass: ResumePass);

    /// Returns the request to its lane, whose threads answer it with [`discarded`].
    fn discard(self: Box<Self>);
}

/// How a request has come to its manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It has just been received.
    New,
    /// It was held, and has been resumed.
    Resumed,
    /// By a collocated call, which waits itself while the manager is holding. It is not ordered with the requests
    /// of connections: the caller may be the thread that those wait for.
    Collocated,
}

/// The reason why a manager does not admit a request.
pub(crate) enum Stopped {
    /// [Hold](PoaManager::hold) the request.
    Held(PoaManager),
    /// Answer it with this exception.
    Refused(SystemException),
}

/// A handle to a POA manager, which admits, holds, discards or rejects the requests to its adapters
/// (`PortableServer::POAManager`). Clones are the same manager, and compare equal.
#[derive(Clone, Debug)]
pub struct PoaManager(Arc<Manager>);

#[derive(Debug)]
struct Manager {
    state: AtomicU8,
    /// Whether new requests are admitted at once: the manager is active, and no request is held or resuming.
    is_open: AtomicBool,
    held: Lock<Held>,
    changed: Condition,
    limits: HoldLimits,
}

/// A held request.
struct HeldRequest {
    /// The time when it was first held.
    since: Instant,
    request: Box<dyn Holdable>,
}

#[derive(Default)]
struct Held {
    /// In the order in which they were first held.
    requests: VecDeque<HeldRequest>,
    /// Requests that were resumed and held again, in the order in which they were first held. They precede
    /// `requests`.
    reheld: VecDeque<HeldRequest>,
    octets: usize,
    /// The number of threads of this process whose collocated calls wait.
    callers: usize,
    /// The number of requests that were resumed and have not asked the manager again yet.
    resuming: usize,
    /// Whether the ORB is shutting down: the manager holds no requests any more.
    released: bool,
}

impl Held {
    /// The number of requests and callers that wait.
    fn len(&self) -> usize {
        self.requests.len() + self.reheld.len() + self.callers
    }

    /// Whether no request waits.
    fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.reheld.is_empty()
    }

    /// The time when the oldest request was first held.
    fn oldest(&self) -> Option<Instant> {
        let first = |queue: &VecDeque<HeldRequest>| queue.front().map(|held| held.since);
        first(&self.reheld).into_iter().chain(first(&self.requests)).min()
    }

    /// Removes and returns the requests that have waited for at least `limit`.
    fn take_older(&mut self, limit: Duration, now: Instant) -> Vec<Box<dyn Holdable>> {
        let is_older = |held: &HeldRequest| now.saturating_duration_since(held.since) >= limit;
        let mut older = Vec::new();
        for queue in [&mut self.reheld, &mut self.requests] {
            while queue.front().is_some_and(is_older)
                && let Some(held) = queue.pop_front()
            {
                self.octets = self.octets.saturating_sub(held.request.size());
                older.push(held.request);
            }
        }
        older
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("requests", &self.requests.len()).finish_non_exhaustive()
    }
}

/// Represents a resumed request until it has asked the manager again. The manager resumes no further requests until
/// all passes have been dropped.
pub struct ResumePass {
    manager: PoaManager,
    /// The time when the request was first held.
    since: Instant,
}

impl ResumePass {
    /// The time when the request was first held.
    pub fn since(&self) -> Instant {
        self.since
    }
}

impl std::fmt::Debug for ResumePass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResumePass").finish_non_exhaustive()
    }
}

impl Drop for ResumePass {
    fn drop(&mut self) {
        let manager = &self.manager;
        let mut held = manager.0.held.lock();
        held.resuming -= 1;
        manager.resume_all(held);
    }
}

impl PoaManager {
    /// Creates a manager in this state.
    #[doc(hidden)]
    pub fn new(state: ManagerState, limits: HoldLimits) -> Self {
        Self(Arc::new(Manager {
            state: AtomicU8::new(state as u8),
            is_open: AtomicBool::new(state == ManagerState::Active),
            held: Lock::default(),
            changed: Condition::new(),
            limits,
        }))
    }

    /// The manager's state (`get_state`).
    pub fn state(&self) -> ManagerState {
        match self.0.state.load(Ordering::Acquire) {
            0 => ManagerState::Holding,
            1 => ManagerState::Active,
            2 => ManagerState::Discarding,
            _ => ManagerState::Inactive,
        }
    }

    /// Admits requests, those held so far first (`activate`).
    ///
    /// # Errors
    /// `AdapterInactive` after [`deactivate`](Self::deactivate).
    pub fn activate(&self) -> Result<(), PoaError> {
        self.change(ManagerState::Active)
    }

    /// Holds requests (`hold_requests`), within the options `MaxHeldRequests` (256), `MaxHeldOctets` (64 MiB) and
    /// `MaxHeldTime` (60 s). Requests beyond these limits are answered with `TRANSIENT`.
    ///
    /// # Errors
    /// `AdapterInactive` after [`deactivate`](Self::deactivate).
    pub fn hold_requests(&self) -> Result<(), PoaError> {
        self.change(ManagerState::Holding)
    }

    /// Answers requests, including those held so far, with `TRANSIENT` (OMG 1) (`discard_requests`).
    ///
    /// # Errors
    /// `AdapterInactive` after [`deactivate`](Self::deactivate).
    pub fn discard_requests(&self) -> Result<(), PoaError> {
        self.change(ManagerState::Discarding)
    }

    /// Answers all requests, including those held so far, with `OBJ_ADAPTER` (`deactivate`). This is final.
    pub fn deactivate(&self) {
        // Deactivating twice is allowed and has no effect.
        let _ = self.change(ManagerState::Inactive);
    }

    fn change(&self, to: ManagerState) -> Result<(), PoaError> {
        let held = self.0.held.lock();
        if self.state() == ManagerState::Inactive {
            return Err(PoaError::AdapterInactive);
        }
        self.0.state.store(to as u8, Ordering::Release);
        self.resume_all(held);
        Ok(())
    }

    /// Answers held requests with `TRANSIENT`, and holds no further ones.
    pub(super) fn release_held(&self) {
        let mut held = self.0.held.lock();
        held.released = true;
        self.resume_all(held);
    }

    /// Resumes the held requests, unless the manager is holding, or some are still resuming.
    fn resume_all(&self, mut held: Locked<'_, Held>) {
        let mut requests = VecDeque::new();
        if !self.is_holding(&held) && held.resuming == 0 {
            requests = std::mem::take(&mut held.reheld);
            requests.append(&mut held.requests);
        }
        if !requests.is_empty() {
            held.octets = 0;
            held.resuming += requests.len();
        }
        self.update_is_open(&held);
        self.0.changed.notify_all();
        drop(held);
        for held in requests {
            held.request.resume(ResumePass { manager: self.clone(), since: held.since });
        }
    }

    fn is_holding(&self, held: &Held) -> bool {
        self.state() == ManagerState::Holding && !held.released
    }

    fn update_is_open(&self, held: &Held) {
        let is_open = self.state() == ManagerState::Active && held.resuming == 0 && held.is_empty();
        self.0.is_open.store(is_open, Ordering::Release);
    }

    /// Whether the manager admits collocated calls: whether it is active.
    #[doc(hidden)]
    #[inline]
    pub fn is_active(&self) -> bool {
        self.0.state.load(Ordering::Acquire) == ManagerState::Active as u8
    }

    /// Admits a request, or returns the reason why not. Does not block.
    #[inline]
    pub(crate) fn admit(&self, arrival: Arrival) -> Result<(), Stopped> {
        if self.0.is_open.load(Ordering::Acquire) { Ok(()) } else { self.admit_by_state(arrival) }
    }

    #[cold]
    fn admit_by_state(&self, arrival: Arrival) -> Result<(), Stopped> {
        let held = self.0.held.lock();
        match self.state() {
            ManagerState::Active => {
                let is_next = match arrival {
                    Arrival::New => held.resuming == 0 && held.is_empty(),
                    // Requests that were resumed before it and held again precede it.
                    Arrival::Resumed => held.reheld.is_empty(),
                    Arrival::Collocated => true,
                };
                if is_next { Ok(()) } else { Err(Stopped::Held(self.clone())) }
            }
            ManagerState::Holding if !held.released => Err(Stopped::Held(self.clone())),
            ManagerState::Holding | ManagerState::Discarding => Err(Stopped::Refused(discarded())),
            ManagerState::Inactive => Err(Stopped::Refused(SystemException::obj_adapter(
                minor::obj_adapter::INACTIVE,
                CompletionStatus::No,
            ))),
        }
    }

    /// Holds a request; `since` is the time when it was first held. If the manager has stopped holding in the
    /// meantime, the request is resumed at once. Returns the time at which the request expires and
    /// [`discard_expired`](Self::discard_expired) must be called; `None` for no limit, or if it was resumed.
    ///
    /// # Errors
    /// The request, and the exception to answer it with, `TRANSIENT`, if too many requests are held.
    #[doc(hidden)]
    pub fn hold<R: Holdable + 'static>(
        &self,
        request: Box<R>,
        arrival: Arrival,
        since: Instant,
    ) -> Result<Option<Instant>, (Box<R>, SystemException)> {
        let mut held = self.0.held.lock();
        let octets = held.octets.saturating_add(request.size());
        let expiry = self.0.limits.time.and_then(|limit| since.checked_add(limit));
        if arrival == Arrival::Resumed {
            // It was within the limits before. Its pass has not been dropped yet, and resumes the queue later.
            held.octets = octets;
            let at = held.reheld.partition_point(|other| other.since <= since);
            held.reheld.insert(at, HeldRequest { since, request });
            return Ok(expiry);
        }
        if !self.is_holding(&held) && held.resuming == 0 {
            held.resuming += 1;
            self.update_is_open(&held);
            drop(held);
            request.resume(ResumePass { manager: self.clone(), since });
            return Ok(None);
        }
        if held.len() >= self.0.limits.requests || octets > self.0.limits.octets {
            drop(held);
            return Err((request, too_many()));
        }
        held.octets = octets;
        held.requests.push_back(HeldRequest { since, request });
        self.update_is_open(&held);
        Ok(expiry)
    }

    /// Discards the requests that have expired at `now`. Returns the time at which the next one expires.
    #[doc(hidden)]
    pub fn discard_expired(&self, now: Instant) -> Option<Instant> {
        let limit = self.0.limits.time?;
        let mut held = self.0.held.lock();
        let expired = held.take_older(limit, now);
        self.update_is_open(&held);
        let next = held.oldest();
        drop(held);
        expired.into_iter().for_each(|request| request.discard());
        next?.checked_add(limit)
    }

    /// Blocks the calling thread while the manager is holding, for a collocated call that has waited since `since`
    /// and has this `deadline`.
    ///
    /// # Errors
    /// `TRANSIENT` if too many requests are held, or the option `MaxHeldTime` has elapsed; `TIMEOUT` after the
    /// deadline.
    #[doc(hidden)]
    pub fn wait_while_holding(
        &self,
        since: Instant,
        deadline: Option<Instant>,
    ) -> Result<(), SystemException> {
        let mut held = self.0.held.lock();
        if held.len() >= self.0.limits.requests {
            return Err(too_many());
        }
        held.callers += 1;
        // A time beyond the range of the clock means no limit.
        let expires = self.0.limits.time.and_then(|limit| since.checked_add(limit));
        let until = [expires, deadline].into_iter().flatten().min();
        match until.map(|until| until.saturating_duration_since(Instant::now())) {
            Some(limit) => {
                held = self.0.changed.wait_while(held, limit, |held| self.is_holding(held));
            }
            None => {
                while self.is_holding(&held) {
                    held = self.0.changed.wait(held);
                }
            }
        }
        held.callers -= 1;
        match until {
            Some(until) if self.is_holding(&held) => Err(match expires {
                Some(expires) if expires == until => discarded(),
                _ => {
                    SystemException::timeout(minor::timeout::REQUEST_EXPIRED, CompletionStatus::No)
                }
            }),
            _ => Ok(()),
        }
    }

    /// The number of requests and collocated calls that wait for the manager to leave the holding state.
    pub fn held_requests(&self) -> usize {
        self.0.held.lock().len()
    }
}

/// Whether both are the same manager.
impl PartialEq for PoaManager {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for PoaManager {}

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
