//! Tests of processes that register and report their shutdown.

use std::ops::ControlFlow;
use std::sync::{Mutex, OnceLock, Weak};

use zorb::Orb;
use zorb::giop::{ProfileTag, TaggedProfile};
use zorb_store::{Batch, Entry, MemoryStore, Statistics, Store, StoreError, Visit};

use super::super::options::ImrOptions;
use super::super::start_requests::Reason;
use super::*;
use crate::implementation_repository::ActivationMode;

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

/// The numbers of the processes that serve a name.
fn running(servers: &Servers, name: &str) -> Vec<usize> {
    let state = servers.lock();
    state.servers[name].running.iter().map(|it| it.reference.profiles.len()).collect()
}

/// Its processes have no server object, so they count as running.
#[test]
fn the_shutdown_of_a_removed_server_is_not_that_of_its_successor() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let servers = Servers::load(&orb, &ImrOptions::default(), None).unwrap();
    for process in [1, 2] {
        servers.add("Shop", Definition::unmanaged()).unwrap();
        servers.register("Shop", "", reference("", process), false).unwrap();
        if process == 1 {
            servers.remove("Shop").unwrap();
        }
    }
    servers.is_shutting_down("Shop").unwrap();
    assert_eq!(running(&servers, "Shop"), [2]);
    servers.is_shutting_down("Shop").unwrap();
    assert_eq!(running(&servers, "Shop"), [0; 0], "each process reports its shutdown once");
    orb.shutdown(true).unwrap();
}

#[test]
fn the_shutdown_of_a_stopped_process_is_not_that_of_its_successor() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let servers = Servers::load(&orb, &ImrOptions::default(), None).unwrap();
    servers.register("Shop", "", reference("", 1), false).unwrap();
    // The repository does not know the process, and so does not wait for its end.
    servers.stop("Shop").unwrap();
    servers.register("Shop", "", reference("", 2), false).unwrap();
    servers.is_shutting_down("Shop").unwrap();
    assert_eq!(running(&servers, "Shop"), [2]);
    orb.shutdown(true).unwrap();
}

#[test]
fn shutdowns_are_those_of_former_processes_after_a_restart() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let load = || Servers::load(&orb, &ImrOptions::default(), Some(Arc::clone(&store))).unwrap();
    let servers = load();
    servers.register("Replaced", "", reference("", 1), false).unwrap();
    servers.register("Replaced", "", reference("", 2), false).unwrap();
    for name in ["Stopped", "Removed"] {
        servers.register(name, "", reference("", 1), false).unwrap();
    }
    servers.stop("Stopped").unwrap();
    servers.remove("Removed").unwrap();
    let servers = load();
    for name in ["Stopped", "Removed"] {
        servers.register(name, "", reference("", 2), false).unwrap();
    }
    for name in ["Replaced", "Stopped", "Removed"] {
        servers.is_shutting_down(name).unwrap();
        assert_eq!(running(&servers, name), [2], "{name}");
    }
    // Each process reports its shutdown once, also to the next repository.
    let servers = load();
    for name in ["Replaced", "Stopped", "Removed"] {
        assert_eq!(running(&servers, name), [2], "{name}");
        servers.is_shutting_down(name).unwrap();
        assert_eq!(running(&servers, name), [0; 0], "{name}");
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn former_processes_that_ended_without_the_repository_are_deleted() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let load = || Servers::load(&orb, &ImrOptions::default(), Some(Arc::clone(&store))).unwrap();
    let key = b"\0\0\0\0\0\0\0\x02Shop";
    let servers = load();
    servers.register("Shop", "", reference("", 1), false).unwrap();
    let mut former = servers.lock().servers["Shop"].running[0].clone();
    servers.remove("Shop").unwrap();
    assert!(store.get("imr.former", key).unwrap().is_some());
    // No process has this id.
    former.process = Some(ProcessId::from_parts(u32::MAX >> 1, 1));
    let ended = Instance::to_octets(&[former]).unwrap();
    store.commit(Batch::new().put("imr.former", key, ended)).unwrap();
    let servers = load();
    assert!(servers.lock().former.of("Shop").is_empty());
    assert_eq!(store.get("imr.former", key).unwrap(), None);
    orb.shutdown(true).unwrap();
}

#[test]
fn a_process_that_registers_again_reports_its_own_shutdown() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let servers = Servers::load(&orb, &ImrOptions::default(), None).unwrap();
    for _ in 0..2 {
        servers.register("Shop", "", reference("", 1), false).unwrap();
        servers.stop("Shop").unwrap();
    }
    servers.register("Shop", "", reference("", 1), false).unwrap();
    servers.is_shutting_down("Shop").unwrap();
    assert_eq!(running(&servers, "Shop"), [0; 0]);
    orb.shutdown(true).unwrap();
}

#[test]
fn processes_that_have_ended_do_not_count() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let servers = Servers::load(&orb, &ImrOptions::default(), None).unwrap();
    servers.add("Shop", Definition { instances: 3, ..Definition::unmanaged() }).unwrap();
    for profiles in [1, 2] {
        servers.register("Shop", "", reference("", profiles), false).unwrap();
    }
    // No process has this id.
    let ended = Some(ProcessId::from_parts(u32::MAX >> 1, 1));
    servers.lock().servers.get_mut("Shop").unwrap().running[0].process = ended;
    servers.is_shutting_down("Shop").unwrap();
    assert_eq!(running(&servers, "Shop"), [0; 0], "the shutdown is that of the other one");
    // Nor do those that served the name earlier.
    servers.register("Shop", "", reference("", 1), false).unwrap();
    servers.lock().servers.get_mut("Shop").unwrap().running[0].process = ended;
    servers.remove("Shop").unwrap();
    servers.register("Shop", "", reference("", 2), false).unwrap();
    servers.is_shutting_down("Shop").unwrap();
    assert_eq!(running(&servers, "Shop"), [0; 0]);
    orb.shutdown(true).unwrap();
}

/// Otherwise the next report, of its successor, would be attributed to it.
#[test]
fn a_process_that_reports_its_shutdown_while_its_server_is_removed_is_forgotten() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let servers = Servers::load(&orb, &ImrOptions::default(), None).unwrap();
    servers.register("Shop", "", reference("", 1), false).unwrap();
    {
        // As long as the removal is being stored, it is both.
        let state = &mut *servers.lock();
        let instance = state.servers["Shop"].running[0].clone();
        state.former.add("Shop", instance);
    }
    servers.is_shutting_down("Shop").unwrap();
    servers.remove("Shop").unwrap();
    assert!(servers.lock().former.of("Shop").is_empty());
    orb.shutdown(true).unwrap();
}

#[test]
fn a_report_asks_a_limited_number_of_former_processes() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let servers = Servers::load(&orb, &ImrOptions::default(), None).unwrap();
    // Each replaces the one before it. None can be called.
    for profiles in 1..=MOST_ASKED + 4 {
        servers.register("Shop", "", reference("", profiles), true).unwrap();
    }
    servers.is_shutting_down("Shop").unwrap();
    assert_eq!(running(&servers, "Shop"), [0; 0]);
    let former = servers.lock().former.of("Shop");
    let left: Vec<usize> = former.iter().map(|it| it.reference.profiles.len()).collect();
    assert_eq!(left, [1, 2, 3], "the oldest");
    orb.shutdown(true).unwrap();
}
