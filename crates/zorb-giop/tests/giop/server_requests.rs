//! Which requests a server answers, and how it closes.

use zorb_cdr::ByteOrder;
use zorb_giop::{
    Asked, ConnectionEnd, GiopVersion, MessageHeader, MessageKind, MessageWriter, NotServed,
    ProtocolErrorKind, ReplyStatus, ServerRequests,
};

const ORDER: ByteOrder = ByteOrder::Big;
const V1_1: GiopVersion = GiopVersion::V1_1;
const V1_2: GiopVersion = GiopVersion::V1_2;

fn receive(server: &mut ServerRequests, octets: &[u8]) -> Asked {
    let header = MessageHeader::parse_prefix(octets).expect("GIOP").expect("a header");
    server.receive(&header, octets)
}

fn cancel(id: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    MessageWriter::cancel_request(&mut octets, V1_2, ORDER, id);
    octets
}

fn transmitted(server: &mut ServerRequests) -> Option<MessageHeader> {
    let mut octets = Vec::new();
    let header = server.poll_transmit(&mut octets).then(|| MessageHeader::parse_prefix(&octets));
    header.map(|header| header.expect("GIOP").expect("a header"))
}

#[test]
fn cancelled_requests_are_not_answered() {
    let mut server = ServerRequests::new(None);
    let one = server.begin(4, V1_2, true).unwrap();
    assert_eq!(receive(&mut server, &cancel(4)), Asked::Nothing);
    assert_eq!(receive(&mut server, &cancel(6)), Asked::Nothing, "of no request");
    // The client may use the id again at once, and waits for the second only.
    let other = server.begin(4, V1_2, true).unwrap();
    assert_eq!(server.outstanding(), 2);
    assert!(!server.finish(one));
    assert!(server.finish(other));
    assert!(!server.finish(other), "it is answered once");
    assert_eq!(server.outstanding(), 0);
}

#[test]
fn requests_are_answered_once_or_not_at_all() {
    let mut server = ServerRequests::new(None);
    let oneway = server.begin(0, V1_2, false).unwrap();
    assert!(!server.finish(oneway));
    let early = server.begin(2, V1_2, true).unwrap();
    assert!(server.answer(early), "before its upcall");
    assert!(!server.finish(early));
    let lost = server.begin(4, V1_2, true).unwrap();
    server.end(ConnectionEnd::Lost);
    assert!(!server.finish(lost));
}

#[test]
fn ids_in_use_are_refused() {
    let mut server = ServerRequests::new(None);
    server.begin(8, V1_2, true).unwrap();
    let error = ProtocolErrorKind::DuplicateRequestId(8).into();
    assert_eq!(server.begin(8, V1_2, true), Err(NotServed::ProtocolError(error)));
    assert_eq!(server.ended(), Some(ConnectionEnd::ProtocolError(error)));
    assert_eq!(transmitted(&mut server), None);
}

#[test]
fn close_connection_follows_the_last_reply() {
    let mut server = ServerRequests::new(None);
    let request = server.begin(0, V1_1, true).unwrap();
    server.close();
    assert_eq!(server.begin(2, V1_2, true), Err(NotServed::Closing));
    assert_eq!(transmitted(&mut server), None);
    assert!(server.finish(request));
    let header = transmitted(&mut server).unwrap();
    assert_eq!((header.kind, header.version), (MessageKind::CloseConnection, V1_1));
    assert_eq!(transmitted(&mut server), None);
    assert_eq!(server.ended(), Some(ConnectionEnd::ClosedHere));
}

#[test]
fn requests_that_are_served_have_a_limit_cancelled_ones_too() {
    let mut server = ServerRequests::new(None).with_max_outstanding(2);
    let first = server.begin(0, V1_2, true).unwrap();
    assert!(server.has_room());
    server.begin(2, V1_2, true).unwrap();
    server.cancel(2);
    assert!(!server.has_room());
    let refused = Err(NotServed::TooManyRequests { limit: 2 });
    assert_eq!(server.begin(4, V1_2, true), refused);
    server.finish(first);
    server.begin(4, V1_2, true).unwrap();
}

#[test]
fn what_no_client_sends_ends_the_connection() {
    let mut server = ServerRequests::new(None);
    let mut octets = Vec::new();
    let reply = MessageWriter::reply(&mut octets, V1_2, ORDER, 0, ReplyStatus::NoException, &[]);
    reply.and_then(|message| message.finish()).unwrap();
    assert_eq!(receive(&mut server, &octets), Asked::End);
    assert!(matches!(server.ended(), Some(ConnectionEnd::ProtocolError(_))));

    let mut server = ServerRequests::new(None);
    let short = cancel(0);
    let header = MessageHeader { size: 0, ..MessageHeader::parse_prefix(&short).unwrap().unwrap() };
    assert_eq!(server.receive(&header, &short[..12]), Asked::End);
    assert_eq!(transmitted(&mut server).unwrap().kind, MessageKind::MessageError);
    assert_eq!(server.receive(&header, &short), Asked::End);

    let mut server = ServerRequests::new(None);
    let mut octets = Vec::new();
    MessageWriter::close_connection(&mut octets, V1_2, ORDER);
    assert_eq!(receive(&mut server, &octets), Asked::End);
    assert_eq!(server.ended(), Some(ConnectionEnd::CloseConnection));
    assert_eq!((transmitted(&mut server), server.has_room()), (None, false));
}
