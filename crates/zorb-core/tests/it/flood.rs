//! Floods of connections in a process with little address space.

use std::io::{Read, Write};
use std::net::TcpStream;

use zorb_base::process_limits::{max_connections, max_threads};
use zorb_core::OnewayQueue;
use zorb_core::policy::{Policies, SyncScope};
use zorb_testkit::{
    CLOSE_CONNECTION, LOCATE_REPLY, LOCATE_REQUEST, in_own_process, limit_address_space, until,
};
use zorb_types::{SystemExceptionKind, minor};

use crate::support::{Acting, Echo, Servant, builder};

/// More than the process has threads for.
const CLIENTS: usize = 500;

/// Whether a client has received CloseConnection.
fn is_closed(client: &mut TcpStream) -> bool {
    let mut octets = [0; 12];
    client.set_nonblocking(true).unwrap();
    client.read_exact(&mut octets).is_ok() && octets[7] == CLOSE_CONNECTION
}

#[test]
fn a_flood_of_silent_connections_does_not_exhaust_the_address_space() {
    let name = "flood::a_flood_of_silent_connections_does_not_exhaust_the_address_space";
    in_own_process(name, || {
        limit_address_space(600 << 20);
        let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let echo: Echo = server.root_poa().activate(Acting(Ok)).unwrap();
        assert!(max_threads() < CLIENTS && max_connections() < max_threads());
        let address = server.endpoints()[0].trim_start_matches("iiop://").to_owned();
        let mut clients: Vec<_> =
            (0..CLIENTS).map(|_| TcpStream::connect(&address).unwrap()).collect();
        // After all others, and while the evicted connections are closing.
        let client = builder().build().unwrap();
        let echo: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
        assert_eq!(echo.twice(4).unwrap(), 4);
        let mut closed = 0;
        while closed < CLIENTS - max_connections() {
            clients.retain_mut(|client| !is_closed(client));
            closed = CLIENTS - clients.len();
            std::thread::yield_now();
        }
        assert_eq!(echo.twice(5).unwrap(), 5);
        server.shutdown(true).unwrap();
    });
}

/// Whether the server serves a new connection, which may be closed instead.
fn connect(address: &str) -> Option<TcpStream> {
    let mut client = TcpStream::connect(address).unwrap();
    let mut reply = [0; 20];
    let is_sent = client.write_all(LOCATE_REQUEST).is_ok() && client.read_exact(&mut reply).is_ok();
    (is_sent && reply[7] == LOCATE_REPLY).then_some(client)
}

fn connect_until_served(address: &str) -> TcpStream {
    let mut client = None;
    until(|| {
        client = connect(address);
        client.is_some()
    });
    client.unwrap()
}

#[test]
fn the_orbs_of_a_process_have_no_more_threads_than_permitted() {
    let name = "flood::the_orbs_of_a_process_have_no_more_threads_than_permitted";
    in_own_process(name, || {
        let server = builder()
            .listen("iiop://127.0.0.1:0")
            .option("MaxThreads", "12")
            .option("MaxConnections", "100")
            .build()
            .unwrap();
        let echo: Echo = server.root_poa().activate(Servant::default()).unwrap();
        let address = server.endpoints()[0].trim_start_matches("iiop://").to_owned();
        for _ in 0..3 {
            // Idle connections make room for others.
            let mut clients: Vec<_> = (0..40).map(|_| connect_until_served(&address)).collect();
            // Each of those that are left has a thread, and so has the listener.
            until(|| {
                clients.retain_mut(|client| !is_closed(client));
                clients.len() < 12
            });
            assert!(!clients.is_empty());
            drop(clients);
            // As the threads end, others can be served.
            connect_until_served(&address);
        }
        // The limit of another ORB is reached before it starts its first thread.
        let client = builder().option("MaxThreads", "1").build().unwrap();
        let there: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
        let policies = Policies::new().with(SyncScope::None).with(OnewayQueue::default());
        let queued: Echo = there.object().with_policies(&policies).unwrap().unchecked_narrow();
        let refused = queued.note(1).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::NoResources);
        assert_eq!(refused.minor, minor::no_resources::THREADS);
        server.shutdown(true).unwrap();
    });
}
