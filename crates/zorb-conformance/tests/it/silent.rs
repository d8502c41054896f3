//! Clients that connect and say nothing, or stop in the middle of a message, delay nobody.

use std::io::Write;
use std::net::{TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zorb::rt::{LaneBuilder, Priority, RtOrb, Strategy};
use zorb::transport::{ConnectOptions, Protocol};
use zorb::{Orb, OrbBuilder};
use zorb_bridge::{Bridge, Settings};
use zorb_conformance::leave_replies_unread;
use zorb_testkit::{LOCATE_REQUEST, until};

use crate::tls::{with_tls, with_tls_within};

/// More than any number of threads of a lane.
const SILENT: usize = 100;

/// The time after which the test has failed.
const LIMIT: Duration = Duration::from_secs(60);

/// Endpoints with the first octets of a TLS handshake and of a GIOP message.
const ENDPOINTS: [(&str, &[u8]); 4] = [
    ("ssliop://127.0.0.1:0", &[22, 3, 1, 2, 0, 1]),
    ("iiop://127.0.0.1:0", b"GIOP\x01"),
    ("uiop://", b"GIOP"),
    ("shmiop://", b""),
];

fn builder() -> OrbBuilder {
    // Waiting for clients outlasts the test.
    let builder = with_tls_within(Orb::builder().without_environment(), 60 * LIMIT);
    builder.option("FirstMessageTimeout", "0").option("MessageTimeout", "0")
}

/// A connection that has sent `octets`, as a client without Zorb opens it.
fn connect(address: &str, octets: &[u8]) -> Box<dyn Write> {
    let mut client: Box<dyn Write> = match address.starts_with('/') {
        true => Box::new(UnixStream::connect(address).unwrap()),
        false => Box::new(TcpStream::connect(address).unwrap()),
    };
    client.write_all(octets).unwrap();
    client
}

/// Whether a server at the URL answers; it has no such object.
fn is_served(url: &str) -> bool {
    let (scheme, address) = url.split_once("://").unwrap();
    let separator = if address.starts_with('/') { '|' } else { '/' };
    let client = with_tls(Orb::builder().without_environment()).round_trip_timeout(LIMIT);
    let client = client.connect_timeout(LIMIT).build().unwrap();
    let object =
        client.string_to_object(&format!("corbaloc:{scheme}:1.2@{address}{separator}none"));
    let exists = object.unwrap().unwrap().non_existent();
    client.shutdown(true).unwrap();
    exists.unwrap()
}

/// Connects clients that have sent `octets` and then nothing, and sees whether another one is served meanwhile.
fn check(url: &str, octets: &[u8], connections: impl Fn() -> usize) {
    let address = url.split_once("://").unwrap().1;
    let silent: Vec<_> = (0..SILENT).map(|_| connect(address, octets)).collect();
    until(|| connections() >= SILENT);
    assert!(is_served(url), "{url}");
    // They still wait.
    assert!(connections() >= SILENT, "{url}");
    drop(silent);
}

/// One at a time: a process has a limited number of descriptors, by default often 1,024.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn check_lanes(strategy: Strategy, endpoints: &[(&str, &[u8])]) {
    let _alone = alone();
    for &(endpoint, part) in endpoints {
        for octets in [&[][..], part] {
            let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
            orb.serve().unwrap();
            let rt = RtOrb::builder().attach(&orb).unwrap();
            let threads = if strategy == Strategy::SingleThread { 1 } else { 2 };
            let lane = LaneBuilder::new(Priority::new(1).unwrap(), threads).listen(endpoint);
            let pool = rt.threadpool("silent").lane(lane).strategy(strategy).create().unwrap();
            check(&pool.endpoints()[0][0], octets, || pool.counts()[0].connections);
            orb.shutdown(true).unwrap();
        }
    }
}

#[test]
fn silent_clients_of_leader_followers_delay_nobody() {
    check_lanes(Strategy::LeaderFollowers, &ENDPOINTS);
}

#[test]
fn silent_clients_of_half_sync_delay_nobody() {
    check_lanes(Strategy::HalfSync, &ENDPOINTS);
}

#[test]
fn silent_clients_of_threads_per_connection_delay_nobody() {
    check_lanes(Strategy::ThreadPerConnection, &ENDPOINTS);
}

#[test]
fn silent_clients_of_a_single_thread_delay_nobody() {
    check_lanes(Strategy::SingleThread, &ENDPOINTS[1..3]);
}

/// The number of clients that read no replies.
const UNREAD: usize = 10;

