//! Floods of one type by one engine.

use serde::{Deserialize, Serialize};

use crate::statistics::{Interval, median};
use crate::{Error, Result};

/// A flood of messages. Each list has a number per round.
#[derive(Clone, Debug, Serialize)]
pub struct LadderFlood {
    /// What fills messages: an engine, or `raw`.
    pub engine: &'static str,
    /// The type of elements.
    pub elements_of: &'static str,
    /// Octets of a sequence.
    pub buffer: usize,
    /// Octets of sequences, in millions per second, as the receiver sees them.
    pub mb_per_s: Vec<f64>,
    /// The share of the sender's time that it spends in `write`.
    pub write_share: Vec<f64>,
    /// The share of the receiver's time that it spends in `read`.
    pub read_share: Vec<f64>,
}

/// How one side of a flood has spent its time.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Done {
    pub(super) octets: u64,
    pub(super) total_ns: u64,
    pub(super) io_ns: u64,
}

/// Both sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) sender: Done,
    pub(super) receiver: Done,
}

impl Done {
    /// What a side prints at its end.
    pub(super) fn parse(line: &[u8]) -> Result<Self> {
        serde_json::from_slice(line).map_err(|error| Error::new(format!("`zorb-ladder`: {error}")))
    }
}

impl LadderFlood {
    pub(super) fn new(engine: &'static str, elements_of: &'static str, buffer: usize) -> Self {
        let (mb_per_s, write_share, read_share) = (Vec::new(), Vec::new(), Vec::new());
        Self { engine, elements_of, buffer, mb_per_s, write_share, read_share }
    }

    pub(super) fn what(&self) -> String {
        format!("{} {} {}", self.engine, self.elements_of, self.buffer)
    }

    pub(super) fn add(&mut self, sides: &Sides) {
        let share = |done: &Done| done.io_ns as f64 / done.total_ns.max(1) as f64;
        let Done { octets, total_ns, .. } = sides.receiver;
        self.mb_per_s.push(octets as f64 * 1e3 / total_ns.max(1) as f64);
        self.write_share.push(share(&sides.sender));
        self.read_share.push(share(&sides.receiver));
    }

    /// The throughput of the middle round.
    pub(super) fn throughput(&self) -> f64 {
        median(self.mb_per_s.iter().copied())
    }

    /// The throughput in relation to another flood, round by round.
    pub(super) fn relative_to(&self, other: &Self) -> Interval {
        let rounds = self.mb_per_s.iter().zip(&other.mb_per_s);
        Interval::of(rounds.map(|(one, other)| one / other.max(f64::MIN_POSITIVE)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receiver_tells_how_fast_a_flood_is() {
        let done = |total_ns, io_ns| Done { octets: 2_000_000, total_ns, io_ns };
        let mut flood = LadderFlood::new("interp0", "octet", 1024);
        flood.add(&Sides { sender: done(1_000, 900), receiver: done(1_000_000, 250_000) });
        assert_eq!(
            (flood.throughput(), flood.write_share[0], flood.read_share[0]),
            (2_000.0, 0.9, 0.25)
        );
        let mut half = LadderFlood::new("raw", "octet", 1024);
        half.add(&Sides { sender: done(1_000, 900), receiver: done(500_000, 0) });
        assert_eq!(flood.relative_to(&half).median, 0.5);
    }
}
