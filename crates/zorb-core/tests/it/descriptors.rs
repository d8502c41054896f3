//! Descriptors of connections that nobody needs any more.

use zorb_testkit::in_own_process;

use crate::support::{Echo, Servant, client, server};

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Clients that pass a reference for a callback to a server, and then end.
fn call_back(count: usize) {
    let (_server, echo) = server();
    let before = open_descriptors();
    let mut most = 0;
    for _ in 0..count {
        let (orb, there) = client(&echo);
        let here: Echo = orb.root_poa().activate(Servant::default()).unwrap();
        assert_eq!(there.call_back(Some(&here), 1).unwrap(), 1);
        drop((here, there));
        orb.shutdown(true).unwrap();
        drop(orb);
        most = most.max(open_descriptors());
    }
    // A few dozen of connections, whatever the number of clients.
    assert!(most < before + 100, "{before} descriptors before, {most} at most");
}

#[test]
fn a_server_keeps_no_connections_to_clients_that_have_gone() {
    in_own_process("descriptors::a_server_keeps_no_connections_to_clients_that_have_gone", || {
        call_back(600)
    });
}
