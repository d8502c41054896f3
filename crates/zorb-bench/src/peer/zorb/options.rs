//! The ORB of Zorb's peers.

use std::time::Duration;

use zorb::OrbBuilder;
use zorb::options::SetStreamOptions as _;

use crate::peer::arguments::PeerArguments;

/// An ORB with the options of the command line. The options of the experiment are forced, because the
/// results name them.
pub(super) fn orb(arguments: &PeerArguments) -> OrbBuilder {
    zorb::Orb::builder().arguments(&mut arguments.orb.clone()).force(|mut orb| {
        if let Some(octets) = arguments.socket_queue {
            orb = orb.send_buffer(Some(octets)).receive_buffer(Some(octets));
        }
        match arguments.busy_wait {
            0 => orb,
            micros => orb.busy_wait(Duration::from_micros(micros)),
        }
    })
}
