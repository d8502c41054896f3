//! The protocol between the harness and a client: commands and answers, one line each.
//!
//! `bench/peers/PROTOCOL.md` specifies it.

mod answer;
mod command;
mod traces;

pub use answer::{Answer, Done};
pub use command::{Command, Find, Flood, Run};
pub use traces::Traces;
