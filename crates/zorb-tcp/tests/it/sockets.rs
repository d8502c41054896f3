//! What is specific to TCP: host names, options, IPv6, published hosts, and errors.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use socket2::{Domain, SockRef, Socket, Type};
use zorb_os::interface;
use zorb_tcp::{DEFAULT_PORT, TcpTransport};
use zorb_testkit::{exhaust_descriptors, in_own_process, until};
use zorb_transport::{
    AcceptError, Acceptor, ConnectOptions, ConnectPhase, ListenError, ListenOptions, Stream,
    StreamOptions, Transport,
};

fn listen(url: &str) -> Result<Arc<dyn Acceptor>, ListenError> {
    TcpTransport::new().listen(url, &ListenOptions::default())
}

fn with_options(stream: StreamOptions) -> (Arc<dyn Stream>, Arc<dyn Stream>) {
    let tcp = TcpTransport::new();
    let options = ListenOptions::with_stream(stream.clone());
    let acceptor = tcp.listen("127.0.0.1:0", &options).unwrap();
    let options = ConnectOptions::with_stream(stream);
    (tcp.connect(acceptor.endpoint(), &options).unwrap(), acceptor.accept().unwrap())
}

fn socket(stream: &dyn Stream) -> BorrowedFd<'_> {
    stream.readiness_fd().unwrap()
}

#[test]
fn no_delay_is_the_default() {
    let delayed = StreamOptions { no_delay: false, ..StreamOptions::default() };
    for (options, expected) in [(StreamOptions::default(), true), (delayed, false)] {
        let (client, server) = with_options(options);
        for stream in [&*client, &*server] {
            assert_eq!(SockRef::from(&socket(stream)).tcp_nodelay().unwrap(), expected);
        }
    }
}

#[test]
fn keep_alive_and_buffers_are_set_on_both_sides() {
    let plain = with_options(StreamOptions::default());
    let chosen = with_options(StreamOptions {
        keep_alive: true,
        send_buffer: Some(16 << 10),
        receive_buffer: Some(16 << 10),
        ..StreamOptions::default()
    });
    for (plain, chosen) in [(plain.0, chosen.0), (plain.1, chosen.1)] {
        let (plain, chosen) = (socket(&*plain), socket(&*chosen));
        let (plain, chosen) = (SockRef::from(&plain), SockRef::from(&chosen));
        assert!(!plain.keepalive().unwrap() && chosen.keepalive().unwrap());
        // Linux doubles the requested size.
        assert_eq!(chosen.send_buffer_size().unwrap(), 32 << 10);
        assert_eq!(chosen.recv_buffer_size().unwrap(), 32 << 10);
    }
}

#[test]
fn both_ends_know_each_other() {
    let (client, server) = with_options(StreamOptions::default());
    assert_eq!(client.local(), server.peer());
    assert_eq!(client.peer(), server.local());
    assert!(client.peer().starts_with("127.0.0.1:"), "{}", client.peer());
}

#[test]
fn all_interfaces_take_ipv4_and_ipv6_and_publish_an_address() {
    let tcp = TcpTransport::new();
    let acceptor = listen("iiop://:0").unwrap();
    let (_, port) = acceptor.endpoint().address().rsplit_once(':').unwrap();
    let port = port.parse().unwrap();
    let has_ipv6 = interface::addresses().unwrap().iter().any(|a| a.address.is_ipv6());
    for host in ["127.0.0.1", "::1", "localhost"] {
        if host == "::1" && !has_ipv6 {
            continue;
        }
        let endpoint = tcp.endpoint(host, port).unwrap();
        let client = tcp.connect(&endpoint, &ConnectOptions::default()).unwrap();
        let server = acceptor.accept().unwrap();
        assert_eq!(server.peer(), client.local(), "IPv4 is shown as IPv4");
    }
    let published = &acceptor.published()[0];
    let (host, _) = published.address().rsplit_once(':').unwrap();
    let host: IpAddr = host.trim_matches(['[', ']']).parse().unwrap();
    let machine = interface::addresses().unwrap();
    assert!(machine.iter().any(|a| a.address == host), "{host} is not one of the machine's");
    let any_reachable = machine.iter().any(interface::InterfaceAddress::is_reachable);
    assert_eq!(host.is_loopback(), !any_reachable);
    tcp.connect(published, &ConnectOptions::default()).unwrap();
}

#[test]
fn the_host_in_references_can_be_chosen() {
    let acceptor = listen("iiop://127.0.0.1:0/hostname_in_ior=gate.example.com").unwrap();
    assert!(acceptor.endpoint().address().starts_with("127.0.0.1:"));
    let (_, port) = acceptor.endpoint().address().rsplit_once(':').unwrap();
    assert_eq!(acceptor.published()[0].as_str(), format!("iiop://gate.example.com:{port}"));
    let by_name = listen("iiop://LocalHost:0").unwrap();
    assert!(by_name.published()[0].address().starts_with("localhost:"));
}

#[test]
fn a_port_in_use_is_reported() {
    let taken = listen("127.0.0.1:0").unwrap();
    let url = taken.endpoint().as_str();
    let error = listen(url).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    assert!(error.to_string().contains(url), "{error}");
    assert!(error.hint().is_some());
}

