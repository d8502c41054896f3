mod hostile;

use std::net::Shutdown;
use std::sync::mpsc::{Receiver as Queue, Sender, channel};
use std::time::Duration;

use zorb_giop::{
    GiopVersion, MessageHeader, MessageKind, MessageWriter, ReplyStatus, RequestStart,
    ResponseFlags, ServiceContext, ServiceId, TargetAddress,
};

use super::connection::PIPE;
use super::split::id_of;
use super::*;
use crate::inproc;

/// Both ends of a connection: the client's stream and its requests on the side that opened it, the other side's.
struct Pair {
    client: Arc<dyn Stream>,
    /// Streams of requests to the side that opened the connection.
    requests: Queue<Arc<dyn Stream>>,
    accepted: Arc<Connection>,
    server: Arc<dyn Stream>,
}

fn pair() -> Pair {
    let (left, right) = inproc::pair(1 << 16);
    let (sender, requests) = channel();
    let client = half::opened(left, move |stream| sender.send(stream).is_ok());
    let (accepted, server) = half::accepted(right).unwrap();
    Pair { client: client.unwrap(), requests, accepted, server }
}

fn request(id: u32, contexts: &[ServiceContext<'_>], response: ResponseFlags) -> Vec<u8> {
    let mut octets = Vec::new();
    let start = RequestStart {
        request_id: id,
        response,
        target: TargetAddress::Key(b"key"),
        operation: "op",
        service_contexts: contexts,
    };
    let order = ByteOrder::NATIVE;
    let written = MessageWriter::request(&mut octets, GiopVersion::V1_2, order, &start);
    written.unwrap().finish().unwrap();
    octets
}

fn call(id: u32) -> Vec<u8> {
    request(id, &[], ResponseFlags::SyncWithTarget)
}

fn reply(id: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    let (order, status) = (ByteOrder::NATIVE, ReplyStatus::NoException);
    let written = MessageWriter::reply(&mut octets, GiopVersion::V1_2, order, id, status, &[]);
    written.unwrap().finish().unwrap();
    octets
}

fn message(kind: MessageKind, body: &[u8]) -> Vec<u8> {
    let header = MessageHeader {
        version: GiopVersion::V1_2,
        order: ByteOrder::NATIVE,
        more_fragments: false,
        kind,
        size: body.len() as u32,
    };
    [&header.to_octets()[..], body].concat()
}

/// The next message of a stream; empty at its end.
fn next(stream: &Arc<dyn Stream>) -> Vec<u8> {
    let mut octets = vec![0; 12];
    let mut at = 0;
    while at < octets.len() {
        match stream.recv(&mut octets[at..]) {
            Ok(0) | Err(_) => return Vec::new(),
            Ok(count) => at += count,
        }
        if at == 12 {
            let header = MessageHeader::parse_prefix(&octets).unwrap().unwrap();
            octets.resize(header.total_size(), 0);
        }
    }
    octets
}

#[test]
fn requests_and_replies_of_both_directions_reach_their_receivers() {
    let Pair { client, requests, accepted, server } = pair();
    client.send_all(&call(2)).unwrap();
    assert_eq!(next(&server), call(2));
    // Two clients of the server use the same ids.
    let callers = [half::client(&accepted).unwrap(), half::client(&accepted).unwrap()];
    for caller in &callers {
        caller.send_all(&call(0)).unwrap();
    }
    let called = requests.recv().unwrap();
    let calls = [next(&called), next(&called)];
    let ids = calls.each_ref().map(|call| id_of(call));
    assert_eq!(ids, [1, 3], "the side that accepted the connection has odd ids");
    // In the other order, and with the reply to the first request between them.
    called.send_all(&reply(3)).unwrap();
    server.send_all(&reply(2)).unwrap();
    called.send_all(&reply(1)).unwrap();
    assert_eq!(next(&client), reply(2));
    assert_eq!(next(&callers[0]), reply(0));
    assert_eq!(next(&callers[1]), reply(0));
}

#[test]
fn calls_nest_to_any_depth() {
    let Pair { client, requests, accepted, server } = pair();
    let caller = half::client(&accepted).unwrap();
    caller.send_all(&call(0)).unwrap();
    let called = requests.recv().unwrap();
    next(&called);
    for depth in 0..100 {
        client.send_all(&call(depth * 2)).unwrap();
        assert_eq!(id_of(&next(&server)), depth * 2);
        caller.send_all(&call(depth * 2 + 2)).unwrap();
        assert_eq!(id_of(&next(&called)), depth * 2 + 3);
    }
    for depth in (0..100).rev() {
        called.send_all(&reply(depth * 2 + 3)).unwrap();
        assert_eq!(next(&caller), reply(depth * 2 + 2));
        server.send_all(&reply(depth * 2)).unwrap();
        assert_eq!(next(&client), reply(depth * 2));
    }
}

#[test]
fn fragments_follow_their_messages() {
    let Pair { client, requests, accepted, server } = pair();
    let caller = half::client(&accepted).unwrap();
    caller.send_all(&call(0)).unwrap();
    let called = requests.recv().unwrap();
    assert_eq!(id_of(&next(&called)), 1);
    let more = |octets: &[u8]| {
        let mut octets = octets.to_vec();
        octets[6] |= 2;
        octets
    };
    let fragment =
        |id: u32| message(MessageKind::Fragment, &[&id.to_ne_bytes()[..], b"rest"].concat());
    // A request of the one side, and a reply of it, in turns.
    client.send_all(&more(&call(2))).unwrap();
    called.send_all(&more(&reply(1))).unwrap();
    client.send_all(&fragment(2)).unwrap();
    called.send_all(&fragment(1)).unwrap();
    assert_eq!([next(&server), next(&server)], [more(&call(2)), fragment(2)]);
    assert_eq!([next(&caller), next(&caller)], [more(&reply(0)), fragment(0)]);
    // A request in fragments of the other side.
    caller.send_all(&more(&call(2))).unwrap();
    caller.send_all(&fragment(2)).unwrap();
    assert_eq!([next(&called), next(&called)], [more(&call(3)), fragment(3)]);
}

#[test]
fn a_reply_that_nobody_waits_for_reaches_nobody() {
    let Pair { client: _client, requests, accepted, server: _server } = pair();
    let (gone, caller) = (half::client(&accepted).unwrap(), half::client(&accepted).unwrap());
    gone.send_all(&call(0)).unwrap();
    let called = requests.recv().unwrap();
    next(&called);
    drop(gone);
    caller.send_all(&call(0)).unwrap();
    assert_eq!(id_of(&next(&called)), 3);
    for id in [1, 77, 3, 3] {
        called.send_all(&reply(id)).unwrap();
    }
    assert_eq!(next(&caller), reply(0));
    assert!(!caller.is_readable());
}

#[test]
fn a_request_has_an_id_only_if_it_is_sent() {
    let Pair { client: _client, requests, accepted, server: _server } = pair();
    let caller = half::client(&accepted).unwrap();
    assert_eq!(caller.try_send(&call(4)).unwrap(), 0);
    caller.send_all(&call(4)).unwrap();
    let called = requests.recv().unwrap();
    assert_eq!(id_of(&next(&called)), 1);
    called.send_all(&reply(1)).unwrap();
    assert_eq!(next(&caller), reply(4));
    assert!(!accepted.state.lock().splitter.numbering.is_busy());
}

#[test]
fn a_cancelled_request_is_over() {
    let Pair { client, requests, accepted, server: _server } = pair();
    let caller = half::client(&accepted).unwrap();
    caller.send_all(&call(6)).unwrap();
    let called = requests.recv().unwrap();
    next(&called);
    assert!(client.is_used_otherwise());
    let cancel = |id: u32| message(MessageKind::CancelRequest, &id.to_ne_bytes());
    assert_eq!(caller.try_send(&cancel(6)).unwrap(), 16);
    assert_eq!(next(&called), cancel(1));
    assert!(!accepted.state.lock().splitter.numbering.is_busy());
    // Once for what was before.
    assert!(!client.is_used_otherwise() || !client.is_used_otherwise());
}

#[test]
fn a_connection_is_used_while_either_side_waits() {
    let Pair { client, requests, accepted, server } = pair();
    assert!(!client.is_used_otherwise() && !server.is_used_otherwise());
    assert!(client.shares_connection() && server.shares_connection());
    let caller = half::client(&accepted).unwrap();
    caller.send_all(&call(0)).unwrap();
    let called = requests.recv().unwrap();
    next(&called);
    for _ in 0..3 {
        assert!(client.is_used_otherwise() && server.is_used_otherwise());
    }
    called.send_all(&reply(1)).unwrap();
    next(&caller);
    // There was a reply since.
    assert!(client.is_used_otherwise() && server.is_used_otherwise());
    assert!(!client.is_used_otherwise() && !server.is_used_otherwise());
    assert!(
        !caller.is_used_otherwise() && !called.is_used_otherwise(),
        "it does not end with them"
    );
}

#[test]
fn the_server_of_the_opening_side_comes_and_goes() {
    let Pair { client, requests, accepted, server } = pair();
    let caller = half::client(&accepted).unwrap();
    let close = message(MessageKind::CloseConnection, &[]);
    for id in [1, 3] {
        caller.send_all(&call(0)).unwrap();
        let called = requests.recv().unwrap();
        assert_eq!(id_of(&next(&called)), id);
        called.send_all(&reply(id)).unwrap();
        assert_eq!(next(&caller), reply(0));
        // It was idle. The connection goes on.
        called.send_all(&close).unwrap();
        called.shutdown(Shutdown::Both).unwrap();
        assert!(next(&called).is_empty());
    }
    client.send_all(&call(2)).unwrap();
    assert_eq!(next(&server), call(2));
    assert!(!caller.is_readable());
}

#[test]
fn a_server_that_leaves_requests_ends_the_connection() {
    let Pair { client, requests, accepted, server } = pair();
    let caller = half::client(&accepted).unwrap();
    caller.send_all(&call(0)).unwrap();
    let called = requests.recv().unwrap();
    let close = message(MessageKind::CloseConnection, &[]);
    called.send_all(&close).unwrap();
    called.shutdown(Shutdown::Both).unwrap();
    // Its client knows that the request has not been processed.
    assert_eq!(next(&caller), close);
    assert!(next(&caller).is_empty() && next(&client).is_empty());
    assert_eq!(next(&server), close);
}

#[test]
fn the_end_of_the_connection_ends_all_of_its_streams() {
    for from in 0..3 {
        let Pair { client, requests, accepted, server } = pair();
        let caller = half::client(&accepted).unwrap();
        let (hung_up, hangups) = channel();
        for stream in [&client, &caller] {
            let hung_up = hung_up.clone();
            assert!(stream.notify_of_hangup(Box::new(move || hung_up.send(()).unwrap())));
        }
        caller.send_all(&call(0)).unwrap();
        let called = requests.recv().unwrap();
        next(&called);
        let remaining = match from {
            0 => {
                drop(client);
                [called, caller, server]
            }
            1 => {
                server.shutdown(Shutdown::Both).unwrap();
                [client, called, caller]
            }
            _ => {
                // Neither side can read what follows.
                accepted.stream.send_all(b"this is not GIOP").unwrap();
                [called, caller, server]
            }
        };
        for stream in remaining {
            assert!(next(&stream).is_empty(), "{from}");
            assert!(stream.is_readable());
        }
        hangups.recv().unwrap();
        hangups.recv().unwrap();
        assert!(half::client(&accepted).is_none());
    }
}

#[test]
fn the_opening_side_serves_requests_since_giop_1_2_only() {
    let Pair { client, accepted, server: _server, .. } = pair();
    let mut old = call(0);
    old[5] = 1;
    accepted.stream.send_all(&old).unwrap();
    assert!(next(&client).is_empty());
    let Pair { client: _client, requests: _requests, accepted, server } = pair();
    let caller = half::client(&accepted).unwrap();
    assert!(caller.send_all(&old).is_err(), "nothing is sent");
    caller.send_all(&call(0)).unwrap();
    assert!(!server.is_readable());
}

#[test]
fn without_a_server_there_are_no_requests_to_the_opening_side() {
    let (left, right) = inproc::pair(1 << 16);
    let client = half::opened(left, |_| false).unwrap();
    let (accepted, _server) = half::accepted(right).unwrap();
    let caller = half::client(&accepted).unwrap();
    // The connection may end before all of it has been sent.
    let _ = caller.send_all(&call(0));
    assert!(next(&caller).is_empty() && next(&client).is_empty());
}

#[test]
fn a_message_that_is_sent_in_parts_is_not_interrupted() {
    let (left, right) = inproc::pair(64);
    let (sender, requests): (Sender<Arc<dyn Stream>>, _) = channel();
    let client = half::opened(left, move |stream| sender.send(stream).is_ok());
    let client = client.unwrap();
    right.send_all(&call(1)).unwrap();
    let called = requests.recv().unwrap();
    // The reply is longer than what the stream takes.
    let long = message(MessageKind::Reply, &[&1_u32.to_ne_bytes()[..], &[7; 200]].concat());
    let sent = called.try_send(&long).unwrap();
    assert_eq!(sent, 64);
    assert_eq!(client.try_send(&call(2)).unwrap(), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| client.send_all(&call(2)).unwrap());
        scope.spawn(|| called.send_all(&long[sent..]).unwrap());
        assert_eq!(next(&right), long);
        assert_eq!(next(&right), call(2));
    });
}

