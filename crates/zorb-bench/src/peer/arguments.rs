//! The command line of a peer.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::error::{Error, Result};

/// The address of an object that the client serves itself.
pub(crate) const COLLOCATED: &str = "collocated";

/// The peers that are written in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PeerName {
    /// Bare sockets.
    Raw,
    /// Zorb.
    Zorb,
    /// A demultiplexing algorithm, which is started like a peer.
    Demux,
    /// The values of Param_Test.
    Param,
}

/// What marshals arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Compiled stubs and skeletons.
    #[default]
    Compiled,
    /// The interpretive engine.
    Interpretive,
    /// Compiled stubs, and a servant that gets structs as views.
    View,
    /// Stubs and the DII, and a servant without a skeleton.
    Dsi,
}

/// The role of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Serves calls.
    Server,
    /// Calls the object at the address.
    Client,
    /// Holds idle connections to the server at the address.
    Holder,
    /// Zorb's bridge to the object of the reference.
    Bridge,
    /// A relay that forwards octets to the object of the reference.
    Relay,
    /// Runs the algorithm of that name.
    Search,
    /// Marshals values, so many times.
    Marshal,
}

impl Role {
    /// Its name on a command line and in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
            Self::Holder => "holder",
            Self::Bridge => "bridge",
            Self::Relay => "relay",
            Self::Search => "search",
            Self::Marshal => "marshal",
        }
    }
}

/// The command line of a peer (`bench/peers/PROTOCOL.md`).
#[derive(Args, Clone, Debug)]
pub struct PeerArguments {
    /// The peer.
    pub name: PeerName,
    /// Its role.
    pub role: Role,
    /// The address that a server printed, or `collocated`, an algorithm, or a number.
    pub address: Option<String>,
    /// The URL scheme of the transport: `iiop`, `uiop` or `shmiop`, with the messaging protocol as a
    /// prefix, as in `lite+iiop`.
    #[arg(long, default_value = "iiop")]
    pub transport: String,
    /// The socket's path for servers over Unix-domain sockets or shared memory.
    #[arg(long)]
    pub path: Option<PathBuf>,
    /// The processor to run on; any without it.
    #[arg(long)]
    pub cpu: Option<usize>,
    /// Maximum number of connections of a server.
    #[arg(long, default_value_t = 128)]
    pub connections: usize,
    /// The size of socket buffers in octets; the system's without it.
    #[arg(long)]
    pub socket_queue: Option<usize>,
    /// Maximum busy-wait before blocking, in microseconds.
    #[arg(long, default_value_t = 0)]
    pub busy_wait: u64,
    /// What marshals arguments: interpretive and view only those of floods, dsi those of echoes.
    #[arg(long, value_enum, default_value_t)]
    pub engine: Engine,
    /// Options of Zorb, as `-ORBName value`.
    #[arg(skip)]
    pub orb: Vec<String>,
}

impl PeerArguments {
    /// The address.
    pub(crate) fn address(&self) -> Result<&str> {
        self.address.as_deref().ok_or_else(|| Error::new("expected an address"))
    }

    /// Maximum busy-wait before blocking.
    #[must_use]
    pub const fn busy_wait(&self) -> Duration {
        Duration::from_micros(self.busy_wait)
    }

    /// The arguments of a command line, for tests.
    #[cfg(test)]
    pub(crate) fn parsed(line: &str) -> Self {
        use clap::FromArgMatches as _;

        let command = Self::augment_args(clap::Command::new("peer").no_binary_name(true));
        let matches = command.try_get_matches_from(line.split(' ')).unwrap();
        Self::from_arg_matches(&matches).unwrap()
    }
}
