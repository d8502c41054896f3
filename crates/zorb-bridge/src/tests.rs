//! Slow clients, and clients above the limits, over TCP.
#![allow(clippy::unwrap_used)]

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};
use zorb_giop::{GiopLite, GiopVersion, Ior, ProfileTag};
use zorb_os::poll::is_readable;
use zorb_tcp::IiopProtocol;
use zorb_testkit::{CLOSE_CONNECTION, LOCATE_REPLY, LOCATE_REQUEST, in_own_process, until};
use zorb_transport::{Composed, Endpoint, ProtocolRegistry};

use crate::clients::Clients;
use crate::{Bridge, BridgeError, Settings};

/// The protocols of a server to which the bridge forwards messages as they are, and after conversion.
const SERVERS: [&str; 2] = ["iiop", "lite+iiop"];

/// Limits that the thread of the bridge does not reach before its first check, after this test.
fn long_limits() -> Settings {
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    Settings {
        message_timeout: seconds(80_000),
        first_message_timeout: seconds(40_000),
        ..Settings::default()
    }
}

fn open(server: &str, settings: Settings) -> Result<Bridge, BridgeError> {
    let registry = Arc::new(ProtocolRegistry::new());
    registry.register(Arc::new(IiopProtocol::new())).unwrap();
    let lite = Composed::new(&GiopLite, IiopProtocol::new(), ProfileTag(0x1234));
    registry.register(Arc::new(lite)).unwrap();
    let protocol = registry.by_scheme(server).unwrap();
    let endpoint = Endpoint::new(server, "127.0.0.1:9").unwrap();
    let profile = protocol.encode_profile(&[endpoint], GiopVersion::V1_2, b"key", &[]).unwrap();
    let target = Ior { type_id: String::new(), profiles: vec![profile] };
    Bridge::open(&registry, &target, &["iiop://127.0.0.1:0"], settings)
}

struct Server(Bridge);

impl Server {
    fn new(server: &str, settings: Settings) -> Self {
        Self(open(server, settings).unwrap())
    }

    /// Connects a client, and waits until it has been accepted.
    fn client(&self) -> Client {
        self.client_at("127.0.0.1:0")
    }

    fn client_at(&self, address: &str) -> Client {
        let server: SocketAddr = self.0.endpoints()[0].address().parse().unwrap();
        let address: SocketAddr = address.parse().unwrap();
        let client = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        client.bind(&address.into()).unwrap();
        client.connect(&server.into()).unwrap();
        let client = Client(client.into());
        until(|| self.has_accepted(&client));
        client
    }

    /// Whether a client has been accepted: it is connected, it waits, or it has been rejected.
    fn has_accepted(&self, client: &Client) -> bool {
        let Clients { connections, waiting, .. } = &*self.0.clients;
        let name = client.0.local_addr().unwrap().to_string();
        let mut is_connected = false;
        connections.each(|link| is_connected |= link.client.peer() == name);
        is_connected || !waiting.is_empty() || is_readable(client.0.as_fd()).unwrap()
    }

    /// Waits until threads wait for the rest of a message on `count` connections.
    fn until_incomplete(&self, count: usize) {
        until(|| {
            let mut found = 0;
            self.0.clients.connections.each(|link| found += usize::from(link.progress.has_part()));
            found == count
        });
    }

    /// Waits until `count` connections are idle.
    fn until_idle(&self, count: usize) {
        until(|| {
            let mut found = 0;
            self.0.clients.connections.each(|link| found += usize::from(link.is_idle()));
            found == count
        });
    }

    /// Waits until everything that was sent has been received.
    fn until_received(&self) {
        until(|| {
            let mut is_left = false;
            self.0.clients.connections.each(|link| {
                is_left |= is_readable(link.client.readiness_fd().unwrap()).unwrap();
            });
            !is_left
        });
    }

    fn check(&self, now: Instant) {
        self.0.clients.context.timing.check(now);
    }
}

struct Client(TcpStream);

impl Client {
    fn send(&mut self, octets: &[u8]) {
        self.0.write_all(octets).unwrap();
    }

    fn is_served(&mut self) -> bool {
        // The bridge does not serve this object, so that it answers itself.
        self.0.write_all(LOCATE_REQUEST).is_ok() && self.has_reply()
    }

