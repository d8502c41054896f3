//! Two connections and a network between them that loses, doubles and reorders, under a clock that the
//! test turns.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use crate::driven::{Driven, Micros, Route, Settings};

/// How a [`Network`] behaves, in percent and microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
    /// How many datagrams of a hundred are lost.
    pub lost: u64,
    /// How many come twice.
    pub doubled: u64,
    /// How long the way takes.
    pub way: Micros,
    /// How much longer it may take.
    pub wander: Micros,
}

impl Weather {
    /// Nothing is lost, and the way takes 5 ms.
    pub const CALM: Self = Self { lost: 0, doubled: 0, way: 5000, wander: 0 };
}

/// Both sides of a connection, and the datagrams under way between them.
#[derive(Debug)]
pub struct Network<D> {
    /// What time it is.
    pub now: Micros,
    /// The client's side.
    pub client: D,
    /// Whether anybody is at the server's address.
    pub is_there: bool,
    /// How many datagrams were sent.
    pub datagrams: u64,
    /// The length of the longest.
    pub longest: usize,
    /// What every datagram has to be, before it is on its way.
    pub is_good: fn(&[u8]) -> bool,
    settings: Settings,
    weather: Weather,
    seed: u64,
    /// Made by the client's first datagram.
    server: Option<D>,
    /// By when they arrive, with whether they go to the server.
    under_way: BTreeMap<(Micros, u64), (bool, Vec<u8>)>,
}

/// Where a test's client and server are.
#[must_use]
pub fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], port))
}

impl<D: Driven> Network<D> {
    /// A client that has begun to connect.
    #[must_use]
    pub fn new(seed: u64, weather: Weather) -> Self {
        Self::with(seed, weather, Settings::default())
    }

    /// The same with other settings on both sides.
    #[must_use]
    pub fn with(seed: u64, weather: Weather, settings: Settings) -> Self {
        let now = 1_000_000 + seed * 4_000_000_000;
        Self {
            now,
            client: D::connect(address(D::DEFAULT_PORT), settings, now),
            is_there: true,
            datagrams: 0,
            longest: 0,
            is_good: |_| true,
            settings,
            weather,
            seed: seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            server: None,
            under_way: BTreeMap::new(),
        }
    }

    /// The server's side.
    ///
    /// # Panics
    /// Before the client's first datagram has come to it.
    pub fn server(&mut self) -> &mut D {
        self.server.as_mut().expect("a server")
    }

    /// A number below another, the same in each run.
    pub fn random(&mut self, below: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 20) % below.max(1)
    }

    fn post(&mut self, to_server: bool, datagram: &[u8]) {
        assert!((self.is_good)(datagram), "{datagram:02x?}");
        self.datagrams += 1;
        self.longest = self.longest.max(datagram.len());
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
            self.post(true, &datagram);
        }
        while self.is_there && self.server.as_mut().is_some_and(|s| s.transmit(now, &mut datagram))
        {
            self.post(false, &datagram);
        }
    }

    /// What a socket's listener does with a datagram.
    fn at_server(&mut self, datagram: &[u8]) {
        if !self.is_there {
            return;
        }
        let now = self.now;
        match (&mut self.server, D::route(datagram)) {
            (Some(server), Some(Route::To(id))) if id != server.id() => {}
            (Some(server), Some(_)) if !server.is_over(now) => server.receive(datagram, now),
            (None, Some(Route::Opens(_))) => {
                self.server = D::accept(datagram, address(4000), self.settings, now);
            }
            (_, Some(_)) => {
                let mut answer = Vec::new();
                if D::refuse(datagram, &mut answer) {
                    assert!(answer.len() <= datagram.len(), "no more is sent than has come");
                    self.post(false, &answer);
                }
            }
            (_, None) => {}
        }
    }

    /// Turns the clock to what happens next; `false` when nothing ever will.
    pub fn step(&mut self) -> bool {
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

    /// Goes on until both sides know each other.
    ///
    /// # Panics
    /// When they never do.
    pub fn establish(&mut self) {
        while !self.server.as_ref().is_some_and(D::is_established) || !self.client.is_established()
        {
            assert!(self.step(), "they find each other");
        }
    }

    /// Moves `octets` each way, and ends both directions.
    ///
    /// # Panics
    /// When other octets arrive, or the connection does not end.
    pub fn exchange(&mut self, octets: [&[u8]; 2]) {
        self.establish();
        let (mut sent, mut received) = ([0; 2], [Vec::new(), Vec::new()]);
        let mut buffer = [0; 4000];
        let mut ended = [false; 2];
        for steps in 0.. {
            assert!(steps < 2_000_000, "it comes to an end");
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
        assert_eq!(ended, [true; 2], "{:?}", [self.client.failure(), self.server().failure()]);
        assert!(received[0] == octets[1] && received[1] == octets[0], "in order, and nothing else");
        let now = self.now;
        assert!(
            self.client.is_over(now) && self.server().is_over(now),
            "both know that it is over"
        );
    }
}
