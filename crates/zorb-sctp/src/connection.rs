//! A connection: the stack, and what it leaves to others.

use std::collections::VecDeque;
use std::net::SocketAddr;

use bytes::Bytes;
use zorb_transport::driven::{Driven, Failure, Micros, Route};

use crate::packet::{self, AT_ONCE, Packet, Start, kind};
use crate::screen::{self, LAST_NUMBER, Side};
use crate::stack::{MAX_MESSAGE, Message, News, Stack};

/// How often a silent peer is asked for a sign of life.
const ASK_EVERY: Micros = 1_000_000;
/// The first number of this side's pieces is below this, so that many are left.
const MAX_FIRST_NUMBER: u32 = 1 << 31;
/// How often to draw another, which is needed about once.
const DRAWS: usize = 64;

/// How connections behave.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Octets that wait to be sent, or to be acknowledged. Default 256 KiB.
    pub send_buffer: usize,
    /// Octets that wait to be received. Default 256 KiB; not below 4 KiB.
    pub receive_buffer: usize,
    /// How long nothing is heard before the peer is asked whether it is there, in microseconds.
    /// Default 5 seconds.
    pub keep_alive: Micros,
    /// How long nothing is heard before the peer counts as gone, in microseconds. Default 15 seconds.
    pub patience: Micros,
}

impl Default for Settings {
    fn default() -> Self {
        let (send_buffer, receive_buffer) = (256 << 10, 256 << 10);
        Self { send_buffer, receive_buffer, keep_alive: 5_000_000, patience: 15_000_000 }
    }
}

/// One side of an association, as [`Driven`] says: it does no I/O and reads no clock.
#[derive(Debug)]
pub struct Connection {
    /// `None` where the stack could not even begin.
    stack: Option<Stack>,
    settings: Settings,
    side: Side,
    /// Ports and the peer's tag, as this side's packets begin.
    address: Option<[u8; 8]>,
    /// Packets that are to be sent.
    packets: VecDeque<Bytes>,
    /// What the next message holds so far.
    message: Vec<u8>,
    /// The most octets of a message.
    limit: usize,
    /// The message that is being read, and how much of it has been.
    received: Vec<u8>,
    taken: usize,
    /// Octets that have been read since the peer was told how much room there is, and what it was told.
    freed: usize,
    told_room: usize,
    heard: Micros,
    /// When to ask, again, for a sign of life.
    asks: Option<Micros>,
    /// This side sends no more, and has said so.
    is_finished: bool,
    has_said_end: bool,
    /// Nobody receives any more.
    is_stopped: bool,
    /// The peer sends no more.
    has_ended: bool,
    /// This side, or the peer, shuts it down.
    shuts_down: bool,
    is_shut_down: bool,
    refuses: bool,
    failure: Option<Failure>,
    is_over: bool,
}

impl Connection {
    fn new(stack: Option<Stack>, is_server: bool, settings: Settings, now: Micros) -> Self {
        let side = Side {
            is_server,
            is_established: false,
            own_tag: 0,
            peer_tag: None,
            received: 0,
            pieces: 0,
        };
        let mut connection = Self {
            failure: stack.is_none().then_some(Failure::Aborted),
            stack,
            settings,
            side,
            address: None,
            packets: VecDeque::new(),
            message: Vec::new(),
            limit: MAX_MESSAGE,
            received: Vec::new(),
            taken: 0,
            freed: 0,
            told_room: settings.receive_buffer,
            heard: now,
            asks: None,
            is_finished: false,
            has_said_end: false,
            is_stopped: false,
            has_ended: false,
            shuts_down: false,
            is_shut_down: false,
            refuses: false,
            is_over: false,
        };
        connection.collect(now);
        connection
    }

    /// Whether this side's numbers begin where enough of them are left. Its first packet says where.
    fn begins_well(&self) -> bool {
        let first = self.packets.front().map(|packet| Packet::trusted(packet));
        let start = first.and_then(|packet| packet.first()).and_then(|chunk| chunk.start());
        start.is_some_and(|start| start.number < MAX_FIRST_NUMBER)
    }

