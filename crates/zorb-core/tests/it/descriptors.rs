//! Descriptors of unused connections.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use zorb_core::OnewayQueue;
use zorb_core::policy::{Policies, SyncScope};
use zorb_testkit::{
    CLOSE_CONNECTION, LOCATE_REQUEST, Log, LogLine, connect_from, exhaust_descriptors,
    in_own_process, limit_descriptors,
};

use crate::held::{DONE, Raw, TWO_WAY, key};
use crate::pending::send_twice;
use crate::scripted::{Play, object_at, script_at};
use crate::support::{Acting, Echo, Servant, builder, client, server, until, until_noted};

/// The open descriptors: all, and those of sockets.
fn open_descriptors() -> [usize; 2] {
    let all = std::fs::read_dir("/proc/self/fd").unwrap();
    let targets: Vec<_> = all.flatten().map(|entry| std::fs::read_link(entry.path())).collect();
    let is_socket = |target: &str| target.starts_with("socket:");
    let targets = targets.iter().flatten().filter_map(|target| target.to_str());
    targets
        .fold([0; 2], |[all, sockets], target| [all + 1, sockets + usize::from(is_socket(target))])
}

/// Waits until at most `most` descriptors are open.
fn until_open(most: [usize; 2]) {
    let begun = Instant::now();
    loop {
        let open = open_descriptors();
        if open[0] <= most[0] && open[1] <= most[1] {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{open:?} are open, expected {most:?}");
        std::thread::yield_now();
    }
}

/// Clients that pass a reference for a callback to a server, and then end. The server, which makes no further call
/// before the next client, closes its connections to each of them. For more clients than 200, set
/// `TEST_CALLBACK_CLIENTS`.
#[test]
fn a_server_keeps_no_connections_to_clients_that_have_gone() {
    let name = "descriptors::a_server_keeps_no_connections_to_clients_that_have_gone";
    in_own_process(name, || {
        let (_server, echo) = server();
        let sockets = open_descriptors()[1];
        let mut all = usize::MAX;
        let clients = std::env::var("TEST_CALLBACK_CLIENTS").map_or(200, |it| it.parse().unwrap());
        for _ in 0..clients {
            let (orb, there) = client(&echo);
            let here: Echo = orb.root_poa().activate(Servant::default()).unwrap();
            assert_eq!(there.call_back(Some(&here), 1).unwrap(), 1);
            drop((here, there));
            orb.shutdown(true).unwrap();
            drop(orb);
            until_open([all, sockets]);
            all = all.min(open_descriptors()[0]);
        }
    });
}

/// The clients are plain sockets. The server calls each of them back once while that client waits for its reply.
///
/// Each has an address of its own, and all listen at one port: connections that have ended keep the ports of their
/// address in use for a minute, which other tests need.
#[test]
fn ten_thousand_callback_clients_leave_the_descriptors_as_they_were() {
    const CLIENTS: i32 = 10_000;
    let name = "descriptors::ten_thousand_callback_clients_leave_the_descriptors_as_they_were";
    in_own_process(name, || {
        limit_descriptors(128);
        let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let peer = Arc::<Mutex<String>>::default();
        let (called, calling) = (Arc::clone(&peer), orb.clone());
        let echo: Echo = orb
            .root_poa()
            .activate(Acting(move |value| {
                let there: Echo = calling.resolve(&called.lock().unwrap()).unwrap();
                there.twice(value)
            }))
            .unwrap();
        let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
        let key = key(&echo);
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let sockets = open_descriptors()[1];
        let mut all = usize::MAX;
        let served = script_at(listener, (0..CLIENTS).map(|_| vec![Play::Answer]).collect());
        for value in 0..CLIENTS {
            let own = format!("127.0.{}.{}", 1 + value / 250, 1 + value % 250);
            *peer.lock().unwrap() = object_at(&own, port).to_stringified().unwrap();
            let mut client = Raw(connect_from(&own, &address).unwrap());
            client.twice_to(&key, value, TWO_WAY);
            assert_eq!(client.reply(), (value, DONE));
            drop(client);
            // The descriptors would not suffice for two connections of each of these.
            if value % 100 == 0 || value == CLIENTS - 1 {
                until_open([all, sockets]);
                all = all.min(open_descriptors()[0]);
            }
        }
        assert_eq!(served.join().unwrap(), CLIENTS as usize);
        orb.shutdown(true).unwrap();
    });
}

/// Clients of 32 threads one after another, all of whose threads the server calls back at the same time. Each client
/// has 64 connections, and the process descriptors for fewer than two such clients.
fn many_threads_are_called_back(clients: usize) {
    const THREADS: usize = 32;
    limit_descriptors(240);
    let peer = Arc::<Mutex<Option<Echo>>>::default();
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let called = Arc::clone(&peer);
    let calling = Acting(move |value| {
        let called = called.lock().unwrap().clone().unwrap();
        called.twice(value)
    });
    let echo: Echo = orb.root_poa().activate(calling).unwrap();
    let sockets = open_descriptors()[1];
    let mut all = usize::MAX;
    for _ in 0..clients {
        let (client, there) = client(&echo);
        let meeting = Barrier::new(THREADS);
        let here = client.root_poa().activate::<_, Echo>(Acting(move |value| {
            meeting.wait();
            Ok(value + 1)
        }));
        let here = here.unwrap();
        *peer.lock().unwrap() = Some(orb.resolve(&here.object().to_ior_string()).unwrap());
        std::thread::scope(|scope| {
            for value in 0..THREADS as i32 {
                let there = &there;
                scope.spawn(move || assert_eq!(there.twice(value), Ok(value + 1)));
            }
        });
        drop((here, there));
        client.shutdown(true).unwrap();
        drop(client);
        until_open([all, sockets]);
        all = all.min(open_descriptors()[0]);
    }
}

#[test]
fn a_server_keeps_no_connections_to_clients_of_many_threads() {
    let name = "descriptors::a_server_keeps_no_connections_to_clients_of_many_threads";
    in_own_process(name, || many_threads_are_called_back(20));
}

#[test]
#[ignore = "takes minutes; the same with 20 clients runs always"]
fn ten_thousand_clients_of_many_threads_leave_no_connections() {
    let name = "descriptors::ten_thousand_clients_of_many_threads_leave_no_connections";
    in_own_process(name, || many_threads_are_called_back(10_000));
}

#[test]
fn a_server_without_descriptors_says_so_to_clients_and_in_its_log() {
    let name = "descriptors::a_server_without_descriptors_says_so_to_clients_and_in_its_log";
    in_own_process(name, || {
        let log = Log::of_process();
        let (orb, _echo) = server();
        let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
        let sockets = open_descriptors()[1];
        // Once it has accepted a client it has its spare descriptor. No connection is left.
        let mut first = TcpStream::connect(&address).unwrap();
        first.shutdown(Shutdown::Write).unwrap();
        first.read_to_end(&mut Vec::new()).unwrap();
        drop(first);
        until_open([usize::MAX, sockets]);
        let mut all = exhaust_descriptors();
        all.pop(); // for the client
        let mut second = TcpStream::connect(&address).unwrap();
        // EMFILE.
        let said = |line: &LogLine| {
            line.message == "out of descriptors or memory: pausing accept"
                && line.field("error").is_some_and(|error| error.contains("os error 24"))
        };
        until(|| log.lines().iter().any(said));
        // It is idle, but stays until another client comes.
        second.write_all(LOCATE_REQUEST).unwrap();
        second.read_exact(&mut [0; 20]).unwrap();
        all.pop();
        let mut third = TcpStream::connect(&address).unwrap();
        let mut last = Vec::new();
        second.read_to_end(&mut last).unwrap();
        assert_eq!((&last[..4], last[7], last.len()), (&b"GIOP"[..], CLOSE_CONNECTION, 12));
        third.write_all(LOCATE_REQUEST).unwrap();
        third.read_exact(&mut [0; 20]).unwrap();
        drop(all);
        orb.shutdown(true).unwrap();
    });
}

/// Whether a server has closed the connection of a client that does not wait.
fn is_closed(client: &TcpStream) -> bool {
    client.set_nonblocking(true).unwrap();
    (&*client).read(&mut [0; 64]).is_ok()
}

#[test]
fn accepted_connections_and_opened_ones_have_one_limit() {
    let name = "descriptors::accepted_connections_and_opened_ones_have_one_limit";
    in_own_process(name, || {
        // 48 for connections, and 6 of them for either kind in any case.
        limit_descriptors(64);
        let orb = builder().listen("iiop://127.0.0.1:0").option("MaxConnectionsPerPeer", "48");
        let orb = orb.build().unwrap();
        orb.serve().unwrap();
        limit_descriptors(512); // for the peers, too
        let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
        let ask = || {
            let mut client = TcpStream::connect(&address).unwrap();
            client.write_all(LOCATE_REQUEST).unwrap();
            client.read_exact(&mut [0; 20]).unwrap();
            client
        };
        let mut idle: Vec<_> = (0..48).map(|_| ask()).collect();
        let mut are_closed = |count: usize| {
            until(|| {
                idle.retain(|client| !is_closed(client));
                idle.len() <= 48 - count
            });
            assert_eq!(idle.len(), 48 - count);
        };
        are_closed(6);
        // Six calls have room, and for each of the others an accepted connection closes.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        silent.set_nonblocking(true).unwrap();
        let url = format!("corbaloc:iiop:1.2@{}/silent", silent.local_addr().unwrap());
        let caller = builder().build().unwrap();
        let there: Echo = caller.string_to_object(&url).unwrap().unwrap().unchecked_narrow();
        std::thread::scope(|scope| {
            let calls: Vec<_> = (0..10)
                .map(|value| {
                    scope.spawn({
                        let there = there.clone();
                        move || there.twice(value)
                    })
                })
                .collect();
            let mut called = Vec::new();
            until(|| {
                called.extend(std::iter::from_fn(|| silent.accept().ok()));
                called.len() == 10
            });
            are_closed(10);
            drop((called, silent));
            assert!(calls.into_iter().all(|call| call.join().unwrap().is_err()));
        });
        drop(ask());
        caller.shutdown(true).unwrap();
        orb.shutdown(true).unwrap();
    });
}

/// The threads that send queued one-way calls.
fn sending_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim() == "zorb-oneway").count()
}

