//! Joining received fragments, and splitting messages.

use zorb_cdr::{ByteOrder, TextCoding, Wire as _};
use zorb_giop::{
    GiopVersion, HEADER_SIZE, Inbound, Limits, LocateRequestHeader, MessageHeader, MessageKind,
    MessageWriter, ProtocolErrorKind, ReplyHeader, RequestHeader, RequestStart, ResponseFlags,
    TargetAddress, fragments,
};

use crate::inbound::received;
use crate::support::{Block, streams};

fn stream(name: &str) -> Vec<u8> {
    let blocks = streams();
    let block = blocks.iter().find(|block| block.name == name).expect("such a stream");
    octets(block)
}

fn octets(block: &Block) -> Vec<u8> {
    block.all("octets").flat_map(crate::support::hex).collect()
}

fn messages_of(name: &str) -> Vec<(MessageHeader, Vec<u8>)> {
    let mut all = Vec::new();
    for step in [1, 17, usize::MAX] {
        let mut inbound = Inbound::new(Limits::default());
        let messages = received(&mut inbound, &stream(name), step);
        assert!(inbound.is_idle(), "{name}");
        all.push(messages);
    }
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{name}");
    let whole = |octets: Vec<u8>| {
        let header = MessageHeader::parse_prefix(&octets).expect("valid").expect("whole");
        assert!(!header.more_fragments && header.total_size() == octets.len());
        (header, octets)
    };
    all.remove(0).into_iter().map(whole).collect()
}

/// The arguments of the captured requests are the octets 0, 1, 2 ... 39.
fn assert_forty_octets(message: &(MessageHeader, Vec<u8>)) {
    let (request, mut body) = RequestHeader::read(&message.1, &message.0).expect("a request");
    assert_eq!((request.request_id, &*request.operation), (4, "op_octets"));
    assert_eq!(body.read_octets(), Ok(&*(0..40).collect::<Vec<u8>>()));
}

#[test]
fn captured_requests_are_joined() {
    for name in ["giop12_frag_small", "giop12_frag_unaligned", "giop11_frag_small"] {
        let messages = messages_of(name);
        assert_eq!(messages.len(), 1, "{name}");
        assert_forty_octets(&messages[0]);
    }
}

/// The message in these octets, and the offsets of its parts.
fn joined(octets: &[u8]) -> (MessageHeader, Vec<u8>, Vec<u32>) {
    let mut inbound = Inbound::new(Limits::default());
    inbound.space()[..octets.len()].copy_from_slice(octets);
    inbound.advance(octets.len());
    let header = inbound.poll().expect("no error").expect("a message");
    let fragment_starts = inbound.fragment_starts().to_vec();
    let detached = inbound.take(Vec::new());
    assert_eq!((&detached.fragment_starts, inbound.fragment_starts()), (&fragment_starts, &[][..]));
    (header, detached.message().to_vec(), fragment_starts)
}

#[test]
fn a_run_of_numbers_continues_in_the_next_giop_1_1_fragment() {
    let (header, message, fragment_starts) = joined(&stream("probe_omni_frag11_contiguous"));
    let (request, body) = RequestHeader::read(&message, &header).expect("a request");
    assert_eq!(request.operation, "op_doubles");
    let mut body = body.with_parts(&fragment_starts, HEADER_SIZE);
    assert_eq!(Vec::<f64>::read(&mut body), Ok(vec![1.5, 2.5, 3.5]));
}

