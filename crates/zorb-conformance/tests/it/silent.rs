//! Clients that connect and say nothing, or stop in the middle of a message, delay nobody.

use std::io::Write;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use zorb::rt::{LaneBuilder, Priority, RtOrb, Strategy};
use zorb::{Orb, OrbBuilder};

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
    let begun = Instant::now();
    while connections() < SILENT {
        assert!(begun.elapsed() < LIMIT, "{url}: {} connections", connections());
        std::thread::yield_now();
    }
    assert!(is_served(url), "{url}");
    // They still wait.
    assert!(connections() >= SILENT, "{url}");
    drop(silent);
}

fn check_lanes(strategy: Strategy, endpoints: &[(&str, &[u8])]) {
    // One at a time: a process has a limited number of descriptors, by default often 1,024.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
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
