//! Why a node refuses a message.

use core::fmt;

use crate::message::NodeId;

/// Why a node refuses a message. It is as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The sender is no neighbor.
    Stranger(NodeId),
    /// The message belongs to neither the current nor the next cycle.
    WrongCycle {
        /// The cycle of the message.
        sent: u32,
        /// The node's cycle.
        current: u32,
    },
    /// The sender has sent such a message for this cycle before.
    Repeated(NodeId),
    /// There is no such color.
    NoColor(u32),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stranger(id) => write!(f, "node {id} is no neighbor"),
            Self::WrongCycle { sent, current } => {
                write!(f, "neighbor sent a message of cycle {sent} in cycle {current}")
            }
            Self::Repeated(id) => write!(f, "neighbor {id} sent the same message twice"),
            Self::NoColor(color) => write!(f, "neighbor sent color {color}, which does not exist"),
        }
    }
}

impl core::error::Error for Refusal {}
