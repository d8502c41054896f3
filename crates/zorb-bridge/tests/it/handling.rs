//! How a bridge handles octets: threads, buffers and copies.
#![allow(clippy::panic)]

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::thread::ThreadId;

use crate::support::{KEY, ORDERS, Peer, VERSIONS, reply, request};
use crate::watched::{Event, EventKind, Log, Region, Toward, watched};
use zorb_bridge::{Bridge, Settings};
use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopLite, GiopVersion, Inbound, Ior, Limits, MessageFormat, ProfileTag, ReplyStatus,
};
use zorb_transport::inproc::InprocTransport;
use zorb_transport::{
    Acceptor, Composed, ConnectOptions, Endpoint, ListenOptions, ProtocolRegistry, StreamOptions,
    Transport,
};

const NEWEST: GiopVersion = GiopVersion::V1_2;
/// The buffer size of a direction in octets: initially, and after larger messages.
const BUFFER: usize = 64 << 10;
const LARGE_BUFFER: usize = 256 << 10;

/// A bridge with recorded streams, between peers with plain streams.
struct TestBridge {
    plain: InprocTransport,
    bridge: Bridge,
    acceptor: Arc<dyn Acceptor>,
    log: Log,
}

impl TestBridge {
    /// A server with GIOP or GIOPlite.
    fn new(server: &str) -> Self {
        let (plain, log) = (InprocTransport::new(), Log::default());
        let watched = || watched(plain.clone(), &log);
        let registry = Arc::new(ProtocolRegistry::new());
        registry.register(Arc::new(watched())).unwrap();
        let lite = Composed::new(&GiopLite, watched(), ProfileTag(0x1234));
        registry.register(Arc::new(lite)).unwrap();
        let protocol = registry.by_scheme(server).unwrap();
        let endpoint = Endpoint::new(server, "server").unwrap();
        let profile = protocol.encode_profile(&[endpoint], NEWEST, KEY, &[]).unwrap();
        let target = Ior { type_id: String::new(), profiles: vec![profile] };
        // Small pipes, so that messages arrive in many pieces.
        let stream = StreamOptions { send_buffer: Some(5000), ..StreamOptions::default() };
        let settings = Settings { stream, ..Settings::default() };
        let bridge = Bridge::open(&registry, &target, &["inproc://bridge"], settings).unwrap();
        let acceptor = plain.listen("inproc://server", &ListenOptions::default()).unwrap();
        Self { plain, bridge, acceptor, log }
    }

    fn client(&self) -> Peer {
        let endpoint = Endpoint::new("inproc", "bridge").unwrap();
        Peer(self.plain.connect(&endpoint, &ConnectOptions::default()).unwrap())
    }

    fn server(&self) -> Peer {
        Peer(self.acceptor.accept().unwrap())
    }

    /// A connected client and server; `first` is the first message of the client.
    fn met(&self, first: &[u8]) -> (Peer, Peer) {
        let client = self.client();
        client.send(first);
        (client, self.server())
    }
}

/// The memory regions a thread has received octets into.
#[derive(Default)]
struct Received(BTreeMap<usize, usize>);

impl Received {
    fn add(&mut self, (at, count): Region) {
        let (mut begin, mut end) = (at, at + count);
        // Merged with adjacent regions.
        while let Some((&other, &other_end)) = self.0.range(..=end).next_back()
            && other_end >= begin
        {
            self.0.remove(&other);
            (begin, end) = (begin.min(other), end.max(other_end));
        }
        self.0.insert(begin, end);
    }

    fn has(&self, (at, count): Region) -> bool {
        self.0.range(..=at).next_back().is_some_and(|(_, end)| at + count <= *end)
    }
}

/// The threads of both directions, each with kind it received from one side and sent to the other.
fn directions(all: &[Event]) -> BTreeMap<bool, HashSet<ThreadId>> {
    let mut threads: BTreeMap<bool, HashSet<ThreadId>> = BTreeMap::new();
    for event in all {
        let from_client = match event.kind {
            EventKind::Received(..) => event.toward == Toward::Client,
            EventKind::Sent(_) => event.toward == Toward::Server,
        };
        threads.entry(from_client).or_default().insert(event.thread);
    }
    threads
}

/// The sizes of results and arguments of the calls.
const SIZES: [usize; 6] = [0, 1, 1000, BUFFER, 300_000, 1 << 20];

#[test]
fn each_direction_has_one_thread_that_sends_without_copying() {
    let world = TestBridge::new("inproc");
    let first = request(NEWEST, ByteOrder::Little, 1, KEY, b"first");
    let (client, server) = world.met(&first);
    assert_eq!(server.message(), first);
    for (order, version) in ORDERS.into_iter().flat_map(|order| VERSIONS.map(|it| (order, it))) {
        for size in SIZES {
            let asked = request(version, order, 7, KEY, &vec![3; size]);
            let status = (7, ReplyStatus::NoException);
            let answer = reply(version, order, status, |body| body.put(&vec![4; size]));
            std::thread::scope(|scope| {
                scope.spawn(|| client.send(&asked));
                assert_eq!(server.octets(asked.len()), asked);
                scope.spawn(|| server.send(&answer));
                assert_eq!(client.octets(answer.len()), answer);
            });
        }
    }
    world.bridge.close();
    let all = world.log.all();
    let threads = directions(&all);
    let [replies, requests] = [false, true].map(|from_client| threads[&from_client].clone());
    assert_eq!((requests.len(), replies.len()), (1, 1), "each direction has one thread");
    assert!(requests.is_disjoint(&replies));
    let mut received: BTreeMap<bool, Received> = BTreeMap::new();
    for Event { thread, kind, .. } in &all {
        let received = received.entry(requests.contains(thread)).or_default();
        match kind {
            EventKind::Received(region, _) => received.add(*region),
            EventKind::Sent(regions) => {
                assert!(regions.iter().all(|region| received.has(*region)), "copied: {kind:?}");
            }
        }
    }
}