#[test]
fn a_receiver_that_takes_nothing_ends_the_connection_if_others_wait() {
    let (left, right) = inproc::pair(1 << 16);
    let connection = Connection::start(right, None, Duration::from_millis(1)).unwrap();
    let server = half::Half::stream(Arc::clone(&connection), role::Role::Server(0));
    let large = message(MessageKind::Request, &vec![0; PIPE]);
    left.send_all(&large).unwrap();
    left.send_all(&call(2)).unwrap();
    // Nobody waits for what is behind: the server may take its time.
    let caller = half::client(&connection).unwrap();
    assert_eq!(next(&server), large);
    assert_eq!(next(&server), call(2));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| next(&caller));
        // Fails when the connection has ended.
        while left.send_all(&large).is_ok() {}
        assert!(waiting.join().unwrap().is_empty());
    });
}

/// The context of an ORB that listens there.
fn context(points: &[(&str, u16)]) -> Vec<u8> {
    let points = points.iter().map(|(host, port)| ((*host).to_owned(), *port)).collect();
    ListenPoints(points).encode(ByteOrder::NATIVE).unwrap()
}

#[test]
fn an_orb_that_does_not_accept_leaves_its_connections_as_they_are() {
    let orb = Bidirection::default();
    let (_left, right) = inproc::pair(64);
    assert!(Arc::ptr_eq(&orb.accepted(Arc::clone(&right)), &right));
    orb.accept(true);
    assert!(!Arc::ptr_eq(&orb.accepted(Arc::clone(&right)), &right));
    orb.accept(false);
    assert!(Arc::ptr_eq(&orb.accepted(Arc::clone(&right)), &right));
    orb.accept_for_adapter();
    assert!(!Arc::ptr_eq(&orb.accepted(Arc::clone(&right)), &right));
}

