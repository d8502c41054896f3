//! One direction of a stream: octets that are delayed, split, merged, cut off and damaged.

use std::collections::VecDeque;

use super::random::Random;

/// Octets that a sender may have in flight before it has to wait.
const WINDOW: usize = 8 * 1024;
/// The longest that a piece is delayed, in microseconds.
const MAX_DELAY: usize = 3_000;

#[derive(Debug, Default)]
pub(crate) struct Pipe {
    /// Octets in flight, and their time of arrival.
    chunks: VecDeque<(u64, VecDeque<u8>)>,
    in_flight: usize,
    /// Whether the sender has ended it: what is in flight arrives first.
    ended: bool,
    /// Whether it was cut: what is in flight is lost.
    cut: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    Octets(usize),
    Nothing,
    End,
}

impl Pipe {
    pub(crate) fn has_room(&self) -> bool {
        self.in_flight < WINDOW
    }

    pub(crate) fn send(&mut self, octets: &[u8], now: u64, random: &mut Random) {
        if self.ended || self.cut || octets.is_empty() {
            return;
        }
        // A stream keeps its order, however long each piece takes.
        let earliest = self.chunks.back().map_or(0, |(arrival, _)| *arrival);
        let arrival = earliest.max(now + random.below(MAX_DELAY) as u64);
        self.in_flight += octets.len();
        self.chunks.push_back((arrival, octets.iter().copied().collect()));
    }

    /// Receives some of what has arrived: up to a random number of octets, across pieces.
    pub(crate) fn receive(&mut self, space: &mut [u8], now: u64, random: &mut Random) -> Arrived {
        if self.cut {
            return Arrived::End;
        }
        let wanted = match random.below(4) {
            0 => 1,
            1 => 1 + random.below(16),
            2 => 1 + random.below(300),
            _ => space.len(),
        };
        let mut count = 0;
        while count < wanted.min(space.len()) {
            let Some((arrival, octets)) = self.chunks.front_mut() else { break };
            if *arrival > now {
                break;
            }
            match octets.pop_front() {
                Some(octet) => {
                    space[count] = octet;
                    count += 1;
                }
                None => drop(self.chunks.pop_front()),
            }
            if self.chunks.front().is_some_and(|(_, octets)| octets.is_empty()) {
                self.chunks.pop_front();
            }
        }
        self.in_flight -= count;
        match count {
            0 if self.chunks.is_empty() && self.ended => Arrived::End,
            0 => Arrived::Nothing,
            count => Arrived::Octets(count),
        }
    }

    /// When the next octets arrive.
    pub(crate) fn next_arrival(&self) -> Option<u64> {
        self.chunks.front().map(|(arrival, _)| *arrival)
    }

    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// The receiver reads no more: what is sent is lost.
    pub(crate) fn refuse(&mut self) {
        self.cut = true;
        self.chunks.clear();
        self.in_flight = 0;
    }

    /// Loses what is in flight but for the first few octets of it, and ends.
    pub(crate) fn cut(&mut self, random: &mut Random) {
        if random.once_in(2) {
            self.refuse();
        } else {
            let mut left = random.below(self.in_flight + 1);
            self.in_flight = left;
            for (_, octets) in &mut self.chunks {
                octets.truncate(left);
                left -= octets.len();
            }
            self.chunks.retain(|(_, octets)| !octets.is_empty());
            self.ended = true;
        }
    }

    /// Changes an octet in flight, if there is one; whether there was.
    pub(crate) fn damage(&mut self, random: &mut Random) -> bool {
        let index = random.below(self.chunks.len());
        let Some((_, octets)) = self.chunks.get_mut(index) else { return false };
        let at = random.below(octets.len());
        octets[at] ^= 1 << random.below(8);
        true
    }
}
