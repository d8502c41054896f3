#![allow(clippy::unwrap_used)]

use super::*;
use crate::miop::packet::packets;

/// A sender, a clock and a receiver.
struct Link {
    collector: Collector,
    now: Instant,
    arrived: Vec<Vec<u8>>,
}

impl Link {
    fn new(limits: ReassemblyLimits) -> Self {
        Self { collector: Collector::new(limits), now: Instant::now(), arrived: Vec::new() }
    }

    fn bring(&mut self, from: u16, packet: &Packet<'_>) -> Collected {
        let from = SocketAddr::from(([127, 0, 0, 1], from));
        let mut message = Vec::new();
        let collected = self.collector.take(from, packet, self.now, &mut message);
        assert_eq!(message.is_empty(), collected != Collected::Whole);
        if collected == Collected::Whole {
            self.arrived.push(message);
        }
        collected
    }
}

fn message(size: usize, seed: u8) -> Vec<u8> {
    (0..size).map(|at| (at as u8).wrapping_mul(31) ^ seed).collect()
}

/// Pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn packets_come_in_any_order_and_any_number_of_times() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut link = Link::new(ReassemblyLimits::default());
    let mut sent = Vec::new();
    for round in 0..50_u8 {
        let message = message(1 + dice.below(5000), round);
        let id = [round; 12];
        let mut all: Vec<_> = packets(&message, &id, 256).collect();
        // Each packet twice, shuffled.
        all.extend(all.clone());
        for at in (1..all.len()).rev() {
            all.swap(at, dice.below(at + 1));
        }
        let whole = all.iter().filter(|packet| link.bring(1, packet) == Collected::Whole).count();
        assert_eq!(whole, 1);
        sent.push(message);
    }
    assert_eq!(link.arrived, sent);
    assert_eq!((link.collector.octets, link.collector.dropped()), (0, 0));
}

#[test]
fn only_incomplete_messages_are_given_up() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut link = Link::new(ReassemblyLimits::default());
    let (mut complete, mut lost) = (Vec::new(), 0);
    for round in 0..200_u8 {
        let message = message(2000, round);
        let id = [round; 4];
        let mut all = true;
        for packet in packets(&message, &id, 256) {
            // Drops one packet of twenty.
            if dice.below(20) == 0 {
                all = false;
            } else {
                link.bring(1, &packet);
            }
        }
        if all {
            complete.push(message);
        } else {
            lost += 1;
        }
        link.now += Duration::from_millis(100);
    }
    assert!(lost > 10 && complete.len() > 10);
    assert_eq!(link.arrived, complete);
    // Incomplete messages that are too old, and a packet that evicts them.
    link.now += Duration::from_secs(10);
    link.bring(1, &packets(&[1], b"last", 8).next().unwrap());
    assert_eq!(link.collector.dropped(), lost);
    assert_eq!((link.collector.octets, link.collector.open.len()), (0, 0));
}

#[test]
fn senders_do_not_get_in_each_others_way() {
    let mut link = Link::new(ReassemblyLimits::default());
    let (one, two) = (message(1000, 1), message(1000, 2));
    for (first, second) in packets(&one, b"same", 100).zip(packets(&two, b"same", 100)) {
        link.bring(1, &first);
        link.bring(2, &second);
    }
    assert_eq!(link.arrived, [one, two]);
}

#[test]
fn a_flood_of_incomplete_messages_evicts_its_own() {
    let limits = ReassemblyLimits { messages: 4, octets: 4000, ..ReassemblyLimits::default() };
    for size in [10, 1000] {
        let mut collector = Collector::new(limits);
        let now = Instant::now();
        let mut bring = |host: u8, packet: &Packet<'_>| {
            let mut message = Vec::new();
            let from = SocketAddr::from(([10, 0, 0, host], 1));
            collector.take(from, packet, now, &mut message);
            message
        };
        let sent = message(size, 1);
        let mut patient = packets(&sent, b"kept", size / 2 + 1);
        assert_eq!(bring(1, &patient.next().unwrap()), []);
        for id in 0..100_u8 {
            let id = [id];
            let payload = vec![0; size];
            let part = Packet { number: 0, count: 0, last: false, id: &id, payload: &payload };
            assert_eq!(bring(2, &part), []);
        }
        assert_eq!(bring(1, &patient.next().unwrap()), sent);
    }
}

