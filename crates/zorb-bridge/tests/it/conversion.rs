//! Bridges between GIOP and GIOPlite.
#![allow(clippy::panic)]

use std::sync::Arc;

use crate::support::{Peer, exception_in, header_of, profile};
use zorb_bridge::{Bridge, Settings};
use zorb_cdr::{ByteOrder, TextCoding, Wire};
use zorb_giop::{
    GiopLite, GiopVersion, Inbound, Ior, Limits, LocateStatus, MessageFormat, MessageHeader,
    MessageKind, MessageWriter, ProfileTag, ReplyStatus, RequestStart, ResponseFlags,
    TargetAddress,
};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{
    Acceptor, Composed, ConnectOptions, Endpoint, ListenOptions, Protocol, ProtocolRegistry,
    Transport,
};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

const KEY: &[u8] = b"the target";
const LITE: MessageFormat<'_> = MessageFormat::Other(&GiopLite);
const NATIVE: ByteOrder = ByteOrder::NATIVE;

/// A bridge between the two protocols, in either direction.
struct TestBridge {
    transport: InprocTransport,
    registry: Arc<ProtocolRegistry>,
    bridge: Bridge,
    acceptor: Arc<dyn Acceptor>,
}

impl TestBridge {
    fn new(client: &str, server: &str) -> Self {
        let transport = InprocTransport::new();
        let giop = || InprocProtocol::new(transport.clone());
        let registry = Arc::new(ProtocolRegistry::new());
        registry.register(Arc::new(giop())).unwrap();
        let lite = Composed::new(&GiopLite, giop(), ProfileTag(0x1234));
        registry.register(Arc::new(lite)).unwrap();
        let protocol = registry.by_scheme(server).unwrap();
        let target =
            Ior { type_id: String::new(), profiles: vec![at(&*protocol, server, "server")] };
        let url = format!("{client}://bridge");
        let bridge = Bridge::open(&registry, &target, &[url], Settings::default()).unwrap();
        let acceptor = transport.listen("inproc://server", &ListenOptions::default()).unwrap();
        Self { transport, registry, bridge, acceptor }
    }

    fn client(&self) -> Peer {
        let endpoint = Endpoint::new("inproc", "bridge").unwrap();
        Peer(self.transport.connect(&endpoint, &ConnectOptions::default()).unwrap())
    }

    fn server(&self) -> Peer {
        Peer(self.acceptor.accept().unwrap())
    }
}

fn at(protocol: &dyn Protocol, scheme: &str, name: &str) -> zorb_giop::TaggedProfile {
    let endpoint = Endpoint::new(scheme, name).unwrap();
    protocol.encode_profile(&[endpoint], GiopVersion::V1_2, KEY, &[]).unwrap()
}

/// The next message of GIOPlite.
fn lite_message(peer: &Peer) -> (MessageHeader, Vec<u8>) {
    let mut inbound = Inbound::new(Limits::default()).with_messaging(Some(&GiopLite));
    loop {
        if let Some(header) = inbound.poll().unwrap() {
            return (header, inbound.current().to_vec());
        }
        let octet = peer.octets(1);
        inbound.space()[0] = octet[0];
        inbound.advance(1);
    }
}

fn start(operation: &str) -> RequestStart<'_> {
    RequestStart {
        request_id: 9,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(KEY),
        operation,
        service_contexts: &[],
    }
}

fn request(form: MessageFormat<'_>, order: ByteOrder, operation: &str, body: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut message = form.request(&mut octets, order, &start(operation)).unwrap();
    message.body(TextCoding::default()).put(body);
    message.finish().unwrap();
    octets
}

fn reply(form: MessageFormat<'_>, order: ByteOrder, body: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut message = form.reply(&mut octets, order, 9, ReplyStatus::UserException, &[]).unwrap();
    message.body(TextCoding::default()).put(body);
    message.finish().unwrap();
    octets
}

/// Operation names of all lengths, for alignment.
const OPERATIONS: [&str; 8] = ["a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"];

#[test]
fn calls_from_giop_arrive_in_gioplite_with_the_same_alignment() {
    let world = TestBridge::new("inproc", "lite+inproc");
    for version in crate::support::VERSIONS {
        let (client, form) = (world.client(), MessageFormat::Giop(version));
        client.0.send_all(&request(form, NATIVE, "first", b"")).unwrap();
        let server = world.server();
        lite_message(&server);
        for operation in OPERATIONS {
            for body in [&b""[..], b"1", b"arguments of any length"] {
                let asked = request(form, NATIVE, operation, body);
                client.send(&asked);
                let (header, message) = lite_message(&server);
                let (request, arguments) = LITE.read_request(&message, &header).unwrap();
                assert_eq!((request.request_id, &*request.operation), (9, operation));
                assert_eq!(request.response, ResponseFlags::SyncWithTarget);
                assert_eq!(request.target, TargetAddress::Key(KEY));
                assert_eq!(arguments.rest(), body);
                if !body.is_empty() {
                    let (_, before) = form.read_request(&asked, &header_of(&asked)).unwrap();
                    assert_eq!(arguments.offset() % 8, before.offset() % 8);
                }
                server.send(&reply(LITE, NATIVE, body));
                let answer = client.message();
                assert_eq!(header_of(&answer).version, version);
                let results = crate::support::body_of(&answer, (9, ReplyStatus::UserException));
                assert_eq!(results.rest(), body);
                assert!(body.is_empty() || results.offset().is_multiple_of(8));
            }
        }
    }
}

