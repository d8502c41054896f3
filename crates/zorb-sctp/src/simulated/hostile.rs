//! Packets of a malicious peer.

use std::cell::Cell;

use zorb_transport::driven::Driven;

use super::*;
use crate::packet::kind;

/// A network with both sides connected, and the header of the client's packets.
fn connected() -> (Network<Connection>, [u8; 8]) {
    let mut network = Network::<Connection>::new(7, Conditions::LOSSLESS);
    network.establish();
    assert!(network.client.send(b"x").is_ok());
    let mut packet = Vec::new();
    assert!(network.client.transmit(network.now, &mut packet));
    let begin = Packet::parse(&packet).and_then(|packet| packet.address());
    let now = network.now;
    network.server().receive(&packet, now);
    (network, begin.unwrap())
}

/// The client's last sequence number in order, as the server reports it for a duplicate.
fn acknowledged(network: &mut Network<Connection>) -> u32 {
    let (mut last, mut out) = (None, Vec::new());
    let now = network.now;
    assert!(network.client.send(b"y").is_ok());
    while network.client.transmit(now, &mut out) {
        network.server().receive(&out, now);
    }
    while network.server().transmit(now, &mut out) {
        let first = Packet::parse(&out).and_then(|packet| packet.first());
        last = first.and_then(|chunk| chunk.acknowledged()).or(last);
    }
    last.expect("an acknowledgement").0
}

fn of(begin: [u8; 8], kind: u8, flags: u8, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    packet::begin(begin, &mut out);
    packet::add(kind, flags, body, &mut out);
    packet::seal(&mut out);
    out
}

/// Counts what the stack logs on each thread as a warning or an error.
struct Warnings;

thread_local! {
    static WARNINGS: Cell<usize> = const { Cell::new(0) };
}

impl log::Log for Warnings {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, _: &log::Record<'_>) {
        WARNINGS.set(WARNINGS.get() + 1);
    }

    fn flush(&self) {}
}

#[test]
fn an_init_of_any_client_logs_no_warning() {
    log::set_logger(&Warnings).unwrap();
    log::set_max_level(log::LevelFilter::Warn);
    // Of a client without extensions: tag, window, streams and first number.
    let init = [0, 0, 0, 7, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 9];
    let init = of([0x13, 0x88, 0x13, 0x88, 0, 0, 0, 0], kind::INIT, 0, &init);
    let from = zorb_testkit::driven::address(4000);
    assert!(Connection::accept(&init, from, Default::default(), 1).is_some());
    assert_eq!(WARNINGS.get(), 0);
}

#[test]
fn chunks_that_occupy_the_stack_are_filtered() {
    let (mut network, begin) = connected();
    let now = network.now;
    // Two thousand million numbers ahead; and stream reset requests, which it would store.
    let far = (acknowledged(&mut network) + 0x7fff_0000).to_be_bytes();
    network.server().receive(&of(begin, 192, 0, &far), now);
    network.server().receive(&of(begin, 194, 0, &far), now);
    for number in 0..10_000_u32 {
        let [a, b, c, d] = number.to_be_bytes();
        let body = [0, 13, 0, 16, a, b, c, d, 0, 0, 0, 0, 0xe0, 0, 0, 0];
        network.server().receive(&of(begin, 130, 0, &body), now);
    }
    let mut out = Vec::new();
    while network.server().transmit(now, &mut out) {}
    assert_eq!(network.server().failure(), None);
    assert_eq!(network.server().recv(&mut [0; 4]), Ok(Some(1)));
    assert_eq!(acknowledged(&mut network), u32::from_be_bytes(far) - 0x7fff_0000 + 1);
}

