//! POA managers: the valve in front of a group of adapters (CORBA 3.3 part 1, 15.3.3).

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use zorb_os::lock::{Condition, Lock};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::PoaError;

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

/// A POA manager: it lets requests through to its adapters, holds, discards or refuses them.
///
/// Clones are the same manager.
#[derive(Clone, Debug)]
pub struct PoaManager(Arc<Valve>);

#[derive(Debug)]
struct Valve {
    state: AtomicU8,
    held: Lock<Held>,
    changed: Condition,
    max_held: usize,
}

#[derive(Debug, Default)]
struct Held {
    /// Requests that wait.
    count: usize,
    /// Whether the ORB shuts down: no request waits any more.
    released: bool,
}

impl PoaManager {
    pub(crate) fn new(state: ManagerState, max_held: usize) -> Self {
        Self(Arc::new(Valve {
            state: AtomicU8::new(state as u8),
            held: Lock::default(),
            changed: Condition::new(),
            max_held,
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

    /// Lets requests through, those held so far included.
    ///
    /// # Errors
    /// `AdapterInactive` after [`deactivate`](Self::deactivate).
    pub fn activate(&self) -> Result<(), PoaError> {
        self.change(ManagerState::Active)
    }

    /// Holds requests back, up to the option `MaxHeldRequests`; beyond it they are `TRANSIENT`.
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
        // Under the lock of the waiters, so that none misses the change.
        let _held = self.0.held.lock();
        if self.state() == ManagerState::Inactive {
            return Err(PoaError::AdapterInactive);
        }
        self.0.state.store(to as u8, Ordering::Release);
        self.0.changed.tell_all();
        Ok(())
    }

    /// Has the requests that wait, and those that would, answered with `TRANSIENT`.
    pub(super) fn release_held(&self) {
        self.0.held.lock().released = true;
        self.0.changed.tell_all();
    }

    /// Whether requests are let through.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.0.state.load(Ordering::Acquire) == ManagerState::Active as u8
    }

    /// Admits a request, waiting while the manager holds.
    #[inline]
    pub(crate) fn admit(&self) -> Result<(), SystemException> {
        match self.state() {
            ManagerState::Active => Ok(()),
            _ => self.admit_slowly(),
        }
    }

    #[cold]
    fn admit_slowly(&self) -> Result<(), SystemException> {
        let mut held = self.0.held.lock();
        let mut waiting = false;
        let outcome = loop {
            match self.state() {
                ManagerState::Active => break Ok(()),
                ManagerState::Holding if !held.released => {
                    if !waiting {
                        if held.count >= self.0.max_held {
                            return Err(SystemException::transient(
                                minor::transient::QUEUE_FULL,
                                CompletionStatus::No,
                            ));
                        }
                        waiting = true;
                        held.count += 1;
                    }
                    held = self.0.changed.wait(held);
                }
                ManagerState::Holding | ManagerState::Discarding => {
                    break Err(SystemException::transient(
                        minor::transient::REQUEST_DISCARDED,
                        CompletionStatus::No,
                    ));
                }
                ManagerState::Inactive => {
                    break Err(SystemException::obj_adapter(
                        minor::obj_adapter::INACTIVE,
                        CompletionStatus::No,
                    ));
                }
            }
        };
        if waiting {
            held.count -= 1;
        }
        outcome
    }

    /// Requests waiting for the manager to leave the holding state.
    pub fn held_requests(&self) -> usize {
        self.0.held.lock().count
    }
}
