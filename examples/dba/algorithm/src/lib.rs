//! The distributed breakout algorithm (DBA) for graph coloring, without I/O, clock or `std`.
//!
//! Every node of a graph has a color and wants its neighbors to have others. A [`Node`] is a state machine: a program
//! passes it the messages of its neighbors, and sends theirs the [`Message`]s that it returns. All neighbors get the same
//! message. A cycle has two phases:
//!
//! 1. Every node sends its neighbors its color, a [`Message::Value`].
//! 2. From their colors it computes by how much another color would improve it, and sends them that: a
//!    [`Message::Improvement`]. The node with the greatest improvement among its neighbors takes its new color; of equal
//!    ones, the node with the lowest id. So two neighbors never change in the same cycle.
//!
//! A node that neither can improve nor has a neighbor that can is in a *quasi-local minimum*. Then the weights of its
//! conflicts grow until another color is an improvement: it breaks out.
//!
//! Neighbors need not wait for each other between cycles: when one has all improvements it may send its next value while
//! the other still waits for some. A node therefore keeps messages of two cycles, in slots by the cycle's parity.
//!
//! When all is solved, the nodes find out by a counter: the number of cycles in which no node nearer than that had a
//! conflict. At the graph's diameter it is solved everywhere.
//!
//! [`Driver`] joins a node with what carries its messages, the [`Links`], and times the [`Segment`]s of its cycles.
//! [`Simulation`] runs a whole [`Graph`] in memory, with messages in an order that follows from a seed.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may")
)]

extern crate alloc;

mod cycle_times;
mod driver;
mod graph;
mod message;
mod node;
mod parse;
mod random;
mod refusal;
mod segments;
mod simulation;

pub use cycle_times::CycleTimes;
pub use driver::{Driver, Links};
pub use graph::{Graph, GraphError, MAX_DEGREE, MAX_NODES};
pub use message::{Improvement, Message, NodeId};
pub use node::{MAX_COLORS, Node, Outcome, Settings, Step};
pub use parse::{MAX_TEXT, ParseError, Problem};
pub use random::Random;
pub use refusal::Refusal;
pub use segments::{Segment, Segments, Timing};
pub use simulation::{Simulation, SimulationError};
