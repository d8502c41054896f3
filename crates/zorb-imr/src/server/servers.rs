//! The servers: which run, where they are, and which requests wait for them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Instant;

use zorb::giop::Ior;
use zorb::poa::{ForwardTo, HeldRequests};
use zorb::{Orb, WeakOrb};
use zorb_os::process::ProcessId;
use zorb_store::{Store, StoreError};

use super::access::{Refusal, ending, not_started};
use super::definition::Definition;
use super::entry::{Pending, Server};
use super::instance::Instance;
use super::names::candidates;
use super::options::ImrOptions;
use super::tables;
use super::watching::Watch;
use crate::implementation_repository::ActivationMode;

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

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) servers: BTreeMap<String, Server>,
    /// The servers whose processes are to be started and no thread is starting, in turn.
    pub(super) pending: VecDeque<Pending>,
    /// The threads that start them, and how many of these wait.
    pub(super) starters: usize,
    pub(super) idle_starters: usize,
    /// The number of processes that have been started, and have not registered.
    pub(super) starting: usize,
    pub(super) has_ended: bool,
    pub(super) forwards: u64,
    next_number: u64,
}

/// The octets that a profile of a registered reference counts for beside its data.
const PROFILE_CHARGE: usize = 32;

/// Why a server is to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Request,
    Administrator,
    /// It has the mode `AUTO_START`, or too few processes of it run.
    Automatic,
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
            for (name, (definition, mut running)) in tables::load(&**store)? {
                let mut server = Server::new(state.number(), definition);
                running.retain(|instance| !instance.has_ended());
                for instance in &mut running {
                    instance.number = state.number();
                }
                server.processes = running.iter().filter_map(|instance| instance.process).collect();
                server.running = running;
                state.servers.insert(name, server);
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

    /// Where a request for the object with this key goes.
    pub(super) fn find(&self, key: &[u8], was_held: bool) -> ForwardTo {
        let Some(orb) = self.orb.upgrade() else { return ForwardTo::Nowhere };
        let state = &mut *self.lock();
        let Some(name) = state.name_of(key) else { return ForwardTo::Nowhere };
        if state.has_ended {
            return ForwardTo::Refused(ending());
        }
        let Some(server) = state.servers.get_mut(&name) else { return ForwardTo::Nowhere };
        if !was_held && server.is_per_client() {
            server.wanted += 1;
        }
        if let Some(instance) = server.choose(key) {
            instance.clients += 1;
            let forward = instance.forward(orb.protocols(), key);
            let lacks_others = server.lacks_processes();
            state.forwards += 1;
            if lacks_others {
                // This request does not wait for the others, so it does not matter whether they may start.
                let _ = self.begin(state, &name, Reason::Automatic);
            }
            return match forward {
                Some(ior) => ForwardTo::Reference(Box::new(ior)),
                None => ForwardTo::Refused(not_started()),
            };
        }
        // One that has been stopped starts for new requests, not for those that waited then.
        let begun = match was_held && state.is_stopped(&name) {
            true => Err("it has been stopped"),
            false => self.begin(state, &name, Reason::Request),
        };
        match begun {
            Ok(()) => match state.servers.get_mut(&name) {
                Some(server) => {
                    let new = || orb.new_held_requests();
                    ForwardTo::Held(server.waiting.get_or_insert_with(new).clone())
                }
                None => ForwardTo::Nowhere,
            },
            Err(why) => {
                tracing::debug!(server = name, why, "refusing a request");
                if let Some(server) = state.servers.get_mut(&name) {
                    server.wanted = 0;
                }
                ForwardTo::Refused(not_started())
            }
        }
    }

    /// Whether an object with this key is that of a server.
    pub(super) fn knows(&self, key: &[u8]) -> bool {
        self.lock().name_of(key).is_some()
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

    /// A process has registered.
    ///
    /// # Errors
    /// What [`add`](Self::add) returns, for a server that has not been added; its addresses are too long, or too many
    /// processes have registered.
    pub(super) fn register(
        &self,
        name: &str,
        partial_ior: &str,
        reference: Ior,
        has_object: bool,
    ) -> Result<(), Refusal> {
        if partial_ior.contains('\0') {
            return Err(Refusal::Invalid);
        }
        let sizes = reference.profiles.iter().map(|profile| profile.data.len() + PROFILE_CHARGE);
        let octets = partial_ior.len() + reference.type_id.len() + sizes.sum::<usize>();
        if octets > self.options.imr_definition_octets {
            return Err(Refusal::Full);
        }
        if !self.lock().servers.contains_key(name) {
            self.add(name, Definition::unmanaged())?;
        }
        let generation = self.lock().servers.get(name).map(|server| server.generation);
        drop(self.spawning.lock().unwrap_or_else(PoisonError::into_inner));
        let mut state = self.lock();
        let number = state.number();
        let known = state.known_process(name, &reference);
        let Some(server) = generation.and_then(|known| state.server_of(name, known)) else {
            // Removed meanwhile, and perhaps added again: the process may be that of the other one.
            return Err(Refusal::NotFound);
        };
        let is_other = |instance: &Instance| instance.reference.profiles != reference.profiles;
        server.running.retain(|instance| !instance.has_ended() && is_other(instance));
        if !server.lacks_processes() && !server.is_per_client() {
            // One that the repository cannot watch has probably ended.
            let unknown = server.running.iter().position(|instance| instance.process.is_none());
            if let Some(at) = unknown {
                server.replaced = Some(server.running.remove(at));
            }
        }
        if server.running.len() >= self.options.imr_instances {
            return Err(Refusal::Full);
        }
        let process = known.or_else(|| state.take_process(name));
        let Some(server) = state.servers.get_mut(name) else {
            return Err(Refusal::NotFound);
        };
        server.running.push(Instance {
            number,
            reference: Arc::new(reference),
            has_object,
            partial_ior: partial_ior.to_owned(),
            process,
            clients: 0,
        });
        if server.is_per_client() {
            server.unclaimed.push(number);
        }
        server.forget_claims();
        let waiting = server.waiting.take();
        drop(state);
        self.changed.notify_all();
        waiting.iter().for_each(HeldRequests::resume);
        self.store_running(name).map_err(Refusal::from)
    }

    /// A server is about to end, which is known to its process only if it is the only one.
    pub(super) fn is_shutting_down(&self, name: &str) -> Result<(), Refusal> {
        let mut state = self.lock();
        let name = state.registered(name).ok_or(Refusal::NotFound)?;
        let replaced = state.servers.get_mut(&name).and_then(|server| server.replaced.take());
        drop(state);
        // If the replaced process still runs, the farewell is its own.
        if replaced.is_some_and(|instance| self.answers(&instance)) {
            return Ok(());
        }
        let mut state = self.lock();
        if let Some(server) = state.servers.get_mut(&name)
            && server.running.len() == 1
        {
            server.running.clear();
            server.forget_claims();
        }
        drop(state);
        self.store_running(&name).map_err(Refusal::from)
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

    /// Stores the processes of a server.
    pub(super) fn store_running(&self, name: &str) -> Result<(), StoreError> {
        let Some(store) = &self.store else { return Ok(()) };
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let running = match self.lock().servers.get(name) {
            Some(server) => server.running.clone(),
            None => return Ok(()),
        };
        tables::put_running(&**store, name, &running)
    }

    /// Has a server's processes started by other threads, unless that is going on, or nothing is to be done.
    ///
    /// # Errors
    /// Why it is not started.
    pub(super) fn begin(
        &self,
        state: &mut State,
        name: &str,
        reason: Reason,
    ) -> Result<(), &'static str> {
        let owner = state.owner(name).to_owned();
        let server = state.servers.get_mut(&owner).ok_or("its server has been removed")?;
        if server.is_starting {
            if reason != Reason::Automatic && server.process.is_none() {
                // Stopped meanwhile: the thread that has started it starts it again.
                server.is_stopped = false;
            }
            return Ok(());
        }
        server.forget_ended();
        let startup = &server.definition.startup;
        if startup.command_line.is_empty() {
            return Err("it has no command line");
        }
        if startup.activation == ActivationMode::Manual && reason != Reason::Administrator {
            return Err("it is started by hand");
        }
        if reason == Reason::Automatic && server.is_stopped {
            return Err("it has been stopped");
        }
        match reason {
            Reason::Administrator => server.limits.forgive(),
            _ if server.limits.refuses(Instant::now()) => return Err("it could not be started"),
            _ => {}
        }
        if !server.lacks_processes() {
            return Err("its process does not serve this name");
        }
        if server.running.len() >= self.options.imr_instances {
            return Err("as many of its processes run as may");
        }
        server.is_stopped = false;
        server.is_starting = true;
        let generation = server.generation;
        state.pending.push_back(Pending::new(owner.clone(), generation));
        if state.pending.len() <= state.idle_starters
            || state.starters >= self.options.imr_starts_at_once.max(1)
        {
            self.changed.notify_all();
            return Ok(());
        }
        let this = self.this.upgrade().ok_or("the repository has ended")?;
        let thread = std::thread::Builder::new().name("imr-start".to_owned());
        match thread.spawn(move || this.run_starts()) {
            Ok(_) => state.starters += 1,
            Err(_) if state.starters > 0 => {}
            Err(_) => {
                state.pending.pop_back();
                if let Some(server) = state.servers.get_mut(&owner) {
                    server.is_starting = false;
                }
                return Err("there is no thread to start it");
            }
        }
        Ok(())
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// Adds a server.
    pub(super) fn insert(&mut self, name: String, definition: Definition) {
        let server = Server::new(self.number(), definition);
        self.servers.insert(name, server);
    }

    /// A server, unless it has been removed, also if another one has its name now.
    pub(super) fn server_of(&mut self, name: &str, generation: u64) -> Option<&mut Server> {
        self.servers.get_mut(name).filter(|server| server.generation == generation)
    }

    /// The name of the server of an object.
    fn name_of(&self, key: &[u8]) -> Option<String> {
        candidates(key).into_iter().find(|name| self.servers.contains_key(name))
    }

    /// The server whose process serves a name.
    pub(super) fn owner<'a>(&'a self, name: &'a str) -> &'a str {
        let linked = self.servers.get(name).and_then(|it| it.definition.linked_to.as_deref());
        linked.unwrap_or(name)
    }

    /// Whether the server whose process serves a name has been stopped.
    fn is_stopped(&self, name: &str) -> bool {
        self.servers.get(self.owner(name)).is_some_and(|server| server.is_stopped)
    }

    /// The name as servers have registered it. JacORB leaves out `JACORB:implementation/` when it says goodbye.
    fn registered(&self, name: &str) -> Option<String> {
        if self.servers.contains_key(name) {
            return Some(name.to_owned());
        }
        let of_adapter = |known: &&String| {
            let rest = known.strip_prefix("JACORB:").and_then(|rest| rest.split_once('/'));
            rest.is_some_and(|(_, adapter)| adapter == name)
        };
        let mut known = self.servers.keys().filter(of_adapter);
        known.next().filter(|_| known.next().is_none()).cloned()
    }

    /// The process that has registered with the same reference before.
    fn known_process(&self, name: &str, reference: &Ior) -> Option<ProcessId> {
        let same = |it: &&Instance| it.reference.profiles == reference.profiles;
        self.servers.get(name)?.running.iter().find(same)?.process
    }

    /// Finds the process that registers: the server's own if it is starting, or that of the server it is linked to.
    fn take_process(&mut self, name: &str) -> Option<ProcessId> {
        let owner = self.owner(name).to_owned();
        let is_own = owner == name;
        let server = self.servers.get_mut(&owner)?;
        match is_own {
            true => server.process.take(),
            false => server.process.or_else(|| server.running.last()?.process),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use zorb::giop::{ProfileTag, TaggedProfile};
    use zorb_store::{Batch, Entry, MemoryStore, Statistics, Visit};

    use super::*;

    /// A store that notes whether a change of processes was made while `changing` was held.
    #[derive(Debug, Default)]
    struct Watched {
        store: MemoryStore,
        servers: OnceLock<Weak<Servers>>,
        was_changing: Mutex<Vec<bool>>,
    }

    impl Store for Watched {
        fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
            self.store.get(table, key)
        }

        fn scan(&self, table: &str, visit: &mut Visit<'_>) -> Result<(), StoreError> {
            self.store.scan(table, visit)
        }

        fn scan_all(
            &self,
            visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
        ) -> Result<(), StoreError> {
            self.store.scan_all(visit)
        }

        fn commit(&self, batch: Batch) -> Result<(), StoreError> {
            if let Some(servers) = self.servers.get().and_then(Weak::upgrade) {
                self.was_changing.lock().unwrap().push(servers.changing.try_lock().is_err());
            }
            self.store.commit(batch)
        }

        fn statistics(&self) -> Statistics {
            self.store.statistics()
        }
    }

    fn reference(type_id: &str, profiles: usize) -> Ior {
        let profile = |tag| TaggedProfile { tag: ProfileTag(tag), data: Vec::new() };
        Ior { type_id: type_id.to_owned(), profiles: (0..).map(profile).take(profiles).collect() }
    }

    /// Otherwise a stopped server starts again for the requests that waited for it.
    #[test]
    fn requests_that_waited_for_a_stopped_server_are_refused() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let servers = Servers::load(&orb, &ImrOptions::default(), None).unwrap();
        let mut definition = Definition::unmanaged();
        definition.startup.activation = ActivationMode::Normal;
        definition.startup.command_line = "true".to_owned();
        servers.add("Shop", definition).unwrap();
        servers.link("Orders", Some("Shop")).unwrap();
        servers.lock().servers.get_mut("Shop").unwrap().is_stopped = true;
        let keys = ["Shop", "Orders"].map(|name| name.as_bytes());
        for key in keys {
            let found = servers.find(key, true);
            assert!(matches!(found, ForwardTo::Refused(_)), "{found:?}");
        }
        assert!(servers.lock().servers["Shop"].is_stopped);
        servers.lock().servers.get_mut("Shop").unwrap().is_starting = true;
        let found = servers.find(keys[0], false);
        assert!(matches!(found, ForwardTo::Held(_)), "{found:?}");
        assert!(!servers.lock().servers["Shop"].is_stopped, "for a new one it starts");
        orb.shutdown(true).unwrap();
    }

    /// Otherwise the thread that has started it would take the refusal for success.
    #[test]
    fn a_process_that_is_one_too_many_has_not_started() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let options = ImrOptions { imr_instances: 1, ..ImrOptions::default() };
        let servers = Servers::load(&orb, &options, None).unwrap();
        let mut definition = Definition::unmanaged();
        definition.startup.activation = ActivationMode::PerClient;
        definition.startup.command_line = "true".to_owned();
        servers.add("Shop", definition).unwrap();
        servers.register("Shop", "", reference("", 1), false).unwrap();
        let process = Some(ProcessId::from_parts(1, 0));
        {
            let mut state = servers.lock();
            let server = state.servers.get_mut("Shop").unwrap();
            (server.process, server.wanted) = (process, 2);
            let begun = servers.begin(&mut state, "Shop", Reason::Request);
            assert_eq!(begun, Err("as many of its processes run as may"));
        }
        let refused = servers.register("Shop", "", reference("", 2), false).unwrap_err();
        assert!(matches!(refused, Refusal::Full), "{refused:?}");
        assert_eq!(servers.lock().servers["Shop"].process, process);
        orb.shutdown(true).unwrap();
    }

    #[test]
    fn all_parts_of_a_reference_count() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let options = ImrOptions { imr_definition_octets: 1000, ..ImrOptions::default() };
        let servers = Servers::load(&orb, &options, None).unwrap();
        for long in [reference(&"x".repeat(2000), 1), reference("", 100)] {
            let refused = servers.register("Shop", "", long, false).unwrap_err();
            assert!(matches!(refused, Refusal::Full), "{refused:?}");
        }
        servers.register("Shop", "", reference("IDL:x:1.0", 3), false).unwrap();
        orb.shutdown(true).unwrap();
    }

    /// Otherwise the processes of a server could be stored after it has been removed.
    #[test]
    fn processes_are_stored_as_definitions_are() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let store = Arc::new(Watched::default());
        let stored: Arc<dyn Store> = Arc::<Watched>::clone(&store);
        let servers = Servers::load(&orb, &ImrOptions::default(), Some(stored)).unwrap();
        store.servers.set(Arc::downgrade(&servers)).unwrap();
        servers.register("Shop", "", Ior::NIL, false).unwrap();
        servers.is_shutting_down("Shop").unwrap();
        servers.remove("Shop").unwrap();
        assert_eq!(*store.was_changing.lock().unwrap(), [true; 4]);
        orb.shutdown(true).unwrap();
    }
}
