//! Drives peers: finds their programs, starts them in pairs, and runs commands on them in turns.

mod certificates;
mod handover;
mod interleaved;
mod pair;
mod setup;

pub(crate) use certificates::{Certificates, has_certificates};
pub use handover::handover_ns;
pub use interleaved::{Blocks, interleaved, order};
pub(crate) use interleaved::{alternating, interleaved_after};
pub use pair::Pair;
pub use setup::Setup;

/// Observer of a measurement.
pub trait Watch {
    /// Announces the number of blocks.
    fn begin(&mut self, blocks: usize);
    /// A block of the workload `what` has been measured.
    fn block(&mut self, what: &str);
    /// Reports that something is skipped, or another remark.
    fn note(&mut self, line: &str);
    /// Whether to stop the measurement.
    fn wants_to_stop(&mut self) -> bool;
}
