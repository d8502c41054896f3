//! What a receiver knows of a stream: what came, what did not, and how evenly.

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::Stamp;
use crate::messaging::now;

/// How many numbers below the highest one are told from those that came before.
const WINDOW: u32 = 64;

/// What is to be done with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is to be shown.
    OnTime,
    /// It came so late that it is to be dropped.
    Late,
    /// It has been here before, or is so old that nobody can tell.
    Again,
}

/// What a receiver tells the sender, as RTCP's receiver reports do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The highest number that came.
    pub highest: u32,
    /// Frames that came, late ones too, since the stream began.
    pub received: u64,
    /// Frames that did not come, since the stream began.
    pub lost: u64,
    /// Frames that did not come since the last report, in 256ths of those that were to come.
    pub fraction_lost: u8,
    /// Frames that were dropped because they were late, since the stream began.
    pub late: u64,
    /// How much the time that frames are on their way varies, in microseconds: the mean deviation, of
    /// which each frame contributes a sixteenth (RFC 3550, section 6.4.1).
    pub jitter: u32,
}

/// Keeps count of one stream.
///
/// A frame is late when it was longer on its way than the fastest one by more than what the receiver
/// allows: then the two clocks need not agree. As the fastest counts that of the last 1024 frames, so that
/// clocks may drift.
#[derive(Clone, Debug)]
pub struct Receiver {
    allowed: Duration,
    first: Option<u32>,
    highest: u32,
    /// Which of the numbers below the highest came: bit 0 is the highest itself.
    seen: u64,
    received: u64,
    /// Frames that came after the first one but have a lower number.
    before_first: u64,
    late: u64,
    /// The fastest transit of this run of 1024 frames and of the one before, in microseconds.
    fastest: [i64; 2],
    last_transit: Option<i64>,
    /// In sixteenths of a microsecond.
    jitter: u64,
    /// What the last report said to have been expected and received.
    reported: (u64, u64),
}

impl Receiver {
    /// A receiver that takes frames as long as they are late by no more than `allowed`.
    #[must_use]
    pub fn new(allowed: Duration) -> Self {
        Self {
            allowed,
            first: None,
            highest: 0,
            seen: 0,
            received: 0,
            before_first: 0,
            late: 0,
            fastest: [i64::MAX; 2],
            last_transit: None,
            jitter: 0,
            reported: (0, 0),
        }
    }

    /// Takes note of a frame that has come now.
    pub fn take(&mut self, stamp: Stamp) -> Verdict {
        self.take_at(stamp, now())
    }

    /// Takes note of a frame that has come at `arrived`, in microseconds of the receiver's clock.
    pub fn take_at(&mut self, stamp: Stamp, arrived: u64) -> Verdict {
        if !self.is_new(stamp.sequence) {
            return Verdict::Again;
        }
        self.received += 1;
        // Clocks may be anything apart, and a stamp may be a lie.
        let transit = (arrived as i64).wrapping_sub(stamp.sent as i64);
        if let Some(last) = self.last_transit.replace(transit) {
            let difference = transit.wrapping_sub(last).unsigned_abs().min(u64::from(u32::MAX));
            self.jitter = self.jitter - self.jitter / 16 + difference;
        }
        if self.received.is_multiple_of(1024) {
            let [now, _] = self.fastest;
            self.fastest = [i64::MAX, now];
        }
        let [now, before] = &mut self.fastest;
        *now = transit.min(*now);
        let fastest = (*now).min(*before);
        let behind = transit.saturating_sub(fastest);
        if i128::from(behind) > self.allowed.as_micros() as i128 {
            self.late += 1;
            return Verdict::Late;
        }
        Verdict::OnTime
    }

    /// Whether a number is one that has not come before.
    fn is_new(&mut self, sequence: u32) -> bool {
        let Some(first) = self.first else {
            (self.first, self.highest, self.seen) = (Some(sequence), sequence, 1);
            return true;
        };
        let ahead = sequence.wrapping_sub(self.highest);
        if ahead == 0 {
            return false;
        }
        // Numbers go round: what is less than half the circle ahead is ahead.
        if ahead <= u32::MAX / 2 {
            self.seen = if ahead < WINDOW { self.seen << ahead | 1 } else { 1 };
            self.highest = sequence;
            return true;
        }
        let behind = self.highest.wrapping_sub(sequence);
        if behind >= WINDOW || self.seen & 1 << behind != 0 {
            return false;
        }
        self.seen |= 1 << behind;
        if first.wrapping_sub(sequence) <= u32::MAX / 2 && first != sequence {
            self.before_first += 1;
        }
        true
    }

    /// How many frames were to come by now.
    fn expected(&self) -> u64 {
        match self.first {
            Some(first) => u64::from(self.highest.wrapping_sub(first)) + 1 + self.before_first,
            None => 0,
        }
    }

    /// What is to be told to the sender; the next report's fraction begins with it.
    pub fn report(&mut self) -> Report {
        let (expected, received) = (self.expected(), self.received);
        let (expected_before, received_before) = self.reported;
        self.reported = (expected, received);
        let due = expected.saturating_sub(expected_before);
        let missing = due.saturating_sub(received - received_before);
        let fraction = (missing * 256).checked_div(due).unwrap_or(0);
        Report {
            highest: self.highest,
            received,
            lost: expected.saturating_sub(received),
            fraction_lost: u8::try_from(fraction).unwrap_or(u8::MAX),
            late: self.late,
            jitter: u32::try_from(self.jitter / 16).unwrap_or(u32::MAX),
        }
    }
}
