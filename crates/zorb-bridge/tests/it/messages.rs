//! Messages that a bridge forwards, and messages that it rejects.
#![allow(clippy::panic)]

use crate::support::*;
use zorb_bridge::Settings;
use zorb_cdr::{ByteOrder, Wire};
use zorb_giop::{
    GiopVersion, Ior, LocateReplyHeader, LocateStatus, MessageKind, MessageWriter, ReplyStatus,
    ResponseFlags, TargetAddress, fragments,
};
use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

const LITTLE: ByteOrder = ByteOrder::Little;
const NEWEST: GiopVersion = GiopVersion::V1_2;

fn all_objects() -> Settings {
    Settings { all_objects: true, ..Settings::default() }
}

#[test]
fn messages_of_every_version_and_order_are_forwarded_unchanged() {
    let bridge = TestBridge::new(Settings::default());
    for version in VERSIONS {
        for order in ORDERS {
            let client = bridge.client();
            let asked = request(version, order, 5, KEY, b"arguments");
            client.send(&asked);
            let server = bridge.server();
            assert_eq!(server.message(), asked);
            let status = (5, ReplyStatus::UserException);
            let answer = reply(version, order, status, |body| body.put(b"results"));
            server.send(&answer);
            assert_eq!(client.message(), answer);
        }
    }
    let statistics = bridge.bridge.statistics();
    assert_eq!((statistics.connections, statistics.requests, statistics.replies), (6, 6, 6));
    assert_eq!((statistics.awaited, statistics.refused), (6, 0));
}

#[test]
fn the_reference_is_the_targets_with_the_bridges_endpoints() {
    let bridge = TestBridge::new(Settings::default());
    let reference = bridge.bridge.reference().unwrap();
    assert_eq!(reference.type_id, "IDL:Target:1.0");
    let resolved = bridge.protocol().decode_profile(&reference.profiles[0]).unwrap();
    assert_eq!((resolved.object_key.as_slice(), resolved.version), (KEY, NEWEST));
    assert_eq!(resolved.endpoints[0].as_str(), "inproc://bridge");
}

#[test]
fn messages_are_forwarded_in_order() {
    let bridge = TestBridge::new(Settings::default());
    let client = bridge.client();
    let oneway = (ResponseFlags::NoResponse, KEY);
    let all: Vec<Vec<u8>> = (0..50)
        .map(|id| match id % 3 {
            0 => request_with(NEWEST, LITTLE, id, oneway, b"oneway"),
            1 => locate_request(ByteOrder::Big, id, &TargetAddress::Key(KEY)),
            _ => {
                let mut cancel = Vec::new();
                MessageWriter::cancel_request(&mut cancel, NEWEST, LITTLE, id);
                cancel
            }
        })
        .collect();
    // Split at every position.
    all.concat().chunks(7).for_each(|piece| client.send(piece));
    let server = bridge.server();
    for message in all {
        assert_eq!(server.message(), message);
    }
}

#[test]
fn objects_that_the_bridge_does_not_serve_do_not_exist() {
    let bridge = TestBridge::new(Settings::default());
    let client = bridge.client();
    let other = b"another object".as_slice();
    for version in VERSIONS {
        client.send(&request(version, LITTLE, 3, other, b"x"));
        let answer = client.message();
        assert_eq!(header_of(&answer).version, version);
        let exception = exception_in(&answer, 3);
        assert_eq!(exception.kind, SystemExceptionKind::ObjectNotExist);
        assert_eq!(exception.minor, minor::object_not_exist::UNKNOWN_KEY);
        assert_eq!(exception.completed, CompletionStatus::No);
    }
    client.send(&locate_request(LITTLE, 9, &TargetAddress::Key(other)));
    let answer = client.message();
    let (located, _) = LocateReplyHeader::read(&answer, &header_of(&answer)).unwrap();
    assert_eq!((located.request_id, located.status), (9, LocateStatus::UnknownObject));
    // A rejected oneway request gets no reply, and the next request is forwarded.
    client.send(&request_with(NEWEST, LITTLE, 4, (ResponseFlags::NoResponse, other), b"x"));
    let good = request(NEWEST, LITTLE, 5, KEY, b"good");
    client.send(&good);
    let server = bridge.server();
    assert_eq!(server.message(), good);
    assert_eq!(bridge.bridge.statistics().refused, 5);
}