    /// Takes the packets that the stack sends now, and what they say of it.
    fn collect(&mut self, now: Micros) {
        let Some(stack) = &mut self.stack else { return };
        let mut packets = stack.transmit(now);
        // Whoever gets the last of what is sent now need not wait for more before saying so.
        let is_data = |packet: &Bytes| packet.get(packet::HEADER) == Some(&kind::DATA);
        if let Some(last) = packets.iter_mut().rfind(|packet| is_data(packet)) {
            let mut octets = last.to_vec();
            if let Some(flags) = octets.get_mut(packet::HEADER + 1) {
                *flags |= AT_ONCE;
            }
            packet::seal(&mut octets);
            *last = octets.into();
        }
        for packet in packets {
            self.note(&Packet::trusted(&packet));
            self.packets.push_back(packet);
        }
    }

    /// Notes what a packet of this side's says.
    fn note(&mut self, packet: &Packet<'_>) {
        for chunk in packet.chunks() {
            match chunk.kind {
                kind::INIT | kind::INIT_ACK => {
                    if let Some(start) = chunk.start() {
                        self.side.own_tag = start.tag;
                    }
                }
                kind::SACK => {
                    if let Some((number, room)) = chunk.acknowledged() {
                        self.side.received = number;
                        self.told_room = usize::try_from(room).unwrap_or(usize::MAX);
                        self.freed = 0;
                    }
                }
                kind::DATA => {
                    let is_last = chunk.piece().is_some_and(|piece| piece.number >= LAST_NUMBER);
                    self.refuses |= is_last;
                }
                kind::SHUTDOWN_COMPLETE => self.is_over = true,
                _ => {}
            }
        }
        if packet.first().is_some_and(|chunk| chunk.kind != kind::INIT) {
            self.address = packet.address();
            self.side.peer_tag = Some(packet.tag);
        }
    }

    fn note_start(&mut self, start: Start) {
        self.side.received = start.number.wrapping_sub(1);
        let half = usize::try_from(start.room / 2).unwrap_or(usize::MAX);
        self.limit = half.min(MAX_MESSAGE);
    }

    fn digest(&mut self, news: News) {
        self.side.pieces += news.pieces;
        self.side.is_established |= news.is_established;
        if news.has_failed {
            let why = if self.side.is_established { Failure::Aborted } else { Failure::Silence };
            self.failure.get_or_insert(why);
        }
        let is_closed = self.stack.as_ref().is_none_or(Stack::is_closed);
        if is_closed && (self.side.is_established || !self.side.is_server) {
            // Something was wrong with what came; the peer had better hear that it is over.
            self.refuses = self.failure.is_none();
        }
        self.fill();
    }

    /// Has the next message ready, and drops it where nobody reads.
    fn fill(&mut self) {
        while self.taken >= self.received.len() && !self.has_ended {
            match self.stack.as_mut().and_then(Stack::read) {
                None => break,
                Some(Message::End) => self.has_ended = true,
                Some(Message::Octets { octets, pieces }) => {
                    self.side.pieces = self.side.pieces.saturating_sub(pieces);
                    self.freed = self.freed.saturating_add(octets.len());
                    if !self.is_stopped {
                        (self.received, self.taken) = (octets, 0);
                    }
                }
            }
        }
        let half = self.settings.receive_buffer / 2;
        if self.freed >= half && self.told_room < half {
            self.tell_room();
        }
    }

