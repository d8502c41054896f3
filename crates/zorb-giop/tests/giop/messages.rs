//! Captured messages of omniORB and JacORB, whose headers are decoded and encoded again.

use std::borrow::Cow;

use crate::support::{Block, hex, messages};
use zorb_cdr::TextCoding;
use zorb_giop::{
    AddressingDisposition, CancelRequest, GiopVersion, LocateReplyHeader, LocateRequestHeader,
    LocateStatus, MessageHeader, MessageKind, MessageWriter, ReplyHeader, ReplyStatus,
    RequestHeader, RequestStart, ResponseFlags, ServiceContext, ServiceContexts, ServiceId,
    TargetAddress,
};

fn header_of(block: &Block, octets: &[u8]) -> MessageHeader {
    let header = MessageHeader::parse_prefix(octets).expect("a header").expect("twelve octets");
    assert_eq!(header.version, block.version(), "{}", block.name);
    assert_eq!(header.order, block.order(), "{}", block.name);
    assert_eq!(header.kind.name(), block.text("kind"), "{}", block.name);
    assert_eq!(header.total_size(), octets.len(), "{}", block.name);
    assert!(!header.more_fragments);
    header
}

fn recorded_contexts(block: &Block) -> Vec<ServiceContext<'static>> {
    block
        .all("context")
        .map(|text| {
            let (id, data) = text.split_once(' ').expect("id and data");
            let id = ServiceId(id.parse().expect("a number"));
            ServiceContext::new(id, hex(data.trim_matches('-')))
        })
        .collect()
}

fn recorded_response(block: &Block) -> ResponseFlags {
    match (block.field("response_flags"), block.field("response_expected")) {
        (Some("3"), _) | (None, Some("true")) => ResponseFlags::SyncWithTarget,
        (Some("1"), _) => ResponseFlags::SyncWithServer,
        (Some("0" | "2"), _) | (None, Some("false")) => ResponseFlags::NoResponse,
        other => panic!("{other:?}"),
    }
}

fn recorded_reply_status(block: &Block) -> ReplyStatus {
    match block.text("reply_status") {
        "NO_EXCEPTION" => ReplyStatus::NoException,
        "USER_EXCEPTION" => ReplyStatus::UserException,
        "SYSTEM_EXCEPTION" => ReplyStatus::SystemException,
        "LOCATION_FORWARD" => ReplyStatus::LocationForward,
        "LOCATION_FORWARD_PERM" => ReplyStatus::LocationForwardPerm,
        "NEEDS_ADDRESSING_MODE" => ReplyStatus::NeedsAddressingMode,
        other => panic!("{other}"),
    }
}

fn recorded_locate_status(block: &Block) -> LocateStatus {
    match block.text("locate_status") {
        "UNKNOWN_OBJECT" => LocateStatus::UnknownObject,
        "OBJECT_HERE" => LocateStatus::ObjectHere,
        "OBJECT_FORWARD" => LocateStatus::ObjectForward,
        "OBJECT_FORWARD_PERM" => LocateStatus::ObjectForwardPerm,
        "LOC_SYSTEM_EXCEPTION" => LocateStatus::LocSystemException,
        "LOC_NEEDS_ADDRESSING_MODE" => LocateStatus::LocNeedsAddressingMode,
        other => panic!("{other}"),
    }
}

fn assert_contexts(block: &Block, found: &ServiceContexts<'_>) {
    let found: Vec<_> = found.iter().collect();
    assert_eq!(found, recorded_contexts(block), "{}", block.name);
}

/// The recorded body, with padding if there is a padded form.
fn body<'a>(block: &Block, octets: &'a [u8]) -> &'a [u8] {
    match block.field("body_offset") {
        Some(offset) => octets.get(offset.parse().expect("a number")..).unwrap_or_default(),
        None => &[],
    }
}

