//! Messages as calls of the operations of `Node` in `dba.idl`.

use dba_algorithm::{Improvement, Message};

/// The operation of a message, and its arguments after the sender's id.
pub(crate) struct NodeCall {
    pub(crate) operation: &'static str,
    numbers: [u32; 4],
    /// How many of the numbers the operation has.
    count: usize,
}

impl NodeCall {
    /// The call that sends `message`.
    pub(crate) fn of(message: &Message) -> Self {
        let (operation, numbers, count) = match *message {
            Message::Value { cycle, color } => ("value", [cycle, color, 0, 0], 2),
            Message::Improvement { cycle, improvement } => {
                let Improvement { gain, cost, counter } = improvement;
                ("improvement", [cycle, gain, cost, counter], 4)
            }
            Message::Solved => ("solved", [0; 4], 0),
        };
        Self { operation, numbers, count }
    }

    pub(crate) fn numbers(&self) -> &[u32] {
        self.numbers.get(..self.count).unwrap_or_default()
    }
}
