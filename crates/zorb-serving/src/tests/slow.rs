//! Slow peers, and connections above the limit.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use zorb_base::options::{Options, Origin};
use zorb_base::process_limits::max_connections;
use zorb_os::poll::is_readable;
use zorb_testkit::{
    CLOSE_CONNECTION, LOCATE_REPLY, LOCATE_REQUEST, connect_from, in_own_process,
    limit_descriptors, until,
};

use crate::{LaneSettings, Pool, PoolSettings, ServerCore, Strategy, UnreadLimits};

/// A LocateRequest of this size with an unknown key.
pub(super) fn large_locate_request(octets: usize) -> Vec<u8> {
    let sizes = [octets - 12, octets - 20].map(|size| u32::try_from(size).unwrap().to_le_bytes());
    let mut message = b"GIOP\x01\x00\x01\x03".to_vec();
    message.extend_from_slice(&sizes[0]);
    message.extend_from_slice(&[7, 0, 0, 0]);
    message.extend_from_slice(&sizes[1]);
    message.resize(octets, b'k');
    message
}

/// A pool of one lane with one thread.
pub(super) struct Server {
    pub(super) core: Arc<ServerCore>,
    pub(super) pool: Pool,
}

impl Server {
    pub(super) fn new(
        strategy: Strategy,
        options: &[(&str, &str)],
        max_connections: usize,
    ) -> Self {
        let mut set = Options::default();
        for (name, value) in options {
            set.set(name, value, Origin::Program).unwrap();
        }
        let core = ServerCore::for_tests(set);
        let lane = LaneSettings {
            endpoints: vec!["iiop://127.0.0.1:0".to_owned()],
            ..LaneSettings::new(None, 1)
        };
        let pool = core.create_pool(PoolSettings {
            strategy: Some(strategy),
            max_connections,
            lanes: vec![lane],
            ..PoolSettings::new("test")
        });
        Self { pool: pool.unwrap(), core }
    }

    /// Connects a client, and waits until it has been accepted.
    pub(super) fn client(&self) -> Client {
        self.client_at("127.0.0.1")
    }

    /// A client with this address that has been accepted or rejected.
    fn client_at(&self, address: &str) -> Client {
        let lane = &self.pool.core().lanes()[0];
        let rejected = || lane.rejected.load(Ordering::SeqCst);
        let before = rejected();
        let endpoints = self.pool.endpoints();
        let server = endpoints[0][0].trim_start_matches("iiop://");
        let client = connect_from(address, server).unwrap();
        let own = client.local_addr().unwrap().to_string();
        until(|| {
            let mut is_accepted = false;
            lane.connections.each(|it| is_accepted |= it.peer() == own);
            is_accepted || rejected() > before
        });
        Client(client)
    }

    pub(super) fn connections(&self) -> usize {
        self.pool.counts()[0].connections
    }

    /// Waits until threads wait for the rest of a message on `count` connections.
    fn until_incomplete(&self, count: usize) {
        let lane = &self.pool.core().lanes()[0];
        until(|| {
            let mut found = 0;
            lane.connections.each(|it| found += usize::from(it.progress.has_part()));
            found == count
        });
    }

    /// Waits until everything that was sent has been received.
    fn until_received(&self) {
        let lane = &self.pool.core().lanes()[0];
        until(|| {
            let mut is_left = false;
            lane.connections.each(|it| is_left |= is_readable(it.readiness().unwrap()).unwrap());
            !is_left
        });
    }

    fn check(&self, now: Instant) {
        self.core.context.watchdog().check_messages(now);
    }
}

pub(super) struct Client(TcpStream);

impl Client {
    fn send(&mut self, octets: &[u8]) {
        self.0.write_all(octets).unwrap();
    }

    fn is_served(&mut self) -> bool {
        self.send(LOCATE_REQUEST);
        let mut reply = [0; 20];
        self.0.read_exact(&mut reply).is_ok() && reply[7] == LOCATE_REPLY
    }

    /// Sends requests until replies wait on `count` connections.
    pub(super) fn leave_replies_unread(&self, server: &Server, count: usize) {
        Self::all_leave_replies_unread(&[self], server, count);
    }

