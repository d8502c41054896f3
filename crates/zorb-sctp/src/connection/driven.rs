//! The connection as a driven protocol.

use std::net::SocketAddr;

use zorb_transport::driven::{Driven, Failure, Micros, Route, Settings};

use super::Connection;
use crate::packet::{self, Packet, kind};
use crate::screen;
use crate::stack::{MAX_PIECE, Stack};
use crate::{DEFAULT_PORT, SCIOP_SCHEME};

/// The maximum number of attempts to draw a usable first sequence number; usually one is enough.
const DRAWS: usize = 64;

impl Driven for Connection {
    const SCHEME: &'static str = SCIOP_SCHEME;
    const DEFAULT_PORT: u16 = DEFAULT_PORT;
    const THREADS: &'static str = "zorb-sctp";

    fn connect(to: SocketAddr, settings: Settings, now: Micros) -> Self {
        let begin = || Self::new(Stack::connect(to, &settings, now), false, settings, now);
        let mut connection = begin();
        for _ in 0..DRAWS {
            if connection.has_enough_numbers() {
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
        let seen = screen::check(&connection.side, &packet, true, &mut init)?;
        for _ in 0..DRAWS {
            let stack = Stack::accept(&init, from, &settings, now)?;
            connection = Self::new(Some(stack), true, settings, now);
            if connection.has_enough_numbers() {
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
        self.take(datagram, true, now);
    }

    fn receive_without_octets(&mut self, datagram: &[u8], now: Micros) {
        self.take(datagram, false, now);
    }

    fn most_kept(datagram: &[u8]) -> usize {
        let chunks = Packet::trusted(datagram).chunks();
        chunks.filter(|chunk| chunk.kind == kind::DATA).count() * MAX_PIECE as usize
    }

    fn transmit(&mut self, now: Micros, out: &mut Vec<u8>) -> bool {
        self.end_lingering(now);
        if self.failure.is_none() && !self.refuses && !self.is_over && self.packets.is_empty() {
            self.on_time(now);
            self.pass_to_stack();
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
        self.failure.is_none() && !self.is_over && self.send_probe_if_due(now, out)
    }

    fn deadline(&self) -> Option<Micros> {
        if self.failure.is_some() || self.is_over {
            return None;
        }
        let Settings { keep_alive, peer_timeout, .. } = self.settings;
        let is_idle = self.side.is_established && self.next_probe.is_none();
        let silence = self.last_received + if is_idle { keep_alive } else { peer_timeout };
        let due = self.stack.as_ref().and_then(Stack::deadline);
        [due, self.next_probe, Some(silence), self.lingers_until].into_iter().flatten().min()
    }

    fn is_established(&self) -> bool {
        self.side.is_established
    }

    fn buffered(&mut self) -> usize {
        let to_send = self.stack.as_mut().map_or(0, Stack::buffered) + self.message.len();
        to_send + self.received.len() + self.side.pieces * MAX_PIECE as usize
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
            // Waits for room for a whole message instead of sending small parts, if there can be
            // enough room.
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

    fn has_hung_up(&self) -> bool {
        self.failure.is_some() || self.has_ended || self.is_shut_down
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
