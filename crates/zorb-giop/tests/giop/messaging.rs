//! GIOPlite, and with it the defaults of messaging protocols.

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    Frame, GiopLite, GiopVersion, Inbound, Limits, LocateStatus, MessageFormat, MessageHeader,
    MessageKind, Messaging, ProtocolErrorKind, ReplyStatus, RequestStart, ResponseFlags,
    TargetAddress,
};

const LITE: MessageFormat<'_> = MessageFormat::Other(&GiopLite);
const ORDER: ByteOrder = ByteOrder::NATIVE;

fn request(response: ResponseFlags) -> Vec<u8> {
    let start = RequestStart {
        request_id: 7,
        response,
        target: TargetAddress::Key(b"key"),
        operation: "add",
        service_contexts: &[],
    };
    let mut octets = Vec::new();
    let mut message = LITE.request(&mut octets, ORDER, &start).unwrap();
    message.body(TextCoding::UNICODE).write_i32(-1);
    message.finish().unwrap();
    octets
}

/// The message in `octets`, as a connection receives it.
fn received(octets: &[u8]) -> (MessageHeader, Vec<u8>) {
    let mut inbound = Inbound::new(Limits::default()).with_messaging(Some(&GiopLite));
    for octet in octets {
        assert!(inbound.poll().unwrap().is_none());
        inbound.space()[0] = *octet;
        inbound.advance(1);
    }
    let header = inbound.poll().unwrap().expect("a whole message");
    let message = inbound.current().to_vec();
    assert!(inbound.poll().unwrap().is_none() && inbound.is_idle());
    (header, message)
}

#[test]
fn a_request_has_the_octets_of_tao() {
    let octets = request(ResponseFlags::SyncWithTarget);
    let (size, rest) = octets.split_first_chunk().unwrap();
    assert_eq!(u32::from_ne_bytes(*size) as usize, octets.len() - 5);
    // Request; padding to the id at 8; flags; padding; length of the key.
    let mut expected = vec![0, 0, 0, 0];
    expected.extend(7_u32.to_ne_bytes());
    expected.extend([1, 0, 0, 0]);
    expected.extend(3_u32.to_ne_bytes());
    expected.extend(b"key\0");
    expected.extend(4_u32.to_ne_bytes());
    expected.extend(b"add\0");
    expected.extend((-1_i32).to_ne_bytes());
    assert_eq!(rest, expected);
}

#[test]
fn requests_and_replies_survive_a_round_trip() {
    for flags in
        [ResponseFlags::NoResponse, ResponseFlags::SyncWithServer, ResponseFlags::SyncWithTarget]
    {
        let (header, message) = received(&request(flags));
        let (read, mut arguments) = LITE.read_request(&message, &header).unwrap();
        assert_eq!((read.request_id, read.response, &*read.operation), (7, flags, "add"));
        assert_eq!(read.target.object_key(), Ok(&b"key"[..]));
        assert!(read.service_contexts.is_empty());
        assert_eq!(arguments.read_i32(), Ok(-1));
        assert_eq!(arguments.remaining(), 0);
    }
    for body in [None, Some(2.5)] {
        let mut octets = Vec::new();
        let status = ReplyStatus::UserException;
        let mut message = LITE.reply(&mut octets, ORDER, 9, status, &[]).unwrap();
        let mut writer = message.body(TextCoding::UNICODE);
        body.into_iter().for_each(|value| writer.write_f64(value));
        message.finish().unwrap();
        // A body has no padding to a multiple of 8.
        assert_eq!(octets.len(), if body.is_some() { 24 } else { 16 });
        let (header, message) = received(&octets);
        let (reply, mut results) = LITE.read_reply(&message, &header).unwrap();
        assert_eq!((reply.request_id, reply.status), (9, status));
        assert_eq!(body.map(Ok), body.map(|_| results.read_f64()));
    }
}

