//! ORBs whose process is out of descriptors.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{self, UnixStream};
use std::time::Duration;

use socket2::{Domain, SockAddr, Socket, Type};
use zorb::rt::{Denied, LaneBuilder, Priority, RtOrb, Strategy};
use zorb::transport::{ConnectOptions, ListenOptions};
use zorb::{CompletionStatus, ObjectRef, Orb, SystemExceptionKind, minor};
use zorb_os::socket::{refuse_descriptors, send_descriptor};
use zorb_testkit::{
    LOCATE_REPLY, LOCATE_REQUEST, Log, exhaust_descriptors, in_own_process, open_sockets, until,
};

use crate::tls::with_tls;

const ENDPOINTS: [&str; 3] = ["iiop://127.0.0.1:0", "uiop://", "shmiop://"];

fn server(endpoint: &str) -> Orb {
    let orb = Orb::builder().without_environment().listen(endpoint).build().unwrap();
    orb.serve().unwrap();
    orb
}

/// A client's reference to an object that the server does not have.
fn object(client: &Orb, server: &Orb) -> ObjectRef {
    let endpoint = &server.endpoints()[0];
    let (scheme, address) = endpoint.split_once("://").unwrap();
    let separator = if address.starts_with('/') { '|' } else { '/' };
    let object =
        client.string_to_object(&format!("corbaloc:{scheme}:1.2@{address}{separator}none"));
    object.unwrap().unwrap()
}

/// In a process of its own for each endpoint: another one's connections could still be closing, and leave a descriptor.
fn a_client_without_descriptors_says_so(name: &str, endpoint: &str) {
    in_own_process(name, || {
        let server = server(endpoint);
        let client = Orb::builder().without_environment().build().unwrap();
        let object = object(&client, &server);
        let all = exhaust_descriptors();
        let exception = object.non_existent().unwrap_err();
        drop(all);
        assert_eq!(exception.kind, SystemExceptionKind::NoResources, "{exception}");
        assert_eq!(exception.minor, minor::no_resources::DESCRIPTORS, "{exception}");
        assert_eq!(exception.completed, CompletionStatus::No);
        assert_eq!(object.non_existent(), Ok(true));
        server.shutdown(true).unwrap();
    });
}

#[test]
fn a_client_over_iiop_without_descriptors_says_so() {
    let name = "descriptors::a_client_over_iiop_without_descriptors_says_so";
    a_client_without_descriptors_says_so(name, ENDPOINTS[0]);
}

#[test]
fn a_client_over_uiop_without_descriptors_says_so() {
    let name = "descriptors::a_client_over_uiop_without_descriptors_says_so";
    a_client_without_descriptors_says_so(name, ENDPOINTS[1]);
}

#[test]
fn a_client_over_shmiop_without_descriptors_says_so() {
    let name = "descriptors::a_client_over_shmiop_without_descriptors_says_so";
    a_client_without_descriptors_says_so(name, ENDPOINTS[2]);
}

#[test]
fn a_server_without_descriptors_closes_its_idle_connections_to_others() {
    let name = "descriptors::a_server_without_descriptors_closes_its_idle_connections_to_others";
    in_own_process(name, || {
        let [server, other] = [(); 2].map(|()| server(ENDPOINTS[0]));
        assert_eq!(object(&server, &other).non_existent(), Ok(true));
        let address: SocketAddr =
            server.endpoints()[0].trim_start_matches("iiop://").parse().unwrap();
        let [first, second] =
            [(); 2].map(|()| Socket::new(Domain::IPV4, Type::STREAM, None).unwrap());
        let is_served = |mut client: &Socket| {
            client.connect(&address.into()).unwrap();
            client.write_all(LOCATE_REQUEST).unwrap();
            let mut reply = [0; 20];
            client.read_exact(&mut reply).is_ok() && reply[7] == LOCATE_REPLY
        };
        // From then on the server has its spare descriptor, and no connection.
        assert!(is_served(&first));
        first.shutdown(Shutdown::Write).unwrap();
        assert_eq!((&first).read(&mut [0; 20]).unwrap(), 0);
        let all = exhaust_descriptors();
        assert!(is_served(&second));
        drop(all);
        server.shutdown(true).unwrap();
        other.shutdown(true).unwrap();
    });
}

/// Over datagrams, the sockets of a client report nothing when a server closes its connections.
#[test]
fn clients_over_datagrams_close_what_their_servers_have_closed() {
    let name = "descriptors::clients_over_datagrams_close_what_their_servers_have_closed";
    in_own_process(name, || {
        for (url, calls) in [("rudp", "1"), ("rudp", "4"), ("sciop", "1"), ("sciop", "4")] {
            let client = Orb::builder().without_environment().option("IdleTimeout", "0");
            let client = client.option("MaxCallsPerConnection", calls).build().unwrap();
            let before = open_sockets();
            let servers = [(); 5].map(|()| server(&format!("{url}://127.0.0.1:0")));
            for server in &servers {
                assert_eq!(object(&client, server).non_existent(), Ok(true));
            }
            assert!(open_sockets() >= before + 10, "{url}");
            for server in servers {
                server.shutdown(true).unwrap();
            }
            until(|| open_sockets() <= before);
            client.shutdown(true).unwrap();
        }
    });
}

