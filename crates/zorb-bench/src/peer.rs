//! The two peers that are written in Rust, and what they have in common: the command line, the loop
//! over commands, and how calls are timed.

mod arguments;
mod client;
mod probing;
mod raw;
mod zorb;

use std::io::{BufRead, Write};
use std::time::Duration;

pub(crate) use self::zorb::Everything as BenchServant;
pub use self::zorb::Hop;
pub(crate) use crate::stubs::bench::Suite as BenchSuite;
pub use arguments::{Endpoint, PeerArguments, PeerName, Role};
pub(crate) use raw::Shared as BareRings;

use crate::error::{Error, Result};
use crate::processor;
use client::Client;
use probing::Probing;

pub(crate) use probing::{MARK, TRACE};

/// The exit status that means: this program cannot do what an option asks.
pub const UNSUPPORTED: u8 = 3;

/// What a server waits for when it closes its connections, at most.
const GOODBYE: Duration = Duration::from_secs(2);

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
        (PeerName::Raw, Role::Hop(..)) => Err(Error::new("a bare program passes nothing on")),
        (_, Role::Search(search)) => crate::demux::answer_commands(*search),
        (PeerName::Demux, _) => Err(Error::new("a search is neither server nor client")),
        (PeerName::Raw, Role::Holder(address)) => hold(|| raw::open(arguments, address)),
        (PeerName::Zorb, Role::Holder(address)) => hold(|| zorb::open(arguments, address)),
    }
}

/// Prints one line at once.
pub(crate) fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    Ok(out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush())?)
}

/// Prints where a server is, and waits until nobody needs it any more.
fn serve_until_the_end(address: &str) -> Result<()> {
    say(&format!("ready {address}"))?;
    // What is waited for is the end; only a program with probes is asked anything before it.
    let mut probing = Probing::new();
    for line in std::io::stdin().lock().lines() {
        if let Some(answer) = probing.answer(&line?) {
            say(&answer)?;
        }
    }
    Ok(())
}

/// Answers the harness's commands until there are no more.
fn answer_commands(client: &dyn Client) -> Result<u8> {
    say("ready")?;
    let mut probing = Probing::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        match probing.answer(&line) {
            Some(answer) => say(&answer)?,
            None => say(&client::answer(client, &line).to_string())?,
        }
    }
    Ok(0)
}

/// Opens connections as the harness asks, a number a line, and keeps them open.
fn hold<T>(mut open: impl FnMut() -> Result<T>) -> Result<u8> {
    let mut held = Vec::new();
    say("ready")?;
    for line in std::io::stdin().lock().lines() {
        let wanted: usize = line?.parse().map_err(|_| Error::new("expected a number"))?;
        while held.len() < wanted {
            held.push(open()?);
        }
        say(&format!("held {}", held.len()))?;
    }
    Ok(0)
}