#[test]
fn all_objects_of_the_server_are_accessible_if_enabled() {
    let bridge = TestBridge::new(all_objects());
    let client = bridge.client();
    let asked = request(NEWEST, LITTLE, 3, b"another object", b"x");
    client.send(&asked);
    assert_eq!(bridge.server().message(), asked);
}

#[test]
fn the_target_must_be_addressed_by_its_key() {
    let bridge = TestBridge::new(Settings::default());
    let client = bridge.client();
    let profile = profile(&*bridge.protocol(), "bridge", KEY);
    let target = TargetAddress::Profile { tag: profile.tag, data: &profile.data };
    client.send(&locate_request(LITTLE, 1, &target));
    let answer = client.message();
    let (located, mut body) = LocateReplyHeader::read(&answer, &header_of(&answer)).unwrap();
    assert_eq!(located.status, LocateStatus::LocNeedsAddressingMode);
    assert_eq!(body.read_i16(), Ok(0));
}

#[test]
fn fragments_are_forwarded_one_by_one() {
    let bridge = TestBridge::new(Settings::default());
    let client = bridge.client();
    let whole = request(NEWEST, LITTLE, 8, KEY, &[7; 1000]);
    let parts: Vec<Vec<u8>> =
        fragments(&whole, 128).map(|part| [part.header(), part.payload].concat()).collect();
    assert!(parts.len() > 5);
    client.send(&parts[0]);
    let server = bridge.server();
    assert_eq!(server.message(), parts[0]);
    for part in &parts[1..] {
        client.send(part);
        assert_eq!(server.message(), *part);
    }
}

#[test]
fn fragments_of_a_rejected_request_are_dropped() {
    let bridge = TestBridge::new(Settings::default());
    let client = bridge.client();
    let split = |key: &[u8], id| {
        let whole = request(NEWEST, LITTLE, id, key, &[7; 300]);
        let parts = fragments(&whole, 128).map(|part| [part.header(), part.payload].concat());
        parts.collect::<Vec<Vec<u8>>>()
    };
    let (bad, good) = (split(b"another", 2), split(KEY, 4));
    // Interleaved: GIOP 1.2 allows that.
    bad.iter().zip(&good).for_each(|(bad, good)| client.send(&[bad.as_slice(), good].concat()));
    bad.iter().skip(good.len()).for_each(|part| client.send(part));
    good.iter().skip(bad.len()).for_each(|part| client.send(part));
    let server = bridge.server();
    for part in &good {
        assert_eq!(server.message(), *part);
    }
    exception_in(&client.message(), 2);
    // The request id can be used again.
    let next = request(NEWEST, LITTLE, 2, KEY, b"next");
    client.send(&next);
    assert_eq!(server.message(), next);
}

#[test]
fn a_header_in_several_fragments_is_reassembled() {
    let bridge = TestBridge::new(Settings::default());
    let client = bridge.client();
    let split = |key: &[u8], id| {
        let whole = request(NEWEST, LITTLE, id, key, &[7; 300]);
        let parts = fragments(&whole, 24).map(|part| [part.header(), part.payload].concat());
        parts.collect::<Vec<Vec<u8>>>().concat()
    };
    let good = split(KEY, 4);
    let all = [split(b"another", 2), good.clone()].concat();
    all.chunks(5).for_each(|piece| client.send(piece));
    let server = bridge.server();
    assert_eq!(server.octets(good.len()), good);
    exception_in(&client.message(), 2);
    // A request cancelled before the object is known is dropped.
    let mut given_up = split(KEY, 6)[..24].to_vec();
    let mut cancel = Vec::new();
    MessageWriter::cancel_request(&mut cancel, NEWEST, LITTLE, 6);
    given_up.extend(cancel);
    client.send(&given_up);
    client.send(&good);
    assert_eq!(server.octets(good.len()), good);
}

#[test]
fn giop_1_1_fragments_of_a_rejected_request_are_dropped() {
    let bridge = TestBridge::new(Settings::default());
    let client = bridge.client();
    let old = GiopVersion::V1_1;
    let mut first = request(old, LITTLE, 2, b"another", &[7; 64]);
    first[6] |= 2;
    let fragment = |more: bool, octets: &[u8]| {
        let header = zorb_giop::MessageHeader {
            version: old,
            order: LITTLE,
            more_fragments: more,
            kind: MessageKind::Fragment,
            size: octets.len() as u32,
        };
        [&header.to_octets(), octets].concat()
    };
    let good = request(old, LITTLE, 4, KEY, b"good");
    client.send(
        &[first, fragment(true, b"more octets"), fragment(false, b""), good.clone()].concat(),
    );
    assert_eq!(bridge.server().message(), good);
    exception_in(&client.message(), 2);
}

