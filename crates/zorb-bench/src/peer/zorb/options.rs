//! The ORB of Zorb's peers.

use std::time::Duration;

use zorb::OrbBuilder;
use zorb::options::SetStreamOptions as _;

use crate::peer::arguments::PeerArguments;

/// An ORB with the options of the command line, except its id, which only one ORB of a process can have. The options of
/// the experiment are forced, because the results name them.
pub(super) fn orb(arguments: &PeerArguments) -> OrbBuilder {
    let mut given = without_id(&arguments.orb);
    zorb::Orb::builder().arguments(&mut given).force(|mut orb| {
        if let Some(octets) = arguments.socket_queue {
            orb = orb.send_buffer(Some(octets)).receive_buffer(Some(octets));
        }
        match arguments.busy_wait {
            0 => orb,
            micros => orb.busy_wait(Duration::from_micros(micros)),
        }
    })
}

/// The arguments without the ORB's id.
pub(crate) fn without_id(arguments: &[String]) -> Vec<String> {
    let mut arguments = arguments.to_vec();
    if let Some(id) = arguments.iter().position(|name| name.eq_ignore_ascii_case("-ORBId")) {
        arguments.drain(id..arguments.len().min(id + 2));
    }
    arguments
}
