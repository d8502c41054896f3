//! The state of a connection.

use zorb_cdr::{ByteOrder, CdrReader, CharSet, TextCoding, WideForm, WideSet};
use zorb_giop::{
    ClientSession, CodeSetContext, CodeSetError, CodeSetId, GiopVersion, MessageFormat,
    MessageHeader, MessageWriter, RequestHeader, RequestIds, RequestStart, ResponseFlags,
    ServerReceiver, ServerRequests, ServiceContexts, ServiceId, TargetAddress,
};

const UNICODE: CodeSetContext =
    CodeSetContext { char_data: CodeSetId::UTF_8, wchar_data: CodeSetId::UTF_16 };

/// The octets of a list with this CodeSets context, or of an empty one.
fn contexts(data: Option<&[u8]>) -> Vec<u8> {
    let Some(data) = data else {
        return vec![0; 4];
    };
    let mut octets = 1u32.to_be_bytes().to_vec();
    octets.extend_from_slice(&ServiceId::CODE_SETS.0.to_be_bytes());
    octets.extend_from_slice(&u32::try_from(data.len()).expect("small").to_be_bytes());
    octets.extend_from_slice(data);
    octets
}

fn read(octets: &[u8]) -> ServiceContexts<'_> {
    ServiceContexts::read(&mut CdrReader::new(octets, ByteOrder::Big)).expect("a list")
}

#[test]
fn initiators_use_even_ids_and_acceptors_odd_ones() {
    let mut ids = RequestIds::initiator();
    assert_eq!([(); 3].map(|()| ids.allocate()), [0, 2, 4]);
    let mut ids = RequestIds::acceptor();
    assert_eq!([(); 3].map(|()| ids.allocate()), [1, 3, 5]);
    assert_eq!(ids.allocate_free(|id| id < 12), Some(13));
    assert!(ids.has_issued(1) && ids.has_issued(13));
    assert!(!ids.has_issued(2) && !ids.has_issued(15));
}

#[test]
fn code_sets_are_sent_once_and_not_in_1_0() {
    let mut connection = ClientSession::new(Some(UNICODE));
    assert_eq!(connection.code_sets_to_send(GiopVersion::V1_0), None);
    assert_eq!(connection.code_sets_to_send(GiopVersion::V1_2), Some(UNICODE));
    assert_eq!(connection.code_sets_to_send(GiopVersion::V1_2), Some(UNICODE), "not sent yet");
    connection.announced();
    assert_eq!(connection.code_sets_to_send(GiopVersion::V1_2), None);
    assert_eq!(connection.text(GiopVersion::V1_2).expect("known").char_set, CharSet::Utf8);
    assert_eq!(connection.text(GiopVersion::V1_0).expect("known").char_set, CharSet::Latin1);

    let mut connection = ClientSession::default();
    assert_eq!(connection.code_sets_to_send(GiopVersion::V1_2), None);
    assert_eq!(connection.text(GiopVersion::V1_2).expect("default").wide_set, None);
    connection.agree_on(UNICODE);
    connection.agree_on(CodeSetContext::DEFAULT);
    assert_eq!(connection.code_sets_to_send(GiopVersion::V1_1), Some(UNICODE));
}

/// The text of a request with these contexts.
fn begin(
    server: &mut ServerReceiver,
    version: GiopVersion,
    contexts: &[u8],
) -> Result<TextCoding, CodeSetError> {
    let request = RequestHeader { service_contexts: read(contexts), ..RequestHeader::EMPTY };
    server.begin_request(&ServerRequests::new(), &request, MessageFormat::Giop(version)).1
}