#[test]
fn giop_1_1_fragments_have_their_own_alignment_base() {
    // As omniORB sends two strings: the first one fills a fragment, and no padding follows it.
    let mut first = request(GiopVersion::V1_1, 4, 0);
    let body = first.len();
    first.extend([0, 0, 0, 2, b'a', 0]);
    let size = first.len() - HEADER_SIZE;
    let header = MessageHeader::parse_prefix(&first).expect("valid").expect("whole");
    let header = MessageHeader { size: size as u32, more_fragments: true, ..header };
    first[..HEADER_SIZE].copy_from_slice(&header.to_octets());
    let part = |more_fragments, data: &[u8]| {
        let kind = MessageKind::Fragment;
        let header = MessageHeader { kind, size: data.len() as u32, more_fragments, ..header };
        [&header.to_octets()[..], data].concat()
    };
    let second = part(true, &[0, 0, 0, 2, b'b', 0]);
    // A double has to begin at offset 16 of this fragment.
    let third = part(false, &[0, 0, 0, 0, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 7]);
    let (header, message, fragment_starts) = joined(&[first, second, third].concat());
    assert_eq!(fragment_starts, [body as u32 + 6, body as u32 + 12]);
    let (_, body) = RequestHeader::read(&message, &header).expect("a request");
    let mut body = body.with_parts(&fragment_starts, HEADER_SIZE);
    assert_eq!(body.read_octets(), Ok(&[][..]));
    assert_eq!(String::read(&mut body).as_deref(), Ok("a"));
    assert_eq!(String::read(&mut body).as_deref(), Ok("b"));
    assert_eq!(body.read_f64(), Ok(1.5));
    assert_eq!((body.read_u8(), body.remaining()), (Ok(7), 0));
}

#[test]
fn giop_1_2_fragments_are_one_stream() {
    let (_, _, fragment_starts) = joined(&stream("giop12_frag_small"));
    assert_eq!(fragment_starts, []);
}

#[test]
fn captured_fragments_interleave_with_whole_messages() {
    let messages = messages_of("giop12_frag_interleaved");
    let (ping, _) = RequestHeader::read(&messages[0].1, &messages[0].0).expect("a request");
    assert_eq!((ping.request_id, &*ping.operation), (6, "ping"));
    assert_forty_octets(&messages[1]);
    assert_eq!(messages.len(), 2);
}

#[test]
fn a_cancel_drops_the_incomplete_request_and_itself() {
    let messages = messages_of("giop12_frag_cancel");
    let ids: Vec<u32> = messages
        .iter()
        .map(|(header, octets)| RequestHeader::read(octets, header).expect("request").0.request_id)
        .collect();
    assert_eq!(ids, [6]);
}

#[test]
fn captured_replies_and_locate_requests_are_joined() {
    for name in ["omni_fragmented_reply", "jac_fragmented_reply"] {
        let messages = messages_of(name);
        let (header, octets) = messages.last().expect("a reply");
        let (_, mut body) = ReplyHeader::read(octets, header).expect("a reply");
        assert_eq!(body.read_str(u32::MAX).expect("a string"), "fragmented reply");
    }
    let messages = messages_of("probe_omni_locate_fragmented");
    let locate = LocateRequestHeader::read(&messages[0].1, &messages[0].0).expect("locate");
    assert_eq!(locate.target, TargetAddress::Key(b"vec"));
}

/// A request with `size` octets of argument.
fn request(version: GiopVersion, request_id: u32, size: usize) -> Vec<u8> {
    let mut buffer = Vec::new();
    let start = RequestStart {
        request_id,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(b"key"),
        operation: "put",
        service_contexts: &[],
    };
    let mut message =
        MessageWriter::request(&mut buffer, version, ByteOrder::Big, &start).expect("writable");
    let argument: Vec<u8> = (0..size).map(|at| at as u8).collect();
    message.body(TextCoding::default()).write_octets(&argument).expect("writable");
    message.finish().expect("small");
    buffer
}

fn split(message: &[u8], max: usize) -> Vec<Vec<u8>> {
    fragments(message, max).map(|piece| [piece.header(), piece.payload].concat()).collect()
}