    /// The same for several clients. Those whose connections the server has closed send nothing more.
    fn all_leave_replies_unread(clients: &[&Self], server: &Server, count: usize) {
        let requests = LOCATE_REQUEST.repeat(1_000);
        let lane = &server.pool.core().lanes()[0];
        let mut clients: Vec<_> = clients.iter().map(|client| (&client.0, 0)).collect();
        clients.iter().for_each(|(stream, _)| stream.set_nonblocking(true).unwrap());
        loop {
            clients.retain_mut(|(stream, sent)| {
                // Whole requests, however much the socket accepts at a time.
                match stream.write(&requests[*sent..]) {
                    Ok(more) => *sent = (*sent + more) % requests.len(),
                    Err(error) => return error.kind() == std::io::ErrorKind::WouldBlock,
                }
                true
            });
            assert!(!clients.is_empty(), "all have been closed");
            let mut waiting = 0;
            lane.connections.each(|it| waiting += usize::from(it.waiting_output().is_some()));
            if waiting == count {
                return;
            }
            std::thread::yield_now();
        }
    }

    /// Reads a part of what has arrived.
    pub(super) fn read_some(&mut self) {
        assert!(self.0.read(&mut [0; 4096]).unwrap() > 0);
    }

    fn reply(&mut self) {
        let mut reply = [0; 20];
        self.0.read_exact(&mut reply).unwrap();
        assert_eq!(reply[7], LOCATE_REPLY);
    }

    /// What arrives until the server closes the connection.
    fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).unwrap();
        rest
    }
}

#[test]
fn a_message_and_the_first_one_have_time_limits() {
    for &strategy in Strategy::ALL {
        // The watchdog's own checks begin after this test.
        let limits = [("MessageTimeout", "80000000"), ("FirstMessageTimeout", "40000000")];
        let server = Server::new(strategy, &limits, 8);
        let [mut silent, mut slow, mut used] = [server.client(), server.client(), server.client()];
        assert!(used.is_served());
        slow.send(b"GIOP");
        server.until_incomplete(1);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);

        server.check(at(30_000)); // the message of `slow` is timed from here
        slow.send(b"\x01");
        server.check(at(41_000));
        assert_eq!(silent.rest(), [], "{strategy:?}");
        slow.send(b"\x00");
        server.check(at(109_000));
        assert_eq!(server.connections(), 2);
        slow.send(b"\x01");
        server.until_received();
        let mut now = 110_000;
        until(|| {
            // What has been sent may arrive only now, and is then received first.
            now += 10_000;
            server.check(at(now));
            server.connections() == 1
        });
        assert!(used.is_served(), "it has no incomplete message");

        // The next message has a limit of its own.
        used.send(&LOCATE_REQUEST[..9]);
        server.until_incomplete(1);
        server.check(at(now + 11_000));
        server.check(at(now + 80_000));
        assert_eq!(server.connections(), 1);
        used.send(&LOCATE_REQUEST[9..]);
        let mut reply = [0; 20];
        used.0.read_exact(&mut reply).unwrap();
        server.check(at(now + 280_000));
        assert!(used.is_served());
        server.pool.destroy().unwrap();
    }
}

#[test]
fn fragments_that_never_end_have_the_same_limit() {
    let limits = [("MessageTimeout", "80000000"), ("FirstMessageTimeout", "0")];
    let server = Server::new(Strategy::LeaderFollowers, &limits, 8);
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
    assert_eq!(server.connections(), 1);
    server.check(start + Duration::from_secs(121_100));
    until(|| server.connections() == 0);
    server.pool.destroy().unwrap();
}

#[test]
fn the_connection_that_has_been_idle_for_longest_makes_room() {
    for &strategy in Strategy::ALL {
        let options: &[_] = &[("MaxConnectionsPerPeer", "2")];
        for limit in [2, 8] {
            let server = Server::new(strategy, options, limit);
            let [mut first, mut second] = [server.client(), server.client()];
            assert!(first.is_served());
            let mut third = server.client();
            let closed = second.rest();
            assert_eq!(closed.get(7), Some(&CLOSE_CONNECTION), "{strategy:?}");
            assert!(first.is_served() && third.is_served());
            server.pool.destroy().unwrap();
        }
    }
}