    /// Has the stack tell the peer how much room there is, which it does when a piece comes twice.
    fn tell_room(&mut self) {
        let (Some(address), Some(stack)) = (self.address, &mut self.stack) else { return };
        let [a, b, c, d] = self.side.received.to_be_bytes();
        let piece = [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut again = Vec::new();
        packet::begin(packet::turned(address, self.side.own_tag), &mut again);
        packet::add(kind::DATA, AT_ONCE | 3, &piece, &mut again);
        packet::seal(&mut again);
        self.freed = 0;
        // It is one that has come already, so nothing is new.
        let _ = stack.receive(&again, self.heard);
    }

    /// Hands the stack what is to be sent, as far as it is there.
    fn hand_over(&mut self) {
        let Some(stack) = &mut self.stack else { return };
        if !self.side.is_established || self.is_shut_down || self.shuts_down {
            return;
        }
        if !self.message.is_empty() {
            let sent = stack.send(&self.message);
            self.message.clear();
            self.refuses |= !sent;
        }
        if self.is_finished && !self.has_said_end {
            self.has_said_end = true;
            self.refuses |= !stack.send_end();
        }
        let is_heard = self.has_said_end && stack.buffered() == 0;
        if is_heard && (self.has_ended || self.is_stopped) {
            self.shuts_down = true;
            stack.shut_down();
        }
    }

    fn on_time(&mut self, now: Micros) {
        let Some(stack) = &mut self.stack else { return };
        let news = stack.on_time(now);
        let is_waiting = self.asks.is_some() || stack.buffered() > 0 || self.shuts_down;
        self.digest(news);
        let silent = now.saturating_sub(self.heard);
        let is_patient = self.side.is_established && !is_waiting && !self.is_shut_down;
        if silent >= self.settings.patience && !is_patient {
            self.failure.get_or_insert(Failure::Silence);
        } else if silent >= self.settings.keep_alive && self.side.is_established {
            self.asks.get_or_insert(now);
        }
    }

    /// Asks for a sign of life, if it is time to.
    fn ask(&mut self, now: Micros, out: &mut Vec<u8>) -> bool {
        let (Some(at), Some(address)) = (self.asks, self.address) else { return false };
        if at > now {
            return false;
        }
        self.asks = Some(now + ASK_EVERY);
        // Heartbeat information (1), of 12 octets with this header.
        let [a, b, c, d, e, f, g, h] = now.to_be_bytes();
        packet::begin(address, out);
        packet::add(kind::HEARTBEAT, 0, &[0, 1, 0, 12, a, b, c, d, e, f, g, h], out);
        packet::seal(out);
        true
    }
}

impl Driven for Connection {
    type Settings = Settings;

    const THREADS: &'static str = "zorb-sctp";

    fn connect(to: SocketAddr, settings: Settings, now: Micros) -> Self {
        let begin = || Self::new(Stack::connect(to, &settings, now), false, settings, now);
        let mut connection = begin();
        for _ in 0..DRAWS {
            if connection.begins_well() {
                break;
            }
            connection = begin();
        }
        connection
    }

    fn accept(datagram: &[u8], from: SocketAddr, settings: Settings, now: Micros) -> Option<Self> {
        let packet = Packet::parse(datagram)?;
        let mut connection = Self::new(None, true, settings, now);
        let mut init = Vec::new();
        let seen = screen::look(&connection.side, &packet, &mut init)?;
        for _ in 0..DRAWS {
            let stack = Stack::accept(&init, from, &settings, now)?;
            connection = Self::new(Some(stack), true, settings, now);
            if connection.begins_well() {
                break;
            }
        }
        connection.note_start(seen.start?);
        (!connection.packets.is_empty()).then_some(connection)
    }

    fn route(datagram: &[u8]) -> Option<Route> {
        let packet = Packet::trusted(datagram);
        let first = packet.first()?;
        let is_final = matches!(first.kind, kind::ABORT | kind::SHUTDOWN_COMPLETE);
        match first.kind {
            kind::INIT => Some(Route::Opens(first.start()?.tag.into())),
            _ if is_final && first.flags & packet::REFLECTED != 0 => {
                Some(Route::From(packet.tag.into()))
            }
            _ => Some(Route::To(packet.tag.into())),
        }
    }

    fn refuse(datagram: &[u8], out: &mut Vec<u8>) -> bool {
        Packet::parse(datagram).is_some_and(|packet| packet::refusal(&packet, out))
    }

    fn id(&self) -> u64 {
        self.side.own_tag.into()
    }

    fn receive(&mut self, datagram: &[u8], now: Micros) {
        if self.failure.is_some() || self.is_over {
            return;
        }
        let Some(packet) = Packet::parse(datagram) else { return };
        let mut kept = Vec::new();
        let Some(seen) = screen::look(&self.side, &packet, &mut kept) else { return };
        self.heard = now;
        self.asks = None;
        if seen.aborts {
            self.failure = Some(Failure::Refused);
            return;
        }
        self.is_over |= seen.completes && (self.shuts_down || self.is_shut_down);
        self.refuses |= seen.is_wrong;
        self.is_shut_down |= seen.shuts_down;
        if let Some(start) = seen.start {
            self.note_start(start);
        }
        if let Some(stack) = &mut self.stack
            && !kept.is_empty()
        {
            let news = stack.receive(&kept, now);
            self.digest(news);
        }
    }

