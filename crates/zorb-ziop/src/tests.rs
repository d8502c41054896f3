//! Streams at both ends of a connection, and what a hostile peer sends.

use std::io::{self, IoSlice, Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;
use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    GiopVersion, MessageHeader, MessageKind, MessageWriter, RequestStart, ResponseFlags,
    ServiceContext, ServiceId, TargetAddress,
};
use zorb_transport::inproc::pair;
use zorb_transport::{Stream, process_budget};

use crate::accepted::Accepted;
use crate::choice::{Choice, Thresholds};
use crate::context;
use crate::incoming::{Incoming, Step};
use crate::message::CompressedHeader;
use crate::outgoing::Outgoing;
use crate::policy::*;
use crate::requests::Requests;
use crate::stream::CompressedStream;

mod shares;
#[cfg(feature = "zstd")]
mod zstd;

const RATIO: u32 = 1_100;
const ZLIB: Choice = Choice { compressor: CompressorId::ZLIB, level: 6 };

/// The receiving half of a stream, with all compressors.
fn incoming(max_ratio: u32) -> Incoming {
    Incoming::new(max_ratio, Arc::new(Accepted::all()), Arc::clone(process_budget()))
}

/// The sending half.
fn outgoing(
    thresholds: Thresholds,
    own: Option<Choice>,
    requests: Option<Arc<Requests>>,
) -> Outgoing {
    Outgoing::new(thresholds, Arc::clone(process_budget()), own, requests)
}

/// A message of this kind.
fn message(kind: MessageKind, order: ByteOrder, body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(body.len()).unwrap();
    let header =
        MessageHeader { version: GiopVersion::V1_2, order, more_fragments: false, kind, size };
    [&header.to_octets()[..], body].concat()
}

/// A request with the policies about compression, if it is `asking`.
fn request(id: u32, asking: bool, arguments: &[u8]) -> Vec<u8> {
    let data = context::encode(&CompressorIdLevelList::default(), None).unwrap();
    let context = ServiceContext::new(ServiceId::INVOCATION_POLICIES, &data[..]);
    let start = RequestStart {
        request_id: id,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(b"key"),
        operation: "mirror",
        service_contexts: if asking { &[context] } else { &[] },
    };
    let mut octets = Vec::new();
    let mut writer =
        MessageWriter::request(&mut octets, GiopVersion::V1_2, ByteOrder::NATIVE, &start).unwrap();
    writer.body(TextCoding::default()).write_octets(arguments).unwrap();
    writer.finish().unwrap();
    octets
}

/// A compressed message with `data` as the body that is said to have `original` octets.
fn compressed(kind: MessageKind, original: u32, data: &[u8]) -> Vec<u8> {
    compressed_by(CompressorId::ZLIB, kind, original, data)
}

fn compressed_by(
    compressor: CompressorId,
    kind: MessageKind,
    original: u32,
    data: &[u8],
) -> Vec<u8> {
    let header = MessageHeader {
        version: GiopVersion::V1_2,
        order: ByteOrder::Big,
        more_fragments: false,
        kind,
        size: 12 + u32::try_from(data.len()).unwrap(),
    };
    let start = CompressedHeader { header, compressor, original };
    [&start.to_octets()[..], data].concat()
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(9));
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// What becomes of octets that arrive `piece` by piece.
fn receive(mut incoming: Incoming, octets: &[u8], piece: usize) -> io::Result<Vec<u8>> {
    let (mut rest, mut received, mut buffer) = (octets, Vec::new(), vec![0; 1_000]);
    loop {
        match incoming.take(&mut buffer)? {
            Step::Taken(count) => received.extend_from_slice(&buffer[..count]),
            Step::Needs(_) if rest.is_empty() => return Ok(received),
            Step::Needs(Some(most)) => {
                let count = most.min(piece).min(rest.len()).min(buffer.len());
                received.extend_from_slice(&rest[..count]);
                rest = &rest[count..];
                incoming.passed(count);
            }
            Step::Needs(None) => {
                let space = incoming.space();
                let count = piece.min(rest.len()).min(space.len());
                rest.read_exact(&mut space[..count]).unwrap();
                incoming.filled(count);
            }
        }
    }
}

