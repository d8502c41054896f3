//! The blocks of one peer over one transport.

use crate::harness::Blocks;

/// The transport over rings in shared memory.
pub(super) const SHARED: &str = "shmiop";
/// The blocks of one peer over one transport.
pub(super) struct Measured<'a> {
    pub(super) transport: &'a str,
    pub(super) peer: &'a str,
    pub(super) blocks: &'a Blocks,
    /// Handover times between the processors in nanoseconds, right before each block; empty if not
    /// measured.
    pub(super) distances: &'a [Option<f64>],
}
