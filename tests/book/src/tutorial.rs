//! The bank of the tutorial: a server, a client, and what they share.

pub mod client;
pub mod server;

zorb::include_idl!("bank");
pub use bank::*;