fn all_kinds() -> Thresholds {
    Thresholds { low_value: CompressionLowValue(0), min_ratio: CompressionMinRatio(1.0) }
}

/// A client's and a server's stream of one connection, which takes `capacity` octets at a time.
fn connection(capacity: usize) -> (CompressedStream, CompressedStream) {
    let (client, server) = pair(capacity);
    let requests = Arc::new(Requests::new(CompressorIdLevelList::default()));
    let of_server = incoming(RATIO).noting(Arc::clone(&requests));
    let client =
        CompressedStream::new(client, incoming(RATIO), outgoing(all_kinds(), Some(ZLIB), None));
    let replies = outgoing(all_kinds(), None, Some(requests));
    (client, CompressedStream::new(server, of_server, replies))
}

fn receive_exactly(stream: &CompressedStream, count: usize) -> Vec<u8> {
    let mut octets = vec![0; count];
    let mut at = 0;
    while at < count {
        at += stream.recv(&mut octets[at..]).unwrap();
    }
    octets
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any body arrives as it was sent, in both byte orders and in pieces of any size.
    #[test]
    fn bodies_arrive_as_they_were(
        seed in prop::collection::vec(any::<u8>(), 0..600),
        times in 0_usize..300,
        is_big in any::<bool>(),
        piece in 1_usize..40_000,
        level in 0_u8..10,
    ) {
        let order = if is_big { ByteOrder::Big } else { ByteOrder::Little };
        let original = message(MessageKind::Request, order, &seed.repeat(times));
        let half = original.len() / 2;
        let parts = [IoSlice::new(&original[..half]), IoSlice::new(&original[half..])];
        let mut outgoing = outgoing(all_kinds(), Some(Choice { level, ..ZLIB }), None);
        let sent = outgoing.compress(&parts);
        // Twice as many octets of noise save more than zlib adds from 128 octets on.
        prop_assert!(sent.is_some() || level == 0 || times < 2 || seed.len() * times < 128);
        if let Some(sent) = sent {
            prop_assert!(sent.octets.len() < original.len());
            prop_assert!(sent.octets.starts_with(b"ZIOP"));
            let received = receive(incoming(u32::MAX), &sent.octets, piece).unwrap();
            prop_assert!(received == original);
        }
        prop_assert!(receive(incoming(RATIO), &original, piece).unwrap() == original);
    }

    /// Damaged octets are refused, or are those of other messages; they never make more than was announced.
    #[test]
    fn damage_is_survived(at in 0_usize..400, octet in any::<u8>(), piece in 1_usize..600) {
        let body: Vec<u8> = (0..2_000_u32).map(|number| (number % 97) as u8).collect();
        let mut sent = compressed(MessageKind::Request, 2_000, &zlib(&body));
        let at = at % sent.len();
        sent[at] = octet;
        let requests = Arc::new(Requests::new(CompressorIdLevelList::default()));
        if let Ok(received) = receive(incoming(RATIO).noting(requests), &sent, piece) {
            prop_assert!(received.len() <= 12 + 2_000.max(sent.len()));
        }
    }
}

#[test]
fn requests_and_the_replies_to_those_that_ask_are_compressed() {
    let (client, server) = connection(1 << 20);
    let data = [7; 5_000];
    for (id, asking, expected) in [(2, false, false), (4, true, true), (6, false, true)] {
        let sent = request(id, asking, &data);
        client.send_all(&sent).unwrap();
        assert_eq!(receive_exactly(&server, sent.len()), sent);
        let body = [&id.to_ne_bytes()[..], &[0; 4_000]].concat();
        let reply = message(MessageKind::Reply, ByteOrder::NATIVE, &body);
        server.send_all(&reply).unwrap();
        let mut raw = vec![0; 12];
        // What arrives below the client's stream.
        assert_eq!(client.inner().recv(&mut raw).unwrap(), 12);
        assert_eq!(&raw[..4], if expected { b"ZIOP" } else { b"GIOP" });
        let size = MessageHeader::parse_prefix(&[b"GIOP", &raw[4..]].concat()).unwrap().unwrap();
        let rest = receive_raw(&client, size.size as usize);
        let all = [&raw[..], &rest].concat();
        assert_eq!(receive(incoming(RATIO), &all, 100).unwrap(), reply);
    }
}