#[test]
fn calls_from_gioplite_arrive_in_giop_with_the_same_alignment() {
    let world = TestBridge::new("lite+inproc", "inproc");
    let client = world.client();
    client.send(&request(LITE, NATIVE, "first", b""));
    let server = world.server();
    server.message();
    for operation in OPERATIONS {
        for body in [&b""[..], b"1", b"arguments of any length"] {
            let asked = request(LITE, NATIVE, operation, body);
            client.send(&asked);
            let message = server.message();
            let header = header_of(&message);
            assert_eq!((header.version, header.order), (GiopVersion::V1_1, NATIVE));
            let form = MessageFormat::Giop(header.version);
            let (request, arguments) = form.read_request(&message, &header).unwrap();
            assert_eq!((request.request_id, &*request.operation), (9, operation));
            assert_eq!(arguments.rest(), body);
            if !body.is_empty() {
                let before = asked.len() - body.len();
                assert_eq!(arguments.offset() % 8, before % 8, "{operation}");
            }
            server.send(&reply(form, NATIVE, body));
            let (header, answer) = lite_message(&client);
            let (reply, results) = LITE.read_reply(&answer, &header).unwrap();
            assert_eq!((reply.request_id, reply.status), (9, ReplyStatus::UserException));
            assert_eq!(results.rest(), body);
        }
    }
    let statistics = world.bridge.statistics();
    assert_eq!((statistics.requests, statistics.replies, statistics.refused), (25, 24, 0));
}

#[test]
fn messages_that_would_need_decoding_are_rejected() {
    let other = match NATIVE {
        ByteOrder::Little => ByteOrder::Big,
        ByteOrder::Big => ByteOrder::Little,
    };
    let world = TestBridge::new("inproc", "lite+inproc");
    let form = MessageFormat::Giop(GiopVersion::V1_2);
    let client = world.client();
    client.send(&request(form, other, "note", b"x"));
    let exception = exception_in(&client.message(), 9);
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement);
    client.send(&request(form, NATIVE, "note", b"x"));
    let server = world.server();
    lite_message(&server);

    let world = TestBridge::new("lite+inproc", "inproc");
    let client = world.client();
    client.send(&request(LITE, NATIVE, "note", b"x"));
    let server = world.server();
    server.message();
    server.send(&reply(MessageFormat::Giop(GiopVersion::V1_1), other, b"results"));
    let (header, answer) = lite_message(&client);
    let (reply, mut body) = LITE.read_reply(&answer, &header).unwrap();
    assert_eq!(reply.status, ReplyStatus::SystemException);
    let exception = zorb_types::SystemException::read(&mut body).unwrap();
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement);
}

#[test]
fn objects_are_located_and_forwards_refer_to_the_bridge() {
    let world = TestBridge::new("inproc", "lite+inproc");
    let client = world.client();
    let target = TargetAddress::Key(KEY);
    client.send(&crate::support::locate_request(NATIVE, 4, &target));
    let server = world.server();
    let (header, message) = lite_message(&server);
    let asked = LITE.read_locate_request(&message, &header).unwrap();
    assert_eq!((asked.request_id, asked.target), (4, target));
    let protocol = world.registry.by_scheme("lite+inproc").unwrap();
    let place = Ior {
        type_id: "IDL:Other:1.0".to_owned(),
        profiles: vec![at(&*protocol, "lite+inproc", "server")],
    };
    let mut octets = Vec::new();
    let status = LocateStatus::ObjectForward;
    let mut message = LITE.locate_reply(&mut octets, NATIVE, 4, status).unwrap();
    Ior::write(&place, &mut message.body(TextCoding::default())).unwrap();
    message.finish().unwrap();
    server.send(&octets);
    let answer = client.message();
    let form = MessageFormat::Giop(GiopVersion::V1_2);
    let (located, mut body) = form.read_locate_reply(&answer, &header_of(&answer)).unwrap();
    assert_eq!((located.request_id, located.status), (4, status));
    let plain = world.registry.by_scheme("inproc").unwrap();
    let bridged = Ior::read(&mut body).unwrap();
    let resolved = plain.decode_profile(&bridged.profiles[0]).unwrap();
    let expected = plain.decode_profile(&profile(&*plain, "bridge", KEY)).unwrap();
    assert_eq!((resolved.endpoints, resolved.object_key), (expected.endpoints, KEY.to_vec()));

    LITE.locate_reply(&mut octets, NATIVE, 5, LocateStatus::ObjectHere)
        .and_then(MessageWriter::finish)
        .unwrap();
    server.send(&octets);
    let answer = client.message();
    let (located, _) = form.read_locate_reply(&answer, &header_of(&answer)).unwrap();
    assert_eq!((located.request_id, located.status), (5, LocateStatus::ObjectHere));
}

