//! Datagrams of the reliable stream over UDP, as a connection receives them from any sender.

use zorb_arq::{Connection, Packet, Settings};

use super::{AllocationBound, Target};

const OWN: u64 = 0x0102_0304_0506_0708;
const PEER: u64 = 0x1112_1314_1516_1718;

/// Octets read as datagrams, each preceded by its length, for the server's side of a connection that also sends; the
/// clock advances with each datagram.
pub const TARGET: Target = Target {
    name: "arq",
    run,
    allocation: AllocationBound { per_octet: 256, constant: 64 << 10 },
    words: &[
        b"zrq\x01\x11\x12\x13\x14\x15\x16\x17\x18\0\0\0\0\0\0\0\0\0\0\0\0",
        b"zrq\x02\x11\x12\x13\x14\x15\x16\x17\x18\x01\x02\x03\x04\x05\x06\x07\x08",
        b"zrq\x03\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\x01\0\0\0\0",
        b"zrq\x04\x11\x12\x13\x14\x15\x16\x17\x18",
        b"\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\x01\0",
        b"\xff\xff\xff\xff",
    ],
};

fn run(octets: &[u8]) {
    let settings = Settings {
        send_buffer: 4000,
        receive_buffer: 4000,
        keep_alive: 50_000,
        peer_timeout: 200_000,
        linger: 60_000_000,
    };
    let mut now = 1_000_000;
    let mut connection = Connection::accept(OWN, PEER, settings, now);
    let _ = connection.send(&[7; 3000]);
    let (mut rest, mut out, mut buffer) = (octets, Vec::new(), [0; 64]);
    let (mut taken, mut carried) = (0, 0);
    while let Some((length, after)) = rest.split_first() {
        let (datagram, after) = after.split_at(usize::from(*length).min(after.len()));
        rest = after;
        now += u64::from(*length) * 37;
        if let Some(packet) = Packet::parse(datagram) {
            packet.write(&mut out);
            if let Packet::Data(data) = &packet {
                carried += data.octets.len();
            }
            // The padding of an Open means nothing.
            let is_open = matches!(packet, Packet::Open { .. });
            assert!(is_open || out == datagram, "a written datagram parses to the same value");
            connection.receive(&packet, now);
        }
        let mut sent = 0;
        while connection.transmit(now, &mut out) {
            let is_answer = matches!(Packet::parse(&out), Some(Packet::Accept { .. }));
            assert!(
                connection.is_established() || is_answer,
                "an unvalidated peer is sent nothing"
            );
            assert!(
                Packet::parse(&out).is_some() && out.len() <= 1400,
                "sent datagrams are well-formed"
            );
            sent += 1;
            assert!(sent < 64, "it stops sending");
        }
        if let Ok(Some(count)) = connection.recv(&mut buffer) {
            taken += count;
        }
    }
    assert!(taken <= carried, "no octets are received that were not sent");
}
