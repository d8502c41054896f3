//! The servers of a repository, with what all that is done to them needs.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use zorb::poa::HeldRequests;
use zorb::{Orb, WeakOrb};
use zorb_os::process::ProcessId;
use zorb_store::{Store, StoreError};

use super::options::ImrOptions;
use super::state::State;
use super::tables;
use super::watching::Watch;

/// All servers of a repository.
#[derive(Debug)]
pub(crate) struct Servers {
    pub(super) options: ImrOptions,
    pub(super) orb: WeakOrb,
    pub(super) store: Option<Arc<dyn Store>>,
    /// The reference that servers are told.
    pub(super) repository: OnceLock<String>,
    state: Mutex<State>,
    /// The state has changed.
    pub(super) changed: Condvar,
    /// Held while anything is stored, so that it is stored in the order of its changes.
    pub(super) changing: Mutex<()>,
    /// Held while a process is started, so that it does not register before it is known.
    pub(super) spawning: Mutex<()>,
    pub(super) watch: Arc<Watch>,
    pub(super) this: Weak<Self>,
}

impl Servers {
    /// The servers of a store.
    ///
    /// # Errors
    /// Those of [`tables::load`].
    pub(crate) fn load(
        orb: &Orb,
        options: &ImrOptions,
        store: Option<Arc<dyn Store>>,
    ) -> Result<Arc<Self>, StoreError> {
        let mut state = State::default();
        if let Some(store) = &store {
            let stored = tables::load(&**store)?;
            state.remember(stored.former, stored.last_number);
            for (name, (definition, mut running)) in stored.servers {
                running.retain(|instance| !instance.has_ended());
                for instance in &mut running {
                    instance.number = state.number();
                }
                let server = state.insert(name, definition);
                server.processes = running.iter().filter_map(|instance| instance.process).collect();
                server.running = running;
            }
        }
        Ok(Arc::new_cyclic(|this| Self {
            options: options.clone(),
            orb: orb.downgrade(),
            store,
            repository: OnceLock::new(),
            state: Mutex::new(state),
            changed: Condvar::new(),
            changing: Mutex::new(()),
            spawning: Mutex::new(()),
            watch: Arc::default(),
            this: Weak::clone(this),
        }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends: no server is started, and no request waits any more. Servers go on running.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        let waiting: Vec<_> =
            state.servers.values_mut().filter_map(|server| server.waiting.take()).collect();
        drop(state);
        self.changed.notify_all();
        waiting.iter().for_each(HeldRequests::resume);
    }

    /// Forgets the processes that have ended.
    pub(super) fn forget(&self, process: ProcessId, how: &str) {
        let mut state = self.lock();
        let mut changed = Vec::new();
        for (name, server) in &mut state.servers {
            server.processes.retain(|known| *known != process);
            if server.process == Some(process) {
                server.process = None;
                server.ended = Some(how.to_owned());
            }
            let before = server.running.len();
            server.running.retain(|instance| instance.process != Some(process));
            server.forget_claims();
            if before != server.running.len() {
                changed.push(name.clone());
            }
        }
        drop(state);
        self.changed.notify_all();
        for name in changed {
            if let Err(error) = self.store_running(&name) {
                tracing::error!(%error, server = name, "cannot store that a process has ended");
            }
        }
    }

    /// Stores the processes of a server, and what has changed of former ones.
    pub(super) fn store_running(&self, name: &str) -> Result<(), StoreError> {
        let Some(store) = &self.store else { return Ok(()) };
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let (running, former) = {
            let state = &mut *self.lock();
            let running = state.servers.get(name).map(|server| server.running.clone());
            (running, state.former.take_changes())
        };
        let stored = tables::put_running(&**store, name, running.as_deref(), &former);
        if stored.is_err() {
            self.lock().former.not_stored(former);
        }
        stored
    }
}
