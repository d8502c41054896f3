//! Two connections and a network between them that loses, doubles and reorders, under a clock that the
//! test turns.

use std::collections::BTreeMap;

use zorb_transport::driven::Micros;

use crate::Failure;
use crate::connection::{Connection, Settings};
use crate::packet::{Data, Packet, Ranges};

/// How the network behaves, in percent and microseconds.
#[derive(Clone, Copy)]
struct Weather {
    lost: u64,
    doubled: u64,
    /// How long the way takes, and how much longer it may.
    way: Micros,
    wander: Micros,
}

struct Network {
    now: Micros,
    seed: u64,
    weather: Weather,
    sides: [Connection; 2],
    /// Datagrams under way by when they arrive, with the side that they go to.
    under_way: BTreeMap<(Micros, u64), (usize, Vec<u8>)>,
    datagrams: u64,
    /// Whether a side is there.
    alive: [bool; 2],
}

const CLIENT: usize = 0;
const SERVER: usize = 1;

impl Network {
    fn new(seed: u64, weather: Weather) -> Self {
        Self::with(seed, weather, Settings::default())
    }

    fn with(seed: u64, weather: Weather, settings: Settings) -> Self {
        let now = 1_000_000 + seed * 4_000_000_000;
        let client = Connection::connect(11, settings, now);
        let server = Connection::accept(22, 11, settings, now);
        Self {
            now,
            seed: seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            weather,
            sides: [client, server],
            under_way: BTreeMap::new(),
            datagrams: 0,
            alive: [true; 2],
        }
    }

    fn random(&mut self, below: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 20) % below.max(1)
    }

    fn post(&mut self, to: usize, datagram: &[u8]) {
        self.datagrams += 1;
        if self.random(100) < self.weather.lost {
            return;
        }
        let copies = 1 + u64::from(self.random(100) < self.weather.doubled);
        for copy in 0..copies {
            let at = self.now + self.weather.way + self.random(self.weather.wander + 1);
            self.under_way.insert((at, self.datagrams * 2 + copy), (to, datagram.to_vec()));
        }
    }

    /// Has both sides send what they have to send.
    fn pump(&mut self) {
        let mut datagram = Vec::new();
        for side in [CLIENT, SERVER] {
            while self.alive[side] && self.sides[side].transmit(self.now, &mut datagram) {
                assert!(datagram.len() <= 1400, "it fits a frame");
                self.post(1 - side, &datagram);
            }
        }
    }

    /// Turns the clock to what happens next; `false` when nothing ever will.
    fn step(&mut self) -> bool {
        self.pump();
        let deadlines = [CLIENT, SERVER]
            .into_iter()
            .filter(|side| self.alive[*side] && !self.sides[*side].is_over(self.now))
            .filter_map(|side| self.sides[side].deadline());
        let arrival = self.under_way.first_key_value().map(|((at, _), _)| *at);
        let Some(next) = deadlines.chain(arrival).min() else { return false };
        self.now = self.now.max(next);
        while let Some(first) = self.under_way.first_entry()
            && first.key().0 <= self.now
        {
            let (to, datagram) = first.remove();
            let packet = Packet::parse(&datagram).expect("what was written can be read");
            if !self.alive[to] {
                continue;
            }
            self.sides[to].receive(&packet, self.now);
        }
        true
    }

    /// Moves `octets` each way, and ends both directions.
    fn exchange(&mut self, octets: [&[u8]; 2]) {
        let (mut sent, mut received) = ([0; 2], [Vec::new(), Vec::new()]);
        let mut buffer = [0; 4000];
        let mut ended = [false; 2];
        for steps in 0.. {
            assert!(steps < 2_000_000, "it comes to an end");
            for side in [CLIENT, SERVER] {
                let connection = &mut self.sides[side];
                if !connection.is_established() {
                    continue;
                }
                let rest = &octets[side][sent[side]..];
                if !rest.is_empty() {
                    sent[side] += connection.send(rest).expect("the connection is good");
                } else {
                    connection.finish();
                }
                while let Ok(Some(count)) = connection.recv(&mut buffer) {
                    if count == 0 {
                        ended[side] = true;
                        break;
                    }
                    received[side].extend_from_slice(&buffer[..count]);
                }
            }
            if !self.step() {
                break;
            }
        }
        assert_eq!(ended, [true; 2], "{:?}", self.sides.each_ref().map(Connection::failure));
        for side in [CLIENT, SERVER] {
            assert!(received[side] == octets[1 - side], "in order, and nothing else");
            assert!(self.sides[side].is_over(self.now), "both know that it is over");
        }
    }
}

