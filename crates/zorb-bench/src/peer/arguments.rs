//! The command line of a peer.

use std::path::PathBuf;
use std::time::Duration;

use crate::demux::search::Search;

/// The peers that are written in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerName {
    /// Bare sockets.
    Raw,
    /// Zorb.
    Zorb,
    /// A demultiplexing algorithm, which is started like a peer.
    Demux,
}

/// The role of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Serves calls.
    Server,
    /// Makes calls.
    Client(Endpoint),
    /// Holds idle connections to the server at the address.
    Holder(String),
    /// Forwards calls to the object of the reference.
    Hop(Hop, String),
    /// Runs this algorithm.
    Search(Search),
}

/// A process between client and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    /// Zorb's bridge.
    Bridge,
    /// A relay that forwards octets from one stream to another.
    Relay,
}

impl Hop {
    /// Its name on a command line and in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bridge => "bridge",
            Self::Relay => "relay",
        }
    }
}

/// Where a client's object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// In the client's own process.
    Collocated,
    /// At the address that the server printed.
    At(String),
}

/// The command line of a peer (`bench/peers/PROTOCOL.md`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerArguments {
    /// The peer.
    pub name: PeerName,
    /// Its role.
    pub role: Role,
    /// The URL scheme of the transport: `iiop`, `uiop` or `shmiop`, with the messaging protocol as a
    /// prefix, as in `lite+iiop`.
    pub transport: String,
    /// The socket's path for servers over Unix-domain sockets or shared memory.
    pub path: Option<PathBuf>,
    /// The processor to run on; any without it.
    pub cpu: Option<usize>,
    /// Maximum number of connections of a server.
    pub connections: usize,
    /// The size of socket buffers in octets; the system's without it.
    pub socket_queue: Option<usize>,
    /// Maximum busy-wait before blocking, in microseconds.
    pub spin: u64,
    /// Options of Zorb, as `-ORBName value`.
    pub orb: Vec<String>,
}

impl PeerArguments {
    /// Parses `NAME ROLE [ADDRESS] [OPTIONS]`; `orb` are the options of the ORB.
    ///
    /// # Errors
    /// Why they are invalid.
    pub fn parse(words: &[String], orb: &[String]) -> Result<Self, String> {
        let mut words = words.iter().map(String::as_str);
        let name = match words.next() {
            Some("raw") => PeerName::Raw,
            Some("zorb") => PeerName::Zorb,
            Some("demux") => PeerName::Demux,
            _ => return Err("expected raw, zorb or demux".to_owned()),
        };
        let role = words.next();
        let mut address = || words.next().map(str::to_owned).ok_or("expected an address");
        let role = match role {
            Some(search) if name == PeerName::Demux => Role::Search(search.parse()?),
            Some("server") => Role::Server,
            Some("client") => match address()? {
                word if word == "collocated" => Role::Client(Endpoint::Collocated),
                at => Role::Client(Endpoint::At(at)),
            },
            Some("holder") => Role::Holder(address()?),
            Some("bridge") => Role::Hop(Hop::Bridge, address()?),
            Some("relay") => Role::Hop(Hop::Relay, address()?),
            _ => return Err("expected server, client, holder, bridge or relay".to_owned()),
        };
        let mut arguments = Self {
            name,
            role,
            transport: "iiop".to_owned(),
            path: None,
            cpu: None,
            connections: 128,
            socket_queue: None,
            spin: 0,
            orb: orb.to_vec(),
        };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let number = || value.parse().map_err(|_| format!("{word} needs a number"));
            match word {
                "--transport" => value.clone_into(&mut arguments.transport),
                "--path" => arguments.path = Some(value.into()),
                "--cpu" => arguments.cpu = Some(number()?),
                "--connections" => arguments.connections = number()?,
                "--socket-queue" => arguments.socket_queue = Some(number()?),
                "--spin" => arguments.spin = value.parse().map_err(|_| "--spin needs a number")?,
                _ => return Err(format!("there is no option {word}")),
            }
        }
        Ok(arguments)
    }

    /// Maximum busy-wait before blocking.
    #[must_use]
    pub const fn spin(&self) -> Duration {
        Duration::from_micros(self.spin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<PeerArguments, String> {
        PeerArguments::parse(&line.split(' ').map(str::to_owned).collect::<Vec<_>>(), &[])
    }

    #[test]
    fn every_option_is_parsed() {
        let arguments = parse(
            "zorb server --transport uiop --path s --cpu 1 --connections 9 --socket-queue 65536 \
             --spin 50",
        );
        let expected = PeerArguments {
            name: PeerName::Zorb,
            role: Role::Server,
            transport: "uiop".to_owned(),
            path: Some("s".into()),
            cpu: Some(1),
            connections: 9,
            socket_queue: Some(65_536),
            spin: 50,
            orb: Vec::new(),
        };
        assert_eq!(arguments, Ok(expected));
    }

    #[test]
    fn roles_and_addresses() {
        let role = |line| parse(line).map(|arguments| arguments.role);
        assert_eq!(role("raw client collocated"), Ok(Role::Client(Endpoint::Collocated)));
        assert_eq!(role("raw client a:1"), Ok(Role::Client(Endpoint::At("a:1".to_owned()))));
        assert_eq!(role("raw holder a:1"), Ok(Role::Holder("a:1".to_owned())));
        assert_eq!(role("zorb relay IOR:00"), Ok(Role::Hop(Hop::Relay, "IOR:00".to_owned())));
        assert_eq!(role("demux de-layered --cpu 1"), Ok(Role::Search(Search::Delayered)));
        for bad in [
            "",
            "tao server",
            "raw",
            "raw client",
            "demux",
            "demux server",
            "raw server --cpu",
            "raw server --cpu x",
        ] {
            assert!(role(bad).is_err(), "{bad}");
        }
    }
}
