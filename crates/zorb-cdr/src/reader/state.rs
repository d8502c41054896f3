//! The state of a reader that few messages need, mostly for valuetypes.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;

use crate::value::Nesting;

/// The state of a reader that few messages need.
#[derive(Clone, Default)]
pub(super) struct Values<'a> {
    /// See [`CdrReader::shared`](super::CdrReader::shared).
    pub(super) shared: Option<Arc<dyn Any + Send + Sync>>,
    /// What is charged for decoded values.
    pub(super) charged: Vec<Arc<dyn Any + Send + Sync>>,
    /// The values that began so far, in the order of their offsets.
    pub(super) begun: Vec<Begun>,
    /// The lowest target offset of the indirections so far.
    pub(super) first_target: Option<usize>,
    /// The open values.
    pub(super) nesting: Nesting,
    pub(super) chunks: Chunks<'a>,
}

/// Where a value began.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    pub(super) offset: usize,
    /// How many chunked values were open around it.
    pub(super) level: u32,
}

/// The position of a reader among the chunks of values.
#[derive(Clone, Copy, Default)]
pub(super) struct Chunks<'a> {
    /// All octets of the stream; the reader's buffer ends with the current chunk. Empty outside chunked
    /// values.
    pub(super) stream: &'a [u8],
    /// How many chunked values are open.
    pub(super) level: u32,
    /// Values of this level and above have ended.
    pub(super) ended: Option<u32>,
    /// Octets read again because of indirections: ids and whole values.
    pub(super) followed: usize,
}
