//! A node with what carries its messages.

use crate::message::{Message, NodeId};
use crate::node::{Node, Outcome, Step};
use crate::segments::{Segment, Segments};

/// What carries a node's messages to its neighbors: sockets, or an ORB. What comes from them it passes to
/// [`Driver::deliver`].
pub trait Links {
    /// Why messages cannot be sent.
    type Error;

    /// Sends a message to all neighbors. Calls [`Segments::end_marshal`] after each time that it has encoded the message, or
    /// [`Segments::end_marshal_at`] later, and [`Segments::end_send`] when it has sent what it has encoded.
    ///
    /// # Errors
    /// If a neighbor cannot be reached. Neighbors that have ended cannot either, and need not be:
    /// [`Message::Solved`] is lost without an error.
    fn send(&mut self, message: &Message, segments: &mut Segments) -> Result<(), Self::Error>;
}

/// A node that sends its messages by links of type `L` and times its cycles.
#[derive(Debug)]
pub struct Driver<L> {
    node: Node,
    links: L,
    segments: Segments,
    refused: u64,
}

impl<L: Links> Driver<L> {
    /// A node that has not started. It takes messages already.
    #[must_use]
    pub fn new(node: Node, links: L, segments: Segments) -> Self {
        Self { node, links, segments, refused: 0 }
    }

    /// Sends the first value. Returns the outcome if the node has ended, as one without neighbors does at once.
    ///
    /// # Errors
    /// Those of the links.
    pub fn start(&mut self) -> Result<Option<Outcome>, L::Error> {
        self.segments.start();
        self.advance()
    }

    /// Takes a message of a neighbor, and sends what follows from it. Returns the outcome if the node has ended. A message
    /// that the node refuses is only counted.
    ///
    /// # Errors
    /// Those of the links.
    pub fn deliver(
        &mut self,
        from: NodeId,
        message: &Message,
    ) -> Result<Option<Outcome>, L::Error> {
        self.segments.end_dispatch();
        self.refused += u64::from(self.node.receive(from, message).is_err());
        self.segments.end_store();
        if self.node.is_started() { self.advance() } else { Ok(None) }
    }

    /// The node.
    #[must_use]
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The times of its cycles.
    #[must_use]
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// To tell that a message has arrived, before it is delivered.
    pub fn segments_mut(&mut self) -> &mut Segments {
        &mut self.segments
    }

    /// What carries its messages.
    pub fn links_mut(&mut self) -> &mut L {
        &mut self.links
    }

    /// The number of messages that the node has refused.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused
    }

    fn advance(&mut self) -> Result<Option<Outcome>, L::Error> {
        loop {
            let cycles = self.node.cycles();
            let step = self.node.step();
            if self.node.cycles() != cycles {
                self.segments.end_cycle();
            }
            match step {
                Step::Evaluated => self.segments.end(Segment::Evaluate),
                Step::Compared => self.segments.end(Segment::Compare),
                Step::Send(message) => {
                    if matches!(message, Message::Improvement { .. }) {
                        self.segments.end(Segment::Choose);
                    }
                    self.segments.set_sending(&message);
                    self.segments.set_awaited(self.node.awaits_improvements());
                    self.links.send(&message, &mut self.segments)?;
                }
                Step::Wait => return Ok(None),
                Step::End(outcome) => return Ok(Some(outcome)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
