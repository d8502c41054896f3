//! The lines between the harness and a client: commands and answers.
//!
//! `bench/peers/PROTOCOL.md` is the definition.

mod answer;
mod command;
mod traces;

pub use answer::{Answer, Done};
pub use command::{Command, Find, Flood, Run};
pub use traces::Traces;
