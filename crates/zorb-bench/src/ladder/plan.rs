//! What the ladder measures.

use std::path::PathBuf;

use super::flood::LadderFlood;

/// What is measured.
#[derive(Clone, Debug)]
pub struct LadderPlan {
    /// The program `zorb-ladder`, built with optimizations.
    pub program: PathBuf,
    /// Fewer and smaller messages: too few for a claim about times.
    pub quick: bool,
}

/// Bare sockets.
pub(super) const RAW: &str = "raw";
/// The engine as found.
pub(super) const FOUND: &str = "interp0";
/// The engine after the last step.
pub(super) const LAST: &str = "interp4";
/// The engines.
pub(super) const ENGINES: [&str; 5] = [FOUND, "interp1", "interp2", "interp3", LAST];
/// The struct.
pub(super) const STRUCT: &str = "BinStruct";
/// The types whose sequences are sent.
pub(super) const TYPES: [&str; 6] = ["short", "char", "long", "octet", "double", STRUCT];

impl LadderPlan {
    /// Octets of a sequence whose marshalling is counted.
    pub(super) fn counted_buffer(&self) -> usize {
        if self.quick { 4 << 10 } else { 64 << 10 }
    }

    /// Octets of all sequences of a type that are counted: a 64th of what the paper's benchmark sends.
    pub(super) fn counted_total(&self) -> usize {
        if self.quick { 8 << 10 } else { 1 << 20 }
    }

    /// Octets of sequences, that of claims last.
    pub(super) fn buffers(&self) -> &'static [usize] {
        const ALL: [usize; 8] =
            [1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10];
        if self.quick { &[8 << 10] } else { &ALL }
    }

    /// Octets of a flood.
    pub(super) fn total(&self) -> usize {
        if self.quick { 64 << 10 } else { 16 << 20 }
    }

    pub(super) fn rounds(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }

    /// The floods of a round.
    pub(super) fn floods(&self) -> Vec<LadderFlood> {
        let mut floods = Vec::new();
        for elements_of in TYPES {
            for &buffer in self.buffers() {
                let of_engine = |engine| LadderFlood::new(engine, elements_of, buffer);
                floods.push(of_engine(RAW));
                floods.extend(ENGINES.map(of_engine));
            }
        }
        floods
    }

    /// The floods over the link of 155 Mbit/s.
    pub(super) fn floods_over_link(&self) -> Vec<LadderFlood> {
        let ways = [RAW, FOUND, LAST];
        let of_type = |elements_of| ways.map(|way| LadderFlood::new(way, elements_of, 64 << 10));
        TYPES.into_iter().flat_map(of_type).collect()
    }

    /// Octets of a flood over the link.
    pub(super) fn total_over_link(&self) -> usize {
        if self.quick { 64 << 10 } else { 8 << 20 }
    }
}
