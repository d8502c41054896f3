//! Clients that do not read their replies.

use std::io::IoSlice;
use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, HEADER_SIZE, MessageHeader, MessageKind, MessageWriter, RequestStart,
    ResponseFlags, TargetAddress,
};
use zorb_rt::{Strategy, Threadpool};
use zorb_shm::ShmiopProtocol;
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Watch, Watched};
use zorb_transport::{ConnectOptions, Protocol, Stream};
use zorb_unix::UiopProtocol;

use super::fixture::{Desk, Side, lane, lane_of, side, side_at, side_by, until};

/// Clients of one protocol, and replies that are larger than the system's buffers.
struct Clients {
    url: &'static str,
    protocol: Arc<dyn Protocol>,
    count: i32,
    reply: i32,
}

fn all_protocols() -> [Clients; 3] {
    [
        Clients {
            url: "iiop://127.0.0.1:0",
            protocol: Arc::new(IiopProtocol::new()),
            count: 20,
            reply: 8 << 20,
        },
        Clients {
            url: "uiop://",
            protocol: Arc::new(UiopProtocol::new()),
            count: 100,
            reply: 1 << 20,
        },
        Clients {
            url: "shmiop://",
            protocol: Arc::new(ShmiopProtocol::new()),
            count: 20,
            reply: 8 << 20,
        },
    ]
}

impl Clients {
    /// The strategies that serve their protocol.
    fn strategies(&self) -> impl Iterator<Item = Strategy> {
        let has_readiness = self.protocol.transport().has_readiness();
        let all = Strategy::ALL.iter().copied();
        all.filter(move |strategy| has_readiness || *strategy != Strategy::SingleThread)
    }

    /// Connects to the server of `desk`.
    fn connect(&self, desk: &Desk) -> (Arc<dyn Stream>, Vec<u8>) {
        let profile = &desk.0.ior().profiles[0];
        let profile = self.protocol.decode_profile(profile).unwrap();
        let options = ConnectOptions::default();
        let stream = self.protocol.transport().connect(&profile.endpoints[0], &options).unwrap();
        (stream, profile.object_key)
    }

    /// Requests that many large replies without reading any.
    fn request(&self, desk: &Desk, ids: std::ops::Range<i32>) -> Arc<dyn Stream> {
        let (stream, key) = self.connect(desk);
        for id in ids {
            stream.send_all(&request(&key, id, self.reply)).unwrap();
        }
        stream
    }
}

fn request(key: &[u8], id: i32, reply: i32) -> Vec<u8> {
    let start = RequestStart {
        request_id: id as u32,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(key),
        operation: "fill",
        service_contexts: &[],
    };
    let (mut octets, order) = (Vec::new(), ByteOrder::Little);
    let mut message =
        MessageWriter::request(&mut octets, GiopVersion::V1_2, order, &start).unwrap();
    message.body(Default::default()).put(&[id.to_le_bytes(), reply.to_le_bytes()].concat());
    message.finish().unwrap();
    octets
}

/// Reads as many of `octets` as arrive.
fn read(stream: &dyn Stream, octets: &mut [u8]) -> usize {
    let mut count = 0;
    while count < octets.len() {
        match stream.recv(&mut octets[count..]) {
            Ok(0) | Err(_) => break,
            Ok(more) => count += more,
        }
    }
    count
}

/// Reads a reply of the desk, which ends with its octets.
fn read_reply(stream: &dyn Stream, size: i32) {
    let mut header = [0; HEADER_SIZE];
    assert_eq!(read(stream, &mut header), HEADER_SIZE);
    let header = MessageHeader::parse(&header).unwrap();
    assert_eq!(header.kind, MessageKind::Reply);
    let mut body = vec![0; header.total_size() - HEADER_SIZE];
    assert_eq!(read(stream, &mut body), body.len());
    assert!(body.ends_with(&vec![7; size as usize]));
}

/// A server with a lane of up to two threads, and a client that reads.
struct Served {
    server: Side,
    pool: Threadpool,
    desk: Desk,
    client: Side,
}

impl Served {
    fn new(clients: &Clients, strategy: Strategy, options: &[(&str, &str)]) -> Self {
        let (server, client) = (side_at(&[clients.url], options), side());
        let pool =
            server.pool().lane(lane_of(strategy, 10, 2)).strategy(strategy).create().unwrap();
        let desk = server.desk(&pool, 10, &client);
        Self { server, pool, desk, client }
    }
}