fn pattern(length: usize, seed: u64) -> Vec<u8> {
    (0..length as u64).map(|n| (n.wrapping_mul(seed | 1) >> 3) as u8 ^ (n >> 11) as u8).collect()
}

#[test]
fn all_arrives_in_order_whatever_is_lost() {
    for lost in [0, 5, 30] {
        for seed in 0..12 {
            let weather = Weather { lost, doubled: 5, way: 10_000, wander: 3000 };
            let mut network = Network::new(seed, weather);
            network.exchange([&pattern(150_000, seed), &pattern(70_000, seed + 7)]);
        }
    }
}

#[test]
fn heavy_reordering_changes_nothing() {
    for seed in 0..8 {
        let weather = Weather { lost: 5, doubled: 20, way: 100, wander: 20_000 };
        Network::new(seed, weather).exchange([&pattern(100_000, seed), &pattern(100_000, 3)]);
    }
}

#[test]
fn what_is_lost_is_sent_again_and_little_else() {
    let octets = pattern(600_000, 5);
    let datagrams = |lost| {
        let weather = Weather { lost, doubled: 0, way: 5000, wander: 0 };
        let mut network = Network::new(1, weather);
        network.exchange([&octets, b""]);
        network.datagrams
    };
    let (calm, rough) = (datagrams(0), datagrams(5));
    // 500 pieces, and an acknowledgement for every other.
    assert!(calm < 780, "{calm}");
    assert!(rough < calm * 13 / 10, "{rough} for {calm}");
}

#[test]
fn a_call_over_a_good_way_takes_a_round_trip() {
    let weather = Weather { lost: 0, doubled: 0, way: 10_000, wander: 0 };
    let mut network = Network::new(1, weather);
    while !network.sides[SERVER].is_established() {
        assert!(network.step());
    }
    while network.step() && network.sides[CLIENT].deadline() < Some(network.now + 1_000_000) {}
    let begun = network.now;
    let (mut buffer, mut answered) = ([0; 100], false);
    network.sides[CLIENT].send(b"question").unwrap();
    while network.sides[CLIENT].recv(&mut buffer) == Ok(None) {
        if !answered && network.sides[SERVER].recv(&mut buffer) == Ok(Some(8)) {
            network.sides[SERVER].send(b"answer").unwrap();
            answered = true;
        }
        assert!(network.step());
    }
    assert_eq!(network.now - begun, 20_000);
}

#[test]
fn a_slow_reader_holds_the_sender_back_and_loses_nothing() {
    let weather = Weather { lost: 10, doubled: 0, way: 1000, wander: 0 };
    let settings = Settings { receive_buffer: 8000, ..Settings::default() };
    let mut network = Network::with(3, weather, settings);
    let octets = pattern(60_000, 9);
    let (mut sent, mut received, mut buffer) = (0, Vec::new(), [0; 700]);
    for step in 0.. {
        assert!(step < 200_000);
        if network.sides[CLIENT].is_established() && sent < octets.len() {
            sent += network.sides[CLIENT].send(&octets[sent..]).unwrap();
        }
        if step % 20 == 0
            && let Ok(Some(count)) = network.sides[SERVER].recv(&mut buffer)
        {
            received.extend_from_slice(&buffer[..count]);
        }
        if received.len() == octets.len() {
            break;
        }
        assert!(network.step());
    }
    assert!(received == octets);
}

#[test]
fn a_peer_that_has_gone_is_noticed() {
    let weather = Weather { lost: 0, doubled: 0, way: 1000, wander: 0 };
    for busy in [false, true] {
        let mut network = Network::new(4, weather);
        while !network.sides[SERVER].is_established() {
            assert!(network.step());
        }
        network.alive[SERVER] = false;
        let begun = network.now;
        if busy {
            network.sides[CLIENT].send(b"is anybody there?").unwrap();
        }
        while network.step() {}
        assert_eq!(network.sides[CLIENT].failure(), Some(Failure::Silence));
        let waited = network.now - begun;
        assert!((14_000_000..21_000_000).contains(&waited), "{waited}");
    }
}

