//! The command line.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use dba_algorithm::{Graph, Settings};

use crate::Failure;

pub(crate) const USAGE: &str = "\
usage: dba run GRAPH [OPTIONS]           start a registry and all nodes of a graph, and print the result
       dba compare GRAPH [OPTIONS]       run a graph over sockets and over the ORB in several ways, and compare times
       dba registry GRAPH [OPTIONS]      start a registry, and wait for the nodes
       dba node ID REGISTRY [OPTIONS]    start a node; REGISTRY is the URL that the registry prints
       dba simulate GRAPH [OPTIONS]      run all nodes in memory
       dba graph complete N              print the graph of N nodes that are all neighbors
       dba graph mesh W H                print a grid
Of the registry:
  --colors N        number of colors (default: that of the graph file, else the graph's diameter)
  --seed N          of the initial colors (default: 1)
  --no-terminate    run on when the graph is colored
  --cycles N        end after N cycles in any case (default: 100000; with --no-terminate 1000)
  --json            print the result as JSON
Of nodes, and of run, which passes them on:
  --over raw|nano|full   send messages over sockets, by the small ORB or by the full one (default: full)
  --memo            encode a message once for all neighbors, and not for each
  --sync none|transport   one-way calls wait for nothing, or until the message is sent (default: transport)
  --calls one-way|pending|group   over the full ORB, messages are one-way calls, calls with replies that the sender does
                    not wait for, or one-way calls to a multicast group of the neighbors (default: one-way)
  --threads one|per-connection   which serve a node, over the ORB (default: one)
  --connections one|two  for each edge, over the small ORB: one in both directions, or one for each
                    (default: one, with --threads per-connection two)
  --lookup hash|linear   how the small ORB finds operations (default: hash)
  --no-segments     time only whole cycles, and not their segments
Of both:
  --host ADDRESS    the IP address at which others reach this process (default: 127.0.0.1)
  --time-limit S    end after S seconds in any case (default: 60)
";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Run(String),
    Compare(String),
    Registry(String),
    Node { id: u32, registry: String },
    Simulate(String),
    Graph(Graph),
}

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
    pub(crate) lookup: Lookup,
    pub(crate) segments: bool,
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
            lookup: Lookup::Hash,
            segments: true,
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

    /// Whether an edge has one connection. It is there for the small ORB in one thread, whose client and server share it.
    pub(crate) fn shares_connections(&self) -> bool {
        self.may_share_connections() && self.connections != Some(Connections::Two)
    }

    fn may_share_connections(&self) -> bool {
        self.over == Over::Nano && self.threads == Threads::One
    }

    /// The arguments by which a node gets these options.
    pub(crate) fn of_node(&self) -> Vec<String> {
        let mut arguments = vec!["--over".to_owned(), self.over.name().to_owned()];
        if self.sync == Sync::None {
            arguments.extend(["--sync", "none"].map(str::to_owned));
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
        if self.lookup == Lookup::Linear {
            arguments.extend(["--lookup", "linear"].map(str::to_owned));
        }
        arguments.extend(self.memo.then(|| "--memo".to_owned()));
        arguments.extend((!self.segments).then(|| "--no-segments".to_owned()));
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

/// Reads the command line; the error says what is wrong.
pub(crate) fn parse(
    arguments: impl IntoIterator<Item = String>,
) -> Result<(Command, Options), Failure> {
    let (mut words, mut options) = (Vec::new(), Options::default());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if !argument.starts_with("--") {
            words.push(argument);
            continue;
        }
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--help" => words = vec!["help".to_owned()],
            "--colors" => options.colors = Some(number(&argument, &value()?)?),
            "--seed" => options.seed = number(&argument, &value()?)?,
            "--no-terminate" => options.terminates = false,
            "--cycles" => options.cycles = Some(at_least_1(&argument, &value()?)?),
            "--json" => options.json = true,
            "--memo" => options.memo = true,
            "--no-segments" => options.segments = false,
            "--host" => {
                let host = value()?;
                let wrong = |_| format!("--host is an IP address, not {host}");
                options.host = host.parse().map_err(wrong)?;
            }
            "--time-limit" => {
                let seconds = at_least_1(&argument, &value()?)?;
                options.time_limit = Duration::from_secs(seconds.into());
            }
            "--over" => {
                options.over = match value()?.as_str() {
                    "raw" => Over::Raw,
                    "nano" => Over::Nano,
                    "full" => Over::Full,
                    other => return Err(format!("--over is raw, nano or full, not {other}").into()),
                }
            }
            "--sync" => {
                options.sync = match value()?.as_str() {
                    "none" => Sync::None,
                    "transport" => Sync::Transport,
                    other => return Err(format!("--sync is none or transport, not {other}").into()),
                }
            }
            "--calls" => {
                options.calls = match value()?.as_str() {
                    "one-way" => Calls::OneWay,
                    "pending" => Calls::Pending,
                    "group" => Calls::Group,
                    other => {
                        let text = format!("--calls is one-way, pending or group, not {other}");
                        return Err(text.into());
                    }
                }
            }
            "--connections" => {
                options.connections = match value()?.as_str() {
                    "one" => Some(Connections::One),
                    "two" => Some(Connections::Two),
                    other => return Err(format!("--connections is one or two, not {other}").into()),
                }
            }
            "--lookup" => {
                options.lookup = match value()?.as_str() {
                    "hash" => Lookup::Hash,
                    "linear" => Lookup::Linear,
                    other => return Err(format!("--lookup is hash or linear, not {other}").into()),
                }
            }
            "--threads" => {
                options.threads = match value()?.as_str() {
                    "one" => Threads::One,
                    "per-connection" => Threads::PerConnection,
                    other => {
                        let text = format!("--threads is one or per-connection, not {other}");
                        return Err(text.into());
                    }
                }
            }
            _ => return Err(format!("there is no option {argument}\n{USAGE}").into()),
        }
    }
    if options.over == Over::Raw && options.threads == Threads::PerConnection {
        return Err("--threads per-connection is there with --over full and nano only".into());
    }
    if options.calls == Calls::Pending && (options.over != Over::Full || options.sync == Sync::None)
    {
        return Err("--calls pending is there with --over full and --sync transport only".into());
    }
    if options.connections == Some(Connections::One) && !options.may_share_connections() {
        return Err("--connections one is there with --over nano and --threads one only".into());
    }
    let is_lane = options.threads == Threads::One;
    if options.calls == Calls::Group
        && (options.over != Over::Full || is_lane || !options.host.is_ipv4())
    {
        let text = "--calls group is there with --over full, --threads per-connection and a host of IPv4 only";
        return Err(text.into());
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let command = match *words.as_slice() {
        ["help"] => Command::Help,
        ["run", graph] => Command::Run(graph.to_owned()),
        ["compare", graph] => Command::Compare(graph.to_owned()),
        ["registry", graph] => Command::Registry(graph.to_owned()),
        ["node", id, registry] => {
            Command::Node { id: number("ID", id)?, registry: registry.to_owned() }
        }
        ["simulate", graph] => Command::Simulate(graph.to_owned()),
        ["graph", "complete", nodes] => Command::Graph(Graph::complete(number("N", nodes)?)?),
        ["graph", "mesh", width, height] => {
            Command::Graph(Graph::mesh(number("W", width)?, number("H", height)?)?)
        }
        ["graph", ..] => {
            return Err(format!("graph needs complete N, or mesh W H\n{USAGE}").into());
        }
        [command @ ("run" | "compare" | "registry" | "simulate")] => {
            return Err(format!("{command} needs the file of one graph\n{USAGE}").into());
        }
        ["node", ..] => {
            return Err(format!("node needs its ID and the REGISTRY's URL\n{USAGE}").into());
        }
        [] => return Err(format!("a command is missing\n{USAGE}").into()),
        _ => return Err(format!("there is no command {}\n{USAGE}", words.join(" ")).into()),
    };
    Ok((command, options))
}

fn number<T: std::str::FromStr>(name: &str, word: &str) -> Result<T, Failure> {
    word.parse().map_err(|_| format!("{name}: {word} is not a number that fits").into())
}

fn at_least_1(name: &str, word: &str) -> Result<u32, Failure> {
    match number(name, word)? {
        0 => Err(format!("{name}: at least 1").into()),
        number => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn parse_line(line: &str) -> Result<(Command, Options), Failure> {
        parse(line.split_ascii_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_node_gets_the_options_of_the_run() {
        let full = "--over full --memo --threads per-connection";
        let threads = "--over nano --threads per-connection";
        let pending = "--calls pending --sync transport";
        let edges = ["--over nano --connections one", "--over nano --connections two"];
        let ways = ["--over raw --memo", "--over nano --memo --lookup linear", full, threads];
        for way in ways.into_iter().chain([pending]).chain(edges) {
            let run = format!("run g --sync none {way} --no-segments --host ::1 --time-limit 7");
            let (_, options) = parse_line(&run).unwrap();
            let node = format!("node 3 url {}", options.of_node().join(" "));
            let expected = Command::Node { id: 3, registry: "url".to_owned() };
            assert_eq!(parse_line(&node).unwrap(), (expected, options));
        }
    }

    #[test]
    fn a_node_sends_to_the_group_of_the_run() {
        let (_, options) = parse_line("run g --calls group --threads per-connection").unwrap();
        let node = format!("node 3 url {}", options.of_node().join(" "));
        assert_eq!(parse_line(&node).unwrap().1, options);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (line, message) in [
            ("", "a command is missing"),
            ("go", "there is no command go"),
            ("run", "run needs the file of one graph"),
            ("node 1", "node needs its ID and the REGISTRY's URL"),
            ("graph", "graph needs complete N, or mesh W H"),
            ("graph mesh 5", "graph needs complete N, or mesh W H"),
            ("run g --fast", "there is no option --fast"),
            ("run g --over tcp", "--over is raw, nano or full, not tcp"),
            ("run g --threads 2", "--threads is one or per-connection, not 2"),
            (
                "run g --over raw --threads per-connection",
                "--threads per-connection is there with --over full and nano only",
            ),
            ("run g --calls two-way", "--calls is one-way, pending or group, not two-way"),
            (
                "run g --calls group",
                "--calls group is there with --over full, --threads per-connection and a host of IPv4 only",
            ),
            (
                "run g --over nano --calls pending",
                "--calls pending is there with --over full and --sync transport only",
            ),
            (
                "run g --calls pending --sync none",
                "--calls pending is there with --over full and --sync transport only",
            ),
            ("run g --connections 3", "--connections is one or two, not 3"),
            (
                "run g --connections one",
                "--connections one is there with --over nano and --threads one only",
            ),
            ("node 1 url --host here", "--host is an IP address, not here"),
            ("run g --lookup x", "--lookup is hash or linear, not x"),
            ("run g --seed", "--seed needs a value"),
            ("run g --cycles 0", "--cycles: at least 1"),
            ("node x url", "ID: x is not a number that fits"),
            ("graph mesh 0 5", "0 nodes: a graph has 1 to 1024"),
        ] {
            let error = parse_line(line).unwrap_err().to_string();
            assert_eq!(error.lines().next(), Some(message), "{line}");
        }
    }
}
