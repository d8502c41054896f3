//! A bridge between a client and a server that exchange raw octets.
#![allow(dead_code, unreachable_pub, missing_debug_implementations, clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use zorb_bridge::{Bridge, Settings};
use zorb_cdr::{ByteOrder, CdrReader, TextCoding};
use zorb_giop::{
    GiopVersion, Ior, MessageHeader, MessageWriter, ReplyStatus, RequestStart, ResponseFlags,
    ServiceContext, ServiceId, TargetAddress,
};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{
    Acceptor, ConnectOptions, Endpoint, ListenOptions, Protocol, ProtocolRegistry, Stream,
    StreamOptions, Transport,
};
use zorb_types::SystemException;

pub const KEY: &[u8] = b"the target";
pub const VERSIONS: [GiopVersion; 3] = [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2];
pub const ORDERS: [ByteOrder; 2] = [ByteOrder::Little, ByteOrder::Big];

/// A bridge at `inproc://bridge` to `inproc://server`.
pub struct TestBridge {
    pub transport: InprocTransport,
    pub registry: Arc<ProtocolRegistry>,
    pub bridge: Bridge,
    acceptor: Option<Arc<dyn Acceptor>>,
}

impl TestBridge {
    pub fn new(settings: Settings) -> Self {
        let mut bridge = Self::without_server(settings);
        bridge.serve();
        bridge
    }

    pub fn without_server(settings: Settings) -> Self {
        let transport = InprocTransport::new();
        let protocol = InprocProtocol::new(transport.clone());
        let target = Ior {
            type_id: "IDL:Target:1.0".to_owned(),
            profiles: vec![profile(&protocol, "server", KEY)],
        };
        let registry = Arc::new(ProtocolRegistry::new());
        registry.register(Arc::new(protocol)).unwrap();
        let bridge = Bridge::open(&registry, &target, &["inproc://bridge"], settings).unwrap();
        Self { transport, registry, bridge, acceptor: None }
    }

    pub fn serve(&mut self) {
        let options = ListenOptions::default();
        self.acceptor = Some(self.transport.listen("inproc://server", &options).unwrap());
    }

    pub fn protocol(&self) -> Arc<dyn Protocol> {
        self.registry.by_scheme("inproc").unwrap()
    }

    /// The client's stream of a new connection to the bridge.
    pub fn client(&self) -> Peer {
        let endpoint = Endpoint::new("inproc", "bridge").unwrap();
        let stream = StreamOptions { send_buffer: Some(4096), ..StreamOptions::default() };
        let options = ConnectOptions::with_stream(stream);
        Peer(self.transport.connect(&endpoint, &options).unwrap())
    }

    /// The server's stream of the next connection from the bridge.
    pub fn server(&self) -> Peer {
        Peer(self.acceptor.as_ref().unwrap().accept().unwrap())
    }

    /// A client and the server, after the first request of the client has arrived.
    pub fn met(&self) -> (Peer, Peer) {
        let client = self.client();
        let request = request(GiopVersion::V1_2, ByteOrder::Little, 1, KEY, b"first");
        client.send(&request);
        let server = self.server();
        assert_eq!(server.message(), request);
        (client, server)
    }
}

pub fn profile(protocol: &dyn Protocol, name: &str, key: &[u8]) -> zorb_giop::TaggedProfile {
    let endpoint = Endpoint::new("inproc", name).unwrap();
    protocol.encode_profile(&[endpoint], GiopVersion::V1_2, key, &[]).unwrap()
}

/// A stream of one peer.
pub struct Peer(pub Arc<dyn Stream>);

impl Peer {
    pub fn send(&self, octets: &[u8]) {
        self.0.send_all(octets).unwrap();
    }

    /// Receives exactly this many octets.
    pub fn octets(&self, count: usize) -> Vec<u8> {
        self.0.set_recv_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut octets = vec![0; count];
        let mut at = 0;
        while at < count {
            match self.0.recv(&mut octets[at..]).unwrap() {
                0 => panic!("the stream ended after {at} of {count} octets"),
                received => at += received,
            }
        }
        octets
    }

    /// Receives the next message.
    pub fn message(&self) -> Vec<u8> {
        let mut octets = self.octets(12);
        let header = MessageHeader::parse_prefix(&octets).unwrap().unwrap();
        octets.extend(self.octets(header.size as usize));
        octets
    }

    /// Asserts that the stream has ended.
    pub fn end(&self) {
        self.0.set_recv_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut octets = [0; 64];
        match self.0.recv(&mut octets) {
            Ok(count) => assert_eq!(count, 0, "{:?}", &octets[..count]),
            Err(error) => assert_ne!(error.kind(), std::io::ErrorKind::TimedOut),
        }
    }
}

pub fn header_of(message: &[u8]) -> MessageHeader {
    MessageHeader::parse_prefix(message).unwrap().unwrap()
}

pub fn request(
    version: GiopVersion,
    order: ByteOrder,
    request_id: u32,
    key: &[u8],
    body: &[u8],
) -> Vec<u8> {
    request_with(version, order, request_id, (ResponseFlags::SyncWithTarget, key), body)
}

pub fn request_with(
    version: GiopVersion,
    order: ByteOrder,
    request_id: u32,
    (response, key): (ResponseFlags, &[u8]),
    body: &[u8],
) -> Vec<u8> {
    let contexts = [ServiceContext::new(ServiceId(0x5a), &[1, 2, 3][..])];
    let start = RequestStart {
        request_id,
        response,
        target: TargetAddress::Key(key),
        operation: "note",
        service_contexts: &contexts,
    };
    let mut octets = Vec::new();
    let mut message = MessageWriter::request(&mut octets, version, order, &start).unwrap();
    message.body(TextCoding::default()).put(body);
    message.finish().unwrap();
    octets
}

pub fn locate_request(order: ByteOrder, request_id: u32, target: &TargetAddress<'_>) -> Vec<u8> {
    let mut octets = Vec::new();
    let version = GiopVersion::V1_2;
    MessageWriter::locate_request(&mut octets, version, order, request_id, target)
        .and_then(MessageWriter::finish)
        .unwrap();
    octets
}

pub fn reply(
    version: GiopVersion,
    order: ByteOrder,
    (request_id, status): (u32, ReplyStatus),
    body: impl FnOnce(&mut zorb_cdr::CdrWriter<'_>),
) -> Vec<u8> {
    let contexts = [ServiceContext::new(ServiceId(0x5a), &[4, 5][..])];
    let mut octets = Vec::new();
    let mut message =
        MessageWriter::reply(&mut octets, version, order, request_id, status, &contexts).unwrap();
    body(&mut message.body(TextCoding::default()));
    message.finish().unwrap();
    octets
}

/// The system exception in a reply.
pub fn exception_in(message: &[u8], request_id: u32) -> SystemException {
    let header = header_of(message);
    let (reply, mut body) = zorb_giop::ReplyHeader::read(message, &header).unwrap();
    assert_eq!((reply.request_id, reply.status), (request_id, ReplyStatus::SystemException));
    SystemException::read(&mut body).unwrap()
}

/// The reader of a reply's body.
pub fn body_of(message: &[u8], expected: (u32, ReplyStatus)) -> CdrReader<'_> {
    let header = header_of(message);
    let (reply, body) = zorb_giop::ReplyHeader::read(message, &header).unwrap();
    assert_eq!((reply.request_id, reply.status), expected);
    body
}