#[test]
fn another_stream_and_data_in_no_order_end_the_connection() {
    for (flags, stream, contents) in [(3, 1, &b"x"[..]), (7, 0, b"x"), (3, 0, b"")] {
        let (mut network, begin) = connected();
        let mut body = vec![0, 0, 0, 0, 0, stream, 0, 0, 0, 0, 0, 0];
        body.extend_from_slice(contents);
        let (now, mut out) = (network.now, Vec::new());
        network.server().receive(&of(begin, kind::DATA, flags, &body), now);
        assert!(network.server().transmit(now, &mut out));
        let told = Packet::parse(&out).and_then(|packet| packet.first()).map(|chunk| chunk.kind);
        assert_eq!(told, Some(kind::ABORT));
        assert_eq!(network.server().failure(), Some(Failure::Aborted));
        network.client.receive(&out, now);
        assert_eq!(network.client.failure(), Some(Failure::Refused));
    }
}

#[test]
fn unread_tiny_segments_are_limited() {
    let (mut network, begin) = connected();
    let now = network.now;
    let (mut out, mut told) = (Vec::new(), 0);
    let start = acknowledged(&mut network);
    let mut tsn = start;
    for ssn in 2..40_000_u16 {
        tsn += 1;
        let ([a, b, c, d], [e, f]) = (tsn.to_be_bytes(), ssn.to_be_bytes());
        let body = [a, b, c, d, 0, 0, e, f, 0, 0, 0, 0, 1];
        network.server().receive(&of(begin, kind::DATA, 3, &body), now);
        while network.server().transmit(now, &mut out) {
            let first = Packet::parse(&out).and_then(|packet| packet.first());
            if let Some((number, _)) = first.and_then(|chunk| chunk.acknowledged()) {
                told = number.wrapping_sub(start);
            }
        }
    }
    assert!((1000..2200).contains(&told), "{told}");
    assert_eq!(network.server().failure(), None);
}

#[test]
fn lies_change_nothing() {
    let mut network = Network::<Connection>::new(
        6,
        Conditions { loss_percent: 2, duplicate_percent: 0, latency: 1000, jitter: 500 },
    );
    network.establish();
    let octets = pattern(40_000, 1);
    let (mut sent, mut received, mut buffer) = (0, Vec::new(), [0; 4000]);
    while received.len() < octets.len() {
        sent += network.client.send(&octets[sent..]).unwrap();
        while let Ok(Some(count)) = network.server().recv(&mut buffer) {
            received.extend_from_slice(&buffer[..count]);
        }
        assert!(network.step());
        // An attacker who does not know the tags tries to end or change it.
        let now = network.now;
        let tag = (network.random(1 << 32) as u32).to_be_bytes();
        let begin = [0x13, 0x88, 0x13, 0x88, tag[0], tag[1], tag[2], tag[3]];
        for kind in [kind::DATA, kind::SACK, kind::ABORT, kind::SHUTDOWN, kind::SHUTDOWN_COMPLETE] {
            for flags in [0, 1, 3] {
                let lie = of(begin, kind, flags, &[0; 16]);
                network.server().receive(&lie, now);
                network.client.receive(&lie, now);
            }
        }
        let init = [9, 9, 9, 9, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 5];
        let lie = of([0x13, 0x88, 0x13, 0x88, 0, 0, 0, 0], kind::INIT, 0, &init);
        network.server().receive(&lie, now);
        network.client.receive(&lie, now);
    }
    assert!(received == octets);
}

#[test]
fn truncated_packets_are_rejected() {
    let begin = [0x13, 0x88, 0x13, 0x88, 0, 0, 0, 9];
    let packet = of(begin, kind::HEARTBEAT, 0, &[0, 1, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(Packet::parse(&packet).map(|packet| packet.tag), Some(9));
    for end in 0..packet.len() {
        assert!(Packet::parse(&packet[..end]).is_none(), "{end}");
    }
    for at in 0..packet.len() {
        let mut bent = packet.clone();
        bent[at] ^= 0x40;
        assert!(Packet::parse(&bent).is_none(), "the checksum covers {at}");
    }
    // The checksum of 32 zero octets, as known from iSCSI (RFC 3720, B.4).
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI);
    assert_eq!(crc.checksum(&[0; 32]), 0x8a91_36aa);
}