#[test]
fn how_many_there_are_may_be_said_at_the_end() {
    let whole = message(300, 3);
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        let mut link = Link::new(ReassemblyLimits::default());
        let all: Vec<_> =
            packets(&whole, b"id", 100).map(|packet| Packet { count: 0, ..packet }).collect();
        for at in order {
            link.bring(1, &all[at]);
        }
        assert_eq!(link.arrived, std::slice::from_ref(&whole));
    }
}

#[test]
fn lies_are_dropped() {
    let mut link = Link::new(ReassemblyLimits::default());
    let whole = message(300, 3);
    let all: Vec<_> = packets(&whole, b"id", 100).collect();
    assert_eq!(link.bring(1, &all[1]), Collected::Part);
    let lie = |change: fn(&mut Packet<'_>)| {
        let mut packet = all[2];
        change(&mut packet);
        packet
    };
    for (packet, expected) in [
        (lie(|packet| packet.count = 4), Collected::Inconsistent),
        (lie(|packet| (packet.count, packet.number) = (0, 3)), Collected::Inconsistent),
        (
            lie(|packet| (packet.count, packet.number, packet.last) = (0, 7, false)),
            Collected::Inconsistent,
        ),
        (Packet { payload: b"otherwise", ..all[1] }, Collected::Again),
        (Packet { number: 0, count: 1, last: true, ..all[0] }, Collected::Inconsistent),
    ] {
        assert_eq!(link.bring(1, &packet), expected, "{packet:?}");
    }
    link.bring(1, &all[0]);
    assert_eq!(link.bring(1, &all[2]), Collected::Whole);
    assert_eq!(link.arrived, [whole]);
}

#[test]
fn everything_has_a_limit() {
    let limits = ReassemblyLimits {
        message: 1000,
        messages: 4,
        octets: 2000,
        packets: 8,
        remembered: 2,
        ..ReassemblyLimits::default()
    };
    let mut link = Link::new(limits);
    let part = |id: &'static [u8], number, payload: &'static [u8]| Packet {
        number,
        count: 0,
        last: false,
        id,
        payload,
    };
    // Too many packets, or too many octets, of one message.
    assert_eq!(link.bring(1, &part(b"n", 8, &[1])), Collected::TooLarge);
    assert_eq!(link.bring(1, &part(b"n", 0, &[1])), Collected::Again, "it does not start again");
    assert_eq!(link.bring(1, &Packet { count: 9, ..part(b"c", 0, &[1]) }), Collected::TooLarge);
    assert_eq!(link.bring(1, &part(b"o", 0, &[1; 600])), Collected::Part);
    assert_eq!(link.bring(1, &part(b"o", 1, &[1; 600])), Collected::TooLarge);
    assert_eq!(
        link.bring(1, &Packet { last: true, ..part(b"a", 0, &[1; 1001]) }),
        Collected::TooLarge
    );
    assert_eq!(link.collector.octets, 0);
    // Too many messages: the oldest are evicted.
    for port in 1..=100 {
        assert_eq!(link.bring(port, &part(b"m", 0, &[1; 10])), Collected::Part);
        assert!(link.collector.open.len() <= 4 && link.collector.done.len() <= 2);
    }
    // Too many octets in them.
    for port in 1..=100 {
        assert_eq!(link.bring(port, &part(b"x", 0, &[1; 900])), Collected::Part);
        assert!(link.collector.octets <= 2000);
    }
}
