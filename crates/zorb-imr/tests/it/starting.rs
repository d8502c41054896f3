//! Servers that are started.

use std::collections::BTreeSet;

use zorb::{SystemExceptionKind, minor};
use zorb_imr::implementation_repository::ActivationMode;
use zorb_imr::server_repository::ServerState;
use zorb_testkit::until;

use crate::support::{World, kill, options, settings, until_answered, writing_to};

#[test]
fn a_client_starts_the_server_and_is_forwarded_once() {
    let world = World::new();
    world.add("Shop", &options("Shop"));
    assert_eq!(world.statistics().running, 0);
    let teller = world.teller("Shop");
    for value in 0..100 {
        assert_eq!(teller.twice(value).unwrap(), value * 2);
    }
    let statistics = world.statistics();
    assert_eq!((statistics.starts, statistics.running), (1, 1));
    assert_eq!(statistics.forwards, 1, "messages of a client to the repository");
    assert_eq!(world.status("Shop").running[0].process, teller.process().unwrap());
}

#[test]
fn references_of_servers_have_the_address_of_the_repository() {
    let world = World::new();
    let file = world.folder.path().join("reference");
    world.add("Shop", &writing_to(&file, "Shop"));
    world.repository.activate_server("Shop").unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let ior = zorb::giop::Ior::from_stringified(&text).unwrap();
    assert_eq!(ior.type_id, "IDL:zorb.test/Teller:1.0");
    let profile = zorb::giop::IiopProfile::decode(&ior.profiles[0].data).unwrap();
    assert_eq!(format!("{}:{}", profile.host, profile.port), world.address());
    let teller: crate::support::Teller = world.client.resolve(&text).unwrap();
    let first = teller.process().unwrap();
    kill(first);
    assert_ne!(until_answered(|| teller.process()), first, "the same reference");
}

#[test]
fn many_clients_wait_for_one_server() {
    let world = World::new();
    world.add("Shop", &options("Shop"));
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..20)
            .map(|_| {
                let teller = world.teller("Shop");
                scope.spawn(move || teller.process().unwrap())
            })
            .collect();
        let processes: BTreeSet<u32> = callers.into_iter().map(|it| it.join().unwrap()).collect();
        assert_eq!(processes.len(), 1);
    });
    assert_eq!((world.statistics().starts, world.statistics().waiting), (1, 0));
}

#[test]
fn killed_servers_are_started_again() {
    let world = World::new();
    world.add("Shop", &options("Shop"));
    let teller = world.teller("Shop");
    let mut processes = BTreeSet::new();
    for _ in 0..5 {
        let process = until_answered(|| teller.process());
        assert!(processes.insert(process), "{process} has been killed");
        kill(process);
    }
}

#[test]
fn servers_that_cannot_start_are_tried_as_often_as_their_limit() {
    let world = World::new();
    let missing = "\"/nonexistent/server\" cannot be started: ";
    let commands = [("Ends", "/bin/false", ""), ("Missing", "/nonexistent/server", missing)];
    for (name, command, problem) in commands {
        let mut options = options(name);
        options.command_line = command.to_owned();
        options.start_limit = 2;
        world.add(name, &options);
        let refused = world.teller(name).twice(1).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Transient);
        assert_eq!(refused.minor, minor::transient::SERVER_NOT_STARTED);
        let status = world.status(name);
        assert_eq!((status.starts, status.failures), (2, 2));
        assert_eq!(status.state, ServerState::Failed);
        assert!(status.problem.len() > problem.len(), "{}", status.problem);
        assert!(status.problem.starts_with(problem), "{}", status.problem);
        // For a while, nobody tries again.
        assert!(world.teller(name).twice(1).is_err());
        assert_eq!(world.status(name).starts, 2);
    }
}

#[test]
fn servers_without_a_key_of_their_own_do_not_exist() {
    let world = World::new();
    let gone = world.teller("Nobody").twice(1).unwrap_err();
    assert_eq!(gone.kind, SystemExceptionKind::ObjectNotExist);
}

#[test]
fn manual_servers_are_started_by_administrators_only() {
    let world = World::new();
    let mut options = options("Shop");
    options.activation = ActivationMode::Manual;
    world.add("Shop", &options);
    let teller = world.teller("Shop");
    assert_eq!(teller.twice(1).unwrap_err().minor, minor::transient::SERVER_NOT_STARTED);
    assert_eq!(world.statistics().starts, 0);
    world.repository.activate_server("Shop").unwrap();
    assert_eq!(teller.twice(1).unwrap(), 2);
    world.repository.activate_server("Shop").unwrap();
    assert_eq!(world.statistics().starts, 1);
}

#[test]
fn automatic_servers_run_without_a_client() {
    let world = World::new();
    let mut options = options("Shop");
    options.activation = ActivationMode::AutoStart;
    world.add("Shop", &options);
    until(|| world.statistics().running == 1);
    let first = world.status("Shop").running[0].process;
    kill(first);
    until(|| world.status("Shop").running.iter().any(|other| other.process != first));
    world.repository.shutdown_server("Shop").unwrap();
    assert_eq!(world.status("Shop").running.len(), 0);
    let stopped = world.statistics().starts;
    assert_eq!(world.teller("Shop").twice(1).unwrap(), 2, "a request starts it again");
    assert_eq!(world.statistics().starts, stopped + 1);
}

#[test]
fn a_server_that_reports_its_shutdown_is_started_again() {
    let world = World::new();
    world.add("Shop", &options("Shop"));
    let teller = world.teller("Shop");
    let first = teller.process().unwrap();
    world.repository.server_is_shutting_down("Shop").unwrap();
    kill(first);
    assert_ne!(until_answered(|| teller.process()), first);
}

/// The threads of this process whose names begin with this.
fn threads(prefix: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")));
    // One may have ended.
    names.filter(|name| name.as_ref().is_ok_and(|name| name.starts_with(prefix))).count()
}

#[test]
fn many_servers_are_started_by_few_threads() {
    zorb_testkit::in_own_process("starting::many_servers_are_started_by_few_threads", || {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(folder.path());
        settings.imr_starts_at_once = 2;
        let world = World::with(folder, &settings, None, "iiop://127.0.0.1:0");
        let mut silent = options("x");
        silent.command_line = "sleep 600".to_owned();
        silent.activation = ActivationMode::AutoStart;
        let names: Vec<_> = (0..20).map(|number| format!("Shop{number:02}")).collect();
        names.iter().for_each(|name| world.add(name, &silent));
        let is_starting = |name: &String| world.status(name).state == ServerState::Starting;
        until(|| world.statistics().starting == 2 && names.iter().all(is_starting));
        // The thread that watches begins with the first process, and a thread has its creator's name until it sets its own.
        until(|| (threads("imr-start"), threads("imr-watch")) == (2, 1));
        names.iter().for_each(|name| world.repository.remove_server(name).unwrap());
        until(|| world.statistics().starting == 0);
        until(|| (threads("imr-start"), threads("imr-watch")) == (0, 0));
    });
}
