//! POA managers: they let the requests for a group of adapters pass, hold, discard or refuse them
//! (CORBA 3.3 part 1, 15.3.3).
//!
//! A held request is a message in the manager's queue: it occupies no thread, connection or lane. When the
//! manager leaves the holding state, the queue goes back, in order, to the lanes that the requests came
//! by, which ask the manager again. Until the last of them has asked, requests that arrive queue up
//! behind them, and those that are held anew do not go back: so requests keep their order, however often
//! the state changes. A request that has waited for too long is given back to be refused.

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
    /// Requests wait; the state of a new manager.
    Holding = 0,
    /// Requests are served.
    Active = 1,
    /// Requests are answered `TRANSIENT`.
    Discarding = 2,
    /// Requests are answered `OBJ_ADAPTER`; final.
    Inactive = 3,
}

/// The limits of a manager's queue of held requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldLimits {
    /// The most requests; option `MaxHeldRequests`.
    pub(crate) requests: usize,
    /// The most octets of their messages; option `MaxHeldOctets`.
    pub(crate) octets: usize,
    /// The longest time that they wait; option `MaxHeldTime`.
    pub(crate) time: Option<Duration>,
}

impl HoldLimits {
    /// Those that the options say.
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
    /// The octets of its message.
    fn size(&self) -> usize;

    /// Gives the request back to the threads that serve it, which ask the manager again before they drop
    /// `pass`.
    fn resume(self: Box<Self>, pass: ResumePass);

    /// Gives the request back to the threads that serve it, to be answered with [`discarded`].
    fn discard(self: Box<Self>);
}

/// Where a request comes from that asks a manager to let it pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It has just been received.
    New,
    /// It was held, and has been given back.
    Resumed,
}

/// Why a manager does not let a request pass.
pub(crate) enum Stopped {
    /// The request is to be [held](PoaManager::hold).
    Held(PoaManager),
    /// It is answered with this exception.
    Refused(SystemException),
}

/// A POA manager: it lets requests pass to its adapters, holds, discards or refuses them.
///
/// Clones are the same manager.
#[derive(Clone, Debug)]
pub struct PoaManager(Arc<Manager>);

#[derive(Debug)]
struct Manager {
    state: AtomicU8,
    /// Whether new requests pass at once: the manager is active, and no held request is on its way back.
    is_open: AtomicBool,
    held: Lock<Held>,
    changed: Condition,
    limits: HoldLimits,
}

/// A held request.
struct HeldRequest {
    /// When it was first held.
    since: Instant,
    request: Box<dyn Holdable>,
}

#[derive(Default)]
struct Held {
    /// In the order in which they were first held, as are `again`.
    requests: VecDeque<HeldRequest>,
    /// Those that were given back and are held anew; they come before the others.
    again: VecDeque<HeldRequest>,
    octets: usize,
    /// Threads of this process that wait for calls of their own to pass.
    callers: usize,
    /// Requests that were given back and have not asked again yet.
    resuming: usize,
    /// Whether the ORB shuts down: nothing is held any more.
    released: bool,
}

impl Held {
    /// Requests and callers that wait.
    fn len(&self) -> usize {
        self.requests.len() + self.again.len() + self.callers
    }

