//! Servers under attack: broken messages end only their own connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use crate::support::{Echo, client, server};
use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, MessageWriter, ProfileTag, RequestStart, ResponseFlags, TargetAddress,
};

fn key(echo: &Echo) -> Vec<u8> {
    zorb_giop::iiop_object_key(&echo.object().ior().profiles[0].data).unwrap().to_vec()
}

fn address(orb: &zorb_core::Orb) -> String {
    orb.endpoints()[0].trim_start_matches("iiop://").to_owned()
}

fn request(version: GiopVersion, key: &[u8], operation: &str, body: &[u8]) -> Vec<u8> {
    request_to(TargetAddress::Key(key), version, operation, body)
}

fn request_to(
    target: TargetAddress<'_>,
    version: GiopVersion,
    operation: &str,
    body: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let start = RequestStart {
        request_id: 2,
        response: ResponseFlags::SyncWithTarget,
        target,
        operation,
        service_contexts: &[],
    };
    let mut message =
        MessageWriter::request(&mut bytes, version, ByteOrder::Little, &start).unwrap();
    message.body(Default::default()).put(body);
    message.finish().unwrap();
    bytes
}

/// Sends `octets`, then ends the stream. Returns what the server sends until it ends its side.
fn exchange(address: &str, octets: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    // The server may close before everything is sent; that is an answer too.
    let _ = stream.write_all(octets);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

fn messages(mut octets: &[u8]) -> Vec<&[u8]> {
    let mut messages = Vec::new();
    while let Some(header) = octets.first_chunk::<12>() {
        let header = zorb_giop::MessageHeader::parse(header).unwrap();
        let (message, rest) = octets.split_at(header.total_size().min(octets.len()));
        messages.push(message);
        octets = rest;
    }
    messages
}

fn kinds(octets: &[u8]) -> Vec<u8> {
    messages(octets).iter().map(|message| message[7]).collect()
}

const REPLY: u8 = 1;
const MESSAGE_ERROR: u8 = 6;

#[test]
fn octets_that_are_not_giop_get_message_error() {
    let (orb, echo) = server();
    let (_client, there) = client(&echo);
    let address = address(&orb);
    for octets in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"GIOP\x02\x00\x00\x00\0\0\0\0",
        b"GIOP\x01\x09\x00\x00\0\0\0\0",
        b"GIOP\x01\x02\x01\x63\0\0\0\0",
        // A Reply, a Fragment of nothing, a Request too short for its header.
        b"GIOP\x01\x02\x01\x07\x04\0\0\0\0\0\0\0",
        b"GIOP\x01\x02\x01\x00\x04\0\0\0\x02\0\0\0",
    ] {
        assert_eq!(kinds(&exchange(&address, octets)), [MESSAGE_ERROR], "{octets:x?}");
        assert_eq!(there.twice(1).unwrap(), 2);
    }
}

#[test]
fn a_claimed_size_is_not_believed() {
    let (orb, echo) = server();
    let (_client, there) = client(&echo);
    let huge = b"GIOP\x01\x02\x01\x00\xff\xff\xff\xff";
    assert!(exchange(&address(&orb), huge).len() <= 12);
    // The largest allowed size without its octets: memory is used only for those that arrived.
    let patient = [&b"GIOP\x01\x02\x01\x00"[..], &(60_u32 << 20).to_le_bytes(), &[0; 100]].concat();
    assert_eq!(exchange(&address(&orb), &patient), []);
    assert_eq!(there.twice(1).unwrap(), 2);
}

