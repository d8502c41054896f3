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

use zorb::OrbBuilder;
use zorb::options::TABLE;

use super::PeerArguments;

/// Options for the sizes of a socket's queues.
const QUEUE_OPTIONS: [&str; 2] = ["SndSock", "RcvSock"];

/// An ORB with the options of the command line; `None` when this build of Zorb cannot do what they
/// ask.
fn orb(arguments: &PeerArguments) -> Option<OrbBuilder> {
    let mut builder = zorb::Orb::builder().arguments(arguments.orb.iter().cloned());
    if let Some(octets) = arguments.socket_queue {
        for name in QUEUE_OPTIONS {
            if !TABLE.iter().any(|option| option.name == name) {
                eprintln!("this Zorb has no option {name}");
                return None;
            }
            builder = builder.option(name, octets.to_string());
        }
    }
    Some(match arguments.spin {
        0 => builder,
        micros => builder.option("Spin", micros.to_string()),
    })
}
