//! What a connection sends, and when.

use zorb_transport::driven::{Failure, Micros};

use super::{Connection, Owed, stamp};
use crate::packet::{Data, Packet};

impl Connection {
    /// Writes the next datagram to `out`, whose contents it replaces; `false` if there is none.
    pub fn transmit(&mut self, now: Micros, out: &mut Vec<u8>) -> bool {
        self.end_lingering(now);
        if self.refuses {
            self.refuses = false;
            self.failure.get_or_insert(Failure::Aborted);
            Packet::Refuse { id: self.own }.write(out);
            return true;
        }
        if self.failure.is_some() || self.over.is_some() && !self.is_ack_due(now) {
            return false;
        }
        self.handle_timeouts(now);
        if self.failure.is_some() {
            return false;
        }
        if let Some(to) = self.peer
            && std::mem::take(&mut self.accept_due)
        {
            Packet::Accept { to, id: self.own }.write(out);
            return true;
        }
        let Some(peer) = self.peer else { return self.send_request_if_due(now, out) };
        let piece = if self.is_validated { self.sending.next_piece(&self.trip, now) } else { None };
        let ping = self.next_request.is_some_and(|at| at <= now);
        if piece.is_none() && !ping && !self.is_ack_due(now) {
            return false;
        }
        if ping {
            self.next_request = Some(now + self.trip.timeout());
            self.trip.back_off();
        }
        self.write(peer, piece, ping, now, out);
        true
    }

    fn write(
        &mut self,
        peer: u64,
        piece: Option<crate::sending::Piece>,
        ping: bool,
        now: Micros,
        out: &mut Vec<u8>,
    ) {
        let received = self.receiving.received();
        let window = u32::try_from(self.receiving.window()).unwrap_or(u32::MAX);
        let (offset, fin) = piece.map_or((0, false), |piece| (piece.offset, piece.fin));
        let data = Data {
            to: peer,
            stamp: stamp(now),
            echo: self.echo.take().unwrap_or(0),
            received,
            window,
            ranges: self.receiving.ranges(),
            offset,
            fin,
            ping,
            octets: &[],
        };
        Packet::Data(data).write(out);
        if let Some(piece) = piece {
            self.sending.copy(piece, out);
        }
        self.announced_window_end = received + u64::from(window);
        self.owed = Owed::Nothing;
    }

    /// Sends a connection request if one is due.
    fn send_request_if_due(&mut self, now: Micros, out: &mut Vec<u8>) -> bool {
        if self.next_request.is_none_or(|at| at > now) {
            return false;
        }
        self.next_request = Some(now + self.trip.timeout());
        self.trip.back_off();
        Packet::Open { id: self.own }.write(out);
        true
    }

    fn is_ack_due(&self, now: Micros) -> bool {
        match self.owed {
            Owed::Nothing => false,
            Owed::By(at, _) => at <= now,
            Owed::Now => true,
        }
    }

    /// Aborts a connection that is no longer used, and that the peer does not end.
    fn end_lingering(&mut self, now: Micros) {
        if !self.receiving.is_stopped() || !self.sending.is_finished() || self.over.is_some() {
            return;
        }
        let until = *self.lingers_until.get_or_insert(now.saturating_add(self.settings.linger));
        self.refuses |= until <= now && self.failure.is_none();
    }

    fn handle_timeouts(&mut self, now: Micros) {
        let silent = now.saturating_sub(self.last_received);
        if self.is_unvalidated() {
            // A client at an unvalidated address gets nothing, and is removed.
            if silent >= self.settings.peer_timeout {
                self.failure = Some(Failure::Silence);
            }
            return;
        }
        let waits = self.next_request.is_some() || self.sending.waits();
        if waits && silent >= self.settings.peer_timeout {
            self.failure = Some(Failure::Silence);
            return;
        }
        let trip = &mut self.trip;
        self.sending.handle_timeouts(trip, now);
        // Probes a silent peer, and a zero window whose update may be lost.
        if self.next_request.is_none() && self.peer.is_some() {
            if silent >= self.settings.keep_alive {
                self.next_request = Some(now);
            } else if self.sending.is_blocked_by_window() {
                self.next_request = Some(now + self.trip.timeout());
            }
        }
        // Sends a window update when the window has grown enough.
        let room_to = self.receiving.received() + self.receiving.window() as u64;
        let grown = room_to.saturating_sub(self.announced_window_end);
        if grown >= self.settings.receive_buffer as u64 / 2 && self.owed == Owed::Nothing {
            self.owed = Owed::Now;
        }
        if self.sending.is_all_acknowledged() && self.receiving.has_ended() && self.over.is_none() {
            self.over = Some(now + 3 * self.trip.timeout());
        }
    }
}
