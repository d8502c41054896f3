//! Which requests a server answers, and how its connections end.

use zorb_cdr::{ByteOrder, CdrReader};
use zorb_giop::{
    CancelledRequests, ClientMessage, ConnectionEnd, GiopVersion, Inbound, Limits, MAX_CANCELLED,
    MessageFormat, MessageHeader, MessageKind, MessageWriter, ProtocolErrorKind, ReplyStatus,
    RequestHeader, RequestStart, ResponseFlags, ServedRequest, ServerReceiver, ServerRequests,
    TargetAddress,
};

const ORDER: ByteOrder = ByteOrder::Big;
const V1_1: GiopVersion = GiopVersion::V1_1;
const V1_2: GiopVersion = GiopVersion::V1_2;

/// A server's side of a connection.
struct Server {
    receiver: ServerReceiver,
    requests: ServerRequests,
    cancelled: CancelledRequests,
}

impl Server {
    fn new() -> Self {
        let (receiver, requests) = (ServerReceiver::new(None), ServerRequests::new());
        Self { receiver, requests, cancelled: CancelledRequests::new() }
    }

    fn receive(&mut self, octets: &[u8]) -> ClientMessage {
        let mut inbound = Inbound::new(Limits::default());
        inbound.space()[..octets.len()].copy_from_slice(octets);
        inbound.advance(octets.len());
        let header = inbound.poll().expect("GIOP").expect("a message");
        self.receiver.receive(&inbound, &header)
    }

    fn begin(&mut self, request_id: u32, version: GiopVersion) -> ServedRequest {
        let (octets, header) = request(request_id, version);
        let mut request = RequestHeader::EMPTY;
        let mut reader = CdrReader::new(&octets, header.order);
        request.read_with(&mut reader, &header).unwrap();
        let form = MessageFormat::Giop(version);
        let (begun, text) = self.receiver.begin_request(&self.requests, &request, form);
        text.unwrap();
        assert_eq!(begun.request_id, request_id);
        begun
    }

    fn cancel(&mut self, id: u32) {
        let mut octets = Vec::new();
        MessageWriter::cancel_request(&mut octets, V1_2, ORDER, id);
        let ClientMessage::Cancel(cancellation) = self.receive(&octets) else {
            panic!("it is a cancel")
        };
        assert_eq!(cancellation.request_id, id);
        self.cancelled.cancel(cancellation);
    }

    fn end(&self, end: ConnectionEnd) -> bool {
        self.requests.end(end)
    }

    fn transmitted(&self) -> Option<MessageHeader> {
        let mut octets = Vec::new();
        let written = self.requests.poll_transmit(None, &mut octets);
        written.then(|| MessageHeader::parse_prefix(&octets).expect("GIOP").expect("a header"))
    }
}

fn request(request_id: u32, version: GiopVersion) -> (Vec<u8>, MessageHeader) {
    let mut octets = Vec::new();
    let start = RequestStart {
        request_id,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(b"key"),
        operation: "operation",
        service_contexts: &[],
    };
    let message = MessageWriter::request(&mut octets, version, ORDER, &start);
    message.and_then(|message| message.finish()).unwrap();
    let header = MessageHeader::parse_prefix(&octets).unwrap().unwrap();
    (octets, header)
}

#[test]
fn cancelled_requests_are_not_answered() {
    let mut server = Server::new();
    let one = server.begin(4, V1_2);
    server.cancel(4);
    server.cancel(6);
    // The client may use the id again at once, and waits for the second only.
    let other = server.begin(4, V1_2);
    assert!(server.cancelled.contains(one) && !server.cancelled.contains(other));
    server.cancel(4);
    assert!(server.cancelled.contains(one) && server.cancelled.contains(other));
    // They count as outstanding all the same.
    assert_eq!(server.requests.outstanding(), 2);
}

#[test]
fn cancels_are_remembered_within_bounds() {
    let mut server = Server::new();
    let ids = 0..=MAX_CANCELLED as u32;
    let requests: Vec<_> = ids.clone().map(|id| server.begin(id, V1_2)).collect();
    for id in ids {
        server.cancel(id);
        server.cancel(id);
    }
    let [oldest, others @ ..] = &requests[..] else { panic!("there are some") };
    assert!(!server.cancelled.contains(*oldest), "the oldest is forgotten");
    assert!(others.iter().all(|request| server.cancelled.contains(*request)));
}