    fn transmit(&mut self, now: Micros, out: &mut Vec<u8>) -> bool {
        if self.failure.is_none() && !self.refuses && !self.is_over && self.packets.is_empty() {
            self.on_time(now);
            self.hand_over();
            if self.failure.is_none() && !self.refuses {
                self.collect(now);
            }
        }
        if std::mem::take(&mut self.refuses) {
            self.failure.get_or_insert(Failure::Aborted);
            self.packets.clear();
            let Some(address) = self.address else { return false };
            packet::begin(address, out);
            packet::add(kind::ABORT, 0, &[], out);
            packet::seal(out);
            return true;
        }
        if let Some(packet) = self.packets.pop_front() {
            out.clear();
            out.extend_from_slice(&packet);
            return true;
        }
        self.failure.is_none() && !self.is_over && self.ask(now, out)
    }

    fn deadline(&self) -> Option<Micros> {
        if self.failure.is_some() || self.is_over {
            return None;
        }
        let Settings { keep_alive, patience, .. } = self.settings;
        let is_idle = self.side.is_established && self.asks.is_none();
        let silence = self.heard + if is_idle { keep_alive } else { patience };
        let due = self.stack.as_ref().and_then(Stack::deadline);
        [due, self.asks, Some(silence)].into_iter().flatten().min()
    }

    fn is_established(&self) -> bool {
        self.side.is_established
    }

    fn send(&mut self, octets: &[u8]) -> Result<usize, Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if self.is_finished || self.shuts_down {
            return Err(Failure::Aborted);
        }
        if self.is_shut_down {
            return Err(Failure::Refused);
        }
        let Some(stack) = self.stack.as_mut().filter(|_| self.side.is_established) else {
            return Ok(0);
        };
        let mut rest = octets;
        while !rest.is_empty() {
            if self.message.len() >= self.limit {
                let sent = stack.send(&self.message);
                self.message.clear();
                if !sent {
                    self.refuses = true;
                    return Err(Failure::Aborted);
                }
            }
            let waiting = stack.buffered() + self.message.len();
            let room = self.settings.send_buffer.saturating_sub(waiting);
            // Rather later and whole than now and in small pieces, unless there is never more room.
            let wanted = rest.len().min(self.limit - self.message.len());
            if waiting > 0 && room < wanted {
                break;
            }
            let (now, later) = rest.split_at(wanted);
            self.message.extend_from_slice(now);
            rest = later;
        }
        Ok(octets.len() - rest.len())
    }

    fn recv(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Failure> {
        if self.is_stopped || buffer.is_empty() {
            return Ok(Some(0));
        }
        let rest = self.received.get(self.taken..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count))
            && count > 0
        {
            to.copy_from_slice(from);
            self.taken += count;
            if self.taken == self.received.len() {
                (self.received, self.taken) = (Vec::new(), 0);
                self.fill();
            }
            return Ok(Some(count));
        }
        match self.failure {
            _ if self.has_ended || self.is_shut_down => Ok(Some(0)),
            Some(failure) => Err(failure),
            None => Ok(None),
        }
    }

    fn is_readable(&self) -> bool {
        let is_over = self.has_ended || self.is_shut_down || self.is_stopped;
        self.failure.is_some() || is_over || self.taken < self.received.len()
    }

    fn finish(&mut self) {
        self.is_finished = true;
    }

    fn stop_receiving(&mut self) {
        self.is_stopped = true;
        (self.received, self.taken) = (Vec::new(), 0);
        self.fill();
    }

    fn abort(&mut self) {
        self.refuses = self.failure.is_none() && !self.is_over;
    }

    fn unreachable(&mut self) {
        if !self.is_over {
            self.failure.get_or_insert(Failure::Refused);
        }
    }

    fn failure(&self) -> Option<Failure> {
        self.failure
    }

    fn is_over(&self, _: Micros) -> bool {
        let is_done = self.is_over && self.packets.is_empty();
        is_done || self.failure.is_some() && !self.refuses
    }
}