#[test]
fn splitting_and_joining_a_message_is_a_round_trip() {
    for size in [0, 1, 7, 8, 100, 1000] {
        let message = request(GiopVersion::V1_2, 8, size);
        for max in [0, 24, 31, 32, 64, 100, 4096] {
            let pieces = split(&message, max);
            let limit = (max & !7).max(24);
            assert!(pieces.iter().all(|piece| piece.len() <= limit));
            let (last, others) = pieces.split_last().expect("a piece");
            assert!(others.iter().all(|piece| piece.len() % 8 == 0 && piece[6] & 2 != 0));
            assert_eq!(last[6] & 2, 0);
            assert_eq!(pieces.len() == 1, message.len() <= limit);
            let mut inbound = Inbound::new(Limits::default());
            assert_eq!(received(&mut inbound, &pieces.concat(), 50), [&*message]);
        }
    }
}

#[test]
fn a_message_that_cannot_be_split_stays_whole() {
    for version in [GiopVersion::V1_0, GiopVersion::V1_1] {
        let message = request(version, 8, 500);
        assert_eq!(split(&message, 64), [&*message]);
    }
    let cut = &request(GiopVersion::V1_2, 8, 500)[..200];
    assert_eq!(split(cut, 64), [cut]);
    assert_eq!(split(&[], 64), <[Vec<u8>; 0]>::default());
}

#[test]
fn many_messages_interleave() {
    let sent: Vec<_> = (0..4).map(|id| request(GiopVersion::V1_2, id, 200)).collect();
    let pieces: Vec<_> = sent.iter().map(|message| split(message, 64)).collect();
    let mut stream = Vec::new();
    for round in 0..pieces[0].len() {
        for message in &pieces {
            stream.extend_from_slice(&message[round]);
        }
    }
    let mut inbound = Inbound::new(Limits::default());
    assert_eq!(received(&mut inbound, &stream, 33), sent);
    assert!(inbound.is_idle());
}

/// The error of receiving `parts`.
fn fault(limits: Limits, parts: &[&[u8]]) -> ProtocolErrorKind {
    let mut inbound = Inbound::new(limits);
    for part in parts {
        let mut rest = *part;
        while !rest.is_empty() {
            let space = inbound.space();
            let count = space.len().min(rest.len());
            space[..count].copy_from_slice(&rest[..count]);
            inbound.advance(count);
            rest = &rest[count..];
            match inbound.poll() {
                Ok(None) => {}
                Ok(Some(header)) => panic!("a {} came out", header.kind),
                Err(error) => return error.kind,
            }
        }
    }
    panic!("no fault")
}

#[test]
fn fragments_that_violate_the_rules_are_errors() {
    let limits = Limits::default();
    let pieces = split(&request(GiopVersion::V1_2, 8, 200), 64);
    let (first, second) = (&*pieces[0], &*pieces[1]);
    assert_eq!(fault(limits, &[second]), ProtocolErrorKind::UnexpectedFragment);
    assert_eq!(fault(limits, &[first, first]), ProtocolErrorKind::DuplicateFragmented(8));

    let other = split(&request(GiopVersion::V1_2, 10, 200), 64);
    assert_eq!(fault(limits, &[first, &other[1]]), ProtocolErrorKind::UnexpectedFragment);

    let mut swapped = second.to_vec();
    swapped[6] |= 1;
    swapped[8..12].reverse();
    swapped[12..16].reverse();
    assert_eq!(fault(limits, &[first, &swapped]), ProtocolErrorKind::BadFragment);

    let short = [&second[..11], &[2, 0, 8]].concat();
    assert_eq!(fault(limits, &[first, &short]), ProtocolErrorKind::BadFragment);

    for kind in [MessageKind::CancelRequest, MessageKind::CloseConnection] {
        let mut bad = first.to_vec();
        bad[7] = kind as u8;
        let expected = ProtocolErrorKind::NotFragmentable(kind, GiopVersion::V1_2);
        assert_eq!(fault(limits, &[&bad]), expected);
        assert_eq!(fault(limits, &[&other[0], &bad]), expected);
    }
}

