//! What the small ORB leaves out is refused: by the server, by the client, or by the peer that has to do without it.

use std::time::Duration;

use zorb_cdr::{ByteOrder, CdrWriter, TextCoding};
use zorb_giop::{
    CodeSetContext, CodeSetId, GiopVersion, IiopProfile, MessageHeader, MessageKind, MessageWriter,
    ReplyStatus, RequestStart, ResponseFlags, TargetAddress,
};
use zorb_nano::{CompletionStatus, Limits, SystemExceptionKind, minor};

use crate::calls::{client, server};
use crate::hostile::{exchange, request};
use crate::scripted::{get, scripted};
use crate::simulated::Network;

const VERSIONS: [GiopVersion; 3] = [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2];
const ORDER: ByteOrder = ByteOrder::NATIVE;

/// A reply in this version that returns a number.
fn reply(version: GiopVersion, id: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    let status = ReplyStatus::NoException;
    let mut message = MessageWriter::reply(&mut octets, version, ORDER, id, status, &[]).unwrap();
    message.body(TextCoding::default()).write_i32(41);
    message.finish().unwrap();
    octets
}

/// A message in two pieces: in GIOP 1.2 the second begins with the request id, in 1.1 it follows the first one at once.
fn in_pieces(whole: &[u8]) -> Vec<u8> {
    let header = MessageHeader::parse_prefix(whole).unwrap().unwrap();
    let (first, rest) = whole.split_at(24);
    let size = 12;
    let begun = MessageHeader { more_fragments: true, size, ..header }.to_octets();
    let id = &first[12..16];
    let rest = if header.version == GiopVersion::V1_2 { [id, rest].concat() } else { rest.into() };
    let fragment = message(header.version, MessageKind::Fragment, &rest);
    [&begun, &first[12..], &fragment].concat()
}

/// Octets in a message of this kind.
fn message(version: GiopVersion, kind: MessageKind, body: &[u8]) -> Vec<u8> {
    let size = body.len() as u32;
    let header = MessageHeader { version, order: ORDER, more_fragments: false, kind, size };
    [&header.to_octets(), body].concat()
}

#[test]
fn a_client_ends_a_connection_over_which_it_gets_no_reply() {
    use GiopVersion as V;
    let key = TargetAddress::Key(b"key");
    let fragment = |version| message(version, MessageKind::Fragment, &1_u32.to_ne_bytes());
    let mut cases = vec![
        ("a Fragment", fragment(V::V1_2)),
        ("a Fragment of GIOP 1.1", fragment(V::V1_1)),
        ("a CancelRequest", message(V::V1_2, MessageKind::CancelRequest, &1_u32.to_ne_bytes())),
        ("a reply in fragments", in_pieces(&reply(V::V1_2, 1))),
        ("a reply in fragments of GIOP 1.1", in_pieces(&reply(V::V1_1, 1))),
    ];
    for version in VERSIONS {
        cases.push(("a Request", request(version, ORDER, key.clone())));
    }
    for (what, answer) in cases {
        // What a client of bidirectional GIOP would take comes before the reply.
        let answer = [answer, reply(V::V1_2, 1)].concat();
        let (mut client, target, _) = scripted(move |_, _| Some(answer.clone()));
        let error = get(&mut client, &target).unwrap_err();
        let expected = (SystemExceptionKind::CommFailure, minor::comm_failure::PROTOCOL_ERROR);
        assert_eq!((error.kind, error.minor), expected, "{what}");
        assert_eq!(error.completed, CompletionStatus::Maybe, "{what}");
        assert_eq!(client.os().open(), 0, "{what}");
    }
}

#[test]
fn a_server_ends_a_connection_over_which_it_gets_fragments() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    for version in [GiopVersion::V1_1, GiopVersion::V1_2] {
        let whole = request(version, ORDER, TargetAddress::Key(b"meter"));
        let pieces = in_pieces(&whole);
        let outcome = exchange(&network, &mut server.borrow_mut(), &pieces);
        assert_eq!(outcome, (Vec::new(), true), "{version}");
    }
}

#[test]
fn operations_of_all_objects_that_need_other_services_are_refused() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    let meter = server.borrow_mut().reference(b"meter").unwrap();
    let mut client = client(&network, usize::MAX, &server);
    for operation in ["_interface", "_component", "_domain_managers"] {
        let error = client.call(&meter, operation, &mut |_| Ok(())).err().unwrap();
        assert_eq!(error.kind, SystemExceptionKind::NoImplement, "{operation}");
        assert_eq!(error.minor, minor::no_implement::UNSUPPORTED_OPERATION, "{operation}");
        assert_eq!(error.completed, CompletionStatus::No, "{operation}");
    }
}

/// The status of the reply to a call of `echo` whose argument `body` writes, with code sets in a service context.
fn echo_status(version: GiopVersion, body: impl FnOnce(&mut CdrWriter<'_>)) -> ReplyStatus {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    let sets = CodeSetContext { char_data: CodeSetId::ISO_8859_1, wchar_data: CodeSetId::UTF_16 };
    let contexts = [sets.service_context(ORDER)];
    let start = RequestStart {
        request_id: 1,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(b"meter"),
        operation: "echo",
        service_contexts: &contexts,
    };
    let mut octets = Vec::new();
    let mut message = MessageWriter::request(&mut octets, version, ORDER, &start).unwrap();
    body(&mut message.body(TextCoding::default()));
    message.finish().unwrap();
    let (answer, is_closed) = exchange(&network, &mut server.borrow_mut(), &octets);
    assert!(!is_closed);
    let header = MessageHeader::parse_prefix(&answer).unwrap().unwrap();
    let form = zorb_giop::MessageFormat::Giop(version);
    form.read_reply_start(&answer, &header).unwrap().status
}

#[test]
fn wide_text_is_no_text() {
    for version in VERSIONS {
        let text = |body: &mut CdrWriter<'_>| body.write_latin1("text").unwrap();
        assert_eq!(echo_status(version, text), ReplyStatus::NoException, "{version}");
        let wide = |body: &mut CdrWriter<'_>| {
            body.write_u32(4);
            "te".encode_utf16().for_each(|unit| body.write_u16(unit | 0x0100));
        };
        assert_eq!(echo_status(version, wide), ReplyStatus::SystemException, "{version}");
    }
}

#[test]
fn other_code_sets_are_not_offered_and_their_characters_not_sent() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    let meter = server.borrow_mut().reference(b"meter").unwrap();
    let ior = meter.to_ior("IDL:Meter:1.0").unwrap();
    let profile = IiopProfile::decode(&ior.profiles[0].data).unwrap();
    assert_eq!(profile.components, [], "without code sets, text is ISO 8859-1");
    let mut client = client(&network, usize::MAX, &server);
    let error = client.call(&meter, "echo", &mut |it| it.write_str("10 \u{20ac}")).err().unwrap();
    let expected = (SystemExceptionKind::DataConversion, CompletionStatus::No);
    assert_eq!((error.kind, error.completed), expected);
    server.borrow_mut().perform_work(Some(Duration::ZERO)).unwrap();
    assert!(client.call(&meter, "echo", &mut |it| it.write_str("10 \u{a3}")).is_ok());
}
