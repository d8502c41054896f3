//! The sending half: octets are stored until they are acknowledged.

use std::collections::VecDeque;

use zorb_transport::driven::Micros;

use crate::packet::Data;
use crate::rtt::RoundTrip;

/// Octets per segment, so that a datagram fits into an Ethernet frame.
pub const SEGMENT: usize = 1200;

/// The initial congestion window.
const FIRST_WINDOW: usize = 10 * SEGMENT;
/// The minimum congestion window.
const MIN_WINDOW: usize = 4 * SEGMENT;
/// Reordering tolerance: a segment is not lost if one sent this little later is acknowledged.
const MIN_REORDERING: Micros = 1000;

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Sending {
    /// The octets from `base` on.
    octets: VecDeque<u8>,
    /// Everything before this position is acknowledged.
    base: u64,
    /// Octets from here on have never been sent.
    next: u64,
    /// Segments that are sent and not acknowledged completely, in order.
    segments: VecDeque<Segment>,
    /// Whether the stream is finished.
    is_finished: bool,
    end_sent: bool,
    end_arrived: bool,
    /// The end of the peer's window.
    room_to: u64,
    /// The size of the send buffer.
    limit: usize,
    /// The congestion window, and the slow-start threshold.
    window: usize,
    threshold: usize,
    /// Octets in flight.
    in_flight: usize,
    /// Losses before this position have already reduced the congestion window.
    recovers_to: u64,
    /// When segments in flight are considered lost.
    timeout: Option<Micros>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    offset: u64,
    length: usize,
    /// Whether it contains the end.
    fin: bool,
    sent: Micros,
    fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    UnderWay,
    /// To be retransmitted.
    Lost,
    Arrived,
}

impl Segment {
    fn end(&self) -> u64 {
        self.offset + self.size() as u64
    }

    /// The end counts as one octet.
    fn size(&self) -> usize {
        self.length + usize::from(self.fin)
    }
}

/// A segment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) offset: u64,
    pub(crate) length: usize,
    pub(crate) fin: bool,
}

impl Sending {
    pub(crate) fn new(limit: usize, room: usize) -> Self {
        Self {
            octets: VecDeque::new(),
            base: 0,
            next: 0,
            segments: VecDeque::new(),
            is_finished: false,
            end_sent: false,
            end_arrived: false,
            room_to: room as u64,
            limit,
            window: FIRST_WINDOW,
            threshold: usize::MAX,
            in_flight: 0,
            recovers_to: 0,
            timeout: None,
        }
    }

    /// Accepts as many octets as there is room for.
    pub(crate) fn add(&mut self, octets: &[u8]) -> usize {
        if self.is_finished {
            return 0;
        }
        let room = self.limit.saturating_sub(self.octets.len());
        let fits = octets.get(..room.min(octets.len())).unwrap_or_default();
        self.octets.extend(fits);
        fits.len()
    }

    /// The octets that are not acknowledged.
    pub(crate) fn buffered(&self) -> usize {
        self.octets.len()
    }