/// Octets that zlib cannot make smaller.
fn noise() -> Vec<u8> {
    let mut state = 1_u64;
    let next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(9_000).collect()
}

fn receive_raw(stream: &CompressedStream, count: usize) -> Vec<u8> {
    let mut octets = vec![0; count];
    let mut at = 0;
    while at < count {
        at += stream.inner().recv(&mut octets[at..]).unwrap();
    }
    octets
}

#[test]
fn a_message_that_is_sent_in_part_is_continued() {
    let (client, server) = connection(700);
    let noise = noise();
    // The last cannot be made smaller, and is sent as it is.
    for arguments in [vec![1; 3_000], noise[..50].repeat(200), noise] {
        let sent = request(2, true, &arguments);
        let mut received = Vec::new();
        let mut buffer = [0; 300];
        let mut rest = &sent[..];
        while !rest.is_empty() || received.len() < sent.len() {
            let count = client.try_send(rest).unwrap();
            rest = &rest[count..];
            while let Some(count @ 1..) = server.try_recv(&mut buffer).unwrap() {
                received.extend_from_slice(&buffer[..count]);
            }
        }
        assert_eq!(received, sent);
    }
    assert!(!server.is_readable());
}

#[test]
fn several_messages_in_one_send_are_compressed_each() {
    let (client, server) = connection(1 << 20);
    let sent = [request(2, true, &[1; 900]), request(4, true, &[]), request(6, true, &[3; 90_000])];
    client.send_all(&sent.concat()).unwrap();
    let length: usize = sent.iter().map(Vec::len).sum();
    assert_eq!(receive_exactly(&server, length), sent.concat());
}

#[test]
fn small_bodies_and_those_that_stay_large_are_sent_as_they_are() {
    let thresholds = Thresholds::default();
    assert_eq!(thresholds.most_of(1_024), None);
    assert_eq!(thresholds.most_of(2_000), Some(1_799));
    let mut outgoing = outgoing(thresholds, Some(ZLIB), None);
    let noise = noise();
    for body in [&[0; 1_024][..], &noise] {
        let sent = message(MessageKind::Request, ByteOrder::NATIVE, body);
        assert!(outgoing.compress(&[IoSlice::new(&sent)]).is_none());
    }
    // Others than requests, replies and their fragments are never compressed, nor are those before GIOP 1.2.
    let locate = message(MessageKind::LocateRequest, ByteOrder::NATIVE, &[0; 5_000]);
    assert!(outgoing.compress(&[IoSlice::new(&locate)]).is_none());
    let mut old = message(MessageKind::Request, ByteOrder::NATIVE, &[0; 5_000]);
    old[5] = 1;
    assert!(outgoing.compress(&[IoSlice::new(&old)]).is_none());
}

#[test]
fn what_lies_about_its_size_is_refused() {
    let body = [5; 10_000];
    let data = zlib(&body);
    let refused = |original, data: &[u8]| {
        let sent = compressed(MessageKind::Reply, original, data);
        receive(incoming(RATIO), &sent, 64).unwrap_err().to_string()
    };
    let longer = "compressed data becomes longer than its message says";
    assert_eq!(refused(9_999, &data), longer);
    assert_eq!(refused(0, &data), longer);
    let shorter = "compressed data becomes shorter than its message says";
    assert_eq!(refused(10_001, &data), shorter);
    assert_eq!(refused(10_000, &data[..data.len() - 1]), shorter);
    let early = "compressed data ends before its message";
    assert_eq!(refused(10_000, &[&data[..], &[0]].concat()), early);
    let mut damaged = data;
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(refused(10_000, &damaged), "compressed data is malformed");
}

