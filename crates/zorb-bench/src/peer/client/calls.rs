//! What each kind of client implements.

use crate::error::{Error, Result};
use crate::operation::Operation;

/// Makes calls.
pub(in crate::peer) trait Client {
    /// Prepares calls of one thread, to be made on that thread.
    fn two_way(
        &self,
        operation: Operation,
        elements: usize,
        line: ConnectionUse,
    ) -> Result<Box<dyn TwoWay>, Refusal>;

    /// CPU time of the server's process, if it is another one that can be asked.
    fn server_cpu_ns(&self) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    /// Prepares a flood.
    fn flood(&self, operation: Operation, elements: usize) -> Result<Box<dyn Flooding>, Refusal>;
}

/// The connection of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::peer) enum ConnectionUse {
    /// An exclusive connection, which may have been used before.
    Own,
    /// A connection that all threads share.
    Shared,
    /// A connection on which all calls that are timed together are sent before the first reply is awaited.
    Pipelined,
    /// A connection for these calls only; the first call opens it, unless it is `bound` before.
    Fresh { bound: bool },
}

/// Why calls cannot be prepared.
#[derive(Debug)]
pub(in crate::peer) enum Refusal {
    /// This kind of client does not support them.
    Unsupported(String),
    /// An error.
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// What a sink has received: `Bench::Tally`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::peer) struct Tally {
    pub(in crate::peer) calls: u32,
    pub(in crate::peer) elements: u64,
    /// The sum of the first and last elements' numbers.
    pub(in crate::peer) sum: u64,
    /// CPU time of the server's process.
    pub(in crate::peer) cpu_ns: u64,
}

/// A prepared flood.
pub(in crate::peer) trait Flooding {
    /// Makes the one-way call with this number.
    fn send(&mut self, number: u32) -> Result<()>;
    /// What the tally counts for the call with this number.
    fn number_of(&self, number: u32) -> u64;
    /// The tally since the last `sync`.
    fn sync(&mut self) -> Result<Tally>;
}

/// Prepared calls of one thread.
pub(in crate::peer) trait TwoWay: Send {
    /// Makes the call with this number `count` times and checks the last reply. Returns the time of
    /// all calls together in nanoseconds, without the check.
    fn make(&mut self, number: u32, count: u32) -> Result<u64>;
}
