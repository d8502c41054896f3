//! POA managers: they admit, hold, discard or reject the requests for a group of adapters (CORBA 3.3 part 1, 15.3.2).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering, fence};
use std::sync::{Arc, Weak};

use zorb_base::orb_core::OrbCore;
use zorb_base::policy::Policies;
use zorb_base::upcall_thread::{about_to_block, check_may_wait};
use zorb_os::lock::Lock;
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

struct Manager {
    orb: Arc<OrbCore>,
    id: String,
    policies: Policies,
    /// Those that have not been destroyed, by index.
    adapters: Lock<BTreeMap<u32, Weak<dyn Managed>>>,
    /// Whether its deactivation has etherealized the objects of its adapters.
    has_etherealized: AtomicBool,
    /// Changed under the lock of the queue.
    state: AtomicU8,
    queue: HoldQueue,
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager").field("id", &self.id).finish_non_exhaustive()
    }
}

/// An observer of a POA manager: an adapter, which joins its manager when it is created.
///
/// A manager exists before and without adapters, and an adapter admits each request through its manager. The trait is the
/// way back, which only changes of the manager's state take.
pub(crate) trait Managed: Send + Sync {
    /// Counts the requests that its active objects serve now among those in progress.
    fn count_running(&self);
    /// Etherealizes its objects, if it has a servant activator.
    fn etherealize_objects(&self);
    /// Blocks the calling thread until no counted request is in progress and all objects that are no longer active have
    /// been etherealized, or the wait is no longer `is_wanted`.
    fn wait_while(&self, is_wanted: &dyn Fn() -> bool);
    /// Makes the waiting threads ask again.
    fn wake(&self);
}

impl PoaManager {
    /// Creates a manager in this state.
    pub(crate) fn new(
        orb: &Arc<OrbCore>,
        id: String,
        policies: Policies,
        state: ManagerState,
    ) -> Self {
        Self(Arc::new(Manager {
            orb: Arc::clone(orb),
            id,
            policies,
            adapters: Lock::default(),
            has_etherealized: AtomicBool::new(false),
            state: AtomicU8::new(state as u8),
            queue: HoldQueue::new(state.gate(), HoldLimits::of(orb)),
        }))
    }

    /// The manager's id, which is unique in the ORB (`get_id`): the one that the program gave to the
    /// [factory](crate::PoaManagerFactory), `"RootPOAManager"` for that of the root adapter, or one that the ORB
    /// generated.
    #[doc(alias = "get_id")]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The policies that its adapters have unless they have others of the same types.
    #[doc(hidden)]
    pub fn policies(&self) -> &Policies {
        &self.0.policies
    }

    /// Whether it is a manager of this ORB, whose adapters have other indices than those of other ORBs.
    pub(crate) fn is_of(&self, orb: &Arc<OrbCore>) -> bool {
        Arc::ptr_eq(&self.0.orb, orb)
    }

    /// Adds the adapter with this index.
    pub(crate) fn join(&self, index: u32, adapter: Weak<dyn Managed>) {
        self.0.adapters.lock().insert(index, adapter);
    }

    /// Removes the adapter with this index, which is being destroyed. Returns whether it was the last one.
    pub(crate) fn leave(&self, index: u32) -> bool {
        let mut adapters = self.0.adapters.lock();
        adapters.remove(&index);
        adapters.is_empty()
    }

