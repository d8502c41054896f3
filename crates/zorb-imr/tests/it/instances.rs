//! Several processes of one server, and several servers in one process.

use std::collections::BTreeSet;

use zorb::minor;
use zorb_imr::implementation_repository::ActivationMode;
use zorb_imr::server_repository::Selection;
use zorb_testkit::until;

use crate::support::{World, kill, options, runs, until_answered};

#[test]
fn clients_are_distributed_over_the_processes_of_a_server() {
    let world = World::new();
    world.add("Shop", &options("Shop"));
    world.repository.set_instances("Shop", 3, Selection::RoundRobin).unwrap();
    world.teller("Shop").twice(1).unwrap();
    until(|| world.statistics().running == 3);
    let processes: Vec<u32> = (0..6).map(|_| world.teller("Shop").process().unwrap()).collect();
    let different: BTreeSet<u32> = processes.iter().copied().collect();
    assert_eq!(different.len(), 3);
    assert_eq!(processes[..3], processes[3..]);
    // One that has ended is left out at once, and started again.
    kill(processes[0]);
    until(|| !runs(processes[0]));
    assert!((0..6).all(|_| world.teller("Shop").process().unwrap() != processes[0]));
    until(|| world.statistics().running == 3);
}

#[test]
fn an_object_is_served_by_one_process_as_long_as_it_runs() {
    let world = World::new();
    world.add("Shop", &options("Shop"));
    world.repository.set_instances("Shop", 2, Selection::ByKey).unwrap();
    world.repository.activate_server("Shop").unwrap();
    assert_eq!(world.statistics().running, 2);
    let first = world.teller("Shop").process().unwrap();
    assert!((0..10).all(|_| world.teller("Shop").process().unwrap() == first));
    kill(first);
    let teller = world.teller("Shop");
    assert_ne!(until_answered(|| teller.process()), first);
}

#[test]
fn each_client_gets_a_process_of_its_own() {
    let world = World::new();
    let mut options = options("Shop");
    options.activation = ActivationMode::PerClient;
    world.add("Shop", &options);
    let tellers = [(); 3].map(|()| world.teller("Shop"));
    let processes: BTreeSet<u32> = std::thread::scope(|scope| {
        let callers = tellers.each_ref().map(|it| scope.spawn(|| it.process().unwrap()));
        callers.map(|caller| caller.join().unwrap()).into()
    });
    assert_eq!(processes.len(), 3);
    assert!(tellers.iter().all(|teller| processes.contains(&teller.process().unwrap())));
    assert_eq!(world.statistics().starts, 3);
}

#[test]
fn linked_names_are_served_by_one_process() {
    let world = World::new();
    world.add("Shop", &options("Shop,Orders"));
    world.repository.link_servers("Shop", &["Orders".to_owned()]).unwrap();
    let orders = world.teller("Orders").process().unwrap();
    assert_eq!(world.teller("Shop").process().unwrap(), orders);
    assert_eq!(world.statistics().starts, 1);
    kill(orders);
    until(|| !runs(orders));
    assert_ne!(world.teller("Orders").process().unwrap(), orders);
    assert!(world.repository.link_servers("Orders", &["Shop".to_owned()]).is_err());
}

#[test]
fn linked_names_that_nobody_registers_are_refused() {
    let world = World::new();
    // Its process has no adapter of the other name.
    world.add("Shop", &options("Shop"));
    world.repository.link_servers("Shop", &["Orders".to_owned()]).unwrap();
    std::thread::scope(|scope| {
        let orders = world.teller("Orders");
        let caller = scope.spawn(move || orders.process().unwrap_err());
        until(|| world.statistics().running == 1 && world.statistics().waiting == 1);
        let process = world.teller("Shop").process().unwrap();
        kill(process);
        let refused = caller.join().unwrap();
        assert_eq!(refused.minor, minor::transient::SERVER_NOT_STARTED);
    });
    assert_eq!(world.statistics().starts, 1, "nor is it started again");
    world.teller("Shop").process().unwrap();
    assert_eq!(world.statistics().starts, 2);
}
