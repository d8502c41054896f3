//! One-way calls over datagram protocols, which may lose any message.

mod subject;

use std::net::UdpSocket;
use std::thread;
use std::time::Duration;

use zorb::policy::{ConnectionTimeout, Policies, RelativeRoundtripTimeout, SyncScope};
use zorb::{CompletionStatus, Interface as _, OrbBuilder, SystemExceptionKind};

use crate::calls::pattern;
use crate::idl::suite::Record;
use crate::lanes::check_lanes;
use crate::limit::run_within_the_limit;
use subject::Received;

pub use subject::OneWay;

/// Messages of all sizes that fit into a datagram.
pub fn one_way_calls_arrive(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for (number, size) in (0..).zip([0, 1, 100, 1400, 1500, 5000, 60_000]) {
        server.hears_note(&there, number, size);
    }
}

/// Arguments of every alignment, and text.
pub fn arguments_are_preserved(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for (number, text) in (0..).zip(["", "plain", "naïve Ægir", "\u{7f}"]) {
        let record = Record {
            kind: number,
            value: f64::from(number) / 7.0,
            number: -i16::from(number),
            name: text.to_owned(),
            title: "日本 🦀".to_owned(),
        };
        server.expect_received(&Received::Record(record.clone()), || there.tell(&record));
    }
}

/// Calls that expect a reply are rejected without sending anything.
pub fn calls_with_replies_are_rejected(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let exception = there.wait().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::No);
    // So is a one-way call that waits for the server.
    let surely = Policies::new().with(SyncScope::WithServer);
    let exception = there.with_policies(&surely).unwrap().note(1, &[]).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement, "{exception}");
    server.hears_note(&there, 1, 1);
}

/// Options and policies of connections and replies have no effect.
pub fn inapplicable_policies_are_ignored(on: &OneWay) {
    let with_options = |builder: OrbBuilder| {
        let options = [("IdleTimeout", "1"), ("MaxConnections", "1"), ("BusyWait", "20")];
        let sizes =
            [("SendBuffer", "200000"), ("ReceiveBuffer", "200000"), ("RoundTripTimeout", "60")];
        let all = options.into_iter().chain(sizes);
        all.fold(builder, |builder, (name, value)| builder.option(name, value))
    };
    let server = on.server_of(with_options(on.builder()), on.endpoint().as_deref());
    let client = with_options(on.builder()).build().unwrap();
    let policies = Policies::new()
        .with(RelativeRoundtripTimeout(Duration::from_secs(60)))
        .with(ConnectionTimeout(Duration::from_secs(60)));
    client.policy_manager().add(&policies).unwrap();
    let there = server.seen_by(&client).with_policies(&policies).unwrap();
    for (number, size) in (0..).zip([0, 5000, 60_000]) {
        server.hears_note(&there, number, size);
    }
}

/// Messages that are too large are rejected before anything is sent.
pub fn too_large_requests_are_rejected(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let exception = there.note(1, &pattern(3 << 20)).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::ImpLimit, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::No);
    server.hears_note(&there, 2, 1);
}

/// Malformed datagrams are dropped, regardless of their sender.
pub fn garbage_is_dropped(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    server.hears_note(&there, 1, 10);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let all: [&[u8]; 9] = [
        b"",
        b"GIOP",
        b"MIOP",
        b"GIOP\x01\x02\x01\x05\0\0\0\0",
        b"GIOP\x01\x02\x01\0\xff\xff\xff\xff",
        b"MIOP\x10\x02\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\xff",
        &[0; 64],
        &[0xff; 2000],
        &[7; 60_000],
    ];
    for garbage in all {
        // This socket may be unable to reach a group; the group then receives nothing.
        let _ = socket.send_to(garbage, server.address());
        server.hears_note(&there, 2, 10);
    }
}

/// Packets of messages that are never completed, requests that nobody serves and such that wait for replies, from many
/// senders: they keep no other sender out.
pub fn unknown_senders_keep_no_sender_out(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    server.hears_note(&there, 1, 10);
    let sockets = [(); 16].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    for number in 0..2000_u32 {
        let packet = first_packet(number);
        let unknown = request_to_nobody(number);
        for datagram in [&packet[..], &unknown] {
            // As with garbage.
            let _ = sockets[number as usize % 16].send_to(datagram, server.address());
        }
        if number % 200 == 0 {
            server.hears_note(&there, number + 2, 5000);
        }
    }
    server.hears_note(&there, 1, 60_000);
}

