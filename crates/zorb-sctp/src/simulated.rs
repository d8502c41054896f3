//! Two connections and a network between them that loses, doubles and reorders, under a clock that the
//! test turns.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use zorb_transport::driven::{Driven, Failure, Micros, Route};

use crate::connection::{Connection, Settings};
use crate::packet::{self, Packet, kind};

/// How the network behaves, in percent and microseconds.
#[derive(Clone, Copy)]
struct Weather {
    lost: u64,
    doubled: u64,
    /// How long the way takes, and how much longer it may.
    way: Micros,
    wander: Micros,
}

const CALM: Weather = Weather { lost: 0, doubled: 0, way: 5000, wander: 0 };

struct Network {
    now: Micros,
    seed: u64,
    weather: Weather,
    settings: Settings,
    client: Connection,
    /// Made by the client's first datagram.
    server: Option<Connection>,
    /// Datagrams under way by when they arrive, with whether they go to the server.
    under_way: BTreeMap<(Micros, u64), (bool, Vec<u8>)>,
    datagrams: u64,
    /// Whether the server is there.
    is_there: bool,
}

fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], port))
}

impl Network {
    fn new(seed: u64, weather: Weather) -> Self {
        Self::with(seed, weather, Settings::default())
    }

    fn with(seed: u64, weather: Weather, settings: Settings) -> Self {
        let now = 1_000_000 + seed * 4_000_000;
        Self {
            now,
            seed: seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            weather,
            settings,
            client: Connection::connect(address(9899), settings, now),
            server: None,
            under_way: BTreeMap::new(),
            datagrams: 0,
            is_there: true,
        }
    }

    fn server(&mut self) -> &mut Connection {
        self.server.as_mut().expect("a server")
    }