    fn has_reply(&mut self) -> bool {
        let mut reply = [0; 20];
        self.0.read_exact(&mut reply).is_ok() && reply[7] == LOCATE_REPLY
    }

    /// What arrives until the bridge closes the connection.
    fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).unwrap();
        rest
    }

    /// Sends requests until replies wait on `count` connections.
    fn leave_replies_unread(&self, server: &Server, count: usize) {
        let requests = LOCATE_REQUEST.repeat(1_000);
        self.0.set_nonblocking(true).unwrap();
        let mut sent = 0;
        until(|| {
            let mut waiting = 0;
            server.0.clients.connections.each(|it| {
                waiting += usize::from(it.unread_since().is_some());
            });
            waiting == count || {
                // Whole requests, however much the socket accepts at a time.
                match (&self.0).write(&requests[sent..]) {
                    Ok(more) => sent = (sent + more) % requests.len(),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
                }
                false
            }
        });
    }
}

#[test]
fn a_message_and_the_first_one_have_time_limits() {
    for protocol in SERVERS {
        let server = Server::new(protocol, long_limits());
        let [mut silent, mut slow, mut used] = [server.client(), server.client(), server.client()];
        assert!(used.is_served());
        slow.send(b"GIOP");
        server.until_incomplete(1);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);

        server.check(at(30_000)); // the message of `slow` is timed from here
        slow.send(b"\x01");
        server.check(at(41_000));
        assert_eq!(silent.rest(), [], "{protocol}");
        slow.send(b"\x00");
        server.check(at(109_000));
        until(|| server.0.connections() == 2);
        slow.send(b"\x01");
        server.until_received();
        let mut now = 110_000;
        until(|| {
            // What has been sent may arrive only now, and is then received first.
            now += 10_000;
            server.check(at(now));
            server.0.connections() == 1
        });
        assert!(used.is_served(), "it has no incomplete message");

        // The next message has a limit of its own.
        used.send(&LOCATE_REQUEST[..9]);
        server.until_incomplete(1);
        server.check(at(now + 11_000));
        server.check(at(now + 80_000));
        assert_eq!(server.0.connections(), 1);
        used.send(&LOCATE_REQUEST[9..]);
        assert!(used.has_reply());
        server.check(at(now + 280_000));
        assert!(used.is_served());
    }
}

#[test]
fn fragments_that_never_end_have_the_same_limit() {
    for protocol in SERVERS {
        let server = Server::new(protocol, long_limits());
        let mut client = server.client();
        // The first fragment of a request, followed by others and whole messages.
        client.send(b"GIOP\x01\x02\x03\x00\x04\0\0\0\x09\0\0\0");
        server.until_incomplete(1);
        let start = Instant::now();
        server.check(start + Duration::from_secs(21_000));
        for _ in 0..3 {
            client.send(b"GIOP\x01\x02\x03\x07\x04\0\0\0\x09\0\0\0");
            assert!(client.is_served());
        }
        server.check(start + Duration::from_secs(100_000));
        assert_eq!(server.0.connections(), 1);
        server.check(start + Duration::from_secs(121_100));
        until(|| server.0.connections() == 0);
    }
}

#[test]
fn the_client_that_has_been_idle_for_longest_makes_room() {
    let of_all = Settings { max_connections: 2, max_connections_per_peer: 8, ..long_limits() };
    let of_peer = Settings { max_connections: 8, max_connections_per_peer: 2, ..long_limits() };
    let of_half = Settings { max_connections: 4, ..long_limits() };
    for settings in [of_all, of_peer, of_half] {
        for protocol in SERVERS {
            let server = Server::new(protocol, settings.clone());
            let [mut first, mut second] = [server.client(), server.client()];
            assert!(first.is_served());
            let mut third = server.client();
            let closed = second.rest();
            assert_eq!(closed.get(7), Some(&CLOSE_CONNECTION), "{protocol}");
            assert!(first.is_served() && third.is_served());
        }
    }
}

#[test]
fn clients_of_one_address_leave_room_for_others() {
    let server = Server::new("iiop", Settings { max_connections: 8, ..long_limits() });
    let mut other = server.client();
    let _hostile: Vec<_> = (0..20).map(|_| server.client_at("127.0.0.2:0")).collect();
    assert!(other.is_served(), "it has been idle for longest, but has another address");
}