    /// Whether no request waits.
    fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.again.is_empty()
    }

    /// When the request that waits longest was first held.
    fn oldest(&self) -> Option<Instant> {
        let first = |queue: &VecDeque<HeldRequest>| queue.front().map(|held| held.since);
        first(&self.again).into_iter().chain(first(&self.requests)).min()
    }

    /// Takes the requests that have waited for at least `limit`.
    fn take_older(&mut self, limit: Duration, now: Instant) -> Vec<Box<dyn Holdable>> {
        let is_older = |held: &HeldRequest| now.saturating_duration_since(held.since) >= limit;
        let mut older = Vec::new();
        for queue in [&mut self.again, &mut self.requests] {
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

/// Stands for a request that was given back, until it has asked the manager again.
pub struct ResumePass {
    manager: PoaManager,
    /// When the request was first held.
    since: Instant,
}

impl ResumePass {
    /// When the request was first held.
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
    /// A manager in this state.
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

    /// The present state.
    pub fn state(&self) -> ManagerState {
        match self.0.state.load(Ordering::Acquire) {
            0 => ManagerState::Holding,
            1 => ManagerState::Active,
            2 => ManagerState::Discarding,
            _ => ManagerState::Inactive,
        }
    }

    /// Lets requests pass, those held so far first.
    ///
    /// # Errors
    /// `AdapterInactive` after [`deactivate`](Self::deactivate).
    pub fn activate(&self) -> Result<(), PoaError> {
        self.change(ManagerState::Active)
    }

    /// Holds requests, up to the options `MaxHeldRequests` and `MaxHeldOctets`, and for at most the time of
    /// the option `MaxHeldTime`; others are answered `TRANSIENT`.
    ///
    /// # Errors
    /// `AdapterInactive` after [`deactivate`](Self::deactivate).
    pub fn hold_requests(&self) -> Result<(), PoaError> {
        self.change(ManagerState::Holding)
    }

    /// Answers requests, those held so far included, with `TRANSIENT` (OMG minor code 1).
    ///
    /// # Errors
    /// `AdapterInactive` after [`deactivate`](Self::deactivate).
    pub fn discard_requests(&self) -> Result<(), PoaError> {
        self.change(ManagerState::Discarding)
    }

    /// Refuses requests for good, those held so far included, with `OBJ_ADAPTER`.
    pub fn deactivate(&self) {
        // Deactivating twice is allowed: the state stays.
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

    /// Answers held requests with `TRANSIENT`, and holds none from now on.
    pub(super) fn release_held(&self) {
        let mut held = self.0.held.lock();
        held.released = true;
        self.resume_all(held);
    }

    /// Gives held requests back, unless they are still to be held, or some that were given back before have
    /// not asked yet.
    fn resume_all(&self, mut held: Locked<'_, Held>) {
        let mut requests = VecDeque::new();
        if !self.holds(&held) && held.resuming == 0 {
            requests = std::mem::take(&mut held.again);
            requests.append(&mut held.requests);
        }
        if !requests.is_empty() {
            held.octets = 0;
            held.resuming += requests.len();
        }
        self.update(&held);
        self.0.changed.notify_all();
        drop(held);
        for held in requests {
            held.request.resume(ResumePass { manager: self.clone(), since: held.since });
        }
    }

    fn holds(&self, held: &Held) -> bool {
        self.state() == ManagerState::Holding && !held.released
    }

    fn update(&self, held: &Held) {
        let is_open = self.state() == ManagerState::Active && held.resuming == 0 && held.is_empty();
        self.0.is_open.store(is_open, Ordering::Release);
    }

    /// Whether calls from inside the process pass.
    #[doc(hidden)]
    #[inline]
    pub fn is_active(&self) -> bool {
        self.0.state.load(Ordering::Acquire) == ManagerState::Active as u8
    }

    /// Lets a request pass, or says why not. Waits for nothing.
    #[inline]
    pub(crate) fn admit(&self, arrival: Arrival) -> Result<(), Stopped> {
        if self.0.is_open.load(Ordering::Acquire) { Ok(()) } else { self.judge(arrival) }
    }

    #[cold]
    fn judge(&self, arrival: Arrival) -> Result<(), Stopped> {
        let held = self.0.held.lock();
        match self.state() {
            ManagerState::Active => {
                let passes = match arrival {
                    Arrival::New => held.resuming == 0 && held.is_empty(),
                    // Behind those that came back before it and are held anew.
                    Arrival::Resumed => held.again.is_empty(),
                };
                if passes { Ok(()) } else { Err(Stopped::Held(self.clone())) }
            }
            ManagerState::Holding if !held.released => Err(Stopped::Held(self.clone())),
            ManagerState::Holding | ManagerState::Discarding => Err(Stopped::Refused(discarded())),
            ManagerState::Inactive => Err(Stopped::Refused(SystemException::obj_adapter(
                minor::obj_adapter::INACTIVE,
                CompletionStatus::No,
            ))),
        }
    }

    /// Puts a request into the queue that was first held at `since`; it is given back at once where requests
    /// pass meanwhile, or others are on their way back before it. Returns when it has waited for too long,
    /// and is to be [discarded](Self::discard_expired) if it is held.
    ///
    /// # Errors
    /// The request, and the exception to answer it with: too many are held.
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
            // It was within the limits before. Its pass is still there, so the queue goes back after it.
            held.octets = octets;
            let at = held.again.partition_point(|other| other.since <= since);
            held.again.insert(at, HeldRequest { since, request });
            return Ok(expiry);
        }
        if !self.holds(&held) && held.resuming == 0 {
            held.resuming += 1;
            self.update(&held);
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
        self.update(&held);
        Ok(expiry)
    }

    /// Discards requests that have been held for too long at `now`. Returns when the next one will have
    /// been.
    #[doc(hidden)]
    pub fn discard_expired(&self, now: Instant) -> Option<Instant> {
        let limit = self.0.limits.time?;
        let mut held = self.0.held.lock();
        let expired = held.take_older(limit, now);
        self.update(&held);
        let next = held.oldest();
        drop(held);
        expired.into_iter().for_each(|request| request.discard());
        next?.checked_add(limit)
    }

    /// Waits on the calling thread while the manager holds requests: for a call inside this process, which
    /// has waited since `since` and whose time is over at `deadline`.
    ///
    /// # Errors
    /// `TRANSIENT` when too many requests are held, and after the time for which they are held at the most;
    /// `TIMEOUT` after the deadline.
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
        // A time beyond the range of the clock is no limit.
        let expires = self.0.limits.time.and_then(|limit| since.checked_add(limit));
        let until = [expires, deadline].into_iter().flatten().min();
        match until.map(|until| until.saturating_duration_since(Instant::now())) {
            Some(limit) => {
                held = self.0.changed.wait_while(held, limit, |held| self.holds(held));
            }
            None => {
                while self.holds(&held) {
                    held = self.0.changed.wait(held);
                }
            }
        }
        held.callers -= 1;
        match until {
            Some(until) if self.holds(&held) => Err(match expires {
                Some(expires) if expires == until => discarded(),
                _ => {
                    SystemException::timeout(minor::timeout::REQUEST_EXPIRED, CompletionStatus::No)
                }
            }),
            _ => Ok(()),
        }
    }

    /// Whether both are the same manager.
    #[doc(hidden)]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Requests that wait for the manager to leave the holding state.
    pub fn held_requests(&self) -> usize {
        self.0.held.lock().len()
    }
}

/// The exception for requests that are not held any longer.
#[cold]
pub fn discarded() -> SystemException {
    let code = minor::transient::REQUEST_DISCARDED;
    SystemException::transient(code, CompletionStatus::No)
}

#[cold]
fn too_many() -> SystemException {
    SystemException::transient(minor::transient::QUEUE_FULL, CompletionStatus::No)
}