#[test]
fn connections_above_the_limit_do_not_stay() {
    for &strategy in Strategy::ALL {
        let server = Server::new(strategy, &[("MaxConnectionsPerPeer", "2")], 4);
        let connections = &server.pool.core().lanes()[0].connections;
        let addresses = ["127.0.0.1", "127.0.0.2"];
        let mut clients: Vec<_> =
            [addresses, addresses].concat().into_iter().map(|it| server.client_at(it)).collect();
        // As if others had been admitted while one ended that had made room below two limits.
        let others = [3, 4].map(|last| Some(Ipv4Addr::new(127, 0, 0, last).into()));
        let above = others.map(|other| connections.reserve(other).unwrap().slot);
        until(|| {
            for address in addresses {
                let mut client = server.client_at(address);
                assert!(client.is_served(), "{strategy:?}");
                clients.push(client);
            }
            connections.count() <= 4
        });
        assert!(above.iter().all(|slot| !connections.release(*slot)));
        server.pool.destroy().unwrap();
    }
}

/// The first octets of a Request of 1 MiB.
fn part_of_request(octets: usize) -> Vec<u8> {
    let mut part = b"GIOP\x01\x02\x01\x00\0\0\x10\0".to_vec();
    part.resize(octets, 0);
    part
}

#[test]
fn messages_under_way_share_a_budget() {
    // 600 KiB need a buffer of 1 MiB. The budget does not charge the first 64 KiB.
    let options = [("MaxBufferedOctets", "2000000"), ("MaxBufferedOctetsPerPeer", "2000000")];
    let server = Server::new(Strategy::LeaderFollowers, &options, 8);
    let budget = Arc::clone(server.core.message_budget());
    let begin = || {
        let mut client = server.client();
        client.send(&part_of_request(600 << 10));
        client
    };
    let one = begin();
    until(|| budget.used() == (1 << 20) - (64 << 10));
    let other = begin();
    until(|| budget.used() == 2 * ((1 << 20) - (64 << 10)));
    // There is no memory for a third, which may retry; small messages need none.
    let mut third = server.client();
    third.send(&part_of_request(64 << 10));
    let closed = third.rest();
    assert_eq!(closed.get(7), Some(&CLOSE_CONNECTION));
    assert!(server.client().is_served());
    drop((one, other));
    until(|| budget.used() == 0);
    let _again = begin();
    until(|| budget.used() == (1 << 20) - (64 << 10));
    server.pool.destroy().unwrap();
    assert_eq!(budget.used(), 0);
}

#[test]
fn the_messages_of_one_address_leave_memory_for_others() {
    for &strategy in Strategy::ALL {
        // A part of 600 KiB has a buffer of 1 MiB, of which the budget does not charge the first 64 KiB. Four of
        // them fit into the budget, two into what an address may use.
        let charged = (1 << 20) - (64 << 10);
        let server = Server::new(strategy, &[("MaxBufferedOctets", "4000000")], 64);
        let budget = Arc::clone(server.core.message_budget());
        let hostile: Vec<_> = (1..=2)
            .map(|count| {
                let mut client = server.client_at("127.0.0.2");
                client.send(&part_of_request(600 << 10));
                until(|| budget.used() == count * charged);
                client
            })
            .collect();
        for _ in 0..10 {
            let mut client = server.client_at("127.0.0.2");
            client.send(&part_of_request(64 << 10));
            assert_eq!(client.rest().get(7), Some(&CLOSE_CONNECTION), "{strategy:?}");
        }
        let mut other = server.client();
        for _ in 0..3 {
            other.send(&large_locate_request(1 << 20));
            other.reply();
        }
        assert!(server.client_at("127.0.0.2").is_served(), "a small message needs no memory");
        drop(hostile);
        server.pool.destroy().unwrap();
        assert_eq!(budget.used(), 0);
    }
}

