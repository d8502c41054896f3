//! Socket options, as read from the system.

use std::os::fd::{AsFd as _, BorrowedFd};

use socket2::{Domain, SockRef, Type};
use zorb::Interface as _;
use zorb::giop::ProfileTag;
use zorb::poa::PoaPolicies;
use zorb::policy::{ConnectionProperties, ProtocolChoice, ServerProtocols};
use zorb::transport::Stream;
use zorb_os::socket::{dont_route, pacing_rate};

use super::mirror::{Board, Mirror, Posted};
use super::{Family, Pair, hidden, protocols, spied};

/// The options of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) send_buffer: usize,
    pub(crate) receive_buffer: usize,
    /// TCP only.
    pub(crate) no_delay: Option<bool>,
    pub(crate) keep_alive: bool,
    /// IP only: the octet that contains the class of service in its upper six bits.
    pub(crate) class: Option<u32>,
    pub(crate) priority: u32,
    pub(crate) pacing: Option<u64>,
    pub(crate) dont_route: bool,
}

/// `None` for a stream without its own socket.
pub(crate) fn seen(stream: &dyn Stream) -> Option<Seen> {
    match stream.readiness_fd() {
        Some(fd) => Some(seen_of(fd)),
        None => hidden::socket_below(stream, Type::STREAM).map(|socket| seen_of(socket.as_fd())),
    }
}

fn seen_of(fd: BorrowedFd<'_>) -> Seen {
    let socket = SockRef::from(&fd);
    let domain = socket.domain().unwrap();
    let is_ip = domain != Domain::UNIX;
    Seen {
        send_buffer: socket.send_buffer_size().unwrap(),
        receive_buffer: socket.recv_buffer_size().unwrap(),
        no_delay: is_ip.then(|| socket.tcp_nodelay().unwrap()),
        keep_alive: socket.keepalive().unwrap(),
        class: is_ip.then(|| match domain {
            Domain::IPV4 => socket.tos_v4().unwrap(),
            _ => socket.tclass_v6().unwrap(),
        }),
        priority: socket.priority().unwrap(),
        pacing: pacing_rate(fd.as_fd()).unwrap(),
        dont_route: dont_route(fd.as_fd()).unwrap(),
    }
}

