//! What nodes send each other.

/// A node of a graph of `n` nodes, from 0 to `n` - 1. Of two equal improvements, that of the lower id is made.
pub type NodeId = u32;

/// A message from a node to all its neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// The sender's color in a cycle.
    Value {
        /// The number of the cycle, from 0.
        cycle: u32,
        /// The color, from 0.
        color: u32,
    },
    /// What the sender could gain in a cycle.
    Improvement {
        /// The number of the cycle, from 0.
        cycle: u32,
        /// What it could gain.
        improvement: Improvement,
    },
    /// The whole graph is solved: every node keeps its color and ends.
    Solved,
}

/// What a node could gain in a cycle, and what it knows about others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Improvement {
    /// The difference of the weights of its conflicts with its color and with the best color; 0 if none is better.
    pub gain: u32,
    /// The sum of the weights of its conflicts; 0 if it has none.
    pub cost: u32,
    /// The number of cycles for which it knows that it and the nodes around it have no conflict.
    pub counter: u32,
}
