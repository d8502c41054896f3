//! What goes out: octets that are kept until they have arrived.

use std::collections::VecDeque;

use crate::packet::Data;
use crate::rtt::RoundTrip;
use zorb_transport::driven::Micros;

/// Octets that travel in one datagram, so that it fits a frame of Ethernet with all that is around it.
pub const SEGMENT: usize = 1200;

/// How much may be under way at first.
const FIRST_WINDOW: usize = 10 * SEGMENT;
/// How much may always be.
const LEAST_WINDOW: usize = 4 * SEGMENT;
/// What has arrived this much earlier than something sent later tells nothing: ways differ.
const LEAST_REORDERING: Micros = 1000;

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Sending {
    /// From `base` on.
    octets: VecDeque<u8>,
    /// All before has arrived.
    base: u64,
    /// What was never sent begins here.
    next: u64,
    /// Sent, and not all known to have arrived: in order.
    segments: VecDeque<Segment>,
    /// Whether nothing is added any more.
    is_finished: bool,
    end_sent: bool,
    end_arrived: bool,
    /// The peer has room up to here.
    room_to: u64,
    /// How many octets may wait here.
    limit: usize,
    /// How many may be under way, and up to where that grows quickly.
    window: usize,
    threshold: usize,
    /// How many are.
    under_way: usize,
    /// What was lost before this has made the window smaller already.
    recovers_to: u64,
    /// When what is under way counts as lost.
    timeout: Option<Micros>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    offset: u64,
    length: usize,
    /// Whether the end is in it.
    fin: bool,
    sent: Micros,
    fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    UnderWay,
    /// To be sent again.
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

/// Something to send.
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
            under_way: 0,
            recovers_to: 0,
            timeout: None,
        }
    }

    /// Takes as many octets as there is room for.
    pub(crate) fn add(&mut self, octets: &[u8]) -> usize {
        if self.is_finished {
            return 0;
        }
        let room = self.limit.saturating_sub(self.octets.len());
        let fits = octets.get(..room.min(octets.len())).unwrap_or_default();
        self.octets.extend(fits);
        fits.len()
    }

    /// Nothing is added any more: the end is sent behind what is there.
    pub(crate) fn finish(&mut self) {
        self.is_finished = true;
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Whether all has arrived, the end included.
    pub(crate) fn has_arrived(&self) -> bool {
        self.end_arrived
    }

    /// Whether something was sent of which nothing is known.
    pub(crate) fn waits(&self) -> bool {
        !self.segments.is_empty()
    }

    fn end(&self) -> u64 {
        self.base + self.octets.len() as u64
    }

    /// Whether there are octets that the peer has no room for.
    pub(crate) fn is_held_up(&self) -> bool {
        self.segments.is_empty() && self.end() > self.next && self.room_to <= self.next
    }

    /// When [`on_time`](Self::on_time) has something to do.
    pub(crate) fn deadline(&self) -> Option<Micros> {
        self.timeout
    }

    /// The octets of a piece.
    pub(crate) fn copy(&self, piece: Piece, out: &mut Vec<u8>) {
        let from = piece.offset.saturating_sub(self.base) as usize;
        let to = (from + piece.length).min(self.octets.len());
        out.extend(self.octets.range(from.min(to)..to));
    }

    /// What the peer says has arrived. `echoed` is when that was sent which it answers. Whether
    /// anything is news.
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
                self.under_way -= first.size();
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
                    self.under_way -= segment.size();
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

    /// What was sent well before something that has arrived is lost.
    fn find_lost(&mut self, echoed: Micros, reported: u64, trip: &RoundTrip) {
        let reordering = (trip.smoothed().unwrap_or(0) / 4).max(LEAST_REORDERING);
        let mut lost = None;
        for segment in &mut self.segments {
            if segment.end() > reported {
                break;
            }
            if segment.fate == Fate::UnderWay && segment.sent + reordering < echoed {
                segment.fate = Fate::Lost;
                self.under_way -= segment.size();
                lost = lost.max(Some(segment.offset));
            }
        }
        if let Some(lost) = lost
            && lost >= self.recovers_to
        {
            self.threshold = (self.window / 2).max(LEAST_WINDOW);
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
        // More than can wait here is never under way.
        self.window = (self.window + more).min(self.limit.max(LEAST_WINDOW));
    }

    /// Nothing has been heard for too long: all that is under way counts as lost.
    pub(crate) fn on_time(&mut self, trip: &mut RoundTrip, now: Micros) {
        if self.timeout.is_none_or(|timeout| timeout > now) {
            return;
        }
        self.timeout = None;
        for segment in &mut self.segments {
            if segment.fate == Fate::UnderWay {
                segment.fate = Fate::Lost;
            }
        }
        self.threshold = (self.window / 2).max(LEAST_WINDOW);
        self.window = LEAST_WINDOW;
        self.recovers_to = self.next;
        self.under_way = 0;
        trip.back_off();
    }

    /// The next piece to be sent now, which counts as sent.
    pub(crate) fn next_piece(&mut self, trip: &RoundTrip, now: Micros) -> Option<Piece> {
        let piece = self.lost_piece(now).or_else(|| self.new_piece(now))?;
        if self.timeout.is_none() {
            self.timeout = Some(now + trip.timeout());
        }
        Some(piece)
    }

    /// Whether so much more may be under way.
    fn has_room(&self, size: usize) -> bool {
        self.under_way == 0 || self.under_way + size <= self.window
    }

    fn lost_piece(&mut self, now: Micros) -> Option<Piece> {
        // What is lost is mostly among the first.
        let place = self.segments.iter().position(|segment| segment.fate == Fate::Lost)?;
        let size = self.segments.get(place)?.size();
        if !self.has_room(size) {
            return None;
        }
        let segment = self.segments.get_mut(place)?;
        segment.fate = Fate::UnderWay;
        segment.sent = now;
        self.under_way += size;
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
        // Rather than many little pieces, one as soon as there is room.
        if length < SEGMENT && length < waiting && self.waits() {
            return None;
        }
        let segment = Segment { offset: self.next, length, fin, sent: now, fate: Fate::UnderWay };
        if !self.has_room(segment.size()) {
            return None;
        }
        self.under_way += segment.size();
        self.next += length as u64;
        self.end_sent |= fin;
        self.segments.push_back(segment);
        Some(Piece { offset: segment.offset, length, fin })
    }
}
