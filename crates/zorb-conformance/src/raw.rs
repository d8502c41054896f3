//! Peers that are not ORBs, or that violate the protocol.

use std::net::Shutdown;
use std::sync::Arc;

use zorb::cdr::{ByteOrder, TextCoding};
use zorb::giop::{
    GiopVersion, Inbound, Limits, MessageFormat, MessageHeader, MessageKind, ReplyStatus,
    RequestStart, ResponseFlags, TargetAddress,
};
use zorb::transport::{ConnectOptions, Protocol, Stream};

use crate::subject::{Server, Subject};

const ORDER: ByteOrder = ByteOrder::NATIVE;
const ID: u32 = 42;

/// A connection of such a peer.
pub(crate) struct Raw {
    protocol: Arc<dyn Protocol>,
    pub(crate) stream: Arc<dyn Stream>,
    form: MessageFormat<'static>,
}

impl Raw {
    pub(crate) fn to(server: &Server) -> Self {
        let ior = &server.way.ior;
        let profile = ior.profiles.first().expect("a profile");
        let found = server.orb.protocols().resolve(ior, profile).expect("its protocol");
        let (protocol, resolved) = found.expect("a good profile");
        let endpoint = resolved.endpoints.first().expect("an endpoint");
        let stream = protocol.transport().connect(endpoint, &ConnectOptions::default());
        let form = MessageFormat::new(protocol.messaging(), GiopVersion::V1_2);
        Self { stream: stream.expect("a connection"), protocol, form }
    }

    /// A request to add 40 and 2.
    pub(crate) fn request(&self, server: &Server) -> Vec<u8> {
        let key = self.key(server);
        let start = RequestStart {
            request_id: ID,
            response: ResponseFlags::SyncWithTarget,
            target: TargetAddress::Key(&key),
            operation: "add",
            service_contexts: &[],
        };
        self.message(&start, 40, &2_i32.to_ne_bytes())
    }

    /// The key of the server's object.
    pub(crate) fn key(&self, server: &Server) -> Vec<u8> {
        let profile = server.way.ior.profiles.first().expect("a profile");
        self.protocol.decode_profile(profile).expect("a profile").object_key
    }

    /// A request whose arguments are a number and what follows it.
    pub(crate) fn message(&self, start: &RequestStart<'_>, number: u32, rest: &[u8]) -> Vec<u8> {
        let mut octets = Vec::new();
        let mut message = self.form.request(&mut octets, ORDER, start).expect("a request");
        let mut body = message.body(TextCoding::default());
        body.write_u32(number);
        body.put(rest);
        message.finish().expect("a request");
        octets
    }

    /// The server's reply to it.
    pub(crate) fn answer(&self) -> i32 {
        let mut inbound = self.inbound();
        let header = self.next_reply(&mut inbound);
        let (reply, mut body) = self.form.read_reply(inbound.current(), &header).expect("a reply");
        assert_eq!((reply.request_id, reply.status), (ID, ReplyStatus::NoException));
        body.read_i32().expect("a result")
    }

    /// What receives replies.
    pub(crate) fn inbound(&self) -> Inbound {
        Inbound::new(Limits::default()).with_messaging(self.protocol.messaging())
    }

    /// The header of the server's next reply, which is then the current message.
    pub(crate) fn next_reply(&self, inbound: &mut Inbound) -> MessageHeader {
        let header = loop {
            if let Some(header) = inbound.poll().expect("a message") {
                break header;
            }
            let count = self.stream.recv(inbound.space()).expect("a reply");
            assert_ne!(count, 0, "the connection ended");
            inbound.advance(count);
        };
        assert_eq!(header.kind, MessageKind::Reply);
        header
    }

    /// Sends the last octets, and waits until the server has ended the connection.
    fn ends_after(&self, octets: &[u8]) {
        // The server may end it before it has read everything.
        let _ = self.stream.send_all(octets);
        let _ = self.stream.shutdown(Shutdown::Write);
        let mut buffer = [0; 1024];
        while self.stream.recv(&mut buffer).is_ok_and(|count| count > 0) {}
    }
}

/// Messages begin and end anywhere in the received octets.
pub fn a_request_may_arrive_octet_by_octet(on: &Subject, _: &'static str) {
    let server = on.server();
    let raw = Raw::to(&server);
    let request = raw.request(&server);
    for octet in &request {
        raw.stream.send_all(&[*octet]).unwrap();
    }
    assert_eq!(raw.answer(), 42);
    // Several messages at once.
    raw.stream.send_all(&request.repeat(3)).unwrap();
    assert_eq!(raw.answer(), 42);
}

/// GIOP joins fragments; other messaging protocols reject them.
pub fn fragments_are_joined_or_rejected(on: &Subject, _: &'static str) {
    let server = on.server();
    let raw = Raw::to(&server);
    let request = raw.request(&server);
    let Some(messaging) = raw.protocol.messaging() else {
        let pieces: Vec<_> = zorb::giop::fragments(&request, 24).collect();
        assert!(pieces.len() > 1);
        for piece in pieces {
            raw.stream.send_all(piece.header()).unwrap();
            raw.stream.send_all(piece.payload).unwrap();
        }
        assert_eq!(raw.answer(), 42);
        return;
    };
    // Other messaging protocols have no fragments, and reject them.
    let mut header = vec![0; usize::from(messaging.header_size())];
    let frame = zorb::giop::Frame { kind: MessageKind::Fragment, order: ORDER, size: 0 };
    messaging.write_header(frame, &mut header);
    raw.ends_after(&header);
    assert_eq!(server.seen_by(&on.client()).add(1, 2).unwrap(), 3);
}

/// Invalid messages end their connection only.
pub fn garbage_ends_only_its_own_connection(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    assert_eq!(there.add(1, 2).unwrap(), 3);
    let request = Raw::to(&server).request(&server);
    let half = request.get(..request.len() / 2).expect("a half");
    let mut twisted = request.clone();
    for octet in twisted.iter_mut().skip(20) {
        *octet ^= 0xa5;
    }
    let all: [&[u8]; 8] = [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GIOP\x09\x09\x09\x09\xff\xff\xff\xff",
        &[0; 64],
        &[0xff; 64],
        &[7],
        &[],
        half,
        &twisted,
    ];
    for garbage in all {
        Raw::to(&server).ends_after(garbage);
        assert_eq!(there.add(3, 4).unwrap(), 7, "after {garbage:02x?}");
    }
}

/// A message that exceeds `MaxMessageSize` ends its connection.
pub fn a_message_beyond_the_limit_ends_its_connection(on: &Subject, _: &'static str) {
    let server = on.server_of(on.builder().option("MaxMessageSize", "65536"));
    let client = on.client();
    let there = server.seen_by(&client);
    let fits = vec![1; 60_000];
    assert_eq!(there.mirror(&fits).unwrap(), fits);
    there.mirror(&vec![1; 70_000]).unwrap_err();
    assert_eq!(there.add(1, 2).unwrap(), 3);
}
