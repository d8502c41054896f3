//! One side of a connection: datagrams and times in, datagrams out.

mod transmit;

use zorb_transport::driven::{Failure, Micros, Settings};

use crate::packet::{Data, Packet};
use crate::receiving::Receiving;
use crate::rtt::RoundTrip;
use crate::sending::{SEGMENT, Sending};

/// The maximum delay of an acknowledgement that could be sent with data.
const ACK_DELAY: Micros = 2_000;
/// The number of segments that are acknowledged at once.
const ACK_EVERY: u32 = 2;

/// One side of a connection.
///
/// It does no I/O and reads no clock. The driver passes every received datagram to it. After each
/// datagram, after each send and at the [`deadline`](Self::deadline), the driver calls
/// [`transmit`](Self::transmit) and sends what it returns, until it returns nothing.
#[derive(Debug)]
pub struct Connection {
    own: u64,
    /// The peer's id, once it is known.
    peer: Option<u64>,
    settings: Settings,
    sending: Sending,
    receiving: Receiving,
    trip: RoundTrip,
    /// When the last datagram arrived.
    last_received: Micros,
    /// Whether the peer has used the id that this side has chosen.
    is_validated: bool,
    /// What has to be acknowledged.
    owed: Owed,
    /// The timestamp that the next acknowledgement echoes.
    echo: Option<u32>,
    /// The end of the last window announced to the peer.
    announced_window_end: u64,
    /// When to send the next probe or connection request.
    next_request: Option<Micros>,
    /// Whether a server has to answer a connection request with its id.
    accept_due: bool,
    refuses: bool,
    failure: Option<Failure>,
    /// When it is aborted, once this side no longer uses it.
    lingers_until: Option<Micros>,
    /// When it can be removed, after both directions have ended.
    over: Option<Micros>,
}

/// What has to be acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owed {
    Nothing,
    /// This many segments, at this time at the latest.
    By(Micros, u32),
    Now,
}

impl Connection {
    /// The client's side of a new connection with the id `own`.
    #[must_use]
    pub fn connect(own: u64, settings: Settings, now: Micros) -> Self {
        let mut connection = Self::new(own, None, settings, now);
        connection.next_request = Some(now);
        connection
    }

    /// The server's side of a connection that has the id `peer` at the client.
    #[must_use]
    pub fn accept(own: u64, peer: u64, settings: Settings, now: Micros) -> Self {
        let mut connection = Self::new(own, Some(peer), settings, now);
        connection.owed = Owed::Nothing;
        connection
    }

    fn new(own: u64, peer: Option<u64>, settings: Settings, now: Micros) -> Self {
        // The peer's window is unknown; two segments are safe to assume.
        let sending = Sending::new(settings.send_buffer.max(SEGMENT), 2 * SEGMENT);
        let room = settings.receive_buffer.max(2 * SEGMENT);
        Self {
            own,
            peer,
            settings,
            sending,
            receiving: Receiving::new(room),
            trip: RoundTrip::default(),
            last_received: now,
            is_validated: false,
            owed: Owed::Nothing,
            echo: None,
            announced_window_end: room as u64,
            next_request: None,
            accept_due: false,
            refuses: false,
            failure: None,
            lingers_until: None,
            over: None,
        }
    }

