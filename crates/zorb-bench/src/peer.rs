//! The peers of this crate: bare sockets and Zorb, with their command line, their command loop, and the
//! timing of calls.

pub(crate) mod arguments;
mod client;
mod probing;
pub(crate) mod process;
mod raw;
pub(crate) mod zorb;

pub use arguments::{Engine, PeerArguments, PeerName, Role};
pub use client::{Client, ConnectionUse, Flooding, Refusal, Tally, TwoWay, in_parts};
pub use process::{answer_commands, serve_until_the_end};

pub(crate) use arguments::COLLOCATED;
pub use process::UNSUPPORTED;

pub(crate) use probing::{MARK, TRACE};
pub(crate) use raw::Shared as BareRings;
pub(crate) use zorb::without_id;

use crate::error::{Error, Result};
use crate::processor;
use process::hold;

/// Runs a peer; returns its exit status.
///
/// # Errors
/// What went wrong, for standard error; the status is 1 then.
pub fn run(arguments: &PeerArguments) -> Result<u8> {
    if let Some(processor) = arguments.cpu {
        processor::pin(processor)?;
    }
    match (arguments.name, arguments.role) {
        (PeerName::Raw, Role::Server) => raw::serve(arguments),
        (PeerName::Zorb, Role::Server) => zorb::serve(arguments),
        (PeerName::Raw, Role::Client) => answer_commands(&raw::RawClient::connect(arguments)?),
        (PeerName::Zorb, Role::Client) => answer_commands(&zorb::ZorbClient::connect(arguments)?),
        (PeerName::Raw, Role::Holder) => hold(|| raw::open(arguments)),
        (PeerName::Zorb, Role::Holder) => hold(|| zorb::open(arguments)),
        (PeerName::Zorb, Role::Bridge | Role::Relay) => zorb::pass_on(arguments),
        (PeerName::Demux, Role::Search) => {
            crate::demux::answer_commands(arguments.address()?.parse().map_err(Error::new)?)
        }
        (PeerName::Param, Role::Marshal) => crate::param::marshal_all(arguments.address()?),
        (name, role) => Err(Error::new(format!("{name:?} has no {}", role.name()))),
    }
}