/// A stream whose peer has this address.
#[derive(Debug)]
struct From(Arc<dyn Stream>, &'static str);

impl Stream for From {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.recv(buffer)
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.send_all(bytes)
    }

    fn send_vectored_all(&self, parts: &mut [io::IoSlice<'_>]) -> io::Result<()> {
        self.0.send_vectored_all(parts)
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_send(bytes)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.0.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.0.set_send_timeout(timeout)
    }

    fn is_readable(&self) -> bool {
        self.0.is_readable()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.0.shutdown(how)
    }

    fn peer(&self) -> &str {
        self.1
    }

    fn local(&self) -> &str {
        "192.0.2.1:2809"
    }
}

/// A client that has offered these listen points, and the stream of the server.
fn offered(orb: &Bidirection, from: &'static str, points: &[(&str, u16)]) -> [Arc<dyn Stream>; 2] {
    let (client, stream) = inproc::pair(1 << 16);
    let server = orb.accepted(Arc::new(From(stream, from)));
    let data = context(points);
    let offer = ServiceContext::new(ServiceId::BI_DIR_IIOP, &data[..]);
    let offering = request(0, &[offer], ResponseFlags::SyncWithTarget);
    client.send_all(&offering).unwrap();
    assert_eq!(next(&server), offering);
    [client, server]
}

fn accepting() -> (Bidirection, impl Fn(&Bidirection, &str) -> Option<Arc<dyn Stream>>) {
    let orb = Bidirection::default();
    orb.accept(true);
    let at =
        |orb: &Bidirection, address: &str| orb.client_at(&Endpoint::new("iiop", address).unwrap());
    (orb, at)
}

#[test]
fn clients_are_called_where_they_listen() {
    let (orb, at) = accepting();
    assert!(at(&orb, "192.0.2.7:9").is_none());
    let [client, server] = offered(&orb, "192.0.2.7:40122", &[("192.0.2.7", 9), ("192.0.2.7", 10)]);
    for address in ["192.0.2.7:9", "192.0.2.7:10"] {
        let caller = at(&orb, address).unwrap();
        caller.send_all(&call(0)).unwrap();
        assert_eq!(next(&client)[16..], call(0)[16..]);
    }
    for other in ["192.0.2.7:11", "192.0.2.8:9", "localhost:9"] {
        assert!(at(&orb, other).is_none(), "{other}");
    }
    drop(server);
    assert!(at(&orb, "192.0.2.7:9").is_none());
}

#[test]
fn a_client_does_not_get_the_calls_for_others() {
    let (orb, at) = accepting();
    let [first, _server] = offered(&orb, "192.0.2.7:40122", &[("192.0.2.7", 9)]);
    let points =
        [("192.0.2.7", 9), ("192.0.2.9", 9), ("naming.example", 2809), ("127.0.0.1", 2809)];
    let [_other, _others_server] = offered(&orb, "192.0.2.66:40122", &points);
    // At the same address, as behind address translation: the first one has it.
    let [_later, _laters_server] = offered(&orb, "192.0.2.7:40123", &[("192.0.2.7", 9)]);
    let caller = at(&orb, "192.0.2.7:9").unwrap();
    caller.send_all(&call(0)).unwrap();
    assert_eq!(id_of(&next(&first)), 1);
    for address in ["192.0.2.9:9", "naming.example:2809", "127.0.0.1:2809"] {
        assert!(at(&orb, address).is_none(), "{address}");
    }
}

#[test]
fn malformed_listen_points_claim_nothing() {
    let (orb, at) = accepting();
    let whole = context(&[("192.0.2.7", 9)]);
    for length in 0..whole.len() {
        let (client, stream) = inproc::pair(1 << 16);
        let server = orb.accepted(Arc::new(From(stream, "192.0.2.7:40122")));
        let offer = ServiceContext::new(ServiceId::BI_DIR_IIOP, &whole[..length]);
        client.send_all(&request(0, &[offer], ResponseFlags::NoResponse)).unwrap();
        assert!(!next(&server).is_empty());
        assert!(at(&orb, "192.0.2.7:9").is_none(), "{length}");
    }
}

#[test]
fn a_client_offers_where_it_listens() {
    let orb = Arc::new(Bidirection::default());
    assert_eq!((orb.generation(), orb.context()), (0, None));
    let served: Arc<ServeStream> = Arc::new(|_| ());
    let endpoints = ["127.0.0.1:9", "[::1]:10"].map(|it| Endpoint::new("iiop", it).unwrap());
    orb.listen(&endpoints, Arc::downgrade(&served));
    assert_eq!(orb.generation(), 1);
    let points = context(&[("127.0.0.1", 9), ("::1", 10)]);
    assert_eq!(orb.context().as_deref(), Some(&points[..]));
}