    /// The id at this side.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.own
    }

    /// Whether the peer has used the id that this side has chosen, which only the receiver at its
    /// address knows.
    #[must_use]
    pub fn is_established(&self) -> bool {
        self.is_validated
    }

    /// Handles a datagram of this connection; others have no effect.
    pub fn receive(&mut self, packet: &Packet<'_>, now: Micros) {
        if self.failure.is_some() {
            return;
        }
        match packet {
            Packet::Open { id } if self.is_unvalidated() && self.peer == Some(*id) => {
                self.accept_due = true;
            }
            Packet::Accept { to, id } if *to == self.own && self.peer.is_none() => {
                self.peer = Some(*id);
                self.is_validated = true;
                self.last_received = now;
                // The server then knows the client's address, and the client knows that it does.
                self.next_request = Some(now);
            }
            // Before the answer, it has the client's own id.
            Packet::Refuse { id } if *id == self.peer.unwrap_or(self.own) => {
                self.failure = Some(Failure::Refused);
            }
            Packet::Data(data) if data.to == self.own && self.peer.is_some() => {
                self.take(data, now);
            }
            _ => {}
        }
    }

    fn take(&mut self, data: &Data<'_>, now: Micros) {
        self.last_received = now;
        self.is_validated = true;
        if self.next_request.take().is_some() {
            self.trip.recovered();
        }
        let echoed = passed_since(data.echo, now);
        let trip = self.trip;
        if self.sending.acknowledge(data, echoed.map(|passed| now - passed), &trip, now) {
            match echoed {
                Some(passed) => self.trip.measure(passed),
                None => self.trip.recovered(),
            }
        }
        let asks = data.ping || data.fin || !data.octets.is_empty();
        if asks && self.echo.is_none_or(|echo| data.stamp.wrapping_sub(echo) < 1 << 31) {
            self.echo = Some(data.stamp);
        }
        if data.fin || !data.octets.is_empty() {
            if self.discards_data() && !data.octets.is_empty() {
                self.refuses = true;
            }
            let is_next = data.offset == self.receiving.received();
            let is_news = self.receiving.accept(data.offset, data.octets, data.fin);
            self.owed = match self.owed {
                _ if !is_news || !is_next || data.fin || self.receiving.has_gaps() => Owed::Now,
                Owed::Nothing => Owed::By(now + ACK_DELAY, 1),
                Owed::By(_, pieces) if pieces + 1 >= ACK_EVERY => Owed::Now,
                Owed::By(at, pieces) => Owed::By(at, pieces + 1),
                Owed::Now => Owed::Now,
            };
        }
        if data.ping {
            self.owed = Owed::Now;
        }
    }

    /// Whether this is a server whose client's address is not validated.
    fn is_unvalidated(&self) -> bool {
        self.peer.is_some() && !self.is_validated
    }

    /// Whether received data would be discarded.
    fn discards_data(&self) -> bool {
        self.receiving.is_stopped() && self.sending.is_finished() && !self.receiving.has_ended()
    }

    /// The octets in its buffers.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.sending.buffered() + self.receiving.buffered()
    }

    /// Accepts as many octets as the send buffer has room for; returns their number.
    ///
    /// # Errors
    /// The connection cannot send anymore.
    pub fn send(&mut self, octets: &[u8]) -> Result<usize, Failure> {
        match self.failure {
            Some(failure) => Err(failure),
            None if self.sending.is_finished() => Err(Failure::Aborted),
            None => Ok(self.sending.add(octets)),
        }
    }

    /// Reads received octets into `buffer`; returns their number, 0 at the end of the stream,
    /// `None` if there are none yet.
    ///
    /// # Errors
    /// The connection cannot receive anymore.
    pub fn recv(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Failure> {
        match (self.receiving.take(buffer), self.failure) {
            (None, Some(failure)) => Err(failure),
            (taken, _) => Ok(taken),
        }
    }

    /// Whether [`recv`](Self::recv) would return at once.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.failure.is_some() || self.receiving.is_ready()
    }

    /// Whether the peer has ended its direction, or the connection has failed.
    #[must_use]
    pub fn has_hung_up(&self) -> bool {
        self.failure.is_some() || self.receiving.has_ended()
    }

    /// Ends the sending direction after the octets accepted so far.
    pub fn finish(&mut self) {
        self.sending.finish();
    }

    /// Discards everything that is received from now on.
    pub fn stop_receiving(&mut self) {
        self.receiving.stop();
    }

    /// Aborts the connection, and informs the peer once.
    pub fn abort(&mut self) {
        self.refuses = true;
    }

    /// Reports that no process receives at the peer's address.
    pub fn unreachable(&mut self) {
        if self.over.is_none() {
            self.failure.get_or_insert(Failure::Refused);
        }
    }

    /// Why the connection has failed, if it has.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// Whether it can be removed: it has failed, or both directions have ended and the peer has had
    /// time to notice.
    #[must_use]
    pub fn is_over(&self, now: Micros) -> bool {
        (self.failure.is_some() && !self.refuses) || self.over.is_some_and(|over| over <= now)
    }

    /// When to call [`transmit`](Self::transmit) next if nothing else happens.
    #[must_use]
    pub fn deadline(&self) -> Option<Micros> {
        if self.failure.is_some() && !self.refuses {
            return None;
        }
        if self.over.is_some() {
            return self.over;
        }
        if self.accept_due {
            return Some(0);
        }
        let owed = match self.owed {
            Owed::Nothing => None,
            Owed::By(at, _) => Some(at),
            Owed::Now => Some(0),
        };
        let silence = match self.next_request {
            None if !self.is_unvalidated() => self.last_received + self.settings.keep_alive,
            _ => self.last_received + self.settings.peer_timeout,
        };
        let all =
            [self.sending.deadline(), self.next_request, owed, Some(silence), self.lingers_until];
        all.into_iter().flatten().min()
    }
}

/// The clock as in timestamps, where 0 means none.
fn stamp(now: Micros) -> u32 {
    now as u32 | 1
}

/// The age of an echoed timestamp, if there is one and it is plausible.
fn passed_since(echo: u32, now: Micros) -> Option<Micros> {
    let passed = u64::from(stamp(now).wrapping_sub(echo));
    (echo != 0 && passed <= now && passed < 60_000_000).then_some(passed)
}
