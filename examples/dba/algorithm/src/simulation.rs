//! A whole graph in memory.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

use crate::graph::Graph;
use crate::message::{Message, NodeId};
use crate::node::{Node, Outcome, Settings, Step};
use crate::random::Random;
use crate::refusal::Refusal;

/// All nodes of a graph, and the messages between them, each with a delay that follows from a seed. Messages overtake each
/// other, also those from one node to another.
#[derive(Debug)]
pub struct Simulation {
    neighbors: Graph,
    nodes: Vec<Node>,
    outcomes: Vec<Option<Outcome>>,
    in_flight: BinaryHeap<Reverse<InFlight>>,
    network: Random,
    max_delay: u32,
    now: u64,
    sent: u64,
}

/// A message on its way. The order is that of arrival; sequence numbers decide between equal times.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    arrival: u64,
    number: u64,
    from: NodeId,
    to: NodeId,
    message: Message,
}

impl InFlight {
    fn key(&self) -> (u64, u64) {
        (self.arrival, self.number)
    }
}

impl PartialEq for InFlight {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for InFlight {}

impl PartialOrd for InFlight {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for InFlight {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// Why a simulation cannot go on: the algorithm is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulationError {
    /// A node refuses a message of another.
    Refused {
        /// The node.
        node: NodeId,
        /// Why it refuses it.
        refusal: Refusal,
    },
    /// A node waits, and no message is on its way.
    Stuck(NodeId),
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { node, refusal } => {
                write!(f, "node {node} refuses a message: {refusal}")
            }
            Self::Stuck(node) => write!(f, "node {node} waits for messages that nobody sends"),
        }
    }
}

impl core::error::Error for SimulationError {}

impl Simulation {
    /// All nodes of a graph, each of which has sent its first value. The seed of `settings` also determines the delays of
    /// messages, from 1 to `max_delay` units of time.
    #[must_use]
    pub fn new(graph: &Graph, settings: Settings, max_delay: u32) -> Self {
        let node = |id| Node::new(id, graph.neighbors(id), settings);
        let nodes: Vec<_> = (0..graph.nodes()).map(node).collect();
        let mut simulation = Self {
            neighbors: graph.clone(),
            outcomes: nodes.iter().map(|_| None).collect(),
            nodes,
            in_flight: BinaryHeap::new(),
            network: Random::new(settings.seed),
            max_delay,
            now: 0,
            sent: 0,
        };
        (0..graph.nodes()).for_each(|id| simulation.advance(id));
        simulation
    }

    /// Delivers the next message; returns its sender, its receiver and itself, or `None` if none is on its way.
    ///
    /// # Errors
    /// [`SimulationError::Refused`].
    pub fn deliver(&mut self) -> Result<Option<(NodeId, NodeId, Message)>, SimulationError> {
        let Some(Reverse(next)) = self.in_flight.pop() else { return Ok(None) };
        self.now = next.arrival;
        let InFlight { from, to, message, .. } = next;
        if let Some(node) = self.nodes.get_mut(to as usize) {
            node.receive(from, &message)
                .map_err(|refusal| SimulationError::Refused { node: to, refusal })?;
        }
        self.advance(to);
        Ok(Some((from, to, message)))
    }

    /// Delivers all messages, and returns how every node has ended.
    ///
    /// # Errors
    /// [`SimulationError`].
    pub fn run(&mut self) -> Result<Vec<Outcome>, SimulationError> {
        while self.deliver()?.is_some() {}
        let ended = (0..).zip(&self.outcomes);
        ended.map(|(id, outcome)| outcome.ok_or(SimulationError::Stuck(id))).collect()
    }

    /// The nodes, in the order of their ids.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Their colors.
    #[must_use]
    pub fn colors(&self) -> Vec<u32> {
        self.nodes.iter().map(Node::color).collect()
    }

    /// The number of messages that were sent.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.sent
    }

    fn advance(&mut self, id: NodeId) {
        loop {
            let Some(node) = self.nodes.get_mut(id as usize) else { return };
            match node.step() {
                Step::Evaluated | Step::Compared => {}
                Step::Send(message) => self.send(id, message),
                Step::Wait => return,
                Step::End(outcome) => {
                    if let Some(ended) = self.outcomes.get_mut(id as usize) {
                        *ended = Some(outcome);
                    }
                    return;
                }
            }
        }
    }

    fn send(&mut self, from: NodeId, message: Message) {
        for &to in self.neighbors.neighbors(from) {
            let delay = 1 + self.network.below(self.max_delay);
            let (arrival, number) = (self.now + u64::from(delay), self.sent);
            self.in_flight.push(Reverse(InFlight { arrival, number, from, to, message }));
            self.sent += 1;
        }
    }
}

#[cfg(test)]
mod tests;
