//! A client: doing what the harness asks, and timing it.

mod flood;
mod run;

pub(super) use flood::{Flooding, Tally};
pub(super) use run::{TwoWay, in_parts};

use crate::driver::{Answer, Command};
use crate::error::Error;
use crate::operation::Operation;

/// How a kind of peer makes calls.
pub(super) trait Client {
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
pub(super) enum Line {
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
pub(super) enum Refusal {
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

/// Does what a line asks.
pub(super) fn answer(client: &dyn Client, line: &str) -> Answer {
    let command = match line.parse() {
        Ok(command) => command,
        Err(reason) => return Answer::Failed(reason),
    };
    let outcome = match command {
        Command::Run(run) => run::run(client, &run),
        Command::Flood(flood) => flood::flood(client, &flood),
        Command::Find(_) => return Answer::Failed("find is for searches".to_owned()),
    };
    match outcome {
        Ok(done) => Answer::Done(done),
        Err(Refusal::Unsupported(reason)) => Answer::Unsupported(reason),
        Err(Refusal::Failed(error)) => Answer::Failed(error.to_string()),
    }
}
