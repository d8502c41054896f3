//! The calls that each kind of peer provides.

use crate::error::{Error, Result};
use crate::operation::Operation;

/// How a kind of peer makes calls.
pub(in crate::peer) trait Client {
    /// Prepares calls of one thread, to be made on that thread.
    fn two_way(
        &self,
        operation: Operation,
        elements: usize,
        line: Line,
    ) -> Result<Box<dyn TwoWay>, Refusal>;

    /// What the server's process has used of the processor, where it is another one and can be asked.
    fn server_cpu_ns(&self) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    /// Prepares a flood.
    fn flood(&self, operation: Operation, elements: usize) -> Result<Box<dyn Flooding>, Refusal>;
}

/// What calls go over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::peer) enum Line {
    /// A connection of the thread's own, which may have been used before.
    Own,
    /// A connection that all callers share.
    Shared,
    /// A connection that is there for these calls alone: `bound` when it is to be ready before the
    /// first one, or else opened by that.
    Fresh { bound: bool },
}

/// Why calls were not prepared.
#[derive(Debug)]
pub(in crate::peer) enum Refusal {
    /// This kind of peer has no such thing.
    Unsupported(String),
    /// It went wrong.
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// What a sink has taken: `Bench::Tally`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::peer) struct Tally {
    pub(in crate::peer) calls: u32,
    pub(in crate::peer) elements: u64,
    /// Of the first and last elements' numbers.
    pub(in crate::peer) sum: u64,
    /// What the server's process has used of the processor.
    pub(in crate::peer) cpu_ns: u64,
}

/// A prepared flood.
pub(in crate::peer) trait Flooding {
    /// Makes the one-way call of this number.
    fn send(&mut self, number: u32) -> Result<()>;
    /// What the tally counts for the call of this number.
    fn number_of(&self, number: u32) -> u64;
    /// The tally since the last time.
    fn sync(&mut self) -> Result<Tally>;
}

/// Prepared calls of one thread.
pub(in crate::peer) trait TwoWay: Send {
    /// Makes the call of this number `count` times, and checks the last reply; how long all took
    /// together, in nanoseconds, without the check.
    fn make(&mut self, number: u32, count: u32) -> Result<u64>;
}
