//! A repository that ends and begins again under running clients and servers.

use std::sync::Arc;

use zorb_imr::implementation_repository::ActivationMode;
use zorb_imr::server_repository::Selection;
use zorb_store::{Batch, MemoryStore, Store};
use zorb_testkit::until;

use crate::support::{World, kill, options, runs, settings, until_answered};

/// A repository with this store at an address.
fn world(store: &Arc<dyn Store>, listen: &str) -> World {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    World::with(folder, &settings, Some(Arc::clone(store)), listen)
}

/// Ends the repository, not its servers; returns its address.
fn end(world: &World) -> String {
    let address = world.server.endpoints().remove(0);
    world.server.shutdown(true).unwrap();
    address
}

#[test]
fn servers_and_their_processes_are_known_after_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let before = world(&store, "iiop://127.0.0.12:0");
    before.add("Shop", &options("Shop"));
    before.add("Bank", &options("Bank"));
    before.repository.set_instances("Bank", 2, Selection::LeastLoaded).unwrap();
    before.add("Gone", &options("Gone"));
    before.repository.remove_server("Gone").unwrap();
    let teller = before.teller("Shop");
    let process = teller.process().unwrap();
    let address = end(&before);
    assert_eq!(teller.process().unwrap(), process, "without the repository");

    let after = world(&store, &address);
    assert_eq!((after.statistics().servers, after.statistics().running), (2, 1));
    let bank = after.status("Bank");
    assert_eq!((bank.instances, bank.choice), (2, Selection::LeastLoaded));
    assert_eq!(after.teller("Shop").process().unwrap(), process, "a new client");
    assert_eq!(after.statistics().starts, 0);
    kill(process);
    assert_ne!(until_answered(|| teller.process()), process, "the first client");
    assert_eq!(after.statistics().starts, 1);
}

#[test]
fn a_process_that_ends_without_the_repository_is_forgotten() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let before = world(&store, "iiop://127.0.0.13:0");
    let mut automatic = options("Shop");
    automatic.activation = ActivationMode::AutoStart;
    before.add("Shop", &automatic);
    let process = before.teller("Shop").process().unwrap();
    let address = end(&before);
    kill(process);
    until(|| !runs(process));
    let after = world(&store, &address);
    until(|| after.statistics().running == 1);
    assert_ne!(after.status("Shop").running[0].process, process);
}

/// An encapsulation of no processes, of an unknown run of the system.
const NO_PROCESSES: &[u8] = b"\x01\0\0\0\0\0\0\0\x01\0\0\0\0";

#[test]
fn damaged_servers_are_refused() {
    let rows: [(&'static str, &[u8], &[u8]); 9] = [
        ("imr.servers", b"name", b""),
        ("imr.servers", b"name", b"\x02"),
        ("imr.servers", b"\xff", &[1; 40]),
        ("imr.running", b"\xff", NO_PROCESSES),
        ("imr.running", b"nobody", b"\x01\xff"),
        ("imr.former", b"1234567", NO_PROCESSES),
        ("imr.former", b"12345678\xff", NO_PROCESSES),
        ("imr.former", b"12345678name", b"\x01\xff"),
        ("imr.former", b"\xff\xff\xff\xff\xff\xff\xff\xffname", NO_PROCESSES),
    ];
    for (table, key, value) in rows {
        let store = MemoryStore::new();
        store.commit(Batch::new().put(table, key, value)).unwrap();
        let orb = crate::support::orb().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        let served = zorb_imr::server::ImplementationRepository::serve_stored(
            &orb,
            &settings,
            Arc::new(store),
        );
        let error = served.unwrap_err();
        assert!(zorb::Report(&error).to_string().contains("repository contains"), "{error:?}");
        assert!(error.hint().is_some());
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn processes_of_an_unknown_server_are_forgotten() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    store.commit(Batch::new().put("imr.running", *b"nobody", NO_PROCESSES)).unwrap();
    let world = world(&store, "iiop://127.0.0.1:0");
    assert_eq!(world.statistics().servers, 0);
    assert_eq!(store.get("imr.running", b"nobody").unwrap(), None);
}