#[test]
fn the_first_code_sets_context_decides_for_the_connection() {
    let mut server = ServerReceiver::new(None);
    let none = contexts(None);
    let text = begin(&mut server, GiopVersion::V1_2, &none).expect("fine");
    assert_eq!((text.char_set, text.wide_set), (CharSet::Latin1, None));

    let chosen = contexts(Some(&UNICODE.encode(ByteOrder::Little)));
    let text = begin(&mut server, GiopVersion::V1_2, &chosen).expect("fine");
    assert_eq!((text.char_set, text.wide_set), (CharSet::Utf8, Some(WideSet::Utf16)));

    let again = contexts(Some(&CodeSetContext::DEFAULT.encode(ByteOrder::Big)));
    let text = begin(&mut server, GiopVersion::V1_1, &again).expect("fine");
    assert_eq!((text.char_set, text.wide_form), (CharSet::Utf8, WideForm::Units));

    let text = begin(&mut server, GiopVersion::V1_0, &none).expect("fine");
    assert_eq!((text.char_set, text.wide_form), (CharSet::Latin1, WideForm::Absent));
}

#[test]
fn requests_begin_before_their_headers_are_read_once_code_sets_are_known() {
    let (mut server, requests) = (ServerReceiver::new(None), ServerRequests::new());
    let mut octets = Vec::new();
    let start = RequestStart {
        request_id: 8,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(b"key"),
        operation: "operation",
        service_contexts: &[],
    };
    let message = MessageWriter::request(&mut octets, GiopVersion::V1_2, ByteOrder::Big, &start);
    message.and_then(|message| message.finish()).expect("small");
    let header = MessageHeader::parse_prefix(&octets).expect("GIOP").expect("a header");
    assert!(server.begin_unread(&requests, &octets, &header).is_none(), "they are not known yet");
    assert_eq!(requests.outstanding(), 0);
    let chosen = contexts(Some(&UNICODE.encode(ByteOrder::Little)));
    begin(&mut server, GiopVersion::V1_1, &chosen).expect("fine");
    let begun = server.begin_unread(&requests, &octets, &header).expect("they are known");
    assert_eq!((begun.request.request_id, begun.response), (8, ResponseFlags::SyncWithTarget));
    assert_eq!(begun.text.char_set, CharSet::Utf8);
    assert_eq!(requests.outstanding(), 1);
    assert!(server.begin_unread(&requests, &octets[..16], &header).is_none(), "it is too short");
}

#[test]
fn without_a_connection_each_request_says_its_code_sets() {
    let mut client = ClientSession::connectionless();
    client.agree_on(UNICODE);
    for _ in 0..2 {
        assert_eq!(client.code_sets_to_send(GiopVersion::V1_2), Some(UNICODE));
        client.announced();
    }
    assert!(client.is_connectionless() && !ClientSession::default().is_connectionless());

    let mut server = ServerReceiver::connectionless(None);
    let chosen = contexts(Some(&UNICODE.encode(ByteOrder::Little)));
    let (other, none) =
        (contexts(Some(&CodeSetContext::DEFAULT.encode(ByteOrder::Big))), contexts(None));
    for (contexts, set) in [
        (&chosen, CharSet::Utf8),
        (&other, CharSet::Latin1),
        (&chosen, CharSet::Utf8),
        (&none, CharSet::Latin1),
    ] {
        let text = begin(&mut server, GiopVersion::V1_2, contexts).expect("fine");
        assert_eq!(text.char_set, set);
    }
}

#[test]
fn code_sets_never_offered_are_refused() {
    let mut server = ServerReceiver::new(None);
    let ebcdic = CodeSetContext { char_data: CodeSetId::EBCDIC_037, ..UNICODE };
    let chosen = contexts(Some(&ebcdic.encode(ByteOrder::Big)));
    let refused = begin(&mut server, GiopVersion::V1_2, &chosen);
    assert_eq!(refused, Err(CodeSetError::NotSupported(CodeSetId::EBCDIC_037)));
    let short = contexts(Some(&[0, 0, 0]));
    let refused = begin(&mut server, GiopVersion::V1_2, &short);
    assert!(matches!(refused, Err(CodeSetError::Malformed(_))));
    let none = begin(&mut server, GiopVersion::V1_2, &contexts(None)).expect("fine");
    assert_eq!(none.char_set, CharSet::Latin1, "none has been set");
}
