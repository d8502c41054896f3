//! Requests for adapters that do not exist, but that the program may still create.

use std::sync::Arc;
use std::time::Instant;

use zorb_base::upcall_thread::about_to_block;
use zorb_os::lock::Locked;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::Adapters;
use super::admission::{Access, NotAdmitted};
use super::tables::{Changing, Tables};
use crate::adapter::ObjectAdapter;
use crate::adapter_activation::{Activated, AdapterActivator};
use crate::error::{PoaError, no_memory, not_there};
use crate::hold_queue::{Arrival, Stopped, discarded};
use crate::key::KeyParts;
use crate::manager::ManagerState;
use crate::slots::Found;

impl Adapters {
    /// Admits a request for an adapter that was missing. It waits if the nearest existing adapter above it is holding
    /// requests. If that has an activator, creates the missing ones with it. While the program starts, it may still
    /// create them itself.
    #[cold]
    #[inline(never)]
    pub(super) fn admit_to_missing(
        &self,
        key: KeyParts<'_>,
        by: Access<'_>,
    ) -> Result<Found, NotAdmitted> {
        let not_found = || not_there(minor::object_not_exist::POA_NOT_FOUND);
        let KeyParts::Persistent { path, id } = key else {
            return Err(NotAdmitted::Refused(not_found()));
        };
        let is_creating = |path: &[u8]| self.activations.is_creating(path);
        loop {
            let absence = self.orb().absence();
            let unknown = || match key.try_to_key() {
                Ok(key) => self
                    .forward(&key, by.arrival)
                    .unwrap_or_else(|| NotAdmitted::Refused(absence.of_persistent(not_found()))),
                Err(error) => NotAdmitted::Refused(no_memory(error)),
            };
            let tables = self.tables.load_full();
            if let Ok((adapter, id)) = tables.adapter(key) {
                return adapter.admit(id, by);
            }
            if self.activations.is_creator(path)
                && let Some(own) = self.hidden_adapter(path)
            {
                return own.admit(id, by);
            }
            let Some((nearest, name)) = tables.nearest(path, is_creating) else {
                // Its activator may have returned in the meantime.
                let tables = self.tables.load_full();
                let (adapter, id) = tables.adapter(key).map_err(|_| unknown())?;
                return adapter.admit(id, by);
            };
            let manager = nearest.manager();
            if let ManagerState::Holding | ManagerState::Discarding = manager.state() {
                manager.admit(by.arrival)?;
            }
            let activator = nearest.adapter_activator().ok_or_else(unknown)?;
            match self.activate(&nearest, name, &*activator, by.arrival)? {
                Activated::Exists => {}
                Activated::Refused => return Err(unknown()),
            }
        }
    }

    /// Whether a missing adapter may still be created: the nearest existing one above it is holding or discarding
    /// requests, or has an activator.
    #[cold]
    pub(super) fn may_be_created(&self, key: KeyParts<'_>) -> bool {
        let KeyParts::Persistent { path, .. } = key else { return false };
        let is_creating = |path: &[u8]| self.activations.is_creating(path);
        self.tables.load().nearest(path, is_creating).is_some_and(|(nearest, _)| {
            matches!(nearest.manager().state(), ManagerState::Holding | ManagerState::Discarding)
                || nearest.adapter_activator().is_some()
        })
    }

    /// The child `name` of an adapter, which the adapter's activator may create (`find_POA`). Waits if another thread
    /// is creating it.
    ///
    /// # Errors
    /// `AdapterNonExistent`; `OBJ_ADAPTER` (OMG 1) if the activator has raised an exception; `BAD_INV_ORDER` (OMG 3)
    /// if it is looking for the adapter that it is to create; `TRANSIENT` (OMG 4) while one with this name is being
    /// destroyed; as requests, if another thread's activator takes too long.
    pub fn find_or_activate(
        &self,
        parent: &Arc<ObjectAdapter>,
        name: &str,
    ) -> Result<Arc<ObjectAdapter>, PoaError> {
        loop {
            if let Some(child) = parent.child(name)
                && (!self.activations.is_creating(child.path())
                    || self.activations.is_creator(child.path()))
            {
                return Ok(child);
            }
            let activator = parent.adapter_activator().ok_or(PoaError::AdapterNonExistent)?;
            match self.activate(parent, name, &*activator, Arrival::Collocated) {
                Ok(Activated::Exists) => {}
                Ok(Activated::Refused) => return Err(PoaError::AdapterNonExistent),
                Err(Stopped::Refused(exception)) => return Err(PoaError::System(exception)),
                Err(Stopped::Held(queue)) => {
                    about_to_block();
                    queue.wait(Instant::now(), None)?;
                }
            }
        }
    }

