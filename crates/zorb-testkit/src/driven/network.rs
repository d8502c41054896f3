//! Two connections and a simulated network between them that loses, duplicates and reorders datagrams, with a
//! simulated clock.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use zorb_transport::driven::{Driven, Micros, Route, Settings};

/// The conditions of a [`Network`]: rates in percent, times in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// How many datagrams are lost.
    pub loss_percent: u64,
    /// How many arrive twice.
    pub duplicate_percent: u64,
    /// The time from sender to receiver.
    pub latency: Micros,
    /// The maximum additional time, by which datagrams are reordered.
    pub jitter: Micros,
}

impl Conditions {
    /// No loss, and a latency of 5 ms.
    pub const LOSSLESS: Self =
        Self { loss_percent: 0, duplicate_percent: 0, latency: 5000, jitter: 0 };
}

/// Both sides of a connection, and the datagrams in flight between them.
#[derive(Debug)]
pub struct Network<D> {
    /// The simulated time.
    pub now: Micros,
    /// The client's side.
    pub client: D,
    /// Whether a server receives at its address.
    pub server_reachable: bool,
    /// Whether the client has memory for received octets.
    pub client_has_memory: bool,
    /// How many datagrams were sent.
    pub datagrams: u64,
    /// The length of the longest datagram that was sent.
    pub max_datagram: usize,
    /// A property that every datagram must have; checked when it is sent.
    pub is_valid: fn(&[u8]) -> bool,
    settings: Settings,
    conditions: Conditions,
    seed: u64,
    /// Created by the client's first datagram.
    server: Option<D>,
    /// By time of arrival and number, with whether they go to the server.
    in_flight: BTreeMap<(Micros, u64), (bool, Vec<u8>)>,
}

/// The address of the client or server of a test.
#[must_use]
pub fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], port))
}

impl<D: Driven> Network<D> {
    /// A network with a client that has begun to connect.
    #[must_use]
    pub fn new(seed: u64, conditions: Conditions) -> Self {
        Self::with(seed, conditions, Settings::default())
    }

    /// The same, with settings for both sides.
    #[must_use]
    pub fn with(seed: u64, conditions: Conditions, settings: Settings) -> Self {
        let now = 1_000_000 + seed * 4_000_000_000;
        Self {
            now,
            client: D::connect(address(D::DEFAULT_PORT), settings, now),
            server_reachable: true,
            client_has_memory: true,
            datagrams: 0,
            max_datagram: 0,
            is_valid: |_| true,
            settings,
            conditions,
            seed: seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            server: None,
            in_flight: BTreeMap::new(),
        }
    }

    /// The server's side.
    ///
    /// # Panics
    /// If it has not received the client's first datagram.
    pub fn server(&mut self) -> &mut D {
        self.server.as_mut().expect("a server")
    }

    /// Whether the server's side can be removed.
    pub fn has_removed_server(&mut self) -> bool {
        let now = self.now;
        self.server().is_over(now)
    }

    /// A pseudo-random number less than `below`, which depends on the seed only.
    pub fn random(&mut self, below: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 20) % below.max(1)
    }

    fn transmit(&mut self, to_server: bool, datagram: &[u8]) {
        assert!((self.is_valid)(datagram), "{datagram:02x?}");
        self.datagrams += 1;
        self.max_datagram = self.max_datagram.max(datagram.len());
        if self.random(100) < self.conditions.loss_percent {
            return;
        }
        let copies = 1 + u64::from(self.random(100) < self.conditions.duplicate_percent);
        for copy in 0..copies {
            let at = self.now + self.conditions.latency + self.random(self.conditions.jitter + 1);
            self.in_flight.insert((at, self.datagrams * 2 + copy), (to_server, datagram.to_vec()));
        }
    }

    /// Transmits the datagrams of both sides.
    fn transmit_all(&mut self) {
        let (now, mut datagram) = (self.now, Vec::new());
        while self.client.transmit(now, &mut datagram) {
            self.transmit(true, &datagram);
        }
        while self.server_reachable
            && self.server.as_mut().is_some_and(|s| s.transmit(now, &mut datagram))
        {
            self.transmit(false, &datagram);
        }
    }

    /// Handles a datagram as the listener of a socket does.
    fn deliver_to_server(&mut self, datagram: &[u8]) {
        if !self.server_reachable {
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
                    assert!(
                        answer.len() <= datagram.len(),
                        "a refusal is no longer than the datagram"
                    );
                    self.transmit(false, &answer);
                }
            }
            (_, None) => {}
        }
    }

    /// Advances the clock to the next event; `false` if there is none.
    pub fn step(&mut self) -> bool {
        self.transmit_all();
        let now = self.now;
        let sides = [Some(&self.client), self.server.as_ref().filter(|_| self.server_reachable)];
        let alive = sides.into_iter().flatten().filter(|side| !side.is_over(now));
        let deadlines = alive.filter_map(|side| side.deadline());
        let arrival = self.in_flight.first_key_value().map(|((at, _), _)| *at);
        let Some(next) = deadlines.chain(arrival).min() else { return false };
        self.now = self.now.max(next);
        while let Some(first) = self.in_flight.first_entry()
            && first.key().0 <= self.now
        {
            let (to_server, datagram) = first.remove();
            if to_server {
                self.deliver_to_server(&datagram);
            } else {
                match self.client_has_memory {
                    true => self.client.receive(&datagram, self.now),
                    false => self.client.receive_without_octets(&datagram, self.now),
                }
            }
        }
        true
    }

    /// Runs until both sides are established.
    ///
    /// # Panics
    /// If they never are.
    pub fn establish(&mut self) {
        while !self.server.as_ref().is_some_and(D::is_established) || !self.client.is_established()
        {
            assert!(self.step(), "the connection is established");
        }
    }

    /// Transfers `octets` in each direction, and ends both.
    ///
    /// # Panics
    /// If other octets arrive, or the connection does not end.
    pub fn exchange(&mut self, octets: [&[u8]; 2]) {
        self.establish();
        let (mut sent, mut received) = ([0; 2], [Vec::new(), Vec::new()]);
        let mut buffer = [0; 4000];
        let mut ended = [false; 2];
        for steps in 0.. {
            assert!(steps < 2_000_000, "the transfer ends");
            let Some(server) = &mut self.server else { break };
            for (side, connection) in [&mut self.client, server].into_iter().enumerate() {
                let rest = &octets[side][sent[side]..];
                if rest.is_empty() {
                    connection.finish();
                } else {
                    sent[side] += connection.send(rest).expect("the connection accepts octets");
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
        assert!(received[0] == octets[1] && received[1] == octets[0], "the octets arrive in order");
        let now = self.now;
        assert!(self.client.is_over(now) && self.server().is_over(now), "both sides have ended");
    }
}