#[test]
fn arguments_that_do_not_fit_are_marshal_and_the_connection_lives() {
    let (orb, echo) = server();
    let key = key(&echo);
    for version in [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2] {
        let mut octets = Vec::new();
        for (operation, body) in [
            ("twice", &[1, 2][..]),
            ("repeat", &[0xff, 0xff, 0xff, 0x7f, b'x']),
            ("repeat", &[0, 0, 0, 0]),
            ("mirror", &[0xff; 4]),
            ("call_back", &[1, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
            ("", &[]),
            ("twice", &[21, 0, 0, 0]),
        ] {
            octets.extend(request(version, &key, operation, body));
        }
        let answer = exchange(&address(&orb), &octets);
        assert_eq!(kinds(&answer), [REPLY; 7], "{version}");
        assert_eq!(answer.windows(8).filter(|w| w == b"MARSHAL:").count(), 5, "{version}");
        // Replies come in any order: a thread that takes long hands the connection over.
        let is_result = |reply: &&[u8]| reply.ends_with(&42_i32.to_ne_bytes());
        assert_eq!(messages(&answer).into_iter().filter(is_result).count(), 1, "{version}");
        assert_eq!(answer[5], version.minor(), "the reply has the request's version");
    }
}

#[test]
fn keys_of_nobody_do_not_exist() {
    let (orb, echo) = server();
    let good = key(&echo);
    let mut keys =
        vec![vec![], b"nobody".to_vec(), vec![b'Z'; 4000], good[..good.len() - 1].to_vec()];
    for index in 0..good.len() {
        let mut key = good.clone();
        key[index] ^= 0x55;
        keys.push(key);
    }
    let octets: Vec<u8> =
        keys.iter().flat_map(|key| request(GiopVersion::V1_2, key, "twice", &[0; 4])).collect();
    let answer = exchange(&address(&orb), &octets);
    assert_eq!(kinds(&answer).len(), keys.len());
    assert_eq!(answer.windows(17).filter(|w| w == b"OBJECT_NOT_EXIST:").count(), keys.len());
}

#[test]
fn old_and_new_spellings_of_non_existent_agree() {
    let (orb, echo) = server();
    let good = key(&echo);
    let absent = [&good[..good.len() - 1], &[good[good.len() - 1] ^ 0x55]].concat();
    for (key, expected) in [(&good, 0), (&absent, 1)] {
        for operation in ["_non_existent", "_not_existent"] {
            let answer = exchange(&address(&orb), &request(GiopVersion::V1_2, key, operation, &[]));
            assert_eq!(kinds(&answer), [REPLY]);
            assert_eq!(answer.last(), Some(&expected), "{operation}");
        }
    }
}

#[test]
fn a_target_without_a_known_key_is_asked_for_its_key() {
    let (orb, echo) = server();
    let data = &echo.object().ior().profiles[0].data;
    let by_profile = |tag| {
        let target = TargetAddress::Profile { tag, data };
        let octets = request_to(target, GiopVersion::V1_2, "twice", &21_i32.to_le_bytes());
        let answer = exchange(&address(&orb), &octets);
        assert_eq!(kinds(&answer), [REPLY]);
        (u32::from_ne_bytes(answer[16..20].try_into().unwrap()), answer)
    };
    let (status, answer) = by_profile(ProfileTag::INTERNET_IOP);
    assert_eq!((status, answer.last_chunk()), (0, Some(&42_i32.to_ne_bytes())));
    // NEEDS_ADDRESSING_MODE, with KeyAddr.
    let (status, answer) = by_profile(ProfileTag(0x5a4f_5242));
    assert_eq!((status, answer.last_chunk()), (5, Some(&[0; 2])));
}

#[test]
fn mutated_requests_never_take_the_server_down() {
    let (orb, echo) = server();
    let (_client, there) = client(&echo);
    let address = address(&orb);
    let key = key(&echo);
    let seeds = [
        request(GiopVersion::V1_2, &key, "repeat", b"\x03\0\0\0ab\0\0\x02\0\0\0"),
        request(GiopVersion::V1_1, &key, "mirror", b"\x03\0\0\0abc"),
        request(GiopVersion::V1_0, &key, "call_back", &echo_reference(&echo)),
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    for round in 0..300 {
        let mut octets = seeds[round % seeds.len()].clone();
        for _ in 0..=random() % 4 {
            let place = random() % octets.len();
            octets[place] = random() as u8;
        }
        if random() % 4 == 0 {
            octets.truncate(random() % octets.len());
        }
        let _ = exchange(&address, &octets);
    }
    assert_eq!(there.twice(1).unwrap(), 2);
    orb.shutdown(true).unwrap();
}

fn echo_reference(echo: &Echo) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = zorb_cdr::CdrWriter::new(&mut octets, ByteOrder::Little);
    <zorb_giop::Ior as zorb_cdr::Wire>::write(echo.object().ior(), &mut writer).unwrap();
    octets
}

#[test]
fn a_client_that_does_not_read_holds_up_no_shutdown() {
    let orb = crate::support::builder()
        .listen("iiop://127.0.0.1:0")
        .option("SendTimeout", "1")
        .build()
        .unwrap();
    let echo: Echo = orb.root_poa().activate(crate::support::Servant::default()).unwrap();
    let mut stream = TcpStream::connect(address(&orb)).unwrap();
    // More than the system buffers.
    let size = 48_u32 << 20;
    let body = [&size.to_le_bytes()[..], &vec![0; size as usize]].concat();
    stream.write_all(&request(GiopVersion::V1_2, &key(&echo), "mirror", &body)).unwrap();
    // The server is sending the reply.
    stream.read_exact(&mut [0; 12]).unwrap();
    orb.shutdown(true).unwrap();
}

#[test]
fn a_client_that_closes_gets_no_close_connection() {
    let (orb, _echo) = server();
    let close = b"GIOP\x01\x02\x01\x05\0\0\0\0";
    assert_eq!(exchange(&address(&orb), close), []);
}

#[test]
fn replies_without_memory_end_the_connection_of_a_client() {
    for calls in ["1", "2"] {
        let (orb, echo) = server();
        let client = crate::support::builder()
            .option("MaxBufferedOctetsPerPeer", "300000")
            .option("MaxCallsPerConnection", calls)
            .build()
            .unwrap();
        let echo: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
        for _ in 0..3 {
            // The refused reply has given its memory back.
            assert_eq!(echo.mirror(&[7; 200_000]).unwrap().len(), 200_000);
            let refused = echo.mirror(&[7; 2_000_000]).unwrap_err();
            assert_eq!(refused.kind, zorb_types::SystemExceptionKind::NoMemory, "{refused:?}");
        }
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn incomplete_messages_together_have_the_limit_of_one() {
    let orb = crate::support::builder()
        .listen("iiop://127.0.0.1:0")
        .option("MaxMessageSize", "1024")
        .build()
        .unwrap();
    let echo: Echo = orb.root_poa().activate(crate::support::Servant::default()).unwrap();
    let whole = |id: u8| {
        let body = [&700_u32.to_le_bytes()[..], &[0; 700]].concat();
        let mut octets = request(GiopVersion::V1_2, &key(&echo), "mirror", &body);
        octets[12] = id;
        octets
    };
    let pieces = |octets: &[u8]| -> Vec<Vec<u8>> {
        let pieces = zorb_giop::fragments(octets, 600);
        pieces.map(|piece| [piece.header(), piece.payload].concat()).collect()
    };
    let (first, second) = (pieces(&whole(2)), pieces(&whole(4)));
    assert_eq!((first.len(), second.len()), (2, 2));
    let one_by_one = [&first[..], &second[..]].concat().concat();
    assert_eq!(kinds(&exchange(&address(&orb), &one_by_one)), [REPLY; 2]);
    let mixed = [&first[..1], &second[..], &first[1..]].concat().concat();
    assert_eq!(exchange(&address(&orb), &mixed), []);
}