#[test]
fn other_messages_survive_a_round_trip() {
    let mut octets = Vec::new();
    LITE.locate_request(&mut octets, ORDER, 5, &TargetAddress::Key(b"k"))
        .unwrap()
        .finish()
        .unwrap();
    let (header, message) = received(&octets);
    let located = LITE.read_locate_request(&message, &header).unwrap();
    assert_eq!((located.request_id, located.target), (5, TargetAddress::Key(b"k")));

    let here = LocateStatus::ObjectHere;
    LITE.locate_reply(&mut octets, ORDER, 5, here).unwrap().finish().unwrap();
    let (header, message) = received(&octets);
    let (reply, _) = LITE.read_locate_reply(&message, &header).unwrap();
    assert_eq!((reply.request_id, reply.status), (5, here));

    LITE.cancel_request(&mut octets, ORDER, 5);
    let (header, message) = received(&octets);
    assert_eq!(LITE.read_cancel_request(&message, &header).unwrap().request_id, 5);

    LITE.close_connection(&mut octets, ORDER);
    assert_eq!(octets, [0, 0, 0, 0, 5]);
    assert_eq!(received(&octets).0.kind, MessageKind::CloseConnection);
    LITE.message_error(&mut octets, ORDER);
    assert_eq!(received(&octets).0.kind, MessageKind::MessageError);
}

fn refusal(octets: &[u8]) -> ProtocolErrorKind {
    let limits = Limits::DEFAULT.max_message_size(1 << 20);
    let mut inbound = Inbound::new(limits).with_messaging(Some(&GiopLite));
    inbound.space()[..octets.len()].copy_from_slice(octets);
    inbound.advance(octets.len());
    let error = inbound.poll().unwrap_err();
    // Later calls fail too.
    assert_eq!(inbound.poll().unwrap_err(), error);
    error.kind
}

#[test]
fn invalid_messages_are_refused() {
    assert!(matches!(refusal(b"GIOP\x01\x02\0\0"), ProtocolErrorKind::BadFrame(_)));
    assert_eq!(refusal(&[0, 0, 0, 0, 7]), ProtocolErrorKind::UnknownMessageType(7));
    assert_eq!(refusal(&[0, 0, 0, 0, 99]), ProtocolErrorKind::UnknownMessageType(99));
    let limit = 1 << 20;
    let size = u64::from(u32::MAX) + 5;
    assert_eq!(
        refusal(&[0xff, 0xff, 0xff, 0xff, 0]),
        ProtocolErrorKind::MessageTooLarge { size, limit }
    );
}

#[test]
fn truncated_and_corrupted_messages_do_no_harm() {
    let whole = request(ResponseFlags::SyncWithTarget);
    for len in 5..whole.len() {
        let mut octets = whole[..len].to_vec();
        GiopLite.write_header(
            Frame { kind: MessageKind::Request, order: ORDER, size: (len - 5) as u32 },
            &mut octets[..5],
        );
        let (header, message) = received(&octets);
        let read = LITE.read_request(&message, &header);
        assert_eq!(read.is_ok(), len >= whole.len() - 4, "{len}");
    }
    for at in 5..whole.len() {
        let mut octets = whole.clone();
        octets[at] ^= 0xff;
        let (header, message) = received(&octets);
        // Decoding stays within the message.
        if let Ok((_, arguments)) = LITE.read_request(&message, &header) {
            assert!(arguments.remaining() <= octets.len());
        }
        assert!(LITE.read_reply(&message, &header).is_err());
    }
}

#[test]
fn forms_know_their_version() {
    assert_eq!(MessageFormat::new(None, GiopVersion::V1_1), GiopVersion::V1_1.into());
    assert_eq!(MessageFormat::new(Some(&GiopLite), GiopVersion::V1_0), LITE);
    assert_eq!(LITE.version(), GiopVersion::HIGHEST);
    assert_ne!(LITE, GiopVersion::HIGHEST.into());
}
