//! The receiving half: reassembly.

use std::collections::{BTreeMap, VecDeque};

use crate::packet::Ranges;

/// The maximum number of segments stored behind gaps; further ones are retransmitted.
const MAX_PIECES: usize = 1024;

/// The receiving half of a connection.
#[derive(Debug)]
pub(crate) struct Receiving {
    /// Octets in order that have not been read.
    ready: VecDeque<u8>,
    /// Everything before this position has been received.
    next: u64,
    /// Segments behind gaps by position, without overlaps, and their octets.
    behind_gaps: BTreeMap<u64, Vec<u8>>,
    octets_behind_gaps: usize,
    /// The end of the stream, once it is known.
    end: Option<u64>,
    /// The size of the receive buffer.
    limit: usize,
    /// Whether received octets are discarded.
    is_stopped: bool,
}

impl Receiving {
    pub(crate) fn new(limit: usize) -> Self {
        let (ready, behind_gaps) = (VecDeque::new(), BTreeMap::new());
        let octets_behind_gaps = 0;
        Self {
            ready,
            next: 0,
            behind_gaps,
            octets_behind_gaps,
            end: None,
            limit,
            is_stopped: false,
        }
    }

    /// The octets that are not read.
    pub(crate) fn buffered(&self) -> usize {
        self.ready.len() + self.octets_behind_gaps
    }

    /// Handles octets; returns whether any of them, or the end, is new.
    pub(crate) fn accept(&mut self, offset: u64, octets: &[u8], fin: bool) -> bool {
        let end = offset.saturating_add(octets.len() as u64);
        let lies_beyond = self.end.is_some_and(|known| end > known || (fin && end != known));
        if lies_beyond || end > self.window_end() {
            return false;
        }
        let mut is_news = false;
        if fin && self.end.is_none() {
            let highest = self.behind_gaps.last_key_value().map(|(at, it)| at + it.len() as u64);
            if highest.unwrap_or(self.next).max(self.next) > end {
                return false;
            }
            self.end = Some(end);
            is_news = true;
        }
        let known = self.next.saturating_sub(offset).min(octets.len() as u64);
        let octets = octets.get(known as usize..).unwrap_or_default();
        if octets.is_empty() {
            return is_news;
        }
        let offset = offset + known;
        if offset == self.next {
            self.append(octets);
            self.close_gaps();
            return true;
        }
        self.store_behind_gap(offset, octets) || is_news
    }

    fn append(&mut self, octets: &[u8]) {
        self.next += octets.len() as u64;
        if !self.is_stopped {
            self.ready.extend(octets);
        }
    }

    /// Stores those of the octets that are not stored yet.
    fn store_behind_gap(&mut self, mut offset: u64, mut octets: &[u8]) -> bool {
        let mut is_news = false;
        if let Some((at, piece)) = self.behind_gaps.range(..=offset).next_back() {
            let covered = (at + piece.len() as u64).saturating_sub(offset);
            octets = octets.get(covered as usize..).unwrap_or_default();
            offset += covered;
        }
        while !octets.is_empty() {
            let following = self.behind_gaps.range(offset..).next().map(|(at, it)| (*at, it.len()));
            let room = following.map_or(octets.len(), |(at, _)| (at - offset) as usize);
            let (fits, rest) = octets.split_at(room.min(octets.len()));
            if !fits.is_empty() && self.behind_gaps.len() < MAX_PIECES {
                self.behind_gaps.insert(offset, fits.to_vec());
                self.octets_behind_gaps += fits.len();
                is_news = true;
            }
            let skipped = following.map_or(0, |(_, length)| length).min(rest.len());
            octets = rest.get(skipped..).unwrap_or_default();
            offset += (fits.len() + skipped) as u64;
        }
        is_news
    }

    /// Appends the segments without a gap before them.
    fn close_gaps(&mut self) {
        while let Some(piece) = self.behind_gaps.first_entry() {
            if *piece.key() > self.next {
                return;
            }
            let (at, octets) = piece.remove_entry();
            self.octets_behind_gaps -= octets.len();
            let known = (self.next - at) as usize;
            self.append(octets.get(known..).unwrap_or_default());
        }
    }

