//! Two connections and a network between them that loses, doubles and reorders, under a clock that the
//! test turns.

mod hostile;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use zorb_transport::driven::{Driven, Failure, Micros, Route};

use crate::connection::{Connection, Settings};
use crate::packet::{self, Packet};

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