#[test]
fn close_connection_follows_the_last_reply() {
    let mut server = Server::new();
    for id in [0, 2] {
        server.begin(id, V1_1);
    }
    server.requests.close();
    assert!(server.requests.is_closing() && !server.requests.has_ended());
    assert!(!server.end(ConnectionEnd::ClosedLocally));
    assert!(server.requests.has_ended());
    assert!(!server.requests.finish());
    assert_eq!(server.transmitted(), None);
    assert!(server.requests.finish() && server.requests.is_over());
    let header = server.transmitted().unwrap();
    assert_eq!((header.kind, header.version), (MessageKind::CloseConnection, V1_1));
    assert_eq!(server.transmitted(), None);
}

#[test]
fn a_request_that_is_put_aside_keeps_no_connection() {
    let mut server = Server::new();
    server.begin(0, V1_2);
    for lasts in [true, false] {
        server.requests.hold();
        assert_eq!(server.requests.finish(), !lasts);
        assert!(server.requests.is_busy());
        if lasts {
            server.requests.end_hold();
            assert!(!server.requests.is_busy());
            assert!(server.requests.resume());
            assert!(!server.end(ConnectionEnd::Lost));
        }
    }
    assert!(!server.requests.resume());
    assert_eq!((server.requests.outstanding(), server.transmitted()), (0, None));
}

#[test]
fn the_first_cause_of_an_end_counts() {
    let error = ProtocolErrorKind::UnknownMessageType(9).into();
    let mut server = Server::new();
    server.begin(0, V1_2);
    server.requests.refuse(error);
    assert!(server.requests.is_closing() && !server.requests.has_ended());
    let header = server.transmitted().unwrap();
    assert_eq!((header.kind, header.version), (MessageKind::MessageError, GiopVersion::HIGHEST));
    assert!(!server.end(ConnectionEnd::ClosedLocally) && server.requests.finish());
    assert_eq!(server.transmitted(), None);

    let server = Server::new();
    assert!(server.end(ConnectionEnd::Lost));
    assert!(!server.end(ConnectionEnd::ProtocolError(error)), "it is over once");
    assert_eq!(server.transmitted(), None);
}

#[test]
fn a_connection_that_is_abandoned_waits_for_no_request() {
    let mut server = Server::new();
    server.begin(0, V1_2);
    server.begin(2, V1_2);
    assert!(!server.end(ConnectionEnd::ClosedLocally));
    assert!(server.requests.abandon() && server.requests.is_over());
    assert!(!server.requests.abandon() && !server.requests.finish() && !server.requests.finish());
    assert!(!server.end(ConnectionEnd::Lost));
    assert_eq!(server.transmitted(), None, "the requests may have been processed");

    let mut server = Server::new();
    server.begin(0, V1_2);
    assert!(server.requests.abandon());
    assert!(!server.requests.resume() && !server.requests.finish());
    assert_eq!(server.transmitted(), None);
}

#[test]
fn messages_of_servers_end_the_connection() {
    let mut server = Server::new();
    let mut octets = Vec::new();
    let reply = MessageWriter::reply(&mut octets, V1_2, ORDER, 0, ReplyStatus::NoException, &[]);
    reply.and_then(|message| message.finish()).unwrap();
    let (expected, found) = (MessageKind::Request, MessageKind::Reply);
    let error = ProtocolErrorKind::WrongKind { expected, found }.into();
    assert_eq!(server.receive(&octets), ClientMessage::End(ConnectionEnd::ProtocolError(error)));

    let mut short = Vec::new();
    MessageWriter::cancel_request(&mut short, V1_2, ORDER, 0);
    short.truncate(12);
    short[8..].fill(0);
    let ClientMessage::End(end) = server.receive(&short) else { panic!("it has no id") };
    assert!(matches!(end, ConnectionEnd::ProtocolError(error) if error.answer_message_error));
    assert!(server.end(end));
    assert_eq!(server.transmitted().unwrap().kind, MessageKind::MessageError);

    type Write = fn(&mut Vec<u8>);
    let ends: [(Write, ConnectionEnd); 2] = [
        (|o| MessageWriter::close_connection(o, V1_2, ORDER), ConnectionEnd::CloseConnection),
        (|o| MessageWriter::message_error(o, ORDER), ConnectionEnd::MessageError),
    ];
    for (write, end) in ends {
        let mut octets = Vec::new();
        write(&mut octets);
        let mut server = Server::new();
        assert_eq!(server.receive(&octets), ClientMessage::End(end));
        assert!(server.end(end));
        assert_eq!(server.transmitted(), None);
    }
}
