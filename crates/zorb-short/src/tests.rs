#![allow(clippy::unwrap_used, clippy::panic)]

use zorb_cdr::{ByteOrder, CdrReader, TextCoding};
use zorb_giop::{
    Abbreviation, ClientSession, Expanded, GiopLite, GiopVersion, Inbound, Limits, LocateStatus,
    MessageFormat, MessageHeader, MessageWriter, Messaging, ProtocolErrorKind, ReplyStatus,
    RequestStart, ResponseFlags, ServerReceiver, TargetAddress,
};

use crate::{INDEXES, MAX_PAIR, MAX_SIZE, Short};

const SHORT: MessageFormat<'_> = MessageFormat::Other(&Short);

fn start<'a>(key: &'a [u8], operation: &'a str) -> RequestStart<'a> {
    RequestStart {
        request_id: 0x0102_0304,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(key),
        operation,
        service_contexts: &[],
    }
}

fn request(
    abbreviation: Abbreviation,
    start: &RequestStart<'_>,
    order: ByteOrder,
    body: &[u8],
) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut message = SHORT.abbreviated_request(&mut octets, order, start, abbreviation).unwrap();
    message.body(TextCoding::UNICODE).put(body);
    message.finish().unwrap();
    octets
}

fn whole(octets: &[u8]) -> MessageHeader {
    let (header, total) = SHORT.read_header(octets).unwrap().unwrap();
    assert_eq!(total, octets.len());
    header
}

/// The result of a request at the server: key, operation and arguments, or the id of the request to
/// resend.
fn read(server: &mut ServerReceiver, octets: &[u8]) -> Result<(Vec<u8>, String, Vec<u8>), u32> {
    let header = whole(octets);
    let expansion = match server.expand(octets, &header).unwrap() {
        Expanded::InFull => None,
        Expanded::By(reads) => Some(reads),
        Expanded::Unknown { request_id } => return Err(request_id),
    };
    let form = expansion.as_deref().map_or(SHORT, MessageFormat::Other);
    let (request, arguments) = form.read_request(octets, &header).unwrap();
    let key = request.target.object_key().unwrap().to_vec();
    Ok((key, request.operation.into_owned(), arguments.rest().to_vec()))
}

fn server() -> ServerReceiver {
    ServerReceiver::new(Some(&Short))
}

fn client() -> ClientSession {
    ClientSession::with_messaging(Some(&Short), false)
}

#[test]
fn messages_have_the_documented_layout() {
    let start = start(b"key", "op");
    let all = |abbreviation, order| request(abbreviation, &start, order, b"");
    let little = all(Abbreviation::InFull, ByteOrder::Little);
    assert_eq!(little, *b"\x78\x01\0\0\x04\x03\x02\x01\x03\0\0\0\x03\0\0\0key\0\x03\0\0\0op\0");
    let big = all(Abbreviation::Introduce(7), ByteOrder::Big);
    assert_eq!(big, *b"\x70\x01\0\0\x01\x02\x03\x04\x07\x07\0\0\0\0\0\x03key\0\0\0\0\x03op\0");
    let by_index = all(Abbreviation::Index(7), ByteOrder::Little);
    assert_eq!(by_index, *b"\x68\0\0\0\x04\x03\x02\x01\x0b\x07");
    let mut reply = Vec::new();
    let (order, status) = (ByteOrder::Little, ReplyStatus::UserException);
    let message = SHORT.reply(&mut reply, order, 0x0102_0304, status, &[]).unwrap();
    message.finish().unwrap();
    assert_eq!(reply, *b"\x59\0\0\0\x04\x03\x02\x01\x01");
    let (read, _) = SHORT.read_reply(&reply, &whole(&reply)).unwrap();
    assert_eq!((read.request_id, read.status), (0x0102_0304, status));
    let mut located = Vec::new();
    let message = SHORT.locate_reply(&mut located, order, 1, LocateStatus::ObjectHere).unwrap();
    message.finish().unwrap();
    assert_eq!(located, *b"\x8c\0\0\0\x01\0\0\0\x01\0\0\0");
    let mut last = Vec::new();
    SHORT.close_connection(&mut last, ByteOrder::Big);
    assert_eq!(last, *b"\x05\0\0\0");
}