    fn activate(
        &self,
        parent: &ObjectAdapter,
        name: &str,
        activator: &dyn AdapterActivator,
        arrival: Arrival<'_>,
    ) -> Result<Activated, Stopped> {
        let parts = [parent.path(), name.as_bytes(), &[0]];
        let mut path = Vec::new();
        let reserved = path.try_reserve_exact(parts.iter().map(|part| part.len()).sum());
        reserved.map_err(|error| Stopped::Refused(no_memory(error)))?;
        parts.iter().for_each(|part| path.extend_from_slice(part));
        let exists = || {
            if parent.child(name).is_some() {
                return Ok(true);
            }
            // In this order: its destruction may have begun in the meantime.
            if parent.is_destroying(name) {
                let code = minor::transient::POA_DESTROYED;
                return Err(SystemException::transient(code, CompletionStatus::No));
            }
            Ok(false)
        };
        let make_visible = || self.make_visible(&path);
        let activated =
            self.activations.activate(&path, name, activator, arrival, exists, make_visible);
        match activated {
            // An activator can create nothing any more. The next run of the server may have the adapter.
            Ok(Activated::Refused) | Err(Stopped::Refused(_)) if !self.orb().is_running() => {
                Err(Stopped::Refused(discarded()))
            }
            activated => activated,
        }
    }

    /// Lets requests find the adapter with this path, and those below it, whose activator has returned.
    fn make_visible(&self, path: &[u8]) -> Locked<'_, Changing> {
        let mut changing = self.changing.lock();
        let mut tables = Tables::clone(&self.tables.load());
        changing.hidden.retain(|adapter| {
            let is_hidden = self.activations.hides(adapter.path(), Some(path));
            if !is_hidden {
                tables.make_visible(adapter);
            }
            is_hidden
        });
        self.replace(tables);
        changing
    }

    /// The adapter with this path that requests do not find yet.
    fn hidden_adapter(&self, path: &[u8]) -> Option<Arc<ObjectAdapter>> {
        let changing = self.changing.lock();
        changing.hidden.iter().find(|hidden| hidden.path() == path).cloned()
    }

    /// Answers requests that wait for the main thread or for missing adapters with `TRANSIENT`, and holds no further
    /// ones.
    pub fn release_held(&self) {
        self.main_thread.release();
        self.activations.release();
        if let Some(forwarder) = self.forwarder.get() {
            forwarder.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use zorb_base::options::Options;
    use zorb_base::orb_core::OrbCore;
    use zorb_types::SystemExceptionKind;

    use super::*;
    use crate::adapter::{NewAdapter, PreparedPolicies};
    use crate::policies::PoaPolicies;
    use crate::servants::AnyManager;

    /// An activator that fails.
    struct Failing;

    impl AdapterActivator for Failing {
        fn inner(&self) -> AnyManager {
            Arc::new(())
        }

        fn unknown_adapter(&self, _: &str) -> Result<bool, SystemException> {
            Err(SystemException::transient(
                minor::transient::REQUEST_DISCARDED,
                CompletionStatus::No,
            ))
        }
    }

    #[test]
    fn an_activator_that_fails_since_a_shutdown_has_begun_may_create_the_adapter_later() {
        let orb = OrbCore::new(Options::default());
        let adapters = Adapters::new(&orb);
        let policies = PreparedPolicies::new(&orb, PoaPolicies::new());
        let manager = adapters.managers().root();
        let root =
            adapters.register_root(NewAdapter { name: "root", parent: None, policies, manager });
        root.set_adapter_activator(Some(Arc::new(Failing)));
        let find = || match adapters.find_or_activate(&root, "child") {
            Err(PoaError::System(exception)) => exception.kind,
            other => panic!("{:?}", other.err()),
        };
        assert_eq!(find(), SystemExceptionKind::ObjAdapter);
        assert!(orb.begin_shutdown());
        assert_eq!(find(), SystemExceptionKind::Transient);
    }
}