#[test]
fn idle_peers_stay_connected() {
    let weather = Weather { lost: 30, doubled: 0, way: 1000, wander: 0 };
    let mut network = Network::new(2, weather);
    let begun = network.now;
    while network.now < begun + 600_000_000 {
        assert!(network.step());
    }
    assert_eq!(network.sides.each_ref().map(Connection::failure), [None; 2]);
    // A sign of life every five seconds, with its answer, and some of them twice.
    assert!(network.datagrams < 600, "{}", network.datagrams);
}

#[test]
fn nobody_there_or_nobody_who_wants_to_ends_the_attempt() {
    let weather = Weather { lost: 0, doubled: 0, way: 1000, wander: 0 };
    let mut network = Network::new(2, weather);
    network.alive[SERVER] = false;
    while network.step() {}
    assert_eq!(network.sides[CLIENT].failure(), Some(Failure::Silence));
    let mut network = Network::new(2, weather);
    network.sides[CLIENT].receive(&Packet::Refuse { id: 12 }, network.now);
    assert_eq!(network.sides[CLIENT].failure(), None, "that is for another one");
    network.sides[CLIENT].receive(&Packet::Refuse { id: 11 }, network.now);
    assert_eq!(network.sides[CLIENT].failure(), Some(Failure::Refused));
}

#[test]
fn who_does_not_answer_is_sent_nothing_and_forgotten() {
    let settings = Settings::default();
    let mut server = Connection::accept(22, 11, settings, 1);
    server.send(b"for whoever this is").unwrap();
    let (mut out, mut now) = (Vec::new(), 1);
    while !server.is_over(now) {
        assert!(!server.transmit(now, &mut out), "at {now}");
        now += 100_000;
    }
    assert_eq!(now - 100_000, 1 + settings.patience);
}

#[test]
fn who_takes_no_more_says_so() {
    let weather = Weather { lost: 0, doubled: 0, way: 1000, wander: 0 };
    let mut network = Network::new(2, weather);
    while !network.sides[SERVER].is_established() {
        assert!(network.step());
    }
    network.sides[SERVER].send(b"last words").unwrap();
    network.sides[SERVER].finish();
    network.sides[SERVER].stop_receiving();
    for _ in 0..8 {
        network.step();
    }
    network.sides[CLIENT].send(b"to nobody").unwrap();
    for _ in 0..8 {
        network.step();
    }
    let mut buffer = [0; 32];
    let client = &mut network.sides[CLIENT];
    assert_eq!(client.recv(&mut buffer), Ok(Some(10)));
    assert_eq!(client.recv(&mut buffer), Ok(Some(0)));
    assert_eq!(client.send(b"more"), Err(Failure::Refused));
}

#[test]
fn lies_change_nothing() {
    let weather = Weather { lost: 2, doubled: 0, way: 1000, wander: 500 };
    let mut network = Network::new(6, weather);
    let octets = pattern(40_000, 1);
    let (mut sent, mut received, mut buffer) = (0, Vec::new(), [0; 4000]);
    while received.len() < octets.len() {
        if network.sides[CLIENT].is_established() && sent < octets.len() {
            sent += network.sides[CLIENT].send(&octets[sent..]).unwrap();
        }
        while let Ok(Some(count)) = network.sides[SERVER].recv(&mut buffer) {
            received.extend_from_slice(&buffer[..count]);
        }
        assert!(network.step());
        // Somebody who does not know the names, and somebody who acknowledges what was never sent or
        // sends what there is no room for.
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
        for side in [CLIENT, SERVER] {
            network.sides[side].receive(&Packet::Data(lie.clone()), now);
            let to = network.sides[side].id();
            let beyond = Data { to, received: far, offset: far, fin: false, ..lie.clone() };
            network.sides[side].receive(&Packet::Data(beyond), now);
            network.sides[side].receive(&Packet::Refuse { id: far }, now);
        }
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
