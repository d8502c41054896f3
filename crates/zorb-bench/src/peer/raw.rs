//! The bare program: the minimum that two processes need to exchange the same octets.
//!
//! `bench/peers/PROTOCOL.md` describes its messages.

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
