//! Creates missing adapters with the adapter activators of their parents (CORBA 3.3 part 1, 15.3.4).

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zorb_base::callback::discard;
use zorb_base::error::{ErrorContext, Phase};
use zorb_base::upcall_thread::would_deadlock;
use zorb_cdr::fallible;
use zorb_os::lock::Lock;
use zorb_os::thread;
use zorb_transport::log_limited;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::error::no_memory;
use crate::hold_queue::{Arrival, Gate, HoldLimits, HoldQueue, Stopped};
use crate::servants::AnyManager;

/// An adapter activator of one adapter: creates its missing children.
pub trait AdapterActivator: Send + Sync {
    /// The program's adapter activator.
    fn inner(&self) -> AnyManager;

    /// Creates the child `name`; whether it has (`unknown_adapter`).
    ///
    /// # Errors
    /// The reason why it cannot.
    fn unknown_adapter(&self, name: &str) -> Result<bool, SystemException>;
}

/// The adapters that are being created, and the requests that wait for them. Requests do not find an adapter, nor those
/// below it, before its activator has returned: only then it has its servants.
pub(crate) struct AdapterActivations {
    limits: HoldLimits,
    state: Lock<State>,
}

#[derive(Default)]
struct State {
    /// By the path of the adapter.
    creating: HashMap<Vec<u8>, Creating>,
    /// Whether the ORB is shutting down: no requests are held any more.
    is_released: bool,
}

struct Creating {
    queue: HoldQueue,
    /// The thread that creates it.
    thread: u32,
}

/// The end of an activation.
pub(crate) enum Activated {
    /// The adapter exists.
    Exists,
    /// The activator has not created it.
    Refused,
}

impl AdapterActivations {
    pub(crate) fn new(limits: HoldLimits) -> Self {
        Self { limits, state: Lock::default() }
    }

    /// Creates the adapter with a path, which ends in `name`, on the calling thread, unless it `exists` by now, cannot be
    /// created yet, or another thread is creating it. `make_visible` lets requests find what has been created; no adapter is
    /// added while its result lives.
    pub(crate) fn activate<G>(
        &self,
        path: &[u8],
        name: &str,
        activator: &dyn AdapterActivator,
        arrival: Arrival<'_>,
        exists: impl Fn() -> Result<bool, SystemException>,
        make_visible: impl FnOnce() -> G,
    ) -> Result<Activated, Stopped> {
        let mut state = self.state.lock();
        let is_released = state.is_released;
        let key = fallible::copy(path).map_err(|error| Stopped::Refused(no_memory(error)))?;
        match state.creating.entry(key) {
            Entry::Occupied(other) => {
                let other = other.get();
                if other.thread == thread::id() {
                    return Err(Stopped::Refused(would_deadlock()));
                }
                other.queue.admit(arrival)?;
                return Err(Stopped::Held(other.queue.clone()));
            }
            Entry::Vacant(entry) => {
                let queue = HoldQueue::new(Gate::Closed, self.limits.clone());
                if is_released {
                    queue.release();
                }
                entry.insert(Creating { queue, thread: thread::id() });
            }
        }
        // `exists` waits for threads that create adapters, and these ask here whether requests find them.
        drop(state);
        let create = || Ok(create(activator, name)? && exists()?);
        let exists = exists().and_then(|exists| if exists { Ok(true) } else { create() });
        let unchanging = make_visible();
        let creating = self.state.lock().creating.remove(path);
        drop(unchanging);
        // Without the lock: a resumed request may ask at once.
        creating.into_iter().for_each(|creating| creating.queue.open());
        match exists {
            Ok(true) => Ok(Activated::Exists),
            Ok(false) => Ok(Activated::Refused),
            Err(exception) => Err(Stopped::Refused(exception)),
        }
    }

    /// Whether the adapter with this path is being created.
    pub(crate) fn is_creating(&self, path: &[u8]) -> bool {
        self.state.lock().creating.contains_key(path)
    }

    /// Whether requests do not find the adapter with a path yet: it or one above it is being created, other than `done`.
    pub(crate) fn hides(&self, path: &[u8], done: Option<&[u8]>) -> bool {
        let state = self.state.lock();
        let mut creating = state.creating.keys().filter(|&creating| Some(&**creating) != done);
        creating.any(|creating| path.starts_with(creating))
    }

    /// Whether the calling thread is creating the adapter with this path, or one above it.
    pub(crate) fn is_creator(&self, path: &[u8]) -> bool {
        let state = self.state.lock();
        let mut own = state.creating.iter().filter(|(_, by)| by.thread == thread::id());
        own.any(|(creating, _)| path.starts_with(creating))
    }

    /// Answers held requests with `TRANSIENT`, and holds no further ones.
    pub(crate) fn release(&self) {
        let mut state = self.state.lock();
        state.is_released = true;
        let queues: Vec<_> = state.creating.values().map(|it| it.queue.clone()).collect();
        drop(state);
        queues.iter().for_each(HoldQueue::release);
    }
}

/// Calls the activator; whether it says that it has created the adapter.
fn create(activator: &dyn AdapterActivator, name: &str) -> Result<bool, SystemException> {
    match catch_unwind(AssertUnwindSafe(|| activator.unknown_adapter(name))) {
        Ok(created) => created.map_err(|exception| failed(Some(exception))),
        Err(panic) => {
            discard(panic);
            log_limited!(error, name, "the adapter activator panicked");
            Err(failed(None))
        }
    }
}

/// The exception for an activator that has raised one, its cause.
#[cold]
fn failed(cause: Option<SystemException>) -> SystemException {
    let code = minor::obj_adapter::UNKNOWN_ADAPTER;
    let exception = SystemException::obj_adapter(code, CompletionStatus::No);
    match cause {
        Some(cause) => exception.with_context(ErrorContext::new(Phase::Adapter).with_source(cause)),
        None => exception,
    }
}
