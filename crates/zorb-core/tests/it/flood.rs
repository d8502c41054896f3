//! Floods of connections in a process with little address space.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex};

use zorb_base::process_limits::{max_connections, max_threads};
use zorb_core::OnewayQueue;
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{Policies, SyncScope};
use zorb_testkit::{
    CLOSE_CONNECTION, LOCATE_REPLY, LOCATE_REQUEST, connect_from, in_own_process,
    limit_address_space, until,
};
use zorb_types::{SystemExceptionKind, minor};

use crate::held::{DONE, Raw, TWO_WAY, held};
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
fn is_served(client: &mut TcpStream) -> bool {
    let mut reply = [0; 20];
    let is_sent = client.write_all(LOCATE_REQUEST).is_ok() && client.read_exact(&mut reply).is_ok();
    is_sent && reply[7] == LOCATE_REPLY
}

fn connect(address: &str) -> Option<TcpStream> {
    let mut client = TcpStream::connect(address).unwrap();
    is_served(&mut client).then_some(client)
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
fn the_slow_requests_of_one_address_leave_threads_to_others() {
    let name = "flood::the_slow_requests_of_one_address_leave_threads_to_others";
    in_own_process(name, || {
        let orb = builder().listen("iiop://127.0.0.1:0").option("MaxThreads", "40");
        // A thread takes each over at once.
        let orb = orb.option("StallTakeover", "1").build().unwrap();
        let gate = Arc::<(Mutex<(usize, bool)>, Condvar)>::default();
        let slow: Echo = {
            let gate = Arc::clone(&gate);
            let waits = move |value| {
                let mut state = gate.0.lock().unwrap();
                state.0 += 1;
                drop(gate.1.wait_while(state, |(_, is_open)| !*is_open).unwrap());
                Ok(value)
            };
            orb.root_poa().activate(Acting(waits)).unwrap()
        };
        let quick: Echo = orb.root_poa().activate(Acting(Ok)).unwrap();
        let begun = || gate.0.lock().unwrap().0;
        let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
        let connect = |from| Raw(connect_from(from, &address).unwrap());
        let mut idle = connect("127.0.0.3");
        idle.twice(&quick, 1, TWO_WAY);
        assert_eq!(idle.reply(), (1, DONE));

        let mut greedy: Vec<_> = (0..4).map(|_| connect("127.0.0.2")).collect();
        // All have been admitted before the first one takes the share.
        greedy.iter_mut().for_each(|client| assert!(is_served(&mut client.0)));
        for client in &mut greedy {
            (0..16).for_each(|value| client.twice(&slow, value, TWO_WAY));
        }
        until(|| begun() >= 20);
        // Its further connections get no thread, and nobody else's makes room for them.
        for _ in 0..10 {
            let mut last = Vec::new();
            connect("127.0.0.2").0.read_to_end(&mut last).unwrap();
            assert_eq!((last.len(), last[7]), (12, CLOSE_CONNECTION));
        }
        for value in 2..12 {
            let mut other = connect("127.0.0.4");
            for client in [&mut other, &mut idle] {
                client.twice(&quick, value, TWO_WAY);
                assert_eq!(client.reply(), (value, DONE));
            }
        }
        assert_eq!(begun(), 20, "half of the threads");
        gate.0.lock().unwrap().1 = true;
        gate.1.notify_all();
        for client in &mut greedy {
            let mut ids: Vec<_> = (0..16).map(|_| client.reply().0).collect();
            ids.sort_unstable();
            assert_eq!(ids, (0..16).collect::<Vec<_>>());
        }
        // Its share is free again.
        drop(greedy);
        until(|| connect_from("127.0.0.2", &address).is_ok_and(|mut it| is_served(&mut it)));
        orb.shutdown(true).unwrap();
    });
}

/// Whether there are threads of connections. They count for their address until they have ended.
fn has_serving_threads() -> bool {
    let mut tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let named = |path| std::fs::read_to_string(path).is_ok_and(|it| it.starts_with("zorb-serve-"));
    tasks.any(|task| named(task.path().join("comm")))
}

#[test]
fn threads_for_requests_that_were_held_are_in_the_share_of_their_address() {
    let name = "flood::threads_for_requests_that_were_held_are_in_the_share_of_their_address";
    in_own_process(name, || {
        // One address may have 20 threads.
        let orb = builder().listen("iiop://127.0.0.1:0").option("MaxThreads", "40");
        let orb = orb.option("MaxConnectionsPerPeer", "40").build().unwrap();
        let gate = Arc::<(Mutex<(usize, bool)>, Condvar)>::default();
        let manager = orb.create_poa_manager();
        let slow: Echo = {
            let gate = Arc::clone(&gate);
            let waits = move |value| {
                let mut state = gate.0.lock().unwrap();
                state.0 += 1;
                drop(gate.1.wait_while(state, |(_, is_open)| !*is_open).unwrap());
                Ok(value)
            };
            let root = orb.root_poa();
            let poa = root.create_with_manager("slow", PoaPolicies::new(), manager.clone());
            poa.unwrap().activate(Acting(waits)).unwrap()
        };
        let quick: Echo = orb.root_poa().activate(Acting(Ok)).unwrap();
        let begun = || gate.0.lock().unwrap().0;
        let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
        let connect = |from| Raw(connect_from(from, &address).unwrap());

        for (greedy, concurrent) in [(12, 8), (20, 1)] {
            let mut greedy: Vec<_> = (0..greedy).map(|_| connect("127.0.0.2")).collect();
            for (value, client) in (1..).zip(&mut greedy) {
                client.twice(&slow, value, TWO_WAY);
                until(|| held(&manager) == value);
            }
            // Each has a thread for what its client sends next. All others start here.
            manager.activate().unwrap();
            let mut others: Vec<_> = (0..14).map(|_| connect("127.0.0.3")).collect();
            for client in &mut others {
                client.twice(&quick, 1, TWO_WAY);
                assert_eq!(client.reply(), (1, DONE));
            }
            until(|| begun() >= concurrent);
            assert_eq!(begun(), concurrent);
            gate.0.lock().unwrap().1 = true;
            gate.1.notify_all();
            for (value, client) in (1..).zip(&mut greedy) {
                assert_eq!(client.reply(), (value, DONE));
            }
            drop((greedy, others));
            until(|| orb.metrics().lanes.iter().all(|lane| lane.counts.connections == 0));
            until(|| !has_serving_threads());
            manager.hold_requests().unwrap();
            *gate.0.lock().unwrap() = (0, false);
        }
        orb.shutdown(true).unwrap();
    });
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
            let mut clients: Vec<_> = (0..40).map(|_| connect(&address).unwrap()).collect();
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
