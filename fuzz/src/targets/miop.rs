//! Datagrams of MIOP and DIOP: packets that make messages, and requests in one datagram.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use zorb_udp::Datagram;
use zorb_udp::miop::collect::{Collected, Collector, ReassemblyLimits};
use zorb_udp::miop::packet::Packet;

use super::{AllocationBound, Target};

/// Octets read as datagrams, each preceded by its length, from two alternating senders.
pub const TARGET: Target = Target {
    name: "miop",
    run,
    allocation: AllocationBound { per_octet: 128, constant: 4 << 10 },
    words: &[
        b"MIOP\x10\x01",
        b"MIOP\x10\x03",
        b"MIOP\x10\x00",
        b"GIOP\x01\x02\x01\x00",
        b"\x03\0\0\0\0\0\0\x01",
        b"\xff\xff\xff\xff",
    ],
};

const LIMITS: ReassemblyLimits = ReassemblyLimits::DEFAULT
    .message(300)
    .messages(3)
    .octets(500)
    .packets(8)
    .reassembly_timeout(Duration::from_secs(2))
    .remembered(4);

fn run(octets: &[u8]) {
    let _ = Datagram::classify(octets);
    let mut collector = Collector::new(LIMITS);
    let (mut rest, mut now, mut message) = (octets, Instant::now(), Vec::new());
    let mut whole = 0;
    while let Some((length, after)) = rest.split_first() {
        let (datagram, after) = after.split_at(usize::from(*length).min(after.len()));
        rest = after;
        let Some(packet) = Packet::parse(datagram) else { continue };
        let mut header = Vec::new();
        packet.write_header(&mut header);
        let again = [&header[..], packet.payload].concat();
        assert_eq!(
            Packet::parse(&again),
            Some(packet),
            "a written packet parses to the same value"
        );
        let from = SocketAddr::from((Ipv4Addr::LOCALHOST, u16::from(length % 2)));
        now += Duration::from_millis(u64::from(*length));
        message.clear();
        let collected = collector.take(from, &packet, now, &mut message);
        assert_eq!(collected == Collected::Whole, !message.is_empty());
        assert!(message.len() <= LIMITS.message, "no message is larger than messages may be");
        whole += usize::from(collected == Collected::Whole);
    }
    assert!(whole <= octets.len() / 21, "each message took at least one packet");
}
