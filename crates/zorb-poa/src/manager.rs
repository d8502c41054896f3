//! POA managers: they admit, hold, discard or reject the requests for a group of adapters (CORBA 3.3 part 1, 15.3.2).

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use zorb_base::policy::Policies;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::error::PoaError;
use crate::hold_queue::{Arrival, Gate, HoldLimits, HoldQueue, Stopped, discarded};

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

impl ManagerState {
    fn gate(self) -> Gate {
        match self {
            Self::Holding => Gate::Closed,
            Self::Active => Gate::Open,
            Self::Discarding => Gate::Refusing(discarded),
            Self::Inactive => Gate::Refusing(inactive),
        }
    }
}

/// A handle to a POA manager, which admits, holds, discards or rejects the requests to its adapters
/// (`PortableServer::POAManager`). Clones are the same manager, and compare equal.
#[derive(Clone, Debug)]
pub struct PoaManager(Arc<Manager>);

#[derive(Debug)]
struct Manager {
    id: String,
    policies: Policies,
    /// The number of its adapters that have not been destroyed.
    adapters: AtomicUsize,
    /// Changed under the lock of the queue.
    state: AtomicU8,
    queue: HoldQueue,
}

impl PoaManager {
    /// Creates a manager in this state.
    pub(crate) fn new(
        id: String,
        policies: Policies,
        state: ManagerState,
        limits: HoldLimits,
    ) -> Self {
        let queue = HoldQueue::new(state.gate(), limits);
        let (adapters, state) = (AtomicUsize::new(0), AtomicU8::new(state as u8));
        Self(Arc::new(Manager { id, policies, adapters, state, queue }))
    }

    /// The manager's id, which is unique in the ORB (`get_id`): the one that the program gave to the
    /// [factory](crate::PoaManagerFactory), `"RootPOAManager"` for that of the root adapter, or one that the ORB made up.
    #[doc(alias = "get_id")]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The policies that its adapters have unless they have others of the same types.
    #[doc(hidden)]
    pub fn policies(&self) -> &Policies {
        &self.0.policies
    }

    /// Counts an adapter.
    pub(crate) fn join(&self) {
        self.0.adapters.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an adapter no more, which is being destroyed. Returns whether it was the last one.
    pub(crate) fn leave(&self) -> bool {
        self.0.adapters.fetch_sub(1, Ordering::Relaxed) == 1
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

    /// Holds requests (`hold_requests`), within the options `MaxHeldRequests` (512), `MaxHeldOctets` (64 MiB) and
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
        self.0.queue.set_gate(|| {
            if self.state() == ManagerState::Inactive {
                return Err(PoaError::AdapterInactive);
            }
            self.0.state.store(to as u8, Ordering::Release);
            Ok(to.gate())
        })
    }

    /// Answers held requests with `TRANSIENT`, and holds no further ones.
    pub(super) fn release_held(&self) {
        self.0.queue.release();
    }

    /// Whether the manager admits collocated calls: whether it is active.
    #[doc(hidden)]
    #[inline]
    pub fn is_active(&self) -> bool {
        self.0.state.load(Ordering::Acquire) == ManagerState::Active as u8
    }

    /// Whether it admits every request: it is active, and no request waits.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.0.queue.is_open()
    }

    /// Admits a request, or returns the reason why not. Does not block.
    pub(crate) fn admit(&self, arrival: Arrival<'_>) -> Result<(), Stopped> {
        self.0.queue.admit(arrival)
    }

    /// The same for an adapter that serves one request at a time, in their order.
    pub(crate) fn admit_in_order(&self, arrival: Arrival<'_>) -> Result<(), Stopped> {
        self.0.queue.admit_in_order(arrival)
    }

    /// The number of requests and collocated calls that wait for the manager to leave the holding state.
    pub fn held_requests(&self) -> usize {
        self.0.queue.len()
    }
}

/// Whether both are the same manager.
impl PartialEq for PoaManager {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for PoaManager {}

/// The exception for requests to an inactive manager.
#[cold]
fn inactive() -> SystemException {
    SystemException::obj_adapter(minor::obj_adapter::INACTIVE, CompletionStatus::No)
}