#[test]
fn an_idle_connection_frees_its_buffer() {
    for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::SingleThread] {
        // The lane's own checks begin after this test.
        let options = [("MaxBufferedOctets", "20000000"), ("IdleTimeout", "86400000")];
        let server = Server::new(strategy, &options, 8);
        let budget = Arc::clone(server.core.message_budget());
        let lane = &server.pool.core().lanes()[0];
        let mut clients: Vec<_> = (0..3).map(|_| server.client()).collect();
        for octets in [500_000, 3_000_000] {
            for _ in 0..3 {
                for client in &mut clients {
                    client.send(&large_locate_request(octets));
                    client.reply();
                }
            }
            // Each thread has put the input back.
            until(|| {
                let mut left = clients.len();
                lane.connections.each(|it| left -= usize::from(!it.input.is_empty()));
                left == 0
            });
            until(|| budget.used() == 0);
        }
        assert!(clients.iter_mut().all(Client::is_served));
        server.pool.destroy().unwrap();
    }
}

#[test]
fn slow_clients_do_not_lock_others_out() {
    for &strategy in Strategy::ALL {
        let server = Server::new(strategy, &[("MaxConnectionsPerPeer", "8")], 8);
        let mut slow: Vec<_> = (0..8).map(|_| server.client()).collect();
        slow.iter_mut().for_each(|client| client.send(b"G"));
        server.until_incomplete(8);
        let mut clients = [server.client(), server.client(), server.client()];
        for _ in 0..3 {
            assert!(clients.iter_mut().all(Client::is_served), "{strategy:?}");
            slow.push(server.client()); // again and again
        }
        server.pool.destroy().unwrap();
    }
}

#[test]
fn a_thousand_clients_that_send_an_octet_at_a_time_keep_nobody_out() {
    let name = "tests::slow::a_thousand_clients_that_send_an_octet_at_a_time_keep_nobody_out";
    in_own_process(name, || {
        const SLOW: usize = 1024;
        limit_descriptors(4 * SLOW as u64);
        let limit = [("MaxConnectionsPerPeer", "1024")];
        let server = Server::new(Strategy::LeaderFollowers, &limit, SLOW);
        let mut slow: Vec<_> = (0..SLOW).map(|_| server.client()).collect();
        slow.iter_mut().for_each(|client| client.send(b"G"));
        server.until_incomplete(SLOW);
        let mut client = server.client();
        for octet in b"IOP" {
            // Some have been closed.
            slow.iter_mut().for_each(|slow| drop(slow.0.write(&[*octet])));
            assert!(client.is_served() && server.client().is_served());
        }
        server.pool.destroy().unwrap();
    });
}

#[test]
fn the_last_client_of_a_flood_is_served() {
    for &strategy in Strategy::ALL {
        let server = Server::new(strategy, &[("MaxConnectionsPerPeer", "8")], 8);
        let endpoints = server.pool.endpoints();
        let address = endpoints[0][0].trim_start_matches("iiop://");
        // Faster than the connections end that make room for these.
        let flood = || {
            let mut client = TcpStream::connect(address).unwrap();
            let _ = client.write_all(b"G"); // it may have been closed already
            client
        };
        for _ in 0..5 {
            let flood: Vec<_> = (0..100).map(|_| flood()).collect();
            assert!(server.client().is_served(), "{strategy:?}");
            drop(flood);
        }
        server.pool.destroy().unwrap();
    }
}

#[test]
fn clients_that_do_not_read_do_not_lock_others_out() {
    for &strategy in Strategy::ALL {
        let buffers = [("SendBuffer", "4096"), ("ReceiveBuffer", "4096")];
        let options = [buffers[0], buffers[1], ("MaxConnectionsPerPeer", "2")];
        let server = Server::new(strategy, &options, 2);
        let [first, second] = [server.client(), server.client()];
        let mut unread = vec![first, second];
        // All of them: the system of one may take what waits for it while another sends.
        let leave = |unread: &[Client]| {
            Client::all_leave_replies_unread(&unread.iter().collect::<Vec<_>>(), &server, 2);
        };
        leave(&unread);
        for _ in 0..3 {
            let mut next = server.client();
            assert!(next.is_served(), "{strategy:?}");
            unread.push(next);
            leave(&unread);
        }
        server.pool.destroy().unwrap();
    }
}