/// Clients, some in the middle of a message, and others that do not read their replies.
fn check_stopped_in_lanes(strategy: Strategy, schemes: &[&str]) {
    let _alone = alone();
    for &scheme in schemes {
        let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        orb.serve().unwrap();
        let rt = RtOrb::builder().attach(&orb).unwrap();
        let lane = LaneBuilder::new(Priority::new(1).unwrap(), 2);
        let lane = lane.listen(format!("{scheme}://127.0.0.1:0"));
        let pool = rt.threadpool("silent").lane(lane).strategy(strategy).create().unwrap();
        let url = &pool.endpoints()[0][0];
        let protocol = orb.protocols().by_scheme(scheme).unwrap();
        let endpoint = protocol.transport().parse_endpoint(url).unwrap();
        let options = ConnectOptions::with_timeout(Some(LIMIT));
        let requests = LOCATE_REQUEST.repeat(1_000);
        let connect = |_| protocol.transport().connect(&endpoint, &options).unwrap();
        let clients: Vec<_> = (0..SILENT).map(connect).collect();
        for client in &clients[..UNREAD] {
            leave_replies_unread(&**client, &requests);
        }
        clients[UNREAD..].iter().for_each(|client| client.send_all(b"GIOP").unwrap());
        let connections = || pool.counts()[0].connections;
        until(|| connections() >= SILENT);
        assert!(is_served(url), "{url} {strategy:?}");
        assert!(connections() >= SILENT, "{url} {strategy:?}");
        drop(clients);
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn stopped_clients_over_datagrams_delay_nobody() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::ThreadPerConnection] {
        check_stopped_in_lanes(strategy, &["rudp", "sciop"]);
    }
}

#[test]
fn stopped_clients_over_tls_delay_nobody() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::ThreadPerConnection] {
        check_stopped_in_lanes(strategy, &["ssliop"]);
    }
}

/// Connections are accepted in order, so those of the silent clients are when the other one is served.
fn check_accepted(url: &str) {
    let scheme = url.split_once("://").unwrap().0;
    let (_, part) = ENDPOINTS.iter().find(|(endpoint, _)| endpoint.starts_with(scheme)).unwrap();
    for octets in [&[][..], part] {
        check(url, octets, || SILENT);
    }
}

#[test]
fn silent_clients_of_an_orb_without_lanes_delay_nobody() {
    let _alone = alone();
    for (endpoint, _) in ENDPOINTS {
        let orb = builder().listen(endpoint).build().unwrap();
        orb.serve().unwrap();
        check_accepted(&orb.endpoints()[0]);
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn silent_clients_of_bridges_delay_nobody() {
    let _alone = alone();
    let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    server.serve().unwrap();
    let corbaloc =
        format!("corbaloc:iiop:1.2@{}/none", server.endpoints()[0].trim_start_matches("iiop://"));
    let target = server.string_to_object(&corbaloc).unwrap().unwrap();
    for (endpoint, _) in ENDPOINTS {
        let long =
            Settings { message_timeout: None, first_message_timeout: None, ..Settings::default() };
        let bridge = Bridge::open(server.protocols(), target.ior(), &[endpoint], long).unwrap();
        check_accepted(&bridge.endpoints()[0].to_string());
    }
    server.shutdown(true).unwrap();
}

/// The first datagram of a client.
fn first_datagram(protocol: &dyn Protocol) -> Vec<u8> {
    let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
    let url = format!("{}://{}", protocol.scheme(), peer.local_addr().unwrap());
    let endpoint = protocol.transport().parse_endpoint(&url).unwrap();
    let options = ConnectOptions::with_timeout(Some(Duration::from_millis(1)));
    protocol.transport().connect(&endpoint, &options).unwrap_err();
    let mut datagram = vec![0; 2048];
    let count = peer.recv(&mut datagram).unwrap();
    datagram.truncate(count);
    datagram
}

/// Handshakes over datagrams that stop after the first datagram: more than a server's socket keeps of one address.
#[test]
fn handshakes_over_datagrams_that_stop_delay_nobody() {
    let _alone = alone();
    for scheme in ["rudp", "sciop"] {
        let orb = builder().listen(format!("{scheme}://127.0.0.1:0")).build().unwrap();
        orb.serve().unwrap();
        let url = &orb.endpoints()[0];
        let datagram = first_datagram(&*orb.protocols().by_scheme(scheme).unwrap());
        let stopped: Vec<_> = (0..SILENT)
            .map(|_| {
                let client = UdpSocket::bind("127.0.0.1:0").unwrap();
                client.connect(url.split_once("://").unwrap().1).unwrap();
                client.send(&datagram).unwrap();
                // The server has answered.
                client.recv(&mut [0; 2048]).unwrap();
                client
            })
            .collect();
        assert!(is_served(url), "{url}");
        drop(stopped);
        orb.shutdown(true).unwrap();
    }
}