#[test]
fn a_client_that_makes_no_calls_closes_its_idle_connections() {
    let name = "descriptors::a_client_that_makes_no_calls_closes_its_idle_connections";
    in_own_process(name, || {
        let server = builder().listen("iiop://127.0.0.1:0").option("IdleTimeout", "0");
        let server = server.build().unwrap();
        let echo: Echo = server.root_poa().activate(Servant::default()).unwrap();
        let before = open_descriptors()[1];
        for (calls_per_connection, round) in [("1", 1), ("4", 2)] {
            let client = builder().option("MaxCallsPerConnection", calls_per_connection);
            let client = client.option("IdleTimeout", "100").build().unwrap();
            let there: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
            for _ in 0..2 {
                there.note(round).unwrap();
                assert_eq!(there.noted(), Ok(round));
                until_open([usize::MAX, before]);
            }
            // The connection of pending calls, too.
            assert_eq!(send_twice(there.object(), round).wait().unwrap(), 2 * round);
            until_open([usize::MAX, before]);
            client.shutdown(true).unwrap();
        }
        server.shutdown(true).unwrap();
    });
}

#[test]
fn the_connection_of_pending_calls_closes_when_its_server_does() {
    let name = "descriptors::the_connection_of_pending_calls_closes_when_its_server_does";
    in_own_process(name, || {
        let client = builder().option("IdleTimeout", "0").build().unwrap();
        let before = open_descriptors()[1];
        let (server, echo) = server();
        let there: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
        assert_eq!(send_twice(there.object(), 1).wait().unwrap(), 2);
        server.shutdown(true).unwrap();
        drop((server, echo));
        until_open([usize::MAX, before]);
        client.shutdown(true).unwrap();
    });
}

