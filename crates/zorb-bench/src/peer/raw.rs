//! The bare program: what two processes need to exchange the same octets, with nothing in between.
//!
//! `bench/peers/PROTOCOL.md` has the picture of its messages.

mod body;
mod client;
mod message;
mod server;
mod shared;
mod socket;

pub(super) use client::{RawClient, open};
pub(super) use server::serve;
pub(crate) use shared::Shared;

#[cfg(test)]
mod tests;
