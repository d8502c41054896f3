//! What a connection remembers.

use zorb_cdr::{ByteOrder, CdrReader, CharSet, WideForm, WideSet};
use zorb_giop::{
    CancelledRequests, ClientSession, CodeSetContext, CodeSetError, CodeSetId, GiopVersion,
    MAX_CANCELLED, RequestIds, ServerConnection, ServiceContexts, ServiceId,
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
    connection.was_told();
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

#[test]
fn the_first_code_sets_context_decides_for_the_connection() {
    let mut connection = ServerConnection::new();
    let none = contexts(None);
    let text = connection.begin_request(GiopVersion::V1_2, &read(&none)).expect("fine");
    assert_eq!((text.char_set, text.wide_set), (CharSet::Latin1, None));
    assert_eq!(connection.code_sets(), None);

    let chosen = contexts(Some(&UNICODE.encode(ByteOrder::Little)));
    let text = connection.begin_request(GiopVersion::V1_2, &read(&chosen)).expect("fine");
    assert_eq!((text.char_set, text.wide_set), (CharSet::Utf8, Some(WideSet::Utf16)));

    let again = contexts(Some(&CodeSetContext::DEFAULT.encode(ByteOrder::Big)));
    let text = connection.begin_request(GiopVersion::V1_1, &read(&again)).expect("fine");
    assert_eq!((text.char_set, text.wide_form), (CharSet::Utf8, WideForm::Units));
    assert_eq!(connection.highest_version(), GiopVersion::V1_2);

    let text = connection.begin_request(GiopVersion::V1_0, &read(&none)).expect("fine");
    assert_eq!((text.char_set, text.wide_form), (CharSet::Latin1, WideForm::Absent));
}

#[test]
fn without_a_connection_each_request_says_its_code_sets() {
    let mut client = ClientSession::connectionless();
    client.agree_on(UNICODE);
    for _ in 0..2 {
        assert_eq!(client.code_sets_to_send(GiopVersion::V1_2), Some(UNICODE));
        client.was_told();
    }
    assert!(client.is_connectionless() && !ClientSession::default().is_connectionless());

    let mut server = ServerConnection::connectionless();
    let chosen = contexts(Some(&UNICODE.encode(ByteOrder::Little)));
    let (other, none) =
        (contexts(Some(&CodeSetContext::DEFAULT.encode(ByteOrder::Big))), contexts(None));
    for (contexts, set) in [
        (&chosen, CharSet::Utf8),
        (&other, CharSet::Latin1),
        (&chosen, CharSet::Utf8),
        (&none, CharSet::Latin1),
    ] {
        let text = server.begin_request(GiopVersion::V1_2, &read(contexts)).expect("fine");
        assert_eq!(text.char_set, set);
    }
}

#[test]
fn code_sets_never_offered_are_refused() {
    let mut connection = ServerConnection::new();
    let ebcdic = CodeSetContext { char_data: CodeSetId::EBCDIC_037, ..UNICODE };
    let chosen = contexts(Some(&ebcdic.encode(ByteOrder::Big)));
    let refused = connection.begin_request(GiopVersion::V1_2, &read(&chosen));
    assert_eq!(refused, Err(CodeSetError::NotSupported(CodeSetId::EBCDIC_037)));
    let short = contexts(Some(&[0, 0, 0]));
    let refused = connection.begin_request(GiopVersion::V1_2, &read(&short));
    assert!(matches!(refused, Err(CodeSetError::Malformed(_))));
    assert_eq!(connection.code_sets(), None);
}

#[test]
fn cancels_are_remembered_within_bounds() {
    let mut cancelled = CancelledRequests::new();
    for id in 0..=MAX_CANCELLED as u32 {
        cancelled.cancel(id);
        cancelled.cancel(id);
    }
    assert!(!cancelled.contains(0), "the oldest is forgotten");
    assert!((1..=MAX_CANCELLED as u32).all(|id| cancelled.contains(id)));
    cancelled.begin_request(5);
    assert!(!cancelled.contains(5), "a cancel from before is for another request");
    cancelled.cancel(5);
    assert!(cancelled.contains(5));
}

#[test]
fn closing_begins_once() {
    let mut connection = ServerConnection::default();
    assert!(!connection.is_closing());
    assert!(connection.begin_closing());
    assert!(!connection.begin_closing());
    assert!(connection.is_closing());
}
