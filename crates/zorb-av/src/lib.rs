//! A messaging protocol for frames of audio and video: each one-way request carries a sequence number
//! and the time at which it was sent, as RTP's packets do.
//!
//! [`av_diop`] is the protocol to register: frames in UDP datagrams, `av+diop://host:port`. A servant
//! asks [`Stamp::current`] which frame it was called with, and keeps a [`Receiver`] that says what is too
//! late to be shown and what is lost, and makes the [`Report`]s that the sender is told.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod messaging;
mod receiver;

use zorb_giop::ProfileTag;
use zorb_transport::Composed;
use zorb_udp::DiopProtocol;

pub use messaging::{AvFrames, HEADER_SIZE, Stamp};
pub use receiver::{Receiver, Report, Verdict};

static FRAMES: AvFrames = AvFrames::new();

/// Frames in UDP datagrams, of at most 65,507 octets each with all that belongs to them.
#[must_use]
pub fn av_diop() -> Composed {
    Composed::new(&FRAMES, DiopProtocol::carrying(&FRAMES), ProfileTag::ZORB_AV_DIOP)
}