#[test]
fn a_call_takes_a_few_octets() {
    // A key as Zorb's adapters make it, and empty results.
    let key = b"Z\x01\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01";
    let start = start(key, "nothing");
    let sizes = |form: MessageFormat<'_>, abbreviation| {
        let (mut request, mut reply) = (Vec::new(), Vec::new());
        let order = ByteOrder::NATIVE;
        let message = form.abbreviated_request(&mut request, order, &start, abbreviation);
        message.and_then(MessageWriter::finish).unwrap();
        let status = ReplyStatus::NoException;
        let message = form.reply(&mut reply, order, 1, status, &[]);
        message.and_then(MessageWriter::finish).unwrap();
        (request.len(), reply.len())
    };
    let (giop, lite) = (MessageFormat::Giop(GiopVersion::V1_2), MessageFormat::Other(&GiopLite));
    let in_full = Abbreviation::InFull;
    assert_eq!((sizes(giop, in_full), sizes(lite, in_full)), ((64, 24), (52, 16)));
    assert_eq!(sizes(SHORT, Abbreviation::Introduce(0)), (48, 9));
    assert_eq!(sizes(SHORT, Abbreviation::Index(0)), (10, 9));
}

#[test]
fn arguments_are_aligned() {
    let mut octets = Vec::new();
    let start = start(b"key", "op");
    let abbreviation = Abbreviation::Introduce(1);
    for abbreviation in [abbreviation, Abbreviation::Index(1)] {
        let order = ByteOrder::NATIVE;
        let message = SHORT.abbreviated_request(&mut octets, order, &start, abbreviation);
        let mut message = message.unwrap();
        message.body(TextCoding::UNICODE).write_f64(1.5);
        message.finish().unwrap();
        assert_eq!(octets.len() % 8, 0);
    }
    assert_eq!(octets.len(), 24);
}

#[test]
fn both_sides_mean_the_same() {
    let (mut client, mut server) = (client(), server());
    // More pairs than indexes, each of which is used repeatedly.
    let pairs: Vec<_> = (0..400_u32).map(|n| (n.to_be_bytes(), format!("op{}", n % 7))).collect();
    let mut by_index = 0;
    for step in 0..20_000_usize {
        let (key, operation) = &pairs[(step * step / 3 + step % 11) % pairs.len()];
        let abbreviation = client.abbreviate(key, operation, true).unwrap();
        by_index += usize::from(matches!(abbreviation, Abbreviation::Index(_)));
        let octets = request(abbreviation, &start(key, operation), ByteOrder::NATIVE, b"body");
        // Some requests are not sent after all.
        if step % 13 == 5 {
            continue;
        }
        client.announced();
        let read = read(&mut server, &octets);
        assert_eq!(read, Ok((key.to_vec(), operation.clone(), b"body".to_vec())), "{step}");
    }
    assert!(by_index > 5000, "{by_index}");
}

#[test]
fn few_pairs_are_all_named_by_index() {
    let mut client = client();
    let keys: Vec<_> = (0..16_u64).map(|n| n.to_be_bytes()).collect();
    for round in 0..3 {
        for key in &keys {
            let abbreviation = client.abbreviate(key, "nothing", true);
            assert_eq!(matches!(abbreviation, Some(Abbreviation::Index(_))), round > 0);
            client.announced();
        }
    }
}

#[test]
fn on_a_shared_connection_an_index_stays_with_its_pair() {
    let mut client = ClientSession::with_messaging(Some(&Short), true);
    let mut given = std::collections::BTreeMap::new();
    for n in 0..2000_u32 {
        let key = n.to_be_bytes();
        match client.abbreviate(&key, "op", false) {
            Some(Abbreviation::Introduce(_)) => {
                let Some(Abbreviation::Introduce(index)) = client.abbreviate(&key, "op", true)
                else {
                    panic!("the index is unchanged");
                };
                // A concurrent request does not rely on an introduction that is being sent, and
                // waits.
                let meanwhile = client.abbreviate(&key, "op", false);
                assert_eq!(meanwhile, Some(Abbreviation::Introduce(index)));
                client.announced();
                assert_eq!(given.insert(index, n), None);
            }
            other => assert_eq!(other, Some(Abbreviation::InFull)),
        }
    }
    assert_eq!(given.len(), INDEXES);
    for (index, n) in given {
        assert_eq!(
            client.abbreviate(&n.to_be_bytes(), "op", false),
            Some(Abbreviation::Index(index))
        );
    }
}

#[test]
fn an_unsent_request_introduces_nothing() {
    let (mut client, mut server) = (client(), server());
    for _ in 0..3 {
        let abbreviation = client.abbreviate(b"key", "op", true).unwrap();
        assert!(matches!(abbreviation, Abbreviation::Introduce(_)));
    }
    let abbreviation = client.abbreviate(b"key", "op", true).unwrap();
    let octets = request(abbreviation, &start(b"key", "op"), ByteOrder::NATIVE, b"");
    client.announced();
    read(&mut server, &octets).unwrap();
    assert!(matches!(client.abbreviate(b"key", "op", true), Some(Abbreviation::Index(_))));
}

