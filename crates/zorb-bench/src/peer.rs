//! The peers of this crate: bare sockets and Zorb, with their command line, their command loop, and the
//! timing of calls.

pub(crate) mod arguments;
mod client;
mod probing;
pub(crate) mod process;
mod raw;
pub(crate) mod zorb;

pub use arguments::{Endpoint, Hop, PeerArguments, PeerName, Role};
pub use process::UNSUPPORTED;

pub(crate) use probing::{MARK, TRACE};
pub(crate) use raw::Shared as BareRings;

use crate::error::{Error, Result};
use crate::processor;
use process::{answer_commands, hold};

/// Runs a peer; returns its exit status.
///
/// # Errors
/// What went wrong, for standard error; the status is 1 then.
pub fn run(arguments: &PeerArguments) -> Result<u8> {
    if let Some(processor) = arguments.cpu {
        processor::pin(processor)?;
    }
    match (arguments.name, &arguments.role) {
        (PeerName::Raw, Role::Server) => raw::serve(arguments),
        (PeerName::Zorb, Role::Server) => zorb::serve(arguments),
        (PeerName::Raw, Role::Client(Endpoint::Collocated)) => {
            Err(Error::new("a bare socket has no collocated calls"))
        }
        (PeerName::Raw, Role::Client(Endpoint::At(address))) => {
            answer_commands(&raw::RawClient::connect(arguments, address)?)
        }
        (PeerName::Zorb, Role::Client(endpoint)) => {
            answer_commands(&zorb::ZorbClient::connect(arguments, endpoint)?)
        }
        (PeerName::Zorb, Role::Hop(hop, to)) => zorb::pass_on(arguments, *hop, to),
        (PeerName::Raw, Role::Hop(..)) => Err(Error::new("a bare program is no bridge or relay")),
        (_, Role::Search(search)) => crate::demux::answer_commands(*search),
        (PeerName::Demux, _) => Err(Error::new("a search algorithm is neither server nor client")),
        (PeerName::Raw, Role::Holder(address)) => hold(|| raw::open(arguments, address)),
        (PeerName::Zorb, Role::Holder(address)) => hold(|| zorb::open(arguments, address)),
    }
}