#[test]
fn arguments_are_not_copied_when_headers_are_rewritten() {
    let world = TestBridge::new("lite+inproc");
    let asked = |size| request(NEWEST, ByteOrder::NATIVE, 7, KEY, &vec![3; size]);
    let mut sizes = SIZES;
    sizes[0] = 10;
    let (client, server) = world.met(&asked(sizes[0]));
    let mut inbound = Inbound::new(Limits::default()).with_messaging(Some(&GiopLite));
    let mut arrives = |size: usize| {
        let header = loop {
            if let Some(header) = inbound.poll().unwrap() {
                break header;
            }
            let count = server.0.recv(inbound.space()).unwrap();
            assert_ne!(count, 0);
            inbound.advance(count);
        };
        let form = MessageFormat::Other(&GiopLite);
        let (_, arguments) = form.read_request(inbound.current(), &header).unwrap();
        assert_eq!(arguments.rest(), vec![3; size]);
    };
    arrives(sizes[0]);
    for size in &sizes[1..] {
        std::thread::scope(|scope| {
            scope.spawn(|| client.send(&asked(*size)));
            arrives(*size);
        });
    }
    world.bridge.close();
    let all = world.log.all();
    assert_eq!(directions(&all)[&true].len(), 1);
    // The last octets of a message were received into the region that they were sent from.
    let (mut received, mut sent) = (None, Vec::new());
    for event in &all {
        match (&event.kind, event.toward) {
            (EventKind::Received((at, count), _), Toward::Client) => received = Some(at + count),
            (EventKind::Sent(regions), Toward::Server) => {
                let [_, (at, count)] = regions[..] else { panic!("{regions:?}") };
                assert_eq!(received, Some(at + count), "copied");
                sent.push(count);
            }
            _ => {}
        }
    }
    assert_eq!(sent, sizes);
}

/// Forwards messages of these sizes to a server that reads them in small pieces; returns the
/// recorded events.
fn passed_slowly(sizes: &[usize]) -> Vec<Event> {
    let world = TestBridge::new("inproc");
    let first = request(NEWEST, ByteOrder::Little, 1, KEY, b"first");
    let (client, server) = world.met(&first);
    assert_eq!(server.message(), first);
    let message = |size: &usize| request(NEWEST, ByteOrder::Little, 1, KEY, &vec![5; *size]);
    let all: Vec<u8> = sizes.iter().flat_map(message).collect();
    std::thread::scope(|scope| {
        scope.spawn(|| client.send(&all));
        for piece in all.chunks(997) {
            assert_eq!(server.octets(piece.len()), piece);
        }
    });
    world.bridge.close();
    world.log.all()
}

/// The maximum number of octets received and not yet sent to the server, and the maximum space of a
/// receive.
fn held(all: &[Event]) -> (usize, usize) {
    let (mut now, mut most, mut space) = (0, 0, 0);
    for event in all {
        match (&event.kind, event.toward) {
            (EventKind::Received((_, count), free), Toward::Client) => {
                now += count;
                space = space.max(*free);
            }
            (EventKind::Sent(regions), Toward::Server) => {
                now -= regions.iter().map(|(_, count)| count).sum::<usize>();
            }
            _ => {}
        }
        most = most.max(now);
    }
    assert_eq!(now, 0, "all octets were forwarded");
    (most, space)
}

#[test]
fn a_slow_server_causes_little_buffering() {
    // Many messages, none of them larger than the buffer.
    let (most, space) = held(&passed_slowly(&[10_000; 300]));
    assert!(most <= BUFFER && space == BUFFER, "{most} {space}");
}

#[test]
fn a_buffer_grows_once_for_messages_of_any_size() {
    let sizes = [100, BUFFER + 1, 100, 100_000, 3 << 20, 100, 5 << 20];
    let (most, space) = held(&passed_slowly(&sizes));
    assert!(most <= LARGE_BUFFER && space == LARGE_BUFFER, "{most} {space}");
}

#[test]
fn each_connection_has_two_threads_of_its_own() {
    let world = TestBridge::new("inproc");
    let mut pairs = Vec::new();
    for id in 0..5 {
        let asked = request(NEWEST, ByteOrder::Little, id, KEY, b"x");
        let (client, server) = world.met(&asked);
        assert_eq!(server.message(), asked);
        pairs.push((client, server));
    }
    for _ in 0..20 {
        for (id, (client, server)) in (0..).zip(&pairs) {
            let asked = request(NEWEST, ByteOrder::Big, id, KEY, b"again");
            client.send(&asked);
            assert_eq!(server.message(), asked);
            let status = (id, ReplyStatus::NoException);
            let answer = reply(NEWEST, ByteOrder::Big, status, |body| body.put(b"y"));
            server.send(&answer);
            assert_eq!(client.message(), answer);
        }
    }
    world.bridge.close();
    let threads = directions(&world.log.all());
    assert_eq!((threads[&true].len(), threads[&false].len()), (5, 5));
    assert!(threads[&true].is_disjoint(&threads[&false]));
}