    /// Finishes the stream: the end is sent after the stored octets.
    pub(crate) fn finish(&mut self) {
        self.is_finished = true;
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Whether everything is acknowledged, including the end.
    pub(crate) fn is_all_acknowledged(&self) -> bool {
        self.end_arrived
    }

    /// Whether segments are in flight.
    pub(crate) fn waits(&self) -> bool {
        !self.segments.is_empty()
    }

    fn end(&self) -> u64 {
        self.base + self.octets.len() as u64
    }

    /// Whether there are octets beyond the peer's window.
    pub(crate) fn is_blocked_by_window(&self) -> bool {
        self.segments.is_empty() && self.end() > self.next && self.room_to <= self.next
    }

    /// When to call [`handle_timeouts`](Self::on_time).
    pub(crate) fn deadline(&self) -> Option<Micros> {
        self.timeout
    }

    /// The octets of a segment.
    pub(crate) fn copy(&self, piece: Piece, out: &mut Vec<u8>) {
        let from = piece.offset.saturating_sub(self.base) as usize;
        let to = (from + piece.length).min(self.octets.len());
        out.extend(self.octets.range(from.min(to)..to));
    }

    /// Handles an acknowledgement; `echoed` is the time of the datagram that it answers. Returns
    /// whether it acknowledges anything new.
    pub(crate) fn acknowledge(
        &mut self,
        data: &Data<'_>,
        echoed: Option<Micros>,
        trip: &RoundTrip,
        now: Micros,
    ) -> bool {
        let highest = self.next + u64::from(self.end_sent);
        if data.received > highest {
            return false;
        }
        self.room_to = self.room_to.max(data.received.saturating_add(data.window.into()));
        let mut arrived = 0;
        while let Some(first) = self.segments.front()
            && first.end() <= data.received
        {
            if first.fate != Fate::Arrived {
                arrived += first.size();
            }
            if first.fate == Fate::UnderWay {
                self.in_flight -= first.size();
            }
            self.end_arrived |= first.fin;
            self.segments.pop_front();
        }
        let kept_from = self.segments.front().map_or(self.next, |first| first.offset);
        let gone = kept_from.saturating_sub(self.base) as usize;
        self.octets.drain(..gone.min(self.octets.len()));
        self.base = self.base.max(kept_from);
        let mut reported = data.received;
        for (begin, end) in data.ranges.iter() {
            let (begin, end) = (data.received + u64::from(begin), data.received + u64::from(end));
            reported = reported.max(end);
            let first = self.segments.partition_point(|segment| segment.offset < begin);
            for segment in self.segments.range_mut(first..) {
                if segment.end() > end {
                    break;
                }
                if segment.fate != Fate::Arrived {
                    arrived += segment.size();
                }
                if segment.fate == Fate::UnderWay {
                    self.in_flight -= segment.size();
                }
                segment.fate = Fate::Arrived;
            }
        }
        if let Some(echoed) = echoed {
            self.find_lost(echoed, reported, trip);
        }
        if arrived > 0 {
            self.grow(arrived);
            self.timeout = self.waits().then(|| now + trip.timeout());
        }
        arrived > 0
    }

    /// A segment sent well before an acknowledged one is lost.
    fn find_lost(&mut self, echoed: Micros, reported: u64, trip: &RoundTrip) {
        let reordering = (trip.smoothed().unwrap_or(0) / 4).max(MIN_REORDERING);
        let mut lost = None;
        for segment in &mut self.segments {
            if segment.end() > reported {
                break;
            }
            if segment.fate == Fate::UnderWay && segment.sent + reordering < echoed {
                segment.fate = Fate::Lost;
                self.in_flight -= segment.size();
                lost = lost.max(Some(segment.offset));
            }
        }
        if let Some(lost) = lost
            && lost >= self.recovers_to
        {
            self.threshold = (self.window / 2).max(MIN_WINDOW);
            self.window = self.threshold;
            self.recovers_to = self.next;
        }
    }

    fn grow(&mut self, arrived: usize) {
        let more = if self.window < self.threshold {
            arrived
        } else {
            (SEGMENT * arrived / self.window.max(1)).max(1)
        };
        // The window never needs to exceed the send buffer.
        self.window = (self.window + more).min(self.limit.max(MIN_WINDOW));
    }

    /// Handles the retransmission timeout: all segments in flight are considered lost.
    pub(crate) fn handle_timeouts(&mut self, trip: &mut RoundTrip, now: Micros) {
        if self.timeout.is_none_or(|timeout| timeout > now) {
            return;
        }
        self.timeout = None;
        for segment in &mut self.segments {
            if segment.fate == Fate::UnderWay {
                segment.fate = Fate::Lost;
            }
        }
        self.threshold = (self.window / 2).max(MIN_WINDOW);
        self.window = MIN_WINDOW;
        self.recovers_to = self.next;
        self.in_flight = 0;
        trip.back_off();
    }

    /// The next segment to send, which is recorded as sent.
    pub(crate) fn next_piece(&mut self, trip: &RoundTrip, now: Micros) -> Option<Piece> {
        let piece = self.lost_piece(now).or_else(|| self.new_piece(now))?;
        if self.timeout.is_none() {
            self.timeout = Some(now + trip.timeout());
        }
        Some(piece)
    }

    /// Whether the windows allow this many more octets.
    fn has_room(&self, size: usize) -> bool {
        self.in_flight == 0 || self.in_flight + size <= self.window
    }

    fn lost_piece(&mut self, now: Micros) -> Option<Piece> {
        // Lost segments are usually among the first.
        let index = self.segments.iter().position(|segment| segment.fate == Fate::Lost)?;
        let size = self.segments.get(index)?.size();
        if !self.has_room(size) {
            return None;
        }
        let segment = self.segments.get_mut(index)?;
        segment.fate = Fate::UnderWay;
        segment.sent = now;
        self.in_flight += size;
        let Segment { offset, length, fin, .. } = *segment;
        Some(Piece { offset, length, fin })
    }

    fn new_piece(&mut self, now: Micros) -> Option<Piece> {
        if self.end_sent {
            return None;
        }
        let waiting = (self.end() - self.next) as usize;
        let room = self.room_to.saturating_sub(self.next).min(SEGMENT as u64) as usize;
        let length = waiting.min(room);
        let fin = self.is_finished && length == waiting;
        if length == 0 && !fin {
            return None;
        }
        // Waits for room instead of sending many small segments.
        if length < SEGMENT && length < waiting && self.waits() {
            return None;
        }
        let segment = Segment { offset: self.next, length, fin, sent: now, fate: Fate::UnderWay };
        if !self.has_room(segment.size()) {
            return None;
        }
        self.in_flight += segment.size();
        self.next += length as u64;
        self.end_sent |= fin;
        self.segments.push_back(segment);
        Some(Piece { offset: segment.offset, length, fin })
    }
}
