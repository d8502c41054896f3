//! Octets that no well-behaved client sends.

use std::time::Duration;

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    GiopVersion, MessageWriter, ProfileTag, RequestStart, ResponseFlags, TargetAddress,
};
use zorb_nano::{Limits, Os, Server, Socket};

use crate::calls::{add, client, server};
use crate::simulated::{Network, Simulated};

const ZERO: Option<Duration> = Some(Duration::ZERO);

/// A Request in this version.
pub(crate) fn request(
    version: GiopVersion,
    order: ByteOrder,
    target: TargetAddress<'_>,
) -> Vec<u8> {
    let mut octets = Vec::new();
    let start = RequestStart {
        request_id: 1,
        response: ResponseFlags::SyncWithTarget,
        target,
        operation: "echo",
        service_contexts: &[],
    };
    let mut message = MessageWriter::request(&mut octets, version, order, &start).unwrap();
    message.body(TextCoding::default()).write_latin1("text").unwrap();
    message.finish().unwrap();
    octets
}

/// Sends octets on a new connection, lets the server work, and returns what it has answered, and whether it has closed the
/// connection.
pub(crate) fn exchange(
    network: &Network,
    server: &mut Server<'_, Simulated>,
    octets: &[u8],
) -> (Vec<u8>, bool) {
    let mut machine = network.machine(usize::MAX, 1);
    let stream = machine.connect(server.address()).unwrap();
    server.perform_work(ZERO).unwrap();
    let mut rest = octets;
    let mut answer = Vec::new();
    let mut is_closed = false;
    for _ in 0..200 {
        if let Ok(count) =
            rest.is_empty().then_some(0).map_or_else(|| machine.write(stream, rest), Ok)
        {
            rest = &rest[count..];
        }
        server.perform_work(ZERO).unwrap();
        is_closed |= read(&mut machine, stream, &mut answer);
    }
    machine.close(stream);
    server.perform_work(ZERO).unwrap();
    (answer, is_closed)
}

/// Reads what is there. Returns whether the stream has ended.
fn read(machine: &mut Simulated, stream: Socket, octets: &mut Vec<u8>) -> bool {
    let mut space = [0; 256];
    loop {
        match machine.read(stream, &mut space) {
            Ok(0) => return true,
            Ok(count) => octets.extend_from_slice(&space[..count]),
            Err(_) => return false,
        }
    }
}

const MESSAGE_ERROR: u8 = 6;

fn kind(answer: &[u8]) -> Option<u8> {
    answer.get(7).copied()
}

#[test]
fn what_is_not_giop_is_answered_with_a_message_error() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    let mut server = server.borrow_mut();
    let reply = [b"GIOP\x01\x02\x00\x01\0\0\0\x0c".as_slice(), &[0; 12]].concat();
    let bad_target =
        [b"GIOP\x01\x02\x00\x00\0\0\0\x0c".as_slice(), &[0, 0, 0, 1, 3, 0, 0, 0, 0, 9, 0, 0]];
    for octets in [
        b"GET / HTTP/1.1\r\n".to_vec(),
        b"GIOP\x02\x00\0\0\0\0\0\0".to_vec(),
        b"GIOP\x01\x02\0\x09\0\0\0\0".to_vec(),
        b"GIOP\x01\x02\0\0\0\0\0\0".to_vec(),
        // A Fragment that continues nothing, and a Reply.
        b"GIOP\x01\x02\0\x07\0\0\0\x04\0\0\0\x01".to_vec(),
        reply,
        bad_target.concat(),
    ] {
        let (answer, is_closed) = exchange(&network, &mut server, &octets);
        assert_eq!(kind(&answer), Some(MESSAGE_ERROR), "{octets:?}");
        assert!(is_closed, "{octets:?}");
    }
}

#[test]
fn messages_above_the_limit_and_fragments_close_the_connection() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    let mut server = server.borrow_mut();
    let mut fragmented = request(GiopVersion::V1_2, ByteOrder::Big, TargetAddress::Key(b"meter"));
    fragmented[6] |= 2;
    let too_large = b"GIOP\x01\x02\0\0\0\0\x10\0".to_vec();
    for octets in [too_large, fragmented] {
        let (answer, is_closed) = exchange(&network, &mut server, &octets);
        assert_eq!((answer, is_closed), (Vec::new(), true));
    }
}

#[test]
fn targets_may_be_profiles_and_references_are_asked_for_their_key() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    let mut server = server.borrow_mut();
    let reference = server.reference(b"meter").unwrap();
    let ior = reference.to_ior("IDL:Meter:1.0").unwrap();
    let data = &ior.profiles[0].data;
    let (version, order) = (GiopVersion::V1_2, ByteOrder::Big);
    let status = |server: &mut Server<'_, Simulated>, target| {
        let (answer, is_closed) = exchange(&network, server, &request(version, order, target));
        assert!(!is_closed);
        assert_eq!(kind(&answer), Some(1));
        u32::from_ne_bytes(answer[16..20].try_into().unwrap())
    };
    let tag = ProfileTag::INTERNET_IOP;
    assert_eq!(status(&mut server, TargetAddress::Profile { tag, data }), 0);
    let unknown = TargetAddress::Profile { tag: ProfileTag(99), data };
    assert_eq!(status(&mut server, unknown), 2, "a system exception");
    let ior = std::borrow::Cow::Borrowed(&ior);
    let whole = TargetAddress::Reference { selected: 0, ior };
    assert_eq!(status(&mut server, whole), 5, "NEEDS_ADDRESSING_MODE");
}

#[test]
fn no_octets_stop_the_server() {
    let network = Network::default();
    let (server, _) = server(&network, usize::MAX, Limits::DEFAULT);
    let meter = server.borrow_mut().reference(b"meter").unwrap();
    let versions = [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2];
    for (version, order) in
        versions.into_iter().zip([ByteOrder::Little, ByteOrder::Big, ByteOrder::Little])
    {
        let whole = request(version, order, TargetAddress::Key(b"meter"));
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff, whole[at] ^ 1, whole[at].wrapping_add(1)] {
                let mut changed = whole.clone();
                changed[at] = value;
                for octets in [&changed[..], &changed[..at]] {
                    exchange_quickly(&network, &mut server.borrow_mut(), octets);
                }
            }
        }
    }
    assert_eq!(server.borrow_mut().os().open(), 1, "the listener is left");
    assert_eq!(add(&mut client(&network, 5, &server), &meter), Ok(5));
}

/// [`exchange`] without looking at the answer.
fn exchange_quickly(network: &Network, server: &mut Server<'_, Simulated>, octets: &[u8]) {
    let mut machine = network.machine(usize::MAX, 1);
    let stream = machine.connect(server.address()).unwrap();
    server.perform_work(ZERO).unwrap();
    if !octets.is_empty() {
        machine.write(stream, octets).unwrap();
    }
    server.perform_work(ZERO).unwrap();
    machine.close(stream);
    server.perform_work(ZERO).unwrap();
}