#[test]
fn cancel_and_close_messages_are_forwarded() {
    let world = TestBridge::new("inproc", "lite+inproc");
    let (client, form) = (world.client(), MessageFormat::Giop(GiopVersion::V1_2));
    client.send(&request(form, NATIVE, "note", b"x"));
    let server = world.server();
    lite_message(&server);
    let mut octets = Vec::new();
    form.cancel_request(&mut octets, NATIVE, 9);
    client.send(&octets);
    let (header, message) = lite_message(&server);
    assert_eq!(LITE.read_cancel_request(&message, &header).unwrap().request_id, 9);
    LITE.close_connection(&mut octets, NATIVE);
    server.send(&octets);
    assert_eq!(header_of(&client.message()).kind, MessageKind::CloseConnection);
    client.end();
}

#[test]
fn gioplite_converts_to_giop_likewise() {
    let world = TestBridge::new("lite+inproc", "inproc");
    let client = world.client();
    let target = TargetAddress::Key(KEY);
    let mut octets = Vec::new();
    LITE.locate_request(&mut octets, NATIVE, 4, &target).and_then(MessageWriter::finish).unwrap();
    client.send(&octets);
    let server = world.server();
    let message = server.message();
    let header = header_of(&message);
    let form = MessageFormat::Giop(header.version);
    let asked = form.read_locate_request(&message, &header).unwrap();
    assert_eq!((asked.request_id, asked.target), (4, target));
    for status in [LocateStatus::ObjectHere, LocateStatus::UnknownObject] {
        let located = form.locate_reply(&mut octets, NATIVE, 4, status);
        located.and_then(MessageWriter::finish).unwrap();
        server.send(&octets);
        let (header, answer) = lite_message(&client);
        let (located, _) = LITE.read_locate_reply(&answer, &header).unwrap();
        assert_eq!((located.request_id, located.status), (4, status));
    }
    // A failure is not reported as an unknown object.
    let transient =
        SystemException::transient(minor::transient::CONNECT_FAILED, CompletionStatus::No);
    let gone = SystemException::object_not_exist(
        minor::object_not_exist::UNKNOWN_KEY,
        CompletionStatus::No,
    );
    for (exception, expected) in
        [(transient, LocateStatus::ObjectHere), (gone, LocateStatus::UnknownObject)]
    {
        let newest = MessageFormat::Giop(GiopVersion::V1_2);
        let status = LocateStatus::LocSystemException;
        let mut told = newest.locate_reply(&mut octets, NATIVE, 4, status).unwrap();
        exception.write(&mut told.body(TextCoding::default())).unwrap();
        told.finish().unwrap();
        server.send(&octets);
        let (header, answer) = lite_message(&client);
        let (located, _) = LITE.read_locate_reply(&answer, &header).unwrap();
        assert_eq!((located.request_id, located.status), (4, expected));
    }
    client.send(&request(LITE, NATIVE, "note", b"x"));
    server.message();
    LITE.cancel_request(&mut octets, NATIVE, 9);
    client.send(&octets);
    let message = server.message();
    let cancelled = form.read_cancel_request(&message, &header_of(&message)).unwrap();
    assert_eq!(cancelled.request_id, 9);
    // The closing message of each side, in the other's protocol.
    form.close_connection(&mut octets, NATIVE);
    server.send(&octets);
    assert_eq!(lite_message(&client).0.kind, MessageKind::CloseConnection);
    client.end();

    let client = world.client();
    client.send(&request(LITE, NATIVE, "note", b"x"));
    let server = world.server();
    server.message();
    form.message_error(&mut octets, NATIVE);
    server.send(&octets);
    assert_eq!(lite_message(&client).0.kind, MessageKind::MessageError);
    client.end();
}

#[test]
fn fragments_arrive_as_one_gioplite_message() {
    let world = TestBridge::new("inproc", "lite+inproc");
    let client = world.client();
    let form = MessageFormat::Giop(GiopVersion::V1_2);
    let body: Vec<u8> = (0..3000).map(|n| n as u8).collect();
    let whole = request(form, NATIVE, "note", &body);
    let mut parts = 0;
    for part in zorb_giop::fragments(&whole, 256) {
        client.send(&[part.header(), part.payload].concat());
        parts += 1;
    }
    assert!(parts > 10);
    let server = world.server();
    let (header, message) = lite_message(&server);
    let (request, arguments) = LITE.read_request(&message, &header).unwrap();
    assert_eq!((request.request_id, arguments.rest()), (9, &body[..]));
    // A fragmented reply from a GIOP server to a GIOPlite client.
    let world = TestBridge::new("lite+inproc", "inproc");
    let client = world.client();
    client.send(&self::request(LITE, NATIVE, "note", b"x"));
    let server = world.server();
    server.message();
    for part in zorb_giop::fragments(&reply(form, NATIVE, &body), 256) {
        server.send(&[part.header(), part.payload].concat());
    }
    let (header, answer) = lite_message(&client);
    let (reply, results) = LITE.read_reply(&answer, &header).unwrap();
    assert_eq!((reply.status, results.rest()), (ReplyStatus::UserException, &body[..]));
}