/// Whether a server over TCP or a Unix-domain socket answers a request.
fn is_answered(mut client: &Socket) -> bool {
    let mut reply = [0; 20];
    let sent = client.write_all(LOCATE_REQUEST).is_ok();
    sent && client.read_exact(&mut reply).is_ok() && reply[7] == LOCATE_REPLY
}

/// Whether a server over shared memory begins the handshake, for which it needs descriptors.
fn is_offered_memory(mut client: &Socket) -> bool {
    matches!(client.read(&mut [0; 24]), Ok(1..))
}

#[test]
fn a_tcp_server_without_descriptors_makes_room_and_logs_why() {
    in_own_process("descriptors::a_tcp_server_without_descriptors_makes_room_and_logs_why", || {
        let log = Log::of_process();
        let of_tcp = server("iiop://127.0.0.1:0");
        let address: SocketAddr =
            of_tcp.endpoints()[0].trim_start_matches("iiop://").parse().unwrap();
        makes_room(Domain::IPV4, &address.into(), 0, is_answered);
        assert!(says_emfile(&log), "{:?}", log.lines());
        of_tcp.shutdown(true).unwrap();
    });
}

#[test]
fn a_uiop_server_without_descriptors_makes_room_and_logs_why() {
    let name = "descriptors::a_uiop_server_without_descriptors_makes_room_and_logs_why";
    in_own_process(name, || {
        let log = Log::of_process();
        let of_unix = server("uiop://");
        let path = of_unix.endpoints()[0].trim_start_matches("uiop://").to_owned();
        makes_room(Domain::UNIX, &SockAddr::unix(path).unwrap(), 0, is_answered);
        assert!(says_emfile(&log), "{:?}", log.lines());
        of_unix.shutdown(true).unwrap();
    });
}

#[test]
fn a_shmiop_server_without_descriptors_makes_room_and_logs_why() {
    let name = "descriptors::a_shmiop_server_without_descriptors_makes_room_and_logs_why";
    in_own_process(name, || {
        let log = Log::of_process();
        let of_shm = server("shmiop://");
        let path = of_shm.endpoints()[0].trim_start_matches("shmiop://").to_owned();
        // It accepts with the descriptor that is left, and has none for the memory.
        makes_room(Domain::UNIX, &SockAddr::unix(path).unwrap(), 1, is_offered_memory);
        assert!(says_emfile(&log), "{:?}", log.lines());
        of_shm.shutdown(true).unwrap();
    });
}

/// Whether the log has the error of the system for a process without descriptors.
fn says_emfile(log: &Log) -> bool {
    let errors = log.lines().into_iter();
    errors.filter_map(|line| line.field("error").map(str::to_owned)).any(|error| {
        // EMFILE.
        error.contains("os error 24")
    })
}

/// The server has an idle client and `left` free descriptors. It serves new clients, though it may reject some
/// first, and closes the idle connection when a client comes for which no descriptor is left.
fn makes_room(domain: Domain, server: &SockAddr, left: usize, is_served: impl Fn(&Socket) -> bool) {
    let connect = |socket: &Socket| socket.connect(server).is_ok() && is_served(socket);
    let [mut idle, first, second] =
        [(); 3].map(|()| Socket::new(domain, Type::STREAM, None).unwrap());
    assert!(connect(&idle));
    let mut all = exhaust_descriptors();
    all.truncate(all.len() - left);
    let mut is_served = connect(&first);
    is_served |= connect(&second);
    // Only a server that does not make room lets this one wait.
    idle.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    while idle.read(&mut [0; 24]).unwrap() > 0 {}
    drop((idle, first));
    while !is_served {
        is_served = connect(&Socket::new(domain, Type::STREAM, None).unwrap());
    }
    drop(all);
}

/// A client for which descriptors are missing waits for those of the idle one.
#[test]
fn a_shmiop_server_without_descriptors_turns_nobody_away_while_a_connection_is_idle() {
    let name = "descriptors::\
                a_shmiop_server_without_descriptors_turns_nobody_away_while_a_connection_is_idle";
    in_own_process(name, || {
        let server = server("shmiop://");
        let path = server.endpoints()[0].trim_start_matches("shmiop://").to_owned();
        let address = SockAddr::unix(path).unwrap();
        let is_served =
            |client: &Socket| client.connect(&address).is_ok() && is_offered_memory(client);
        for left in [0, 1, 3] {
            let [idle, client] =
                [(); 2].map(|()| Socket::new(Domain::UNIX, Type::STREAM, None).unwrap());
            assert!(is_served(&idle));
            let mut all = exhaust_descriptors();
            all.truncate(all.len() - left);
            assert!(is_served(&client), "{left} descriptors are left");
        }
        server.shutdown(true).unwrap();
    });
}

