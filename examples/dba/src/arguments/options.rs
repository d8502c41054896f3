//! The options.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use dba_algorithm::{Graph, Settings, Timing};

use crate::Failure;

/// What carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Raw,
    Nano,
    Full,
}

/// What a one-way call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    None,
    /// The same, and calls are held back to be sent together.
    Buffered,
    Transport,
}

/// What kind of calls messages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    OneWay,
    /// With replies, which are taken later.
    Pending,
    /// One-way calls to the multicast group of a node's neighbors.
    Group,
}

/// Over what the ORBs send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Iiop,
    Uiop,
    Shmiop,
}

impl Transport {
    /// The scheme of its URLs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Iiop => "iiop",
            Self::Uiop => "uiop",
            Self::Shmiop => "shmiop",
        }
    }
}

/// How the small ORB finds operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    Hash,
    Linear,
}

/// What serves a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    One,
    PerConnection,
}

/// The connections of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connections {
    /// Both nodes send over it.
    One,
    /// Each node sends over its own one.
    Two,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) colors: Option<u32>,
    pub(crate) seed: u64,
    pub(crate) terminates: bool,
    pub(crate) cycles: Option<u32>,
    pub(crate) json: bool,
    pub(crate) over: Over,
    pub(crate) memo: bool,
    pub(crate) sync: Sync,
    pub(crate) calls: Calls,
    pub(crate) threads: Threads,
    pub(crate) connections: Option<Connections>,
    pub(crate) transport: Transport,
    pub(crate) lookup: Lookup,
    pub(crate) timing: Timing,
    /// The only processor that nodes use.
    pub(crate) processor: Option<usize>,
    pub(crate) host: IpAddr,
    pub(crate) time_limit: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            colors: None,
            seed: 1,
            terminates: true,
            cycles: None,
            json: false,
            over: Over::Full,
            memo: false,
            sync: Sync::Transport,
            calls: Calls::OneWay,
            threads: Threads::One,
            connections: None,
            transport: Transport::Iiop,
            lookup: Lookup::Hash,
            timing: Timing::Segments,
            processor: None,
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            time_limit: Duration::from_secs(60),
        }
    }
}

impl Options {
    /// What all nodes of a graph are told.
    pub(crate) fn settings(&self, graph: &Graph) -> Settings {
        let default = if self.terminates { 100_000 } else { 1000 };
        Settings {
            colors: graph.colors(),
            max_distance: graph.diameter(),
            terminates: self.terminates,
            max_cycles: self.cycles.unwrap_or(default),
            seed: self.seed,
        }
    }

    /// Whether an edge has one connection.
    pub(crate) fn shares_connections(&self) -> bool {
        match self.connections {
            Some(connections) => connections == Connections::One,
            None => self.may_share_connections() && self.threads == Threads::One,
        }
    }

    /// Over the small ORB, client and server share connections if they have the same thread. Over the full one, they carry
    /// no replies then, and with threads of their own they are bidirectional.
    fn may_share_connections(&self) -> bool {
        match self.over {
            Over::Raw => false,
            Over::Nano => self.threads == Threads::One,
            Over::Full => self.calls == Calls::OneWay && self.transport == Transport::Iiop,
        }
    }

    /// Whether the transport is there.
    fn has_transport(&self) -> bool {
        match self.transport {
            Transport::Iiop => true,
            Transport::Uiop if self.over == Over::Nano => self.threads == Threads::One,
            Transport::Uiop => self.over == Over::Full,
            Transport::Shmiop => self.over == Over::Full && self.threads == Threads::PerConnection,
        }
    }

    /// Whether client and server of the full ORB have their connections in common.
    pub(crate) fn has_edges(&self) -> bool {
        self.over == Over::Full && self.shares_connections() && self.threads == Threads::One
    }

    /// Whether connections of the full ORB carry requests in both directions, as the standard defines it.
    pub(crate) fn is_bidirectional(&self) -> bool {
        self.over == Over::Full && self.shares_connections() && !self.has_edges()
    }

    /// The arguments by which a node gets these options.
    pub(crate) fn of_node(&self) -> Vec<String> {
        let mut arguments = vec!["--over".to_owned(), self.over.name().to_owned()];
        match self.sync {
            Sync::None => arguments.extend(["--sync", "none"].map(str::to_owned)),
            Sync::Buffered => arguments.extend(["--sync", "buffered"].map(str::to_owned)),
            Sync::Transport => {}
        }
        match self.calls {
            Calls::OneWay => {}
            Calls::Pending => arguments.extend(["--calls", "pending"].map(str::to_owned)),
            Calls::Group => arguments.extend(["--calls", "group"].map(str::to_owned)),
        }
        if self.threads == Threads::PerConnection {
            arguments.extend(["--threads", "per-connection"].map(str::to_owned));
        }
        match self.connections {
            None => {}
            Some(Connections::One) => arguments.extend(["--connections", "one"].map(str::to_owned)),
            Some(Connections::Two) => arguments.extend(["--connections", "two"].map(str::to_owned)),
        }
        if self.transport != Transport::Iiop {
            arguments.extend(["--transport", self.transport.name()].map(str::to_owned));
        }
        if self.lookup == Lookup::Linear {
            arguments.extend(["--lookup", "linear"].map(str::to_owned));
        }
        arguments.extend(self.memo.then(|| "--memo".to_owned()));
        match self.timing {
            Timing::Segments => {}
            Timing::Cycles => arguments.push("--no-segments".to_owned()),
            Timing::Alternating => arguments.push("--alternate-segments".to_owned()),
        }
        let processor = self.processor.map(|processor| processor.to_string());
        arguments
            .extend(processor.into_iter().flat_map(|number| ["--processor".to_owned(), number]));
        arguments.extend(["--host".to_owned(), self.host.to_string()]);
        arguments.extend(["--time-limit".to_owned(), self.time_limit.as_secs().to_string()]);
        arguments
    }
}

impl Over {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Nano => "nano",
            Self::Full => "full",
        }
    }
}

/// Rejects options that do not go together.
pub(super) fn check(options: &Options) -> Result<(), Failure> {
    let is_queued = options.sync != Sync::Transport;
    if options.calls == Calls::Pending && (options.over != Over::Full || is_queued) {
        return Err("--calls pending is there with --over full and --sync transport only".into());
    }
    if options.connections == Some(Connections::One) && !options.may_share_connections() {
        let text = "--connections one is there with --over nano --threads one, and --over full --calls one-way only";
        return Err(text.into());
    }
    if !options.has_transport() {
        let text = "--transport uiop is there with --over full, and with nano and --threads one; shmiop with --over full --threads per-connection";
        return Err(text.into());
    }
    let has_groups = match options.over {
        Over::Raw => options.host.is_ipv4() && options.threads == Threads::One,
        Over::Nano => false,
        Over::Full => {
            let is_threaded = options.threads == Threads::PerConnection;
            options.host.is_ipv4() && is_threaded && options.transport == Transport::Iiop
        }
    };
    if options.calls == Calls::Group && !has_groups {
        let text = "--calls group is there with a host of IPv4, --over raw --threads one or --over full --threads per-connection only";
        return Err(text.into());
    }
    Ok(())
}