    fn random(&mut self, below: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 20) % below.max(1)
    }

    fn post(&mut self, to_server: bool, datagram: &[u8]) {
        self.datagrams += 1;
        if self.random(100) < self.weather.lost {
            return;
        }
        let copies = 1 + u64::from(self.random(100) < self.weather.doubled);
        for copy in 0..copies {
            let at = self.now + self.weather.way + self.random(self.weather.wander + 1);
            self.under_way.insert((at, self.datagrams * 2 + copy), (to_server, datagram.to_vec()));
        }
    }

    /// Has both sides send what they have to send.
    fn pump(&mut self) {
        let (now, mut datagram) = (self.now, Vec::new());
        while self.client.transmit(now, &mut datagram) {
            assert!(datagram.len() <= 1228, "it fits a frame");
            assert!(Packet::parse(&datagram).is_some(), "it is whole");
            self.post(true, &datagram);
        }
        while self.is_there && self.server.as_mut().is_some_and(|s| s.transmit(now, &mut datagram))
        {
            assert!(Packet::parse(&datagram).is_some(), "it is whole");
            self.post(false, &datagram);
        }
    }

    /// What a socket's listener does with a datagram.
    fn at_server(&mut self, datagram: &[u8]) {
        if !self.is_there {
            return;
        }
        let now = self.now;
        match (&mut self.server, Connection::route(datagram)) {
            (Some(server), Some(Route::To(id))) if id != server.id() => {}
            (Some(server), Some(_)) if !server.is_over(now) => server.receive(datagram, now),
            (None, Some(Route::Opens(_))) => {
                self.server = Connection::accept(datagram, address(4000), self.settings, now);
            }
            (_, Some(_)) => {
                let mut answer = Vec::new();
                if Connection::refuse(datagram, &mut answer) {
                    self.post(false, &answer);
                }
            }
            (_, None) => {}
        }
    }

    /// Turns the clock to what happens next; `false` when nothing ever will.
    fn step(&mut self) -> bool {
        self.pump();
        let now = self.now;
        let sides = [Some(&self.client), self.server.as_ref().filter(|_| self.is_there)];
        let alive = sides.into_iter().flatten().filter(|side| !side.is_over(now));
        let deadlines = alive.filter_map(|side| side.deadline());
        let arrival = self.under_way.first_key_value().map(|((at, _), _)| *at);
        let Some(next) = deadlines.chain(arrival).min() else { return false };
        self.now = self.now.max(next);
        while let Some(first) = self.under_way.first_entry()
            && first.key().0 <= self.now
        {
            let (to_server, datagram) = first.remove();
            if to_server {
                self.at_server(&datagram);
            } else {
                self.client.receive(&datagram, self.now);
            }
        }
        true
    }

    fn establish(&mut self) {
        while !self.server.as_ref().is_some_and(Driven::is_established)
            || !self.client.is_established()
        {
            assert!(self.step());
        }
    }

    /// Moves `octets` each way, and ends both directions.
    fn exchange(&mut self, octets: [&[u8]; 2]) {
        self.establish();
        let (mut sent, mut received) = ([0; 2], [Vec::new(), Vec::new()]);
        let mut buffer = [0; 4000];
        let mut ended = [false; 2];
        for steps in 0.. {
            assert!(steps < 500_000, "it comes to an end");
            let Some(server) = &mut self.server else { break };
            for (side, connection) in [&mut self.client, server].into_iter().enumerate() {
                let rest = &octets[side][sent[side]..];
                if rest.is_empty() {
                    connection.finish();
                } else {
                    sent[side] += connection.send(rest).expect("the connection is good");
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
        assert_eq!(ended, [true; 2]);
        assert!(received[0] == octets[1] && received[1] == octets[0], "in order, and nothing else");
        let now = self.now;
        assert!(
            self.client.is_over(now) && self.server().is_over(now),
            "both know that it is over"
        );
    }
}

fn pattern(length: usize, seed: u64) -> Vec<u8> {
    (0..length as u64).map(|n| (n.wrapping_mul(seed | 1) >> 3) as u8 ^ (n >> 11) as u8).collect()
}

#[test]
fn all_arrives_in_order_whatever_is_lost() {
    for (lost, seeds) in [(0, 3), (5, 8), (20, 4)] {
        for seed in 0..seeds {
            let weather = Weather { lost, doubled: 5, way: 10_000, wander: 3000 };
            let mut network = Network::new(seed, weather);
            network.exchange([&pattern(150_000, seed), &pattern(70_000, seed + 7)]);
        }
    }
}

#[test]
fn heavy_reordering_changes_nothing() {
    for seed in 0..4 {
        let weather = Weather { lost: 5, doubled: 20, way: 100, wander: 20_000 };
        Network::new(seed, weather).exchange([&pattern(60_000, seed), &pattern(60_000, 3)]);
    }
}

#[test]
fn what_is_lost_is_sent_again_and_little_else() {
    let octets = pattern(600_000, 5);
    let datagrams = |lost| {
        let mut network = Network::new(1, Weather { lost, ..CALM });
        network.exchange([&octets, b""]);
        network.datagrams
    };
    // 500 pieces, and an acknowledgement for every other and every last of what is sent at once.
    let (calm, rough) = (datagrams(0), datagrams(5));
    assert!(calm < 1100, "{calm}");
    assert!(rough < calm * 14 / 10, "{rough} for {calm}");
}

#[test]
fn a_call_over_a_good_way_takes_a_round_trip() {
    let mut network = Network::new(1, CALM);
    network.establish();
    let begun = network.now;
    let (mut buffer, mut answered) = ([0; 100], false);
    assert_eq!(network.client.send(b"question"), Ok(8));
    while network.client.recv(&mut buffer) == Ok(None) {
        if !answered && network.server().recv(&mut buffer) == Ok(Some(8)) {
            assert_eq!(network.server().send(b"answer"), Ok(6));
            answered = true;
        }
        assert!(network.step());
    }
    assert_eq!(network.now - begun, 10_000);
}

#[test]
fn a_slow_reader_holds_the_sender_back_and_loses_nothing() {
    let settings = Settings { receive_buffer: 8000, send_buffer: 10_000, ..Settings::default() };
    let mut network = Network::with(3, Weather { lost: 5, ..CALM }, settings);
    network.establish();
    let octets = pattern(60_000, 9);
    let (mut sent, mut received, mut buffer) = (0, Vec::new(), [0; 700]);
    for step in 0.. {
        assert!(step < 100_000);
        sent += network.client.send(&octets[sent..]).unwrap();
        assert!(sent <= received.len() + 30_000, "what waits is limited");
        if step % 20 == 0
            && let Ok(Some(count)) = network.server().recv(&mut buffer)
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
fn who_reads_again_after_a_long_time_gets_the_rest_soon() {
    let settings = Settings { receive_buffer: 8000, send_buffer: 30_000, ..Settings::default() };
    let mut network = Network::with(3, CALM, settings);
    network.establish();
    let octets = pattern(20_000, 9);
    assert_eq!(network.client.send(&octets), Ok(octets.len()));
    let begun = network.now;
    while network.now < begun + 60_000_000 {
        assert!(network.step());
    }
    assert_eq!(network.client.failure(), None, "the peer is there, and has no room");
    let (begun, mut received, mut buffer) = (network.now, Vec::new(), [0; 700]);
    while received.len() < octets.len() {
        while let Ok(Some(count)) = network.server().recv(&mut buffer) {
            received.extend_from_slice(&buffer[..count]);
        }
        assert!(network.step());
    }
    let waited = network.now - begun;
    assert!(waited < 2_500_000, "{waited}");
    assert!(received == octets);
}

#[test]
fn a_peer_that_has_gone_is_noticed() {
    for busy in [false, true] {
        let mut network = Network::new(4, CALM);
        network.establish();
        network.is_there = false;
        let begun = network.now;
        if busy {
            assert!(network.client.send(b"is anybody there?").is_ok());
        }
        while network.step() {}
        assert_eq!(network.client.failure(), Some(Failure::Silence));
        let waited = network.now - begun;
        assert!((14_000_000..21_000_000).contains(&waited), "{waited}");
    }
}

#[test]
fn idle_peers_stay_connected() {
    let mut network = Network::new(2, Weather { lost: 30, ..CALM });
    network.establish();
    let begun = network.now;
    while network.now < begun + 600_000_000 {
        assert!(network.step());
    }
    assert_eq!([network.client.failure(), network.server().failure()], [None; 2]);
    assert!(network.datagrams < 800, "{}", network.datagrams);
}

#[test]
fn nobody_there_or_nobody_who_wants_to_ends_the_attempt() {
    let mut network = Network::new(2, CALM);
    network.is_there = false;
    while network.step() {}
    assert_eq!(network.client.failure(), Some(Failure::Silence));
    let mut network = Network::new(2, CALM);
    let (mut init, mut refusal) = (Vec::new(), Vec::new());
    assert!(network.client.transmit(network.now, &mut init));
    assert!(Connection::refuse(&init, &mut refusal));
    assert!(refusal.len() < init.len(), "no more is sent than has come");
    let mut foreign = refusal.clone();
    foreign[5] ^= 1;
    network.client.receive(&packet::sealed(&foreign), network.now);
    assert_eq!(network.client.failure(), None, "that is for another one");
    network.client.receive(&refusal, network.now);
    assert_eq!(network.client.failure(), Some(Failure::Refused));
}

#[test]
fn who_brings_no_cookie_is_forgotten() {
    let mut network = Network::new(2, CALM);
    let (mut init, mut out) = (Vec::new(), Vec::new());
    assert!(network.client.transmit(network.now, &mut init));
    let begun = network.now;
    let server = Connection::accept(&init, address(1), network.settings, begun);
    let mut server = server.expect("a connection");
    assert!(server.transmit(begun, &mut out), "its cookie");
    assert!(!server.transmit(begun, &mut out), "and nothing else");
    // One that comes again gets the same, and none that asks for something else.
    server.receive(&init, begun);
    let cookie = out.clone();
    assert!(server.transmit(begun, &mut out));
    assert_eq!(out, cookie);
    let mut now = begun;
    while !server.is_over(now) {
        assert!(!server.transmit(now, &mut out), "at {now}");
        now += 100_000;
    }
    assert!(now - begun <= network.settings.patience + 100_000);
}

/// A network of which both sides are connected, and how packets of the client begin.
fn connected() -> (Network, [u8; 8]) {
    let mut network = Network::new(7, CALM);
    network.establish();
    assert!(network.client.send(b"x").is_ok());
    let mut packet = Vec::new();
    assert!(network.client.transmit(network.now, &mut packet));
    let begin = Packet::parse(&packet).and_then(|packet| packet.address());
    let now = network.now;
    network.server().receive(&packet, now);
    (network, begin.unwrap())
}

/// Up to where the client's pieces have come, as the server says when it is told one of them again.
fn acknowledged(network: &mut Network) -> u32 {
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

#[test]
fn what_would_keep_the_stack_busy_does_not_reach_it() {
    let (mut network, begin) = connected();
    let now = network.now;
    // Two thousand million numbers ahead; and requests to reset streams, which it would remember.
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
fn many_tiny_pieces_that_nobody_reads_are_not_all_kept() {
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
    let mut network = Network::new(6, Weather { lost: 2, doubled: 0, way: 1000, wander: 500 });
    network.establish();
    let octets = pattern(40_000, 1);
    let (mut sent, mut received, mut buffer) = (0, Vec::new(), [0; 4000]);
    while received.len() < octets.len() {
        sent += network.client.send(&octets[sent..]).unwrap();
        while let Ok(Some(count)) = network.server().recv(&mut buffer) {
            received.extend_from_slice(&buffer[..count]);
        }
        assert!(network.step());
        // Somebody who does not know the tags says what would end or change it.
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
fn packets_are_read_whole_or_not_at_all() {
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
    // The checksum of nothing but this: a value known from iSCSI (RFC 3720, B.4), 32 octets of zeroes.
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI);
    assert_eq!(crc.checksum(&[0; 32]), 0x8a91_36aa);
}