    fn adapters(&self) -> Vec<Arc<dyn Managed>> {
        self.0.adapters.lock().values().filter_map(Weak::upgrade).collect()
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

    /// As [`hold_requests`](Self::hold_requests), and waits until the requests that its adapters' objects are serving have
    /// ended, or the manager has left the holding state (`hold_requests` with `wait_for_completion`).
    ///
    /// Calls that reach servants [directly](zorb_base::options::CollocationStrategy::Direct) are neither held nor waited
    /// for. An upcall that calls an object of the manager waits itself, for the option `MaxHeldTime` at most. The wait
    /// takes time for each active object.
    ///
    /// # Errors
    /// `AdapterInactive` after [`deactivate`](Self::deactivate). `BAD_INV_ORDER` (OMG 3) on a thread of the ORB, which
    /// would wait for itself, for example in an upcall; then the state does not change.
    pub fn hold_requests_and_wait(&self) -> Result<(), PoaError> {
        self.change_and_wait(ManagerState::Holding)
    }

    /// Answers requests, including those held so far, with `TRANSIENT` (OMG 1) (`discard_requests`).
    ///
    /// # Errors
    /// `AdapterInactive` after [`deactivate`](Self::deactivate).
    pub fn discard_requests(&self) -> Result<(), PoaError> {
        self.change(ManagerState::Discarding)
    }

    /// As [`discard_requests`](Self::discard_requests), and waits until the requests that its adapters' objects are
    /// serving have ended, or the manager has left the discarding state (`discard_requests` with `wait_for_completion`).
    ///
    /// # Errors
    /// As [`hold_requests_and_wait`](Self::hold_requests_and_wait).
    pub fn discard_requests_and_wait(&self) -> Result<(), PoaError> {
        self.change_and_wait(ManagerState::Discarding)
    }

    /// Answers all requests, including those held so far, with `OBJ_ADAPTER`, and etherealizes the objects of adapters
    /// with a servant activator (`deactivate`). This is final; a second call has no effect. Requests in progress
    /// complete; this call does not wait for them.
    pub fn deactivate(&self) {
        let _ = self.deactivate_with(true, false);
    }

    /// As [`deactivate`](Self::deactivate), with the standard's parameters. Without `etherealize_objects`, objects remain
    /// active. With `wait_for_completion`, returns when the requests that its adapters' objects are serving have ended,
    /// and all objects that are no longer active have been etherealized.
    ///
    /// # Errors
    /// As [`hold_requests_and_wait`](Self::hold_requests_and_wait).
    pub fn deactivate_with(
        &self,
        etherealize_objects: bool,
        wait_for_completion: bool,
    ) -> Result<(), PoaError> {
        if wait_for_completion {
            check_may_wait(&self.0.orb)?;
        }
        self.change_if(ManagerState::Inactive, || {
            self.0.has_etherealized.store(etherealize_objects, Ordering::Release);
        })?;
        if etherealize_objects {
            self.adapters().iter().for_each(|adapter| adapter.etherealize_objects());
        }
        if wait_for_completion {
            self.wait_in(ManagerState::Inactive);
        }
        Ok(())
    }

    /// Whether the objects of its adapters have been etherealized, and no more become active for requests.
    pub(crate) fn has_etherealized(&self) -> bool {
        self.0.has_etherealized.load(Ordering::Acquire)
    }

    fn change(&self, to: ManagerState) -> Result<(), PoaError> {
        self.change_if(to, || {})
    }

    /// Calls `before` and changes the state, unless the manager is inactive.
    fn change_if(&self, to: ManagerState, before: impl FnOnce()) -> Result<(), PoaError> {
        self.0.queue.set_gate(|| {
            if self.state() == ManagerState::Inactive {
                return Err(PoaError::AdapterInactive);
            }
            before();
            self.0.state.store(to as u8, Ordering::Release);
            Ok(to.gate())
        })?;
        self.adapters().iter().for_each(|adapter| adapter.wake());
        Ok(())
    }

    fn change_and_wait(&self, to: ManagerState) -> Result<(), PoaError> {
        check_may_wait(&self.0.orb)?;
        self.change(to)?;
        self.wait_in(to);
        Ok(())
    }

    /// Waits for the requests in progress while the manager is in this state, in which no further ones begin.
    fn wait_in(&self, state: ManagerState) {
        about_to_block();
        let adapters = self.adapters();
        adapters.iter().for_each(|adapter| adapter.count_running());
        // The state has been set, and now follows a look at the counts. A request for an object that is not active is counted
        // first and then looks at the state, with a fence between, too: at least one of them sees what the other has done.
        fence(Ordering::SeqCst);
        adapters.iter().for_each(|adapter| adapter.wait_while(&|| self.state() == state));
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
