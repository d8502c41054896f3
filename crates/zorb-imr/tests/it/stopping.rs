//! Servers that are ended.

use std::time::Duration;

use zorb_imr::server_repository::ServerState;

use crate::support::{World, options, runs, settings, stubborn};
use zorb_testkit::until;

#[test]
fn a_server_ends_when_it_is_asked_to() {
    let world = World::new();
    world.add("Shop", &options("Shop"));
    let teller = world.teller("Shop");
    let process = teller.process().unwrap();
    world.repository.shutdown_server("Shop").unwrap();
    assert!(!runs(process));
    assert_eq!(world.status("Shop").state, ServerState::Stopped);
    assert_ne!(teller.process().unwrap(), process);
}

#[test]
fn a_server_that_does_not_end_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(folder.path());
    settings.imr_stop_grace = Duration::from_millis(50);
    let world = World::with(folder, &settings, None, "iiop://127.0.0.1:0");
    world.add("Shop", &stubborn("Shop"));
    let process = world.teller("Shop").process().unwrap();
    world.repository.shutdown_server("Shop").unwrap();
    until(|| !runs(process));
}

#[test]
fn the_servers_of_a_repository_end_with_it_if_they_should() {
    let world = World::new();
    world.add("Shop", &options("Shop"));
    world.add("Bank", &options("Bank"));
    let processes = ["Shop", "Bank"].map(|name| world.teller(name).process().unwrap());
    world.repository.shutdown(true, true).unwrap();
    for process in processes {
        assert!(!runs(process));
    }
}

#[test]
fn signals_reach_processes() {
    let world = World::new();
    world.add("Shop", &options("Shop"));
    let process = world.teller("Shop").process().unwrap();
    world.repository.kill_server("Shop", 9).unwrap();
    zorb_testkit::until(|| !runs(process));
    assert!(world.repository.kill_server("Shop", 9).is_err());
    let process = world.teller("Shop").process().unwrap();
    world.repository.force_remove_server("Shop", 9).unwrap();
    zorb_testkit::until(|| !runs(process));
    assert_eq!(world.statistics().servers, 0);
}

#[test]
fn signals_that_the_repository_blocks_reach_processes() {
    const NAME: &str = "stopping::signals_that_the_repository_blocks_reach_processes";
    zorb_testkit::in_own_process(NAME, || {
        // As a program with a repository does before it starts threads.
        let _blocked = zorb_os::signal::TerminationSignal::block().unwrap();
        let world = World::new();
        world.add("Shop", &options("Shop"));
        let process = world.teller("Shop").process().unwrap();
        world.repository.kill_server("Shop", 15).unwrap();
        until(|| !runs(process));
    });
}
