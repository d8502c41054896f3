//! Both sides on a simulated network with loss, duplication and reordering, and a simulated clock:
//! the common tests of all such streams, and those of this protocol.

use zorb_testkit::driven::Guarantees;
use zorb_testkit::driven::{Conditions, Network};
use zorb_testkit::driven_suite;
use zorb_testkit::pattern;
use zorb_transport::driven::Settings;

use crate::packet::{Data, Packet, Ranges};
use crate::{Connection, Failure, Micros};

// The receiver acknowledges 250 of 500 segments, every other one. Probes are sent every five seconds and
// answered; some are repeated.
driven_suite!(
    Connection,
    Guarantees {
        max_datagram: 1400,
        max_loss_percent: 30,
        max_datagrams: 780,
        max_overhead_percent: 30,
        max_idle_datagrams: 600
    }
);

#[test]
fn a_stopped_receiver_informs_the_sender() {
    let conditions = Conditions { loss_percent: 0, duplicate_percent: 0, latency: 1000, jitter: 0 };
    let mut network = Network::<Connection>::new(2, conditions);
    network.establish();
    network.server().send(b"last words").unwrap();
    network.server().finish();
    network.server().stop_receiving();
    for _ in 0..8 {
        network.step();
    }
    network.client.send(b"to nobody").unwrap();
    for _ in 0..8 {
        network.step();
    }
    let mut buffer = [0; 32];
    let client = &mut network.client;
    assert_eq!(client.recv(&mut buffer), Ok(Some(10)));
    assert_eq!(client.recv(&mut buffer), Ok(Some(0)));
    assert_eq!(client.send(b"more"), Err(Failure::Refused));
}

fn lie_to(side: &mut Connection, lie: &Data<'_>, far: u64, now: Micros) {
    side.receive(&Packet::Data(lie.clone()), now);
    let beyond = Data { to: side.id(), received: far, offset: far, fin: false, ..lie.clone() };
    side.receive(&Packet::Data(beyond), now);
    side.receive(&Packet::Refuse { id: far }, now);
}

#[test]
fn an_unverified_address_gets_no_more_octets_than_came_from_it() {
    let (mut open, mut out) = (Vec::new(), Vec::new());
    Packet::Open { id: 1 }.write(&mut open);
    let mut server = Connection::accept(2, 1, Settings::default(), 0);
    server.send(&[7; 10_000]).unwrap();
    let (mut received, mut sent) = (0, 0);
    // Twenty seconds, longer than the server waits for the client.
    for step in 0..200 {
        let now = step * 100_000;
        if step % 7 == 0 {
            server.receive(&Packet::Open { id: 1 }, now);
            received += open.len();
        }
        while server.transmit(now, &mut out) {
            sent += out.len();
            assert!(sent <= received, "{sent} octets after {received}");
        }
    }
    assert!(sent > 0 && server.failure().is_some());
}

#[test]
fn lies_change_nothing() {
    let conditions =
        Conditions { loss_percent: 2, duplicate_percent: 0, latency: 1000, jitter: 500 };
    let mut network = Network::<Connection>::new(6, conditions);
    network.establish();
    let octets = pattern(40_000, 1);
    let (mut sent, mut received, mut buffer) = (0, Vec::new(), [0; 4000]);
    while received.len() < octets.len() {
        if network.client.is_established() && sent < octets.len() {
            sent += network.client.send(&octets[sent..]).unwrap();
        }
        while let Ok(Some(count)) = network.server().recv(&mut buffer) {
            received.extend_from_slice(&buffer[..count]);
        }
        assert!(network.step());
        // An attacker who does not know the ids, and a peer that acknowledges octets that were
        // never sent or exceeds the window.
        let far = network.random(1 << 40) + (1 << 30);
        let lie = Data {
            to: network.random(1 << 60) + 100,
            stamp: 1,
            echo: 0,
            received: 0,
            window: 0,
            ranges: Ranges::default(),
            offset: 0,
            fin: true,
            ping: true,
            octets: b"lies",
        };
        let now = network.now;
        lie_to(&mut network.client, &lie, far, now);
        lie_to(network.server(), &lie, far, now);
    }
    assert!(received == octets);
}

#[test]
fn datagrams_are_read_as_they_were_written() {
    let mut ranges = Ranges::default();
    ranges.push(3, 9);
    ranges.push(20, 21);
    let data = Data {
        to: 0x0102_0304_0506_0708,
        stamp: 0x1112_1314,
        echo: 0x2122_2324,
        received: 5,
        window: 0x1_0000,
        ranges,
        offset: 7,
        fin: true,
        ping: false,
        octets: b"text",
    };
    let mut out = Vec::new();
    Packet::Data(data.clone()).write(&mut out);
    assert_eq!(
        out,
        *b"zrq\x03\x01\x02\x03\x04\x05\x06\x07\x08\x11\x12\x13\x14\x21\x22\x23\x24\
           \0\0\0\0\0\0\0\x05\0\x01\0\0\0\0\0\0\0\0\0\x07\x01\x02\
           \0\0\0\x03\0\0\0\x09\0\0\0\x14\0\0\0\x15text"
    );
    for packet in [
        Packet::Data(data),
        Packet::Open { id: 1 },
        Packet::Accept { to: 1, id: 2 },
        Packet::Refuse { id: 3 },
    ] {
        packet.write(&mut out);
        assert_eq!(Packet::parse(&out), Some(packet.clone()));
        let smallest = if matches!(packet, Packet::Data(_)) { out.len() - 4 } else { out.len() };
        for cut in 0..smallest {
            assert_eq!(Packet::parse(&out[..cut]), None, "{packet:?} {cut}");
        }
    }
}