#[test]
fn one_client_that_does_not_read_makes_room_for_one_other() {
    for &strategy in Strategy::ALL {
        let buffers = [("SendBuffer", "4096"), ("ReceiveBuffer", "4096")];
        let options = [buffers[0], buffers[1], ("MaxConnectionsPerPeer", "4")];
        let server = Server::new(strategy, &options, 4);
        let unread = [server.client(), server.client(), server.client(), server.client()];
        Client::all_leave_replies_unread(&unread.each_ref(), &server, unread.len());
        let mut next = server.client();
        assert!(next.is_served());
        until(|| server.connections() == unread.len());
        assert_eq!(server.pool.counts()[0].evicted, 1, "{strategy:?}");
        server.pool.destroy().unwrap();
    }
}

#[test]
fn connections_whose_clients_do_not_read_for_some_time_can_be_closed() {
    for &strategy in Strategy::ALL {
        let options = [("SendBuffer", "4096"), ("ReceiveBuffer", "4096")];
        let [server, other] = [(); 2].map(|()| Server::new(strategy, &options, 4));
        let [unread, of_other] = [&server, &other].map(|server| {
            let client = server.client();
            client.leave_replies_unread(server, 1);
            client
        });
        let mut reads = server.client();
        assert!(reads.is_served());
        let hour = Duration::from_secs(3600);
        let limits = UnreadLimits { pause: hour, total: hour, from: Instant::now() };
        assert_eq!(server.core.close_unread(limits), 0);
        let mut closed = 0;
        while closed == 0 {
            // The client's system may have taken what waited for it.
            unread.leave_replies_unread(&server, 1);
            closed = server.core.close_unread(UnreadLimits { pause: Duration::ZERO, ..limits });
        }
        assert_eq!(closed, 1);
        until(|| server.connections() == 1);
        assert!(reads.is_served());
        assert_eq!(other.connections(), 1, "of another ORB");
        drop((unread, of_other));
        server.pool.destroy().unwrap();
        other.pool.destroy().unwrap();
    }
}

#[test]
fn one_address_that_waits_for_replies_leaves_connections_to_others() {
    for &strategy in Strategy::ALL {
        let options = [("SendBuffer", "4096"), ("ReceiveBuffer", "4096")];
        let server = Server::new(strategy, &options, 4);
        // Three do not fit: one that does not read makes room for the third.
        let mut greedy = Vec::new();
        for waiting in [1, 2, 2] {
            let client = server.client_at("127.0.0.2");
            greedy.push(client);
            let all: Vec<_> = greedy.iter().collect();
            Client::all_leave_replies_unread(&all, &server, waiting);
        }
        until(|| server.connections() == 2);
        let mut others = [server.client(), server.client()];
        assert!(others.iter_mut().all(Client::is_served), "{strategy:?}");
        assert_eq!(server.connections(), 4);
        server.pool.destroy().unwrap();
    }
}

#[test]
fn the_lanes_of_a_process_have_no_more_connections_than_it_has_descriptors_for() {
    let name =
        "tests::slow::the_lanes_of_a_process_have_no_more_connections_than_it_has_descriptors_for";
    in_own_process(name, || {
        limit_descriptors(64);
        assert_eq!(max_connections(), 48);
        limit_descriptors(512); // for the clients, too
        let options = [("MaxConnectionsPerPeer", "40")];
        let servers = [(); 2].map(|()| Server::new(Strategy::LeaderFollowers, &options, 40));
        let flooded = &servers[0];
        let mut flood: Vec<_> = (0..40).map(|_| flooded.client()).collect();
        assert!(flood.iter_mut().all(Client::is_served));
        // The other one closes none of its own.
        let mut clients: Vec<_> = Vec::new();
        for _ in 0..20 {
            clients.push(servers[1].client());
            assert!(clients.iter_mut().all(Client::is_served));
        }
        // Six are left for connections that the process opens.
        until(|| servers.iter().map(Server::connections).sum::<usize>() == 42);
        assert_eq!(servers[1].connections(), 20);
        servers.iter().for_each(|server| server.pool.destroy().unwrap());
    });
}

#[test]
fn a_pool_needs_threads_that_the_process_may_have() {
    let mut options = Options::default();
    options.set("MaxThreads", "1", Origin::Program).unwrap();
    let core = ServerCore::for_tests(options);
    let lanes = vec![LaneSettings::new(None, 2)];
    assert!(core.create_pool(PoolSettings { lanes, ..PoolSettings::new("test") }).is_err());
}