#[test]
fn a_server_asks_again_about_an_unknown_index() {
    let (mut client, mut server) = (client(), server());
    let mut start = start(b"key", "op");
    let octets = request(Abbreviation::Index(3), &start, ByteOrder::Big, b"");
    assert_eq!(read(&mut server, &octets), Err(0x0102_0304));
    // The connection ends if no reply is expected.
    start.response = ResponseFlags::NoResponse;
    let octets = request(Abbreviation::Index(3), &start, ByteOrder::Big, b"");
    let error = server.expand(&octets, &whole(&octets)).unwrap_err();
    assert!(matches!(error.kind, ProtocolErrorKind::BadFrame(_)));
    // From then on, the client sends all requests in full.
    assert!(client.disable_abbreviation());
    for _ in 0..2 {
        assert_eq!(client.abbreviate(b"key", "op", true), Some(Abbreviation::InFull));
        client.announced();
    }
}

#[test]
fn another_connection_remembers_nothing() {
    let (mut client, mut first, mut second) = (client(), server(), server());
    let start = start(b"key", "op");
    let abbreviation = client.abbreviate(b"key", "op", true).unwrap();
    read(&mut first, &request(abbreviation, &start, ByteOrder::NATIVE, b"")).unwrap();
    client.announced();
    let abbreviation = client.abbreviate(b"key", "op", true).unwrap();
    let octets = request(abbreviation, &start, ByteOrder::NATIVE, b"");
    assert!(matches!(abbreviation, Abbreviation::Index(_)));
    read(&mut first, &octets).unwrap();
    read(&mut second, &octets).unwrap_err();
}

#[test]
fn without_a_connection_requests_are_sent_in_full() {
    assert_eq!(ClientSession::connectionless().abbreviate(b"key", "op", true), None);
    let octets = request(Abbreviation::Introduce(0), &start(b"key", "op"), ByteOrder::NATIVE, b"");
    let mut server = ServerReceiver::connectionless(Some(&Short));
    for _ in 0..2 {
        assert!(matches!(server.expand(&octets, &whole(&octets)), Ok(Expanded::InFull)));
    }
}

#[test]
fn large_pairs_have_no_index() {
    let (mut client, mut server) = (client(), server());
    let key = vec![1; MAX_PAIR];
    assert_eq!(client.abbreviate(&key, "o", true), Some(Abbreviation::InFull));
    assert!(matches!(client.abbreviate(&key, "", true), Some(Abbreviation::Introduce(_))));
    // Neither does a server store one.
    let octets = request(Abbreviation::Introduce(9), &start(&key, "o"), ByteOrder::NATIVE, b"");
    read(&mut server, &octets).unwrap();
    let octets = request(Abbreviation::Index(9), &start(&key, "o"), ByteOrder::NATIVE, b"");
    read(&mut server, &octets).unwrap_err();
}

#[test]
fn a_size_that_has_no_room_in_the_header_is_refused() {
    let mut octets = Vec::new();
    fn begin(octets: &mut Vec<u8>) -> MessageWriter<'_> {
        SHORT.request(octets, ByteOrder::NATIVE, &start(b"k", "o")).unwrap()
    }
    let room = MAX_SIZE as usize - (begin(&mut octets).len() - 4);
    begin(&mut octets).finish_before(room).unwrap();
    assert_eq!(Short.read_header(&octets[..4]).unwrap().size, MAX_SIZE);
    begin(&mut octets).finish_before(room + 1).unwrap_err();
}

#[test]
fn invalid_messages_are_rejected() {
    // Kind 7 is that of fragments; the others are the beginnings of GIOP, HTTP and noise.
    for octets in [*b"GIOP", *b"GET ", [0xff; 4], [7, 0, 0, 0], [0xf, 1, 0, 0]] {
        SHORT.read_header(&octets).unwrap_err();
        Inbound::new(Limits::default()).with_messaging(Some(&Short)).poll().unwrap();
    }
    let octets = request(Abbreviation::Introduce(0), &start(b"key", "op"), ByteOrder::NATIVE, b"");
    let read = |octets: &[u8]| {
        let mut reader = CdrReader::new(octets, ByteOrder::NATIVE);
        reader.take(4, "header").unwrap();
        Short.read_request(&mut reader).map(drop)
    };
    read(&octets).unwrap();
    for cut in 4..octets.len() {
        read(&octets[..cut]).unwrap_err();
    }
    for how in (0..=255).filter(|how| ![0, 1, 3, 4, 5, 7].contains(how)) {
        let mut other = octets.clone();
        other[8] = how;
        read(&other).unwrap_err();
    }
}