#[test]
fn a_ratio_above_the_limit_is_refused_before_anything_is_decompressed() {
    let data = zlib(&[0; 1 << 20]);
    let sent = compressed(MessageKind::Request, 1 << 20, &data);
    let ratio = (1 << 20) / u32::try_from(data.len()).unwrap();
    let refused = receive(incoming(ratio - 1), &sent[..24], 24).unwrap_err();
    assert_eq!(refused.to_string(), "message exceeds the option ZiopMaxRatio");
    assert_eq!(receive(incoming(ratio + 1), &sent, 999).unwrap().len(), 12 + (1 << 20));
    // A bomb: 4 GiB from a few octets.
    let bomb = compressed(MessageKind::Request, u32::MAX, &data);
    assert!(receive(incoming(RATIO), &bomb[..24], 24).is_err());
}

#[test]
fn an_unfinished_checksum_withholds_the_end_of_a_message() {
    let body = [5; 10_000];
    let sent = compressed(MessageKind::Reply, 10_000, &zlib(&body));
    let received = receive(incoming(RATIO), &sent[..sent.len() - 4], 999).unwrap();
    assert!(received.len() < 12 + 10_000, "the message has not arrived");
}

#[test]
fn an_unknown_compressor_or_header_is_passed_on() {
    let mut unknown = compressed(MessageKind::Request, 100, &[0; 50]);
    unknown[13] = 3;
    let mut odd = compressed(MessageKind::Request, 100, &[0; 50]);
    odd[11] += 1;
    // The connection answers such a message with a MessageError.
    for octets in [&unknown[..], &odd, b"HTTP/1.1 400 Bad Request", b"ZIOPxxxxxxxxxxxxxxxxxxxx"] {
        assert_eq!(receive(incoming(RATIO), octets, 7).unwrap(), octets);
    }
}

#[test]
fn a_compressor_that_was_not_announced_is_passed_on() {
    let sent = compressed(MessageKind::Reply, 100, &zlib(&[5; 100]));
    let of = |accepted| Incoming::new(RATIO, accepted, Arc::clone(process_budget()));
    let other = CompressorIdLevel { compressor: CompressorId::BZIP2, level: 6 };
    let accepted = Arc::new(Accepted::of(&CompressorIdLevelList(vec![other])));
    assert_eq!(receive(of(Arc::clone(&accepted)), &sent, 7).unwrap(), sent);
    // An adapter that has it makes connections understand it that are open.
    let open = of(Arc::clone(&accepted));
    accepted.add(&CompressorIdLevelList::default());
    assert_eq!(receive(open, &sent, 7).unwrap().len(), 112);
}

#[test]
fn contexts_join_other_policies_and_survive_both_orders() {
    let list = CompressorIdLevelList(vec![
        CompressorIdLevel { compressor: CompressorId::BZIP2, level: 9 },
        CompressorIdLevel { compressor: CompressorId::ZLIB, level: 400 },
    ]);
    let first = context::encode(&list, None).unwrap();
    assert_eq!(context::decode(&first).unwrap(), Some(list.clone()));
    // Of omniORB, little-endian: enabled, zlib at level 6.
    let omniorb =
        "010100000200000040000000020000000101df19410000000c000000010100000100000004000600";
    let omniorb: Vec<u8> = (0..omniorb.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&omniorb[at..at + 2], 16).unwrap())
        .collect();
    let theirs = context::decode(&omniorb).unwrap().unwrap();
    assert_eq!(theirs, CompressorIdLevelList::default());
    assert_eq!(Choice::of(&list, &theirs, &list), Some(Choice { level: 9, ..ZLIB }));
    assert_eq!(Choice::of(&CompressorIdLevelList(vec![]), &theirs, &theirs), None);
    assert!(context::decode(&omniorb[..30]).is_err());
    let mut off = omniorb;
    off[17] = 0;
    assert_eq!(context::decode(&off).unwrap(), Some(CompressorIdLevelList(vec![])));
}
