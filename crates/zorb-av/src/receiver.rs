//! The receiver of a stream: counts received and lost frames, and measures jitter.

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::Stamp;
use crate::messaging::now;

/// The number of sequence numbers below the highest for which duplicates are detected.
const WINDOW: u32 = 64;

/// The result for a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Show it.
    OnTime,
    /// It is too late: drop it.
    Late,
    /// It is a duplicate, or so old that duplicates are not detected.
    Again,
}

/// A report to the sender, like an RTCP receiver report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The highest number received.
    pub highest: u32,
    /// Frames received since the start of the stream, including late ones.
    pub received: u64,
    /// Frames lost since the start of the stream.
    pub lost: u64,
    /// Frames lost since the last report, in 1/256 of the expected ones.
    pub fraction_lost: u8,
    /// Frames dropped as late since the start of the stream.
    pub late: u64,
    /// The jitter of the transit time in microseconds: the mean deviation, with a weight of 1/16
    /// per frame (RFC 3550, section 6.4.1).
    pub jitter: u32,
}

/// The state of one stream.
///
/// A frame is late if its transit took longer than the fastest one by more than the allowed time,
/// so that the clocks need not be synchronized. The fastest of the last 1024 frames counts, so that
/// clocks may drift.
#[derive(Clone, Debug)]
pub struct Receiver {
    allowed: Duration,
    first: Option<u32>,
    highest: u32,
    /// The received numbers below the highest: bit 0 is the highest itself.
    seen: u64,
    received: u64,
    /// Frames that arrived after the first one but have a lower number.
    before_first: u64,
    late: u64,
    /// The fastest transit of this run of 1024 frames and of the previous one, in microseconds.
    fastest: [i64; 2],
    last_transit: Option<i64>,
    /// In 1/16 microseconds.
    jitter: u64,
    /// The expected and received frames at the last report.
    reported: (u64, u64),
}

impl Receiver {
    /// A receiver that accepts frames up to `allowed` late.
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

    /// Records a frame that arrives now.
    pub fn take(&mut self, stamp: Stamp) -> Verdict {
        self.take_at(stamp, now())
    }

    /// Records a frame that arrived at `arrived`, in microseconds of the receiver's clock.
    pub fn take_at(&mut self, stamp: Stamp, arrived: u64) -> Verdict {
        if !self.is_new(stamp.sequence) {
            return Verdict::Again;
        }
        self.received += 1;
        // Clocks may differ by any amount, and a stamp may be forged.
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

    /// Whether a number has not been received before.
    fn is_new(&mut self, sequence: u32) -> bool {
        let Some(first) = self.first else {
            (self.first, self.highest, self.seen) = (Some(sequence), sequence, 1);
            return true;
        };
        let ahead = sequence.wrapping_sub(self.highest);
        if ahead == 0 {
            return false;
        }
        // Numbers wrap around: a number less than half the range ahead is newer.
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

    /// The number of frames expected so far.
    fn expected(&self) -> u64 {
        match self.first {
            Some(first) => u64::from(self.highest.wrapping_sub(first)) + 1 + self.before_first,
            None => 0,
        }
    }

    /// Creates the report for the sender; the fraction of the next one starts here.
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
