//! Driving peers: finding their programs, starting them in pairs, asking them in turns.

mod certificates;
mod handover;
mod pair;
mod setup;
mod turns;

pub(crate) use certificates::{Certificates, has_certificates};
pub use handover::handover_ns;
pub use pair::Pair;
pub use setup::{Pin, Setup};
pub(crate) use turns::in_turns_after;
pub use turns::{Blocks, in_turns, order};

/// Whoever watches a measurement.
pub trait Watch {
    /// So many blocks are going to be measured.
    fn begin(&mut self, blocks: usize);
    /// A block has been measured; `what` is worked on.
    fn block(&mut self, what: &str);
    /// Something is left out, or else worth a line.
    fn note(&mut self, line: &str);
    /// Whether to stop here.
    fn wants_to_stop(&mut self) -> bool;
}
