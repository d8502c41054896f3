//! Zorb as a peer.

mod client;
mod dsi;
mod dynamic;
mod floods;
mod hop;
mod options;
pub(crate) mod server;
mod tallies;

pub(super) use client::{ZorbClient, open};
pub(super) use hop::pass_on;
pub(crate) use options::without_id;
pub(super) use server::serve;
