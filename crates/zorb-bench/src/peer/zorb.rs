//! Zorb as a peer.

mod client;
mod dynamic;
mod hop;
mod server;

pub(super) use client::{ZorbClient, open};
pub use hop::Hop;
pub(super) use hop::pass_on;
pub(crate) use server::Everything;
pub(super) use server::serve;

use std::time::Duration;

use zorb::OrbBuilder;
use zorb::options::SetStreamOptions as _;

use super::PeerArguments;

/// An ORB with the options of the command line. What the experiment sets is forced: it is what the
/// results say was measured.
fn orb(arguments: &PeerArguments) -> OrbBuilder {
    zorb::Orb::builder().arguments(&mut arguments.orb.clone()).force(|mut orb| {
        if let Some(octets) = arguments.socket_queue {
            orb = orb.send_buffer(Some(octets)).receive_buffer(Some(octets));
        }
        match arguments.spin {
            0 => orb,
            micros => orb.spin(Duration::from_micros(micros)),
        }
    })
}
