//! How a bridge handles octets: by which threads, from where in memory, and how many it holds.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;
#[path = "support/watched.rs"]
mod watched;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::thread::ThreadId;

use support::{KEY, ORDERS, Peer, VERSIONS, reply, request};
use watched::{Done, Log, Place, Toward, What, watched};
use zorb_bridge::{Bridge, Settings};
use zorb_cdr::ByteOrder;
use zorb_giop::{Form, GiopLite, GiopVersion, Inbound, Ior, Limits, ProfileTag, ReplyStatus};
use zorb_transport::inproc::InprocTransport;
use zorb_transport::{
    Acceptor, Composed, ConnectOptions, Endpoint, ListenOptions, ProtocolRegistry, StreamOptions,
    Transport,
};

const NEWEST: GiopVersion = GiopVersion::V1_2;
/// Octets of a direction's buffer, at first and once larger messages have come.
const BUFFER: usize = 64 << 10;
const LARGE_BUFFER: usize = 256 << 10;

/// A bridge whose streams are watched, between peers whose streams are not.
struct World {
    plain: InprocTransport,
    bridge: Bridge,
    acceptor: Arc<dyn Acceptor>,
    log: Log,
}

impl World {
    /// A server that speaks GIOP, or GIOPlite.
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
        // Narrow, so that messages come and go in many parts.
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

    /// A client and a server that have a connection each; what the client has sent is `first`.
    fn met(&self, first: &[u8]) -> (Peer, Peer) {
        let client = self.client();
        client.send(first);
        (client, self.server())
    }
}

/// What a thread has received so far.
#[derive(Default)]
struct Received(BTreeMap<usize, usize>);

impl Received {
    fn add(&mut self, (at, count): Place) {
        let (mut begin, mut end) = (at, at + count);
        // Joined with what lies before, behind and between.
        while let Some((&other, &other_end)) = self.0.range(..=end).next_back()
            && other_end >= begin
        {
            self.0.remove(&other);
            (begin, end) = (begin.min(other), end.max(other_end));
        }
        self.0.insert(begin, end);
    }

    fn has(&self, (at, count): Place) -> bool {
        self.0.range(..=at).next_back().is_some_and(|(_, end)| at + count <= *end)
    }
}

/// The threads of both directions, each with what it received from one side and sent to the other.
fn directions(all: &[Done]) -> BTreeMap<bool, HashSet<ThreadId>> {
    let mut threads: BTreeMap<bool, HashSet<ThreadId>> = BTreeMap::new();
    for done in all {
        let from_client = match done.what {
            What::Received(..) => done.toward == Toward::Client,
            What::Sent(_) => done.toward == Toward::Server,
        };
        threads.entry(from_client).or_default().insert(done.thread);
    }
    threads
}

/// Octets of the results and arguments that calls have.
const SIZES: [usize; 6] = [0, 1, 1000, BUFFER, 300_000, 1 << 20];

#[test]
fn each_direction_is_one_thread_that_sends_from_where_it_received() {
    let world = World::new("inproc");
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
    assert_eq!((requests.len(), replies.len()), (1, 1), "nothing is handed to another thread");
    assert!(requests.is_disjoint(&replies));
    let mut received: BTreeMap<bool, Received> = BTreeMap::new();
    for Done { thread, what, .. } in &all {
        let received = received.entry(requests.contains(thread)).or_default();
        match what {
            What::Received(place, _) => received.add(*place),
            What::Sent(places) => {
                assert!(places.iter().all(|place| received.has(*place)), "copied: {what:?}");
            }
        }
    }
}

#[test]
fn arguments_are_sent_from_where_they_were_received_behind_another_header() {
    let world = World::new("lite+inproc");
    let asked = |size| request(NEWEST, ByteOrder::NATIVE, 7, KEY, &vec![3; size]);
    let mut sizes = SIZES;
    sizes[0] = 10;
    let (client, server) = world.met(&asked(sizes[0]));
    let mut inbound = Inbound::new(Limits::default()).of(Some(&GiopLite));
    let mut arrives = |size: usize| {
        let header = loop {
            if let Some(header) = inbound.poll().unwrap() {
                break header;
            }
            let count = server.0.recv(inbound.space()).unwrap();
            assert_ne!(count, 0);
            inbound.advance(count);
        };
        let form = Form::Other(&GiopLite);
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
    // A message's last octets came into the place that they were sent from.
    let (mut received, mut sent) = (None, Vec::new());
    for done in &all {
        match (&done.what, done.toward) {
            (What::Received((at, count), _), Toward::Client) => received = Some(at + count),
            (What::Sent(places), Toward::Server) => {
                let [_, (at, count)] = places[..] else { panic!("{places:?}") };
                assert_eq!(received, Some(at + count), "copied");
                sent.push(count);
            }
            _ => {}
        }
    }
    assert_eq!(sent, sizes);
}

/// Has the bridge pass messages of these sizes on to a server that reads them in small pieces; what
/// was done.
fn passed_slowly(sizes: &[usize]) -> Vec<Done> {
    let world = World::new("inproc");
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

/// The most octets that were received and not yet given to the stream to the server, and the largest
/// space that there was for more.
fn held(all: &[Done]) -> (usize, usize) {
    let (mut now, mut most, mut space) = (0, 0, 0);
    for done in all {
        match (&done.what, done.toward) {
            (What::Received((_, count), free), Toward::Client) => {
                now += count;
                space = space.max(*free);
            }
            (What::Sent(places), Toward::Server) => {
                now -= places.iter().map(|(_, count)| count).sum::<usize>();
            }
            _ => {}
        }
        most = most.max(now);
    }
    assert_eq!(now, 0, "all of it went over");
    (most, space)
}

#[test]
fn a_server_that_reads_slowly_is_waited_for_with_little_in_hand() {
    // Many messages, none of which is larger than the buffer.
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
fn a_connection_has_two_threads_and_no_other_connections_have_them() {
    let world = World::new("inproc");
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