#[test]
fn slow_clients_do_not_lock_others_out() {
    for protocol in SERVERS {
        let settings =
            Settings { max_connections: 8, max_connections_per_peer: 8, ..long_limits() };
        let server = Server::new(protocol, settings);
        let mut slow: Vec<_> = (0..8).map(|_| server.client()).collect();
        slow.iter_mut().for_each(|client| client.send(b"G"));
        server.until_incomplete(8);
        let mut clients = [server.client(), server.client(), server.client()];
        for _ in 0..3 {
            assert!(clients.iter_mut().all(Client::is_served), "{protocol}");
            slow.push(server.client()); // again and again
        }
    }
}

#[test]
fn clients_that_do_not_read_do_not_lock_others_out() {
    for protocol in SERVERS {
        let mut settings =
            Settings { max_connections: 2, max_connections_per_peer: 2, ..long_limits() };
        settings.stream.send_buffer = Some(4096);
        settings.stream.receive_buffer = Some(4096);
        let server = Server::new(protocol, settings);
        let [first, second] = [server.client(), server.client()];
        first.leave_replies_unread(&server, 1);
        second.leave_replies_unread(&server, 2);
        let mut unread = vec![first, second];
        for _ in 0..3 {
            let mut next = server.client();
            assert!(next.is_served(), "{protocol}");
            next.leave_replies_unread(&server, 2);
            unread.push(next);
        }
    }
}

#[test]
fn a_bridge_needs_threads_that_the_process_may_have() {
    let opened = open("iiop", Settings { max_threads: 1, ..Settings::default() });
    assert!(matches!(opened, Err(BridgeError::Thread(_))));
}

#[test]
fn a_client_without_a_thread_waits_for_that_of_another_one() {
    in_own_process("tests::a_client_without_a_thread_waits_for_that_of_another_one", || {
        // One accepts, one times messages.
        let server = Server::new("iiop", Settings { max_threads: 3, ..long_limits() });
        let mut served = server.client();
        for _ in 0..3 {
            let mut next = server.client();
            assert!(next.is_served());
            assert_eq!(served.rest().get(7), Some(&CLOSE_CONNECTION));
            served = next;
        }
        assert_eq!(server.0.connections(), 1);
        assert_eq!(server.0.statistics().connections, 4);
    });
}

#[test]
fn each_client_makes_room_for_one_other() {
    let server = Server::new("iiop", long_limits());
    let mut idle = [server.client(), server.client()];
    assert!(idle.iter_mut().all(Client::is_served));
    server.until_idle(2);
    // Also before its thread has ended.
    let closed = [(); 3].map(|()| server.0.clients.close_one(None));
    assert_eq!(closed, [true, true, false]);
    for client in &mut idle {
        assert_eq!(client.rest().get(7), Some(&CLOSE_CONNECTION));
    }
}

#[test]
fn a_client_without_a_slot_waits_for_that_of_another_one() {
    let settings = Settings { max_connections: 4, max_connections_per_peer: 8, ..long_limits() };
    let server = Server::new("iiop", settings);
    let [mut first, mut second] = [server.client(), server.client()];
    assert!(first.is_served() && second.is_served());
    let clients = &server.0.clients;
    // As if those of others had been closed.
    let taken: Vec<_> = std::iter::from_fn(|| clients.connections.reserve(None)).collect();
    let mut third = server.client();
    until(|| !clients.waiting.is_empty());
    drop(first);
    assert!(third.is_served());
    assert_eq!(second.rest().get(7), Some(&CLOSE_CONNECTION));
    until(|| server.0.connections() == taken.len() + 1);
    for reserved in taken {
        clients.connections.release(reserved.slot);
    }
}

#[test]
fn clients_that_wait_are_rejected_when_the_bridge_closes() {
    let settings = Settings { max_connections: 4, ..long_limits() };
    let server = Server::new("iiop", settings);
    let clients = &server.0.clients;
    let taken: Vec<_> = std::iter::from_fn(|| clients.connections.reserve(None)).collect();
    let mut client = server.client();
    until(|| !clients.waiting.is_empty());
    for reserved in taken {
        clients.connections.release(reserved.slot);
    }
    server.0.close();
    assert_eq!(client.rest().get(7), Some(&CLOSE_CONNECTION));
}