#[test]
fn headers_are_read_as_recorded() {
    let mut seen = [0; 8];
    for block in messages() {
        let octets = block.octets("octets");
        let header = header_of(&block, &octets);
        seen[header.kind as usize] += 1;
        match header.kind {
            MessageKind::Request => {
                let (request, reader) = RequestHeader::read(&octets, &header).expect("a request");
                assert_eq!(request.request_id, block.number("request_id"));
                assert_eq!(request.response, recorded_response(&block), "{}", block.name);
                assert_eq!(request.operation, block.text("operation"));
                assert!(request.operation.is_borrowed());
                let key = block.field("key").or(block.field("target_key")).expect("a key");
                assert_eq!(request.target.object_key(), Ok(&*hex(key)), "{}", block.name);
                assert_contexts(&block, &request.service_contexts);
                if block.field("body_offset").is_some() {
                    assert_eq!(reader.rest(), body(&block, &octets), "{}", block.name);
                }
            }
            MessageKind::Reply => {
                let (reply, reader) = ReplyHeader::read(&octets, &header).expect("a reply");
                assert_eq!(reply.request_id, block.number("request_id"));
                assert_eq!(reply.status, recorded_reply_status(&block));
                assert_contexts(&block, &reply.service_contexts);
                if block.field("body_offset").is_some() {
                    assert_eq!(reader.rest(), body(&block, &octets), "{}", block.name);
                }
            }
            MessageKind::LocateRequest => {
                let locate = LocateRequestHeader::read(&octets, &header).expect("a LocateRequest");
                assert_eq!(locate.request_id, block.number("request_id"));
                assert_eq!(locate.target.object_key(), Ok(&*block.octets("key")));
            }
            MessageKind::LocateReply => {
                let (locate, reader) =
                    LocateReplyHeader::read(&octets, &header).expect("a LocateReply");
                assert_eq!(locate.request_id, block.number("request_id"));
                assert_eq!(locate.status, recorded_locate_status(&block));
                assert_eq!(reader.offset(), 20);
            }
            MessageKind::CancelRequest => {
                let cancel = CancelRequest::read(&octets, &header).expect("a CancelRequest");
                assert_eq!(cancel.request_id, block.number("request_id"));
            }
            MessageKind::CloseConnection | MessageKind::MessageError => {
                assert_eq!(octets.len(), 12);
            }
            MessageKind::Fragment => panic!("{}", block.name),
        }
    }
    // At least one message of each kind; fragments have their own tests.
    assert!(seen[..7].iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn messages_are_written_as_recorded() {
    let mut buffer = Vec::new();
    for block in messages() {
        // The flags value 2 is invalid and not written.
        if block.field("response_flags") == Some("2") {
            continue;
        }
        let expected = block.field("padded").map_or_else(|| block.octets("octets"), hex);
        let header = header_of(&block, &expected);
        let (version, order) = (header.version, header.order);
        let contexts = recorded_contexts(&block);
        match header.kind {
            MessageKind::Request => {
                let key = block.field("key").map(hex);
                let original = RequestHeader::read(&expected, &header).expect("a request").0;
                let start = RequestStart {
                    request_id: block.number("request_id"),
                    response: recorded_response(&block),
                    target: key.as_deref().map_or(original.target, TargetAddress::Key),
                    operation: block.text("operation"),
                    service_contexts: &contexts,
                };
                let mut message =
                    MessageWriter::request(&mut buffer, version, order, &start).expect("writable");
                message.body(TextCoding::default()).put(body(&block, &expected));
                message.finish().expect("small");
            }
            MessageKind::Reply => {
                let id = block.number("request_id");
                let status = recorded_reply_status(&block);
                let mut message =
                    MessageWriter::reply(&mut buffer, version, order, id, status, &contexts)
                        .expect("writable");
                message.body(TextCoding::default()).put(body(&block, &expected));
                message.finish().expect("small");
            }
            MessageKind::LocateRequest => {
                let (id, key) = (block.number("request_id"), block.octets("key"));
                let target = TargetAddress::Key(&key);
                MessageWriter::locate_request(&mut buffer, version, order, id, &target)
                    .and_then(MessageWriter::finish)
                    .expect("writable");
            }
            MessageKind::LocateReply => {
                let (id, status) = (block.number("request_id"), recorded_locate_status(&block));
                let mut message =
                    MessageWriter::locate_reply(&mut buffer, version, order, id, status)
                        .expect("writable");
                message.body(TextCoding::default()).put(&expected[20..]);
                message.finish().expect("small");
            }
            MessageKind::CancelRequest => {
                let id = block.number("request_id");
                MessageWriter::cancel_request(&mut buffer, version, order, id);
            }
            MessageKind::CloseConnection => {
                MessageWriter::close_connection(&mut buffer, version, order);
            }
            MessageKind::MessageError => MessageWriter::message_error(&mut buffer, order),
            MessageKind::Fragment => panic!("{}", block.name),
        }
        assert_eq!(buffer, expected, "{}", block.name);
    }
}

#[test]
fn other_addressing_modes_are_understood() {
    let dispositions: Vec<_> = messages()
        .iter()
        .filter(|block| block.field("target_key").is_some())
        .map(|block| {
            let octets = block.octets("octets");
            let header = header_of(block, &octets);
            RequestHeader::read(&octets, &header).expect("a request").0.target.disposition()
        })
        .collect();
    for wanted in [AddressingDisposition::ProfileAddr, AddressingDisposition::ReferenceAddr] {
        assert!(dispositions.contains(&wanted));
    }
}

#[test]
fn every_truncated_header_is_an_error_and_never_a_panic() {
    for block in messages() {
        let octets = block.octets("octets");
        let header = header_of(&block, &octets);
        let Some(end) = block.field("body_offset") else {
            continue;
        };
        // Padding before a body may be missing; seven octets cover it.
        let end: usize = end.parse::<usize>().expect("a number").saturating_sub(8);
        for length in 12..end {
            let cut = &octets[..length];
            let failed = match header.kind {
                MessageKind::Request => RequestHeader::read(cut, &header).is_err(),
                MessageKind::Reply => ReplyHeader::read(cut, &header).is_err(),
                _ => true,
            };
            assert!(failed, "{} cut to {length}", block.name);
        }
    }
}

#[test]
fn an_empty_body_has_no_padding() {
    let mut buffer = Vec::new();
    let start = RequestStart {
        request_id: 1,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(b"k"),
        operation: "ab",
        service_contexts: &[],
    };
    let order = zorb_cdr::ByteOrder::Big;
    let header_end = 12 + 4 + 4 + 4 + 5 + 3 + 4 + 3 + 1 + 4;
    for (octets, length) in [(&[][..], header_end), (&[7][..], header_end + 4 + 1)] {
        let mut message =
            MessageWriter::request(&mut buffer, GiopVersion::V1_2, order, &start).expect("ok");
        message.body(TextCoding::default()).put(octets);
        message.body(TextCoding::default()).put(&[]);
        message.finish().expect("small");
        assert_eq!(buffer.len(), length);
        let header = MessageHeader::parse_prefix(&buffer).expect("valid").expect("whole");
        let (_, reader) = RequestHeader::read(&buffer, &header).expect("a request");
        assert_eq!(reader.rest(), octets);
    }
}

#[test]
fn replies_have_the_same_fields_in_both_byte_orders() {
    use zorb_cdr::ByteOrder::{Big, Little};
    let mut buffer = Vec::new();
    for (order, flag, words) in [
        (Big, 0, [[0, 0, 0, 12], [1, 2, 3, 4], [0, 0, 0, 1], [0; 4]]),
        (Little, 1, [[12, 0, 0, 0], [4, 3, 2, 1], [1, 0, 0, 0], [0; 4]]),
    ] {
        let status = ReplyStatus::UserException;
        let version = GiopVersion::V1_2;
        let begun = MessageWriter::reply(&mut buffer, version, order, 0x0102_0304, status, &[]);
        begun.expect("ok").finish().expect("small");
        assert_eq!(buffer[..8], [b'G', b'I', b'O', b'P', 1, 2, flag, 1]);
        assert_eq!(buffer[8..], *words.as_flattened());
        // A body changes the size.
        let begun = MessageWriter::reply(&mut buffer, version, order, 0x0102_0304, status, &[]);
        let mut message = begun.expect("ok");
        message.body(TextCoding::default()).write_u8(7);
        message.finish().expect("small");
        let header = MessageHeader::parse_prefix(&buffer).expect("valid").expect("whole");
        assert_eq!((header.size, buffer.len(), buffer[24]), (13, 25, 7));
        assert_eq!(buffer[12..24], *words[1..].as_flattened());
    }
}

#[test]
fn a_body_can_be_removed() {
    let mut buffer = Vec::new();
    let order = zorb_cdr::ByteOrder::Little;
    let status = ReplyStatus::NoException;
    let mut message =
        MessageWriter::reply(&mut buffer, GiopVersion::V1_2, order, 5, status, &[]).expect("ok");
    message.body(TextCoding::default()).write_u64(1);
    message.clear_body();
    message.body(TextCoding::default()).write_u8(2);
    message.finish().expect("small");
    assert_eq!(buffer.len(), 25);
    assert_eq!(buffer[24], 2);
}

#[test]
fn features_that_a_version_does_not_have_are_refused() {
    let mut buffer = Vec::new();
    let order = zorb_cdr::ByteOrder::Little;
    for version in [GiopVersion::V1_0, GiopVersion::V1_1] {
        let needs = ReplyStatus::NeedsAddressingMode;
        assert!(MessageWriter::reply(&mut buffer, version, order, 1, needs, &[]).is_err());
        let exception = LocateStatus::LocSystemException;
        assert!(MessageWriter::locate_reply(&mut buffer, version, order, 1, exception).is_err());
        let profile =
            TargetAddress::Profile { tag: zorb_giop::ProfileTag::INTERNET_IOP, data: &[] };
        assert!(MessageWriter::locate_request(&mut buffer, version, order, 1, &profile).is_err());
    }
}

#[test]
fn a_buffer_that_is_used_again_is_not_reallocated() {
    let mut buffer = Vec::with_capacity(256);
    let place = buffer.as_ptr();
    let data = [0; 12];
    for id in 0..100 {
        let contexts = [ServiceContext::new(ServiceId::CODE_SETS, &data[..])];
        assert!(matches!(contexts[0].data, Cow::Borrowed(_)));
        let start = RequestStart {
            request_id: id,
            response: ResponseFlags::SyncWithTarget,
            target: TargetAddress::Key(b"key"),
            operation: "operation",
            service_contexts: &contexts,
        };
        let (version, order) = (GiopVersion::V1_2, zorb_cdr::ByteOrder::NATIVE);
        let mut message =
            MessageWriter::request(&mut buffer, version, order, &start).expect("writable");
        message.body(TextCoding::default()).write_i64(1);
        message.finish().expect("small");
        assert_eq!((buffer.as_ptr(), buffer.capacity()), (place, 256));
    }
}
