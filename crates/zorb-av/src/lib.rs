//! A messaging protocol for audio and video frames: each one-way request contains a sequence number
//! and a timestamp, like RTP packets.
//!
//! [`av_diop`] is the protocol to register: frames in UDP datagrams, `av+diop://host:port`. A
//! servant reads the number of its frame from [`Stamp::current`], if its ORB has the [`interceptor()`].
//! It has a [`Receiver`], which detects late and lost frames and creates the [`Report`]s for the sender.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_types))]

mod messaging;
mod receiver;
mod stamp;

use zorb_giop::ProfileTag;
use zorb_transport::Composed;
use zorb_udp::DiopProtocol;

pub use messaging::{AvFrames, HEADER_SIZE};
pub use receiver::{Receiver, Report, Verdict};
pub use stamp::{Stamp, interceptor};

static FRAMES: AvFrames = AvFrames::new();

/// Frames in UDP datagrams of at most 65,507 octets, including all headers.
#[must_use]
pub fn av_diop() -> Composed {
    Composed::new(&FRAMES, DiopProtocol::carrying(&FRAMES), ProfileTag::ZORB_AV_DIOP)
}