#[test]
fn giop_1_1_fragments_must_be_consecutive() {
    let mut first = request(GiopVersion::V1_1, 8, 20);
    first[6] |= 2;
    let other = request(GiopVersion::V1_1, 10, 0);
    let expected = ProtocolErrorKind::InterruptedFragments(MessageKind::Request);
    assert_eq!(fault(Limits::default(), &[&first, &other]), expected);

    // The sender may cancel the message, or close the connection.
    let mut cancel = Vec::new();
    MessageWriter::cancel_request(&mut cancel, GiopVersion::V1_1, ByteOrder::Big, 8);
    let mut inbound = Inbound::new(Limits::default());
    let stream = [first.clone(), cancel, other.clone()].concat();
    assert_eq!(received(&mut inbound, &stream, usize::MAX), [other]);
    assert!(inbound.is_idle());

    let mut close = Vec::new();
    MessageWriter::close_connection(&mut close, GiopVersion::V1_1, ByteOrder::Big);
    let mut inbound = Inbound::new(Limits::default());
    assert_eq!(received(&mut inbound, &[first, close.clone()].concat(), usize::MAX), [close]);
    assert!(!inbound.is_idle(), "an incomplete message is left");
}

#[test]
fn a_cancel_of_another_request_is_returned() {
    let pieces = split(&request(GiopVersion::V1_2, 8, 100), 64);
    let mut cancel = Vec::new();
    MessageWriter::cancel_request(&mut cancel, GiopVersion::V1_2, ByteOrder::Big, 6);
    let stream = [&pieces[0], &cancel, &pieces[1], &pieces[2]].map(Vec::as_slice).concat();
    let mut inbound = Inbound::new(Limits::default());
    let messages = received(&mut inbound, &stream, usize::MAX);
    assert_eq!(messages, [cancel, request(GiopVersion::V1_2, 8, 100)]);
}

#[test]
fn incomplete_messages_are_limited_in_number_size_and_parts() {
    let first = |id| split(&request(GiopVersion::V1_2, id, 200), 64).swap_remove(0);
    let limits = Limits::DEFAULT.max_partial_messages(2);
    let expected = ProtocolErrorKind::TooManyPartialMessages(2);
    assert_eq!(fault(limits, &[&first(2), &first(4), &first(6)]), expected);

    let limits = Limits::DEFAULT.max_partial_octets(150);
    let expected = ProtocolErrorKind::MessageTooLarge { size: 192, limit: 150 };
    assert_eq!(fault(limits, &[&first(2), &first(4), &first(6)]), expected);

    let pieces = split(&request(GiopVersion::V1_2, 8, 500), 64);
    let parts: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
    let limits = Limits::DEFAULT.max_fragments(5);
    assert_eq!(fault(limits, &parts), ProtocolErrorKind::TooManyFragments(5));

    let limits = Limits::DEFAULT.max_message_size(300);
    let expected = ProtocolErrorKind::MessageTooLarge { size: 64 + 5 * 48, limit: 300 };
    assert_eq!(fault(limits, &parts), expected);
}

#[test]
fn a_joined_message_can_be_taken() {
    let message = request(GiopVersion::V1_2, 8, 200);
    let ping = request(GiopVersion::V1_2, 10, 0);
    let stream = [split(&message, 64).concat(), ping.clone()].concat();
    let mut inbound = Inbound::new(Limits::default());
    inbound.space()[..stream.len()].copy_from_slice(&stream);
    inbound.advance(stream.len());
    let header = inbound.poll().expect("ok").expect("joined");
    assert_eq!(header.total_size(), message.len());
    assert!(inbound.has_buffered());
    let detached = inbound.take(Vec::new());
    assert_eq!(detached.message(), message);
    assert!(inbound.poll().expect("ok").is_some());
    assert_eq!(inbound.current(), ping);
}
