//! SCTP packets, as both sides of an association receive them from an attacker who knows its tags.

use std::net::SocketAddr;

use zorb_sctp::{Connection, Settings, sealed};
use zorb_transport::driven::{Driven, Route};

use super::{AllocationBound, Target};

/// Octets read as packets, each behind an octet that says how long it is and one that says what is done
/// with it: 1 leaves it as it is, and it is put behind a header with tag and checksum otherwise; 2 counts
/// the number with which its first chunk begins from where the client's pieces begin; 4 is for the client
/// and not the server. The clock goes on with each.
pub const TARGET: Target = Target {
    name: "sctp",
    run,
    allocation: AllocationBound { per_octet: 2048, constant: 128 << 10 },
    words: &[
        b"\x02\0\x03\0\x11\0\0\0\0\0\0\0\0\0\0\0\x35x\0\0\0",
        b"\x01\0\0\x14\0\0\0\x09\0\x01\0\0\0\x01\0\x01\0\0\0\x05",
        b"\x03\0\0\x10\0\0\0\0\0\0\x20\0\0\0\0\0",
        b"\x04\0\0\x10\0\x01\0\x0c12345678",
        b"\x06\0\0\x04",
        b"\x07\0\0\x08\0\0\0\0",
        b"\x08\0\0\x04",
        b"\x0e\0\0\x04",
        b"\x82\0\0\x14\0\x0d\0\x10\0\0\0\0",
        b"\xc0\0\0\x08\0\0\0\0",
        b"\xff\xff\xff\xff",
    ],
};

const FROM: ([u8; 4], u16) = ([192, 0, 2, 1], 4000);

/// Two connected sides, and the client's first sequence number.
fn connected(settings: Settings, now: u64) -> Option<(Connection, Connection, [u8; 4])> {
    let (from, mut out) = (SocketAddr::from(FROM), Vec::new());
    let mut client = <Connection as Driven>::connect(from, settings, now);
    assert!(client.transmit(now, &mut out), "the client sends INIT");
    let number = *out.get(28..)?.first_chunk()?;
    assert!(matches!(Connection::route(&out), Some(Route::Opens(_))));
    let mut server = <Connection as Driven>::accept(&out, from, settings, now)?;
    while !client.is_established() {
        assert!(server.transmit(now, &mut out), "its answer");
        client.receive(&out, now);
        if client.transmit(now, &mut out) {
            server.receive(&out, now);
        }
    }
    Some((client, server, number))
}

fn run(octets: &[u8]) {
    let settings = Settings {
        send_buffer: 4000,
        receive_buffer: 8192,
        keep_alive: 50_000,
        peer_timeout: 400_000,
        linger: 60_000_000,
    };
    let mut now = 1_000_000;
    let Some((mut client, mut server, first)) = connected(settings, now) else { return };
    let _ = client.send(&[7; 3000]);
    let _ = server.send(&[8; 3000]);
    let (mut rest, mut out, mut buffer) = (octets, Vec::new(), [0; 64]);
    let (mut taken, mut carried) = (0, 0);
    while let [length, what, after @ ..] = rest {
        let (body, after) = after.split_at(usize::from(*length).min(after.len()));
        rest = after;
        now += u64::from(*length) * 37;
        let side = if what & 4 == 0 { &mut server } else { &mut client };
        let mut packet = body.to_vec();
        if what & 1 == 0 {
            let tag = u32::try_from(side.id()).unwrap_or_default().to_be_bytes();
            packet = [&[0x13, 0x88, 0x13, 0x88], &tag[..], &[0; 4], body].concat();
            if what & 2 != 0
                && let Some(place) = packet.get_mut(16..).and_then(|rest| rest.first_chunk_mut())
            {
                let number = u32::from_be_bytes(*place).wrapping_add(u32::from_be_bytes(first));
                *place = number.to_be_bytes();
            }
            packet = sealed(&packet);
        }
        carried += packet.len();
        let refused = Connection::refuse(&packet, &mut out);
        assert!(!refused || out.len() <= packet.len(), "a refusal is not longer than the packet");
        side.receive(&packet, now);
        let mut sent = 0;
        while side.transmit(now, &mut out) {
            assert!(
                Connection::route(&out).is_some() && out.len() <= 1400,
                "sent packets are well-formed"
            );
            sent += 1;
            assert!(sent < 256, "it stops sending");
        }
        if let Ok(Some(count)) = side.recv(&mut buffer) {
            taken += count;
        }
        if side.is_over(now) {
            assert!(!side.transmit(now, &mut out), "a finished side sends nothing");
        }
    }
    assert!(taken <= carried, "no octets are received that were not sent");
}
