//! What each kind of client implements.

use crate::error::{Error, Result};
use crate::operation::Operation;

/// Makes calls.
pub trait Client {
    /// Prepares calls of one thread, to be made on that thread.
    ///
    /// # Errors
    /// They are not supported, or cannot be prepared.
    fn two_way(
        &self,
        operation: Operation,
        elements: usize,
        line: ConnectionUse,
    ) -> Result<Box<dyn TwoWay>, Refusal>;

    /// CPU time of the server's process, if it is another one that can be asked.
    ///
    /// # Errors
    /// The server does not answer.
    fn server_cpu_ns(&self) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    /// Prepares a flood.
    ///
    /// # Errors
    /// As [`two_way`](Self::two_way).
    fn flood(&self, operation: Operation, elements: usize) -> Result<Box<dyn Flooding>, Refusal>;
}

/// The connection of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionUse {
    /// An exclusive connection, which may have been used before.
    Own,
    /// A connection that all threads share.
    Shared,
    /// A connection on which all calls that are timed together are sent before the first reply is awaited.
    Pipelined,
    /// A connection for these calls only; the first call opens it, unless it is `bound` before.
    Fresh {
        /// Whether it is opened before.
        bound: bool,
    },
}

/// Why calls cannot be prepared.
#[derive(Debug)]
pub enum Refusal {
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
pub struct Tally {
    /// Calls.
    pub calls: u32,
    /// Elements of their sequences.
    pub elements: u64,
    /// The sum of the first and last elements' numbers.
    pub sum: u64,
    /// CPU time of the server's process.
    pub cpu_ns: u64,
}

/// A prepared flood.
pub trait Flooding {
    /// Makes the one-way call with this number.
    ///
    /// # Errors
    /// It cannot be sent.
    fn send(&mut self, number: u32) -> Result<()>;
    /// What the tally counts for the call with this number.
    fn number_of(&self, number: u32) -> u64;
    /// The tally since the last `sync`.
    ///
    /// # Errors
    /// The server does not answer.
    fn sync(&mut self) -> Result<Tally>;
}

/// Prepared calls of one thread.
pub trait TwoWay: Send {
    /// Makes the call with this number `count` times and checks the last reply. Returns the time of
    /// all calls together in nanoseconds, without the check.
    ///
    /// # Errors
    /// A call fails, or its reply is wrong.
    fn make(&mut self, number: u32, count: u32) -> Result<u64>;
}