    /// Reads octets: their number, 0 at the end of the stream, `None` if there are none yet.
    pub(crate) fn take(&mut self, buffer: &mut [u8]) -> Option<usize> {
        if self.is_stopped || buffer.is_empty() {
            return Some(0);
        }
        if self.ready.is_empty() {
            return self.has_ended().then_some(0);
        }
        let mut taken = 0;
        let (front, back) = self.ready.as_slices();
        for part in [front, back] {
            let rest = buffer.get_mut(taken..).unwrap_or_default();
            let count = rest.len().min(part.len());
            if let (Some(rest), Some(part)) = (rest.get_mut(..count), part.get(..count)) {
                rest.copy_from_slice(part);
                taken += count;
            }
        }
        self.ready.drain(..taken);
        Some(taken)
    }

    /// Discards all octets from now on.
    pub(crate) fn stop(&mut self) {
        self.is_stopped = true;
        self.ready = VecDeque::new();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Whether reading would not have to wait.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_stopped || !self.ready.is_empty() || self.has_ended()
    }

    /// Whether everything has been received, including the end.
    pub(crate) fn has_ended(&self) -> bool {
        self.end == Some(self.next)
    }

    /// Everything before this position has been received; the end counts as one octet.
    pub(crate) fn received(&self) -> u64 {
        self.next + u64::from(self.has_ended())
    }

    /// The end of the window.
    fn window_end(&self) -> u64 {
        self.next + self.window() as u64
    }

    /// The window after the received octets.
    pub(crate) fn window(&self) -> usize {
        self.limit.saturating_sub(self.ready.len())
    }

    /// The ranges behind gaps.
    pub(crate) fn ranges(&self) -> Ranges {
        let mut ranges = Ranges::default();
        let from = self.received();
        let mut open: Option<(u64, u64)> = None;
        let end = self.end.filter(|_| !self.has_ended()).map(|end| (end, end + 1));
        let pieces = self.behind_gaps.iter().map(|(at, piece)| (*at, at + piece.len() as u64));
        for (begin, end) in pieces.chain(end) {
            match &mut open {
                Some((_, last)) if *last == begin => *last = end,
                _ => {
                    push(&mut ranges, from, open);
                    open = Some((begin, end));
                }
            }
        }
        push(&mut ranges, from, open);
        ranges
    }

    /// Whether there is a gap.
    pub(crate) fn has_gaps(&self) -> bool {
        !self.behind_gaps.is_empty() || (self.end.is_some() && !self.has_ended())
    }
}

fn push(ranges: &mut Ranges, from: u64, range: Option<(u64, u64)>) {
    if let Some((begin, end)) = range
        && let (Ok(begin), Ok(end)) = (u32::try_from(begin - from), u32::try_from(end - from))
    {
        ranges.push(begin, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(receiving: &mut Receiving) -> Vec<u8> {
        let mut buffer = [0; 64];
        let count = receiving.take(&mut buffer).unwrap_or(0);
        buffer.get(..count).unwrap_or_default().to_vec()
    }

    #[test]
    fn overlapping_pieces_are_reassembled_in_order() {
        let text = b"abcdefghijklmnopqrstuvwxyz";
        let mut seed = 1_u64;
        for _ in 0..2000 {
            let mut receiving = Receiving::new(64);
            let mut out = Vec::new();
            while !receiving.has_ended() {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                let begin = (seed >> 33) as usize % text.len();
                let end = begin + 1 + (seed >> 50) as usize % (text.len() - begin);
                receiving.accept(begin as u64, &text[begin..end], end == text.len());
                let ranges: Vec<_> = receiving.ranges().iter().collect();
                assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0), "{ranges:?}");
                out.extend(all(&mut receiving));
            }
            out.extend(all(&mut receiving));
            assert_eq!(out, text);
            assert_eq!(receiving.received(), 27);
        }
    }

    #[test]
    fn octets_beyond_the_window_or_the_end_are_rejected() {
        let mut receiving = Receiving::new(4);
        assert!(!receiving.accept(0, b"12345", false));
        assert!(!receiving.accept(3, b"45", false));
        assert!(receiving.accept(0, b"1234", false));
        assert_eq!(receiving.window(), 0);
        assert!(!receiving.accept(4, b"5", false));
        assert_eq!(all(&mut receiving), b"1234");
        assert!(receiving.accept(4, b"56", true));
        assert!(!receiving.accept(4, b"567", false));
        assert!(!receiving.accept(4, b"5", true));
        assert!(receiving.has_ended());
    }

    #[test]
    fn pieces_behind_gaps_are_limited() {
        let mut receiving = Receiving::new(1 << 20);
        let taken = (1..4000_u64).filter(|n| receiving.accept(n * 2, b"x", false)).count();
        assert_eq!(taken, MAX_PIECES);
    }
}
