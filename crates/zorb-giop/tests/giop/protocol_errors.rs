//! Protocol violations of peers, and the answers to them.

use zorb_cdr::{ByteOrder, CdrErrorKind};
use zorb_giop::{
    GiopVersion, LocateReplyHeader, MessageHeader, MessageKind, ProtocolError, ProtocolErrorKind,
    ReplyHeader, RequestHeader,
};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

use crate::support::hex;

fn parse(text: &str) -> Result<MessageHeader, ProtocolError> {
    MessageHeader::parse_prefix(&hex(text)).map(|header| header.expect("twelve octets"))
}

#[test]
fn bad_message_headers_are_answered_with_message_error() {
    // Other ORBs were tested with the same headers.
    let cases = [
        ("47494f510102010000000000", ProtocolErrorKind::BadMagic(*b"GIOQ")),
        ("47494f500200010000000000", ProtocolErrorKind::UnsupportedVersion { major: 2, minor: 0 }),
        ("47494f500109010000000000", ProtocolErrorKind::UnsupportedVersion { major: 1, minor: 9 }),
        ("47494f500102010900000000", ProtocolErrorKind::UnknownMessageType(9)),
        // Fragments exist since 1.1.
        ("47494f500100000700000000", ProtocolErrorKind::UnknownMessageType(7)),
    ];
    for (octets, kind) in cases {
        let error = parse(octets).expect_err("a fault");
        assert_eq!(error.kind, kind);
        assert!(error.answer_message_error, "{error}");
    }
    assert_eq!(MessageHeader::parse_prefix(b"GIOP\x01\x02\x00\x00\x00\x00\x00"), Ok(None));
}

#[test]
fn clients_of_http_are_named() {
    for start in [&b"GET / HTTP/1.1\r\n"[..], b"POST /names HTTP/1.1", b"HTTP/1.1 400 Bad"] {
        let error = MessageHeader::parse_prefix(start).expect_err("a fault");
        assert!(error.to_string().contains("HTTP"), "{error}");
    }
    let error = MessageHeader::parse_prefix(b"SSH-2.0-OpenSSH").expect_err("a fault");
    assert!(!error.to_string().contains("HTTP"), "{error}");
}

#[test]
fn the_meaning_of_flags_depends_on_the_version() {
    let header =
        parse("47494f500100ff0000000000").expect("bits beyond the first are not looked at");
    assert_eq!((header.order, header.more_fragments), (ByteOrder::Little, false));
    let header = parse("47494f500101fe0000000010").expect("valid");
    assert_eq!((header.order, header.more_fragments, header.size), (ByteOrder::Big, true, 16));
}

#[test]
fn headers_survive_a_round_trip() {
    for version in [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2] {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            for kind in (0..8).filter_map(MessageKind::from_octet) {
                if kind == MessageKind::Fragment && version == GiopVersion::V1_0 {
                    continue;
                }
                let more_fragments = version > GiopVersion::V1_0;
                let header = MessageHeader { version, order, more_fragments, kind, size: 0x0102 };
                assert_eq!(MessageHeader::parse(&header.to_octets()), Ok(header));
            }
        }
    }
}

fn message(kind: MessageKind, body: &[u8]) -> (Vec<u8>, MessageHeader) {
    let header = MessageHeader {
        version: GiopVersion::V1_2,
        order: ByteOrder::Big,
        more_fragments: false,
        kind,
        size: u32::try_from(body.len()).expect("small"),
    };
    ([&header.to_octets()[..], body].concat(), header)
}

fn cause(error: ProtocolError, message: MessageKind) -> CdrErrorKind {
    assert!(error.answer_message_error);
    match error.kind {
        ProtocolErrorKind::BadHeader { message: found, cause } if found == message => cause.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lengths_beyond_the_message_are_found_before_they_allocate() {
    let huge = [0xff; 4];
    let request = |body: &[u8]| {
        let (octets, header) = message(MessageKind::Request, body);
        cause(RequestHeader::read(&octets, &header).expect_err("a fault"), MessageKind::Request)
    };
    let start = [0, 0, 0, 1, 3, 0, 0, 0];
    let key = [0, 0, 0, 0, 0, 0, 0, 1, b'k', 0, 0, 0];
    let operation = [0, 0, 0, 2, b'o', 0, 0, 0];
    let beyond = CdrErrorKind::LengthBeyondEnd;
    assert_eq!(request(&[&start[..], &[0, 0, 0, 0], &huge].concat()), beyond);
    assert_eq!(request(&[&start[..], &[0, 1, 0, 0, 0, 0, 0, 0], &huge].concat()), beyond);
    let reference = [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0];
    assert_eq!(request(&[&start[..], &reference, &huge].concat()), beyond);
    assert_eq!(request(&[&start[..], &key, &huge].concat()), beyond);
    assert_eq!(request(&[&start[..], &key, &operation, &huge].concat()), beyond);
    let context = [0, 0, 0, 1, 0, 0, 0, 9];
    assert_eq!(request(&[&start[..], &key, &operation, &context, &huge].concat()), beyond);
    assert_eq!(request(&[&start[..], &[0, 3, 0, 0]].concat()), CdrErrorKind::BadDiscriminator);
    let unterminated = [0, 0, 0, 2, b'o', b'p', 0, 0];
    assert_eq!(request(&[&start[..], &key, &unterminated].concat()), CdrErrorKind::BadString);
}

#[test]
fn too_many_service_contexts_are_refused() {
    let count: u32 = 1025;
    let contexts = vec![0; count as usize * 8];
    let body = [&[0, 0, 0, 1, 0, 0, 0, 0][..], &count.to_be_bytes(), &contexts].concat();
    let (octets, header) = message(MessageKind::Reply, &body);
    let error = ReplyHeader::read(&octets, &header).expect_err("a fault");
    assert_eq!(cause(error, MessageKind::Reply), CdrErrorKind::BoundExceeded);
}

#[test]
fn unknown_statuses_are_errors() {
    let (octets, header) = message(MessageKind::Reply, &[0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0]);
    let error = ReplyHeader::read(&octets, &header).expect_err("a fault");
    assert_eq!(cause(error, MessageKind::Reply), CdrErrorKind::BadEnum);
    let (octets, header) = message(MessageKind::LocateReply, &[0, 0, 0, 1, 0, 0, 0, 6]);
    let error = LocateReplyHeader::read(&octets, &header).expect_err("a fault");
    assert_eq!(cause(error, MessageKind::LocateReply), CdrErrorKind::BadEnum);
}

#[test]
fn reading_a_message_as_another_kind_is_not_a_protocol_violation() {
    let (octets, header) = message(MessageKind::Reply, &[0; 12]);
    let error = RequestHeader::read(&octets, &header).expect_err("not a request");
    assert!(!error.answer_message_error);
}

#[test]
fn a_body_ends_where_the_message_says() {
    let (mut octets, header) = message(MessageKind::Reply, &[0; 20]);
    octets.extend_from_slice(&[1; 100]);
    let (_, body) = ReplyHeader::read(&octets, &header).expect("a reply");
    assert_eq!(body.rest(), [0; 8]);
}

#[test]
fn errors_have_messages_and_become_system_exceptions() {
    let error = parse("47494f500109010000000000").expect_err("a fault");
    let text = "peer sent a message of GIOP 1.9; 1.0, 1.1 and 1.2 are supported";
    assert_eq!(error.to_string(), text);
    let exception = SystemException::from(error);
    assert_eq!(exception.kind, SystemExceptionKind::CommFailure);
    assert_eq!(exception.completed, CompletionStatus::Maybe);
}