/// A property: its name, a function that sets it, and its expected effect on the sockets of a
/// family.
type Row = (&'static str, fn(&mut ConnectionProperties), fn(&mut Seen, Family));

const NOTHING: fn(&mut Seen, Family) = |_, _| {};

/// Every property. The system doubles buffer sizes for its own overhead.
const ROWS: [Row; 16] = [
    ("send_buffer", |it| it.send_buffer = Some(40_000), |seen, _| seen.send_buffer = 80_000),
    (
        "receive_buffer",
        |it| it.receive_buffer = Some(30_000),
        |seen, _| seen.receive_buffer = 60_000,
    ),
    (
        "no_delay",
        |it| it.no_delay = Some(false),
        |seen, family| {
            if family == Family::Tcp {
                seen.no_delay = Some(false);
            }
        },
    ),
    (
        "keep_alive",
        |it| it.keep_alive = Some(true),
        |seen, family| {
            seen.keep_alive = family == Family::Tcp;
        },
    ),
    (
        "dont_route",
        |it| it.dont_route = Some(true),
        |seen, family| {
            seen.dont_route = family == Family::Tcp;
        },
    ),
    // It needs priorities, which an ORB without the RT extension does not have.
    ("network_priority", |it| it.network_priority = Some(true), NOTHING),
    (
        "dscp",
        |it| it.dscp = Some(46),
        |seen, family| {
            if family == Family::Tcp {
                seen.class = Some(46 << 2);
            }
        },
    ),
    (
        "socket_priority",
        |it| it.socket_priority = Some(5),
        |seen, family| {
            if family == Family::Tcp {
                seen.priority = 5;
            }
        },
    ),
    (
        "pacing_rate",
        |it| it.pacing_rate = Some(1 << 24),
        |seen, family| {
            if family == Family::Tcp {
                seen.pacing = Some(1 << 24);
            }
        },
    ),
    // These concern messages and calls, and have no effect on sockets.
    ("copy_threshold", |it| it.copy_threshold = Some(1000), NOTHING),
    ("preallocate", |it| it.preallocate = Some(10_000), NOTHING),
    ("fragment_size", |it| it.fragment_size = Some(256), NOTHING),
    ("max_connections", |it| it.max_connections = Some(1), NOTHING),
    ("max_calls", |it| it.max_calls = Some(2), NOTHING),
    ("queued_calls", |it| it.queued_calls = Some(3), NOTHING),
    ("queued_octets", |it| it.queued_octets = Some(4000), NOTHING),
];

fn properties(set: fn(&mut ConnectionProperties)) -> ConnectionProperties {
    let mut properties = ConnectionProperties::default();
    set(&mut properties);
    properties
}

/// The same without the values that the system changes by itself: TCP's buffer sizes grow, and the
/// system derives a priority from a class of service.
fn comparable(mut seen: Option<Seen>, name: &str, family: Family) -> Option<Seen> {
    if let Some(seen) = &mut seen {
        if family == Family::Tcp && name != "send_buffer" {
            seen.send_buffer = 0;
        }
        if family == Family::Tcp && name != "receive_buffer" {
            seen.receive_buffer = 0;
        }
        if name == "dscp" && family == Family::Tcp {
            seen.priority = 0;
        }
    }
    seen
}

#[test]
fn sockets_are_as_the_clients_and_the_adapters_properties_say() {
    for (url, family) in protocols() {
        let plain = Pair::new(url, None, None);
        let [client, server] = [&plain.connected, &plain.accepted].map(|stream| seen(&**stream));
        assert_eq!(client.is_some(), family != Family::Other, "{url}");
        for (name, set, make) in ROWS {
            let expected = |plain: Option<Seen>| {
                let mut expected = plain;
                if let Some(seen) = &mut expected {
                    make(seen, family);
                }
                comparable(expected, name, family)
            };
            let found = |stream: &dyn Stream| comparable(seen(stream), name, family);
            let met = Pair::new(url, Some(properties(set)), None);
            assert_eq!(found(&*met.connected), expected(client), "client, {url}, {name}");
            assert_eq!(found(&*met.accepted), comparable(server, name, family), "{url}, {name}");
            let met = Pair::new(url, None, Some(properties(set)));
            assert_eq!(found(&*met.accepted), expected(server), "adapter, {url}, {name}");
            assert_eq!(found(&*met.connected), comparable(client, name, family), "{url}, {name}");
            // The connection still works.
            met.board.call(&met.mirror, url, 5000);
        }
    }
}

/// A client's datagrams have the requested class.
#[test]
fn datagrams_of_clients_have_their_class() {
    for url in ["rudp://127.0.0.1:0", "sciop://127.0.0.1:0"] {
        let class = |said| {
            let met = Pair::new(url, said, None);
            let socket = hidden::socket_below(&*met.connected, Type::DGRAM);
            let socket = socket.unwrap_or_else(|| panic!("{url}: {}", met.connected.local()));
            SockRef::from(&socket).tos_v4().unwrap()
        };
        assert_eq!(class(None), 0, "{url}");
        assert_eq!(class(Some(properties(|it| it.dscp = Some(46)))), 46 << 2, "{url}");
    }
}

/// Objects of several adapters are called over one connection: the adapter of the last call
/// determines its properties, and properties that it does not set get their defaults; only buffer
/// sizes stay.
#[test]
fn a_connection_has_the_properties_of_the_last_adapter() {
    let mut urgent = ConnectionProperties::default();
    urgent.no_delay = Some(false);
    urgent.keep_alive = Some(true);
    urgent.dont_route = Some(true);
    urgent.dscp = Some(46);
    urgent.socket_priority = Some(5);
    urgent.pacing_rate = Some(1 << 24);
    let mut classed = ConnectionProperties::default();
    classed.dscp = Some(46);
    let mut bare = ConnectionProperties::default();
    bare.copy_threshold = Some(1000);
    for (url, family) in protocols().filter(|(_, family)| *family != Family::Other) {
        let (builder, serving) = spied(url);
        let server = builder.listen(url).build().unwrap();
        let client = spied(url).0.build().unwrap();
        let met = |name: &str, properties: ConnectionProperties| {
            let policies = PoaPolicies::new().with(properties);
            let poa = server.root_poa().create(name, policies).unwrap();
            let (servant, board) = Board::new();
            let object: Mirror = poa.activate(servant).unwrap();
            let text = object.as_object().to_ior_string();
            (client.resolve::<Mirror>(&text).unwrap(), board)
        };
        let adapters = [("urgent", urgent), ("classed", classed), ("bare", bare)];
        let [urgent, classed, bare] = adapters.map(|(name, properties)| met(name, properties));
        let after = |(object, board): &(Mirror, Posted)| {
            board.first_call(object, url);
            let mut found = seen(&*serving.accepted()).unwrap();
            // TCP's buffer sizes grow by themselves.
            (found.send_buffer, found.receive_buffer) = (0, 0);
            found
        };
        let plain = after(&bare);
        let tcp = family == Family::Tcp;
        let expected = Seen {
            no_delay: plain.no_delay.map(|_| false),
            keep_alive: tcp,
            class: plain.class.map(|_| 46 << 2),
            priority: if tcp { 5 } else { 0 },
            pacing: tcp.then_some(1 << 24),
            dont_route: tcp,
            ..plain
        };
        for _ in 0..2 {
            assert_eq!(after(&urgent), expected, "{url}");
            // The system derives a priority from classes of IPv4.
            let found = after(&classed);
            assert_eq!(
                Seen { priority: 0, ..found },
                Seen { class: expected.class, ..plain },
                "{url}"
            );
            assert_ne!(found.priority, 5, "{url}");
            assert_eq!(after(&bare), plain, "{url}");
        }
        assert_eq!(serving.count(), 1, "{url}: all calls use one connection");
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}

/// A property of TCP in a policy for protocols does not affect connections of other protocols.
#[test]
fn properties_of_one_protocol_do_not_affect_another() {
    for (url, listed, changed) in [
        ("uiop://", ProfileTag::TAO_UIOP, true),
        ("uiop://", ProfileTag::INTERNET_IOP, false),
        ("iiop://127.0.0.1:0", ProfileTag::INTERNET_IOP, true),
        ("iiop://127.0.0.1:0", ProfileTag::TAO_UIOP, false),
    ] {
        let plain = Pair::new(url, None, None);
        let before = seen(&*plain.accepted).unwrap().send_buffer;
        let (builder, serving) = spied(url);
        let server = builder.listen(url).build().unwrap();
        let own = |profile| {
            let said = (profile == listed).then(|| properties(|it| it.send_buffer = Some(40_000)));
            ProtocolChoice { profile, properties: said }
        };
        let both = [ProfileTag::INTERNET_IOP, ProfileTag::TAO_UIOP].map(own);
        let policies = PoaPolicies::new().with(ServerProtocols::new(both));
        let poa = server.root_poa().create("adapter", policies).unwrap();
        let (servant, board) = Board::new();
        let object: Mirror = poa.activate(servant).unwrap();
        let client = spied(url).0.build().unwrap();
        let text = object.as_object().to_ior_string();
        board.first_call(&client.resolve(&text).unwrap(), url);
        let found = seen(&*serving.accepted()).unwrap().send_buffer;
        assert_eq!(found == 80_000, changed, "{url} {listed}");
        assert_eq!(found == before, !changed, "{url} {listed}");
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}