/// The first of two packets of a message, in MIOP.
fn first_packet(number: u32) -> Vec<u8> {
    let payload = pattern(1000 + number as usize % 7 * 8);
    let mut packet = b"MIOP\x10\x01".to_vec();
    packet.extend(u16::try_from(payload.len()).expect("short").to_le_bytes());
    // The first of two, with an id of eight octets.
    for word in [0, 2, 8, number, !number] {
        packet.extend(word.to_le_bytes());
    }
    packet.resize(packet.len().next_multiple_of(8), 0);
    packet.extend(payload);
    packet
}

/// A request of GIOP 1.0 to an object that no server has; every other one expects a reply.
fn request_to_nobody(number: u32) -> Vec<u8> {
    let mut body = [0_u32.to_le_bytes(), number.to_le_bytes()].concat();
    body.extend([(number % 2) as u8, 0, 0, 0]);
    body.extend(b"\x04\0\0\0none\x02\0\0\0x\0\0\0\0\0\0\0");
    let size = u32::try_from(body.len()).expect("short").to_le_bytes();
    [&b"GIOP\x01\x00\x01\x00"[..], &size, &body].concat()
}

/// A client does not wait for a busy server: messages beyond the receive buffer are lost.
pub fn a_flood_does_not_block_the_sender(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let data = pattern(20_000);
    for _ in 0..500 {
        there.note(1, &data).unwrap();
    }
    server.hears_note(&there, 2, 1);
    // The messages that did arrive are complete.
    for received in server.received.try_iter() {
        assert!(matches!(received, Received::Note(1 | 2, found) if data.starts_with(&found)));
    }
}

/// Requests of several threads are not mixed up.
pub fn many_threads_send_at_once(on: &OneWay) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    thread::scope(|scope| {
        for number in 0..4_u32 {
            let there = &there;
            scope.spawn(move || {
                let data = pattern(1000 * (number as usize + 1));
                for _ in 0..100 {
                    there.note(number, &data).unwrap();
                }
            });
        }
    });
    server.hears_note(&there, 77, 3);
    for received in server.received.try_iter() {
        let Received::Note(number, data) = received else { panic!("{received:?}") };
        assert!(number == 77 || data == pattern(1000 * (number as usize + 1)), "{number}");
    }
}

/// A client does not notice that a server has ended, and finds the next one at its endpoint.
pub fn a_restarted_server_is_found(on: &OneWay) {
    let (first, client) = (on.server(), on.client());
    let there = first.resolve_in(&client);
    first.hears_note(&there, 1, 10);
    let address = first.address.clone();
    drop(first);
    for _ in 0..10 {
        there.note(2, &[]).unwrap();
    }
    let second = on.server_at(Some(&address));
    second.hears_note(&there, 3, 10);
}

/// Runs one test of the suite. Called by [`one_way_suite!`](crate::one_way_suite).
///
/// # Panics
/// When the test fails or takes longer than `LIMIT`.
pub fn run_one_way(subject: OneWay, test: fn(&OneWay)) {
    run_within_the_limit(move || test(&subject));
}

/// Lanes listen at the interface where their ORB listens; groups have no lanes.
pub fn lanes_listen_where_their_orb_listens(subject: &OneWay) {
    if !subject.is_group {
        check_lanes(subject.builder(), subject.url);
    }
}

/// Makes a `#[test]` of every function of the suite for one-way calls.
#[macro_export]
macro_rules! one_way_suite {
    ($subject:expr) => {
        $crate::one_way_suite! { @tests $subject;
            one_way_calls_arrive
            arguments_are_preserved
            calls_with_replies_are_rejected
            inapplicable_policies_are_ignored
            too_large_requests_are_rejected
            garbage_is_dropped
            unknown_senders_keep_no_sender_out
            a_flood_does_not_block_the_sender
            many_threads_send_at_once
            a_restarted_server_is_found
            lanes_listen_where_their_orb_listens
        }
    };
    (@tests $subject:expr; $($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                $crate::run_one_way($subject, $crate::one_way::$test);
            }
        )*
    };
}