/// The system closes descriptors that nobody has asked for on the thread that receives, and they can take any time to
/// close.
#[test]
fn peers_over_local_sockets_can_send_no_descriptors() {
    let (one, other) = UnixStream::pair().unwrap();
    if !refuse_descriptors(one.as_fd()).unwrap() {
        return; // Linux before 6.16
    }
    let is_refused = |socket: BorrowedFd<'_>| {
        let sent = send_descriptor(socket, b"GIOP", other.as_fd());
        assert_eq!(sent.unwrap_err().kind(), ErrorKind::PermissionDenied);
    };
    let orb = Orb::builder().without_environment().build().unwrap();
    for endpoint in ["uiop://", "uiop://@", "shmiop://", "shmiop://@", "lite+uiop://"] {
        let protocol = orb.protocols().by_scheme(endpoint.split_once(':').unwrap().0).unwrap();
        let transport = protocol.transport();
        let acceptor = transport.listen(endpoint, &ListenOptions::default()).unwrap();
        let options = ConnectOptions::default();
        let (client, server) = std::thread::scope(|scope| {
            let client = scope.spawn(|| transport.connect(acceptor.endpoint(), &options).unwrap());
            let server = acceptor.accept().unwrap();
            (client.join().unwrap(), server)
        });
        is_refused(client.hangup_fd().unwrap());
        is_refused(server.hangup_fd().unwrap());
        // From a client that does not connect as Zorb does, also before it has been accepted.
        let address = match acceptor.endpoint().address().split_once('@') {
            Some((_, name)) => net::SocketAddr::from_abstract_name(name).unwrap(),
            None => net::SocketAddr::from_pathname(acceptor.endpoint().address()).unwrap(),
        };
        let raw = UnixStream::connect_addr(&address).unwrap();
        is_refused(raw.as_fd());
        drop(acceptor);
    }
    orb.shutdown(true).unwrap();
}

/// The open descriptors of this process, and whether a program that it executes would inherit them.
fn descriptors() -> BTreeMap<String, bool> {
    const CLOSES_ON_EXEC: u32 = 0o2_000_000;
    let is_inherited = |info: String| {
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
        Some(u32::from_str_radix(flags.trim(), 8).ok()? & CLOSES_ON_EXEC == 0)
    };
    let open = std::fs::read_dir("/proc/self/fdinfo").unwrap().flatten();
    open.filter_map(|entry| {
        // The descriptor with which the folder is read has gone by then.
        let info = std::fs::read_to_string(entry.path()).ok()?;
        Some((entry.file_name().to_str()?.to_owned(), is_inherited(info)?))
    })
    .collect()
}

#[test]
fn a_program_that_is_executed_inherits_no_descriptor_of_an_orb() {
    let name = "descriptors::a_program_that_is_executed_inherits_no_descriptor_of_an_orb";
    in_own_process(name, || {
        let before = descriptors();
        assert!(before["0"], "the standard input is inherited");
        let datagrams = ["rudp://127.0.0.1:0", "sciop://127.0.0.1:0", "diop://127.0.0.1:0"];
        for endpoint in ENDPOINTS.into_iter().chain(datagrams).chain(["ssliop://127.0.0.1:0"]) {
            let builder = || with_tls(Orb::builder().without_environment());
            let server = builder().listen(endpoint).build().unwrap();
            let rt = RtOrb::builder().denied(Denied::Run).attach(&server).unwrap();
            for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync] {
                let lane = LaneBuilder::new(Priority::new(1).unwrap(), 1);
                rt.threadpool("pool").strategy(strategy).lane(lane).create().unwrap();
            }
            server.serve().unwrap();
            let client = builder().build().unwrap();
            let object = object(&client, &server);
            if !endpoint.starts_with("diop") {
                assert_eq!(object.non_existent(), Ok(true), "{endpoint}");
            }
            let mut added = descriptors();
            added.retain(|descriptor, _| !before.contains_key(descriptor));
            assert!(added.len() > 2, "{endpoint}: {added:?}");
            for (descriptor, is_inherited) in added {
                let what = std::fs::read_link(format!("/proc/self/fd/{descriptor}"));
                assert!(!is_inherited, "{endpoint}: {what:?}");
            }
            client.shutdown(true).unwrap();
            server.shutdown(true).unwrap();
        }
    });
}
