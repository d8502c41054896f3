//! A connection: the SCTP stack, and what the stack leaves to its user.

mod driven;

use std::collections::VecDeque;

use bytes::Bytes;
use zorb_transport::driven::{Failure, Micros, Settings};

use crate::packet::{self, AT_ONCE, Packet, Start, kind};
use crate::screen::{self, LAST_NUMBER, Side};
use crate::stack::{MAX_MESSAGE, Message, Stack, Update};

/// The interval between probes of a silent peer.
const PROBE_INTERVAL: Micros = 1_000_000;
/// The first sequence number of this side is below this, so that many are left.
const MAX_FIRST_NUMBER: u32 = 1 << 31;

/// One side of an association, as a [`Driven`](zorb_transport::driven::Driven): it does no I/O and
/// reads no clock.
#[derive(Debug)]
pub struct Connection {
    /// `None` if the stack could not be initialized.
    stack: Option<Stack>,
    settings: Settings,
    side: Side,
    /// The ports and the peer's tag, at the start of this side's packets.
    address: Option<[u8; 8]>,
    /// Packets to send.
    packets: VecDeque<Bytes>,
    /// The start of the next message.
    message: Vec<u8>,
    /// The maximum size of a message in octets.
    limit: usize,
    /// The message that is being read, and the number of octets read from it.
    received: Vec<u8>,
    taken: usize,
    /// The octets read since the last window update, and that window.
    freed: usize,
    announced_window: usize,
    last_received: Micros,
    /// When to send the next probe.
    next_probe: Option<Micros>,
    /// This side has ended its direction, and informed the peer.
    is_finished: bool,
    has_sent_end: bool,
    /// Received octets are discarded.
    is_stopped: bool,
    /// The peer has ended its direction.
    has_ended: bool,
    /// This side or the peer has started the shutdown.
    shuts_down: bool,
    is_shut_down: bool,
    /// When it is aborted, once this side no longer uses it.
    lingers_until: Option<Micros>,
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
            announced_window: settings.receive_buffer,
            last_received: now,
            next_probe: None,
            is_finished: false,
            has_sent_end: false,
            is_stopped: false,
            has_ended: false,
            shuts_down: false,
            is_shut_down: false,
            lingers_until: None,
            refuses: false,
            is_over: false,
        };
        connection.collect(now);
        connection
    }

    /// Whether enough sequence numbers are left. The first packet contains the first number.
    fn has_enough_numbers(&self) -> bool {
        let first = self.packets.front().map(|packet| Packet::trusted(packet));
        let start = first.and_then(|packet| packet.first()).and_then(|chunk| chunk.start());
        start.is_some_and(|start| start.number < MAX_FIRST_NUMBER)
    }

    /// Takes the packets that the stack sends now, and their contents.
    fn collect(&mut self, now: Micros) {
        let Some(stack) = &mut self.stack else { return };
        let mut packets = stack.transmit(now);
        // The last packet of a burst requests an immediate acknowledgement.
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

    /// Records the contents of a packet of this side.
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
                        self.announced_window = usize::try_from(room).unwrap_or(usize::MAX);
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

    /// Handles a datagram of this connection, without its data if there is no memory for it.
    fn take(&mut self, datagram: &[u8], keeps_data: bool, now: Micros) {
        if self.failure.is_some() || self.is_over {
            return;
        }
        let Some(packet) = Packet::parse(datagram) else { return };
        let mut passed = Vec::new();
        let seen = screen::check(&self.side, &packet, keeps_data, &mut passed);
        let Some(seen) = seen else { return };
        self.last_received = now;
        self.next_probe = None;
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
            && !passed.is_empty()
        {
            let news = stack.receive(&passed, now);
            self.digest(news);
        }
    }

    fn note_start(&mut self, start: Start) {
        self.side.received = start.number.wrapping_sub(1);
        let half = usize::try_from(start.room / 2).unwrap_or(usize::MAX);
        self.limit = half.min(MAX_MESSAGE);
    }

    fn digest(&mut self, news: Update) {
        self.side.pieces += news.pieces;
        self.side.is_established |= news.is_established;
        if news.has_failed {
            let why = if self.side.is_established { Failure::Aborted } else { Failure::Silence };
            self.failure.get_or_insert(why);
        }
        let is_closed = self.stack.as_ref().is_none_or(Stack::is_closed);
        if is_closed && (self.side.is_established || !self.side.is_server) {
            // The peer violated the protocol; it should learn that the connection has ended.
            self.refuses = self.failure.is_none();
        }
        self.fill();
    }

    /// Makes the next message available, or drops it if nobody reads.
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
        if self.freed >= half && self.announced_window < half {
            self.send_window_update();
        }
    }

    /// Makes the stack send a window update, which it does for a duplicate segment.
    fn send_window_update(&mut self) {
        let (Some(address), Some(stack)) = (self.address, &mut self.stack) else { return };
        let [a, b, c, d] = self.side.received.to_be_bytes();
        let piece = [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut again = Vec::new();
        packet::begin(packet::turned(address, self.side.own_tag), &mut again);
        packet::add(kind::DATA, AT_ONCE | 3, &piece, &mut again);
        packet::seal(&mut again);
        self.freed = 0;
        // The segment is a duplicate, so nothing changes.
        let _ = stack.receive(&again, self.last_received);
    }

    /// Passes complete messages to the stack.
    fn pass_to_stack(&mut self) {
        let Some(stack) = &mut self.stack else { return };
        if !self.side.is_established || self.is_shut_down || self.shuts_down {
            return;
        }
        if !self.message.is_empty() {
            let sent = stack.send(&self.message);
            self.message.clear();
            self.refuses |= !sent;
        }
        if self.is_finished && !self.has_sent_end {
            self.has_sent_end = true;
            self.refuses |= !stack.send_end();
        }
        let is_acknowledged = self.has_sent_end && stack.buffered() == 0;
        if is_acknowledged && (self.has_ended || self.is_stopped) {
            self.shuts_down = true;
            stack.shut_down();
        }
    }

    fn on_time(&mut self, now: Micros) {
        let Some(stack) = &mut self.stack else { return };
        let news = stack.on_time(now);
        let is_waiting = self.next_probe.is_some() || stack.buffered() > 0 || self.shuts_down;
        self.digest(news);
        let silent = now.saturating_sub(self.last_received);
        let is_patient = self.side.is_established && !is_waiting && !self.is_shut_down;
        if silent >= self.settings.peer_timeout && !is_patient {
            self.failure.get_or_insert(Failure::Silence);
        } else if silent >= self.settings.keep_alive && self.side.is_established {
            self.next_probe.get_or_insert(now);
        }
    }

    /// Aborts a connection that is no longer used, and that the peer does not end.
    fn end_lingering(&mut self, now: Micros) {
        if !self.is_stopped || !self.is_finished || self.is_over {
            return;
        }
        let until = *self.lingers_until.get_or_insert(now.saturating_add(self.settings.linger));
        self.refuses |= until <= now && self.failure.is_none();
    }

    /// Sends a probe if one is due.
    fn send_probe_if_due(&mut self, now: Micros, out: &mut Vec<u8>) -> bool {
        let (Some(at), Some(address)) = (self.next_probe, self.address) else { return false };
        if at > now {
            return false;
        }
        self.next_probe = Some(now + PROBE_INTERVAL);
        // Heartbeat information (1), of 12 octets with this header.
        let [a, b, c, d, e, f, g, h] = now.to_be_bytes();
        packet::begin(address, out);
        packet::add(kind::HEARTBEAT, 0, &[0, 1, 0, 12, a, b, c, d, e, f, g, h], out);
        packet::seal(out);
        true
    }
}