/// `localhost` is `::1`, too, where the port is probably free.
#[test]
fn a_port_in_use_at_one_address_of_a_name_is_in_use() {
    let taken = listen("127.0.0.1:0").unwrap();
    let (_, port) = taken.endpoint().address().rsplit_once(':').unwrap();
    let error = listen(&format!("iiop://localhost:{port}")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
}

#[test]
fn a_closed_acceptors_port_is_free_again_although_its_connections_live() {
    let tcp = TcpTransport::new();
    // An address of its own, where no other test takes the port.
    let first = listen("127.0.0.2:0").unwrap();
    let endpoint = first.endpoint().clone();
    let client = tcp.connect(&endpoint, &ConnectOptions::default()).unwrap();
    let server = first.accept().unwrap();
    first.close();
    let second = listen(endpoint.as_str()).unwrap();
    tcp.connect(&endpoint, &ConnectOptions::default()).unwrap();
    second.accept().unwrap();
    client.send_all(b"x").unwrap();
    assert_eq!(server.recv(&mut [0; 4]).unwrap(), 1);
}

#[test]
fn no_client_comes_in_between_the_last_that_is_rejected_and_the_close() {
    let tcp = TcpTransport::new();
    for url in ["127.0.0.1:0", "iiop://:0"] {
        let acceptor = listen(url).unwrap();
        let (_, port) = acceptor.endpoint().address().rsplit_once(':').unwrap();
        let port = port.parse().unwrap();
        let endpoint = tcp.endpoint("127.0.0.1", port).unwrap();
        let waits = tcp.connect(&endpoint, &ConnectOptions::default()).unwrap();
        waits.send_all(b"request").unwrap();
        acceptor.close_backlog();
        let late = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        late.set_nonblocking(true).unwrap();
        late.connect(&SocketAddr::from(([127, 0, 0, 1], port)).into()).unwrap_err();
        let mut accepted = None;
        until(|| {
            accepted = acceptor.accept_waiting();
            accepted.is_some()
        });
        let server = accepted.unwrap();
        assert_eq!(server.peer(), waits.local());
        assert!(acceptor.accept_waiting().is_none());
        assert!(late.peer_addr().is_err(), "it is not connected, and so sends no request");
        // The connection of the other one works.
        assert_eq!(server.recv(&mut [0; 16]).unwrap(), 7);
        server.send_all(b"end").unwrap();
        assert_eq!(waits.recv(&mut [0; 16]).unwrap(), 3);
        acceptor.close();
    }
}

#[test]
fn the_error_contains_every_attempt() {
    let tcp = TcpTransport::new();
    // A port that is reserved by this socket, and on which no process listens.
    let held = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    held.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let port = held.local_addr().unwrap().as_socket().unwrap().port();
    let endpoint = tcp.endpoint("localhost", port).unwrap();
    let error = tcp.connect(&endpoint, &ConnectOptions::default()).unwrap_err();
    assert_eq!(error.phase(), ConnectPhase::Connect);
    let tried: Vec<_> = error.attempts().iter().map(|attempt| &*attempt.address).collect();
    assert_eq!(tried, [format!("127.0.0.1:{port}"), format!("[::1]:{port}")]);
    assert!(error.to_string().contains(&format!("[::1]:{port}: ")), "{error}");
}

#[test]
fn a_host_that_does_not_exist_is_a_failed_lookup() {
    let tcp = TcpTransport::new();
    // A label of a name has at most 63 octets, so no name server is asked.
    let host = "x".repeat(64);
    let endpoint = tcp.parse_endpoint(&format!("iiop://{host}.invalid:2809")).unwrap();
    let error = tcp.connect(&endpoint, &ConnectOptions::default()).unwrap_err();
    assert_eq!(error.phase(), ConnectPhase::Resolve);
    assert!(error.to_string().contains(&host), "{error}");
}

#[test]
fn another_protocol_has_its_own_scheme_and_port() {
    let lite = TcpTransport::with_scheme("Lite+IIOP", 4000).unwrap();
    assert_eq!(lite.scheme(), "lite+iiop");
    let endpoint = lite.parse_endpoint("lite+iiop://host").unwrap();
    assert_eq!(endpoint.as_str(), "lite+iiop://host:4000");
    assert!(lite.parse_endpoint("iiop://host").is_err());
    assert!(TcpTransport::with_scheme("no scheme", 1).is_err());
    let iiop = TcpTransport::new().parse_endpoint("host").unwrap();
    assert_eq!(iiop.as_str(), format!("iiop://host:{DEFAULT_PORT}"));
}

#[test]
fn one_more_endpoint_is_beside_another() {
    let tcp = TcpTransport::new();
    let host = |url: &str| url.rsplit_once(':').unwrap().0.to_owned();
    for url in ["iiop://127.0.0.1:0", "iiop://127.0.0.1:0/hostname_in_ior=named.example"] {
        let first = listen(url).unwrap();
        let second = listen(&tcp.beside(&*first)).unwrap();
        let sides = |acceptor: &dyn Acceptor| {
            [acceptor.endpoint().to_string(), acceptor.published()[0].to_string()]
        };
        for (first, second) in sides(&*first).into_iter().zip(sides(&*second)) {
            assert_eq!(host(&first), host(&second));
            assert_ne!(first, second);
        }
    }
}

#[test]
fn without_descriptors_it_is_known_whether_a_client_waits() {
    let name = "sockets::without_descriptors_it_is_known_whether_a_client_waits";
    in_own_process(name, || {
        let acceptor = listen("127.0.0.1:0").unwrap();
        let address: SocketAddr = acceptor.endpoint().address().parse().unwrap();
        let client = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        let all = exhaust_descriptors();
        let has_client = || match acceptor.accept() {
            Err(AcceptError::Busy { has_client, .. }) => has_client,
            other => panic!("{other:?}"),
        };
        assert!(!has_client());
        client.connect(&address.into()).unwrap();
        until(has_client);
        drop(all);
        assert!(acceptor.accept().is_ok());
    });
}