/// A server that notifies its clients by queued one-way calls, until they end.
#[test]
fn queues_of_one_way_calls_end_with_the_servers_that_they_call() {
    let name = "descriptors::queues_of_one_way_calls_end_with_the_servers_that_they_call";
    in_own_process(name, || {
        let (server, echo) = server();
        let sockets = open_descriptors()[1];
        let queue = OnewayQueue::default();
        let policies = Policies::new().with(SyncScope::None).with(queue.clone());
        for round in 1..=50 {
            let (orb, there) = client(&echo);
            let here: Echo = orb.root_poa().activate(Servant::default()).unwrap();
            let notified = server.resolve::<Echo>(&here.object().to_ior_string()).unwrap();
            let notified = notified.object().with_policies(&policies).unwrap();
            let notified: Echo = notified.unchecked_narrow();
            notified.note(round).unwrap();
            until_noted(&here, round);
            drop((here, there, notified));
            orb.shutdown(true).unwrap();
            drop(orb);
            until_open([usize::MAX, sockets]);
            until(|| sending_threads() == 0);
        }
        let counts = queue.counts();
        assert_eq!((counts.sent, counts.lost, counts.refused), (50, 0, 0));
    });
}

#[test]
fn a_client_without_descriptors_gets_those_of_idle_connections_of_other_orbs() {
    let name =
        "descriptors::a_client_without_descriptors_gets_those_of_idle_connections_of_other_orbs";
    in_own_process(name, || {
        let servers = [(); 4].map(|()| server());
        let [(_first, idle), (_second, other)] = [(); 2].map(|()| {
            let orb = builder().build().unwrap();
            let resolve = |(_, echo): &(_, Echo)| orb.resolve(&echo.object().to_ior_string());
            let there: [Echo; 4] = servers.each_ref().map(|server| resolve(server).unwrap());
            (orb, there)
        });
        for there in &idle[1..] {
            assert_eq!(there.twice(1), Ok(2));
        }
        let all = exhaust_descriptors();
        assert_eq!(other[0].twice(2), Ok(4));
        drop(all);
    });
}