#[test]
fn clients_that_do_not_read_delay_nobody_and_get_their_replies_later() {
    for clients in all_protocols() {
        for strategy in clients.strategies() {
            let Served { server, desk, client, .. } = Served::new(&clients, strategy, &[]);
            let ids = 1..=clients.count;
            // Each has a second request behind the first.
            let streams: Vec<_> =
                ids.clone().map(|id| clients.request(&desk, id * 2..id * 2 + 2)).collect();
            ids.for_each(|id| {
                server.clerk.wait_for(id * 2);
            });
            assert_eq!(client.call(&desk, 10, 1).join().unwrap(), Ok(1));
            for stream in streams {
                read_reply(&*stream, clients.reply);
                read_reply(&*stream, clients.reply);
            }
            server.orb.shutdown(true).unwrap();
        }
    }
}

/// Sees nothing. Streams that are watched wait until they have sent everything.
#[derive(Debug)]
struct Waiting;

impl Watch for Waiting {
    fn sends(&self, _: &[IoSlice<'_>]) {}
}

/// Shows that the other tests can fail.
#[test]
fn by_a_transport_that_waits_clients_that_do_not_read_delay_others() {
    let [_, clients, _] = all_protocols();
    let waiting = Watched::new(Arc::new(UiopProtocol::new()), |_| Waiting);
    let (server, client) = (side_by(Arc::new(waiting), clients.url, &[]), side());
    let pool = server.pool().lane(lane(10, 2)).create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    let streams = [1, 2].map(|id| clients.request(&desk, id..id + 1));
    [1, 2].iter().for_each(|id| {
        server.clerk.wait_for(*id);
    });
    let delayed = clients.request(&desk, 3..4);
    server.clerk.note(0);
    streams.iter().for_each(|stream| read_reply(&**stream, clients.reply));
    read_reply(&*delayed, clients.reply);
    assert_eq!(server.clerk.order()[2..], [0, 3]);
}

#[test]
fn the_threads_for_held_requests_wait_for_no_client() {
    // More than there are threads for held requests.
    const COUNT: i32 = 70;
    let [_, clients, _] = all_protocols();
    let (server, client) = (side_at(&[clients.url], &[]), side());
    let poa = server.orb.root_poa();
    let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
    let desk: Desk = client.orb.resolve(&desk.0.to_ior_string()).unwrap();
    poa.manager().hold_requests().unwrap();
    let streams: Vec<_> = (1..=COUNT).map(|id| clients.request(&desk, id..id + 1)).collect();
    until(|| poa.manager().held_requests() == COUNT as usize);
    poa.manager().activate().unwrap();
    (1..=COUNT).for_each(|id| {
        server.clerk.wait_for(id);
    });
    for stream in streams {
        read_reply(&*stream, clients.reply);
    }
    server.orb.shutdown(true).unwrap();
}

#[test]
fn a_client_that_does_not_read_in_time_is_disconnected() {
    for clients in all_protocols() {
        for strategy in clients.strategies() {
            let options = [("SendTimeout", "1")];
            let Served { server, pool, desk, .. } = Served::new(&clients, strategy, &options);
            let stream = clients.request(&desk, 1..2);
            server.clerk.wait_for(1);
            until(|| pool.counts()[0].connections == 0);
            let mut octets = vec![0; clients.reply as usize];
            assert!(read(&*stream, &mut octets) < octets.len());
        }
    }
}

#[test]
fn replies_beyond_the_limit_end_their_connection_alone() {
    for clients in all_protocols() {
        for strategy in [Strategy::LeaderFollowers, Strategy::HalfSync] {
            let options = [("MaxQueuedReplyOctets", "1")];
            let Served { server, pool, desk, client } = Served::new(&clients, strategy, &options);
            if clients.url == "shmiop://" && strategy == Strategy::LeaderFollowers {
                continue; // a thread of its own waits for the client, and queues nothing
            }
            server.clerk.shut(&[1, 2]);
            let stream = clients.request(&desk, 1..3);
            [1, 2].iter().for_each(|id| {
                server.clerk.wait_for(*id);
            });
            [1, 2].iter().for_each(|id| server.clerk.open(*id));
            until(|| pool.counts()[0].connections == 0);
            let mut octets = vec![0; 2 * clients.reply as usize];
            assert!(read(&*stream, &mut octets) < octets.len(), "{} {strategy:?}", clients.url);
            assert_eq!(client.call(&desk, 10, 3).join().unwrap(), Ok(3));
        }
    }
}