#[test]
fn a_long_message_is_forwarded_before_it_is_complete() {
    let bridge = TestBridge::new(Settings::default());
    let client = bridge.client();
    let whole = request(NEWEST, LITTLE, 2, KEY, &vec![7; 1 << 20]);
    let (first, rest) = whole.split_at(200);
    client.send(first);
    let server = bridge.server();
    assert_eq!(server.octets(first.len()), first);
    std::thread::scope(|scope| {
        scope.spawn(|| client.send(rest));
        assert_eq!(server.octets(rest.len()), rest);
    });
}

#[test]
fn a_reply_of_the_bridge_is_not_interleaved_with_another_reply() {
    let bridge = TestBridge::new(Settings::default());
    let (client, server) = bridge.met();
    let long = reply(NEWEST, LITTLE, (1, ReplyStatus::NoException), |body| body.put(&[7; 3000]));
    let (first, rest) = long.split_at(1000);
    server.send(first);
    assert_eq!(client.octets(first.len()), first);
    client.send(&request(NEWEST, LITTLE, 2, b"another", b"x"));
    // The forwarded request shows that the bridge has processed the previous one.
    let next = request_with(NEWEST, LITTLE, 3, (ResponseFlags::NoResponse, KEY), b"x");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            client.send(&next);
            server.send(rest);
        });
        assert_eq!(client.octets(rest.len()), rest);
        exception_in(&client.message(), 2);
        assert_eq!(server.message(), next);
    });
}

#[test]
fn forwards_within_the_server_refer_to_the_bridge() {
    let bridge = TestBridge::new(Settings::default());
    let (client, server) = bridge.met();
    let protocol = bridge.protocol();
    let ior = |name: &str, key: &[u8]| Ior {
        type_id: "IDL:Other:1.0".to_owned(),
        profiles: vec![profile(&*protocol, name, key)],
    };
    // Before a client is forwarded to it, the object is not accessible.
    client.send(&request(NEWEST, LITTLE, 2, b"moved", b"x"));
    exception_in(&client.message(), 2);
    for (order, id) in ORDERS.into_iter().zip([4, 6]) {
        let status = (id, ReplyStatus::LocationForward);
        server.send(&reply(NEWEST, order, status, |body| {
            Ior::write(&ior("server", b"moved"), body).unwrap();
        }));
        let answer = client.message();
        let forwarded = Ior::read(&mut body_of(&answer, status)).unwrap();
        assert_eq!(forwarded.type_id, "IDL:Other:1.0");
        assert_eq!(forwarded.profiles, [profile(&*protocol, "bridge", b"moved")]);
    }
    let now = request(NEWEST, LITTLE, 8, b"moved", b"x");
    client.send(&now);
    assert_eq!(server.message(), now);
    // A LocateReply forwards in the same way.
    let mut located = Vec::new();
    let status = LocateStatus::ObjectForward;
    let mut message =
        MessageWriter::locate_reply(&mut located, NEWEST, LITTLE, 10, status).unwrap();
    Ior::write(&ior("server", b"far"), &mut message.body(Default::default())).unwrap();
    message.finish().unwrap();
    server.send(&located);
    let answer = client.message();
    let (_, mut body) = LocateReplyHeader::read(&answer, &header_of(&answer)).unwrap();
    assert_eq!(Ior::read(&mut body).unwrap().profiles, [profile(&*protocol, "bridge", b"far")]);
    // An object of another server is not reached through this bridge.
    let elsewhere = reply(NEWEST, LITTLE, (12, ReplyStatus::LocationForward), |body| {
        Ior::write(&ior("elsewhere", b"moved"), body).unwrap();
    });
    server.send(&elsewhere);
    assert_eq!(client.message(), elsewhere);
}

#[test]
fn requests_of_the_server_and_their_replies_are_forwarded() {
    let bridge = TestBridge::new(Settings::default());
    let (client, server) = bridge.met();
    let callback = request(NEWEST, LITTLE, 3, b"an object of the client", b"x");
    server.send(&callback);
    assert_eq!(client.message(), callback);
    let answer = reply(NEWEST, LITTLE, (3, ReplyStatus::NoException), |body| body.put(b"y"));
    client.send(&answer);
    assert_eq!(server.message(), answer);
}
