//! The command line.

mod options;
#[cfg(test)]
mod tests;

use std::time::Duration;

use dba_algorithm::{Graph, Timing};

use crate::Failure;
use options::check;
pub(crate) use options::{Calls, Connections, Lookup, Options, Over, Sync, Threads, Transport};

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
  --sync none|buffered|transport   one-way calls wait for nothing; for nothing, and are held back for 1 ms to be sent
                    together; or until the message is sent (default: transport)
  --calls one-way|pending|group   over the full ORB, messages are one-way calls, calls with replies that the sender does
                    not wait for, or one-way calls to a multicast group of the neighbors (default: one-way). Over
                    sockets: to each neighbor, or to the group
  --threads one|per-connection   which serve a node (default: one)
  --connections one|two  for each edge, over the ORB: one in both directions, or one for each
                    (default: one; two over the small ORB with --threads per-connection, over the full one with that or
                    with other calls than one-way ones)
  --transport iiop|uiop|shmiop   over the ORB: TCP, Unix-domain sockets or, over the full one with --threads
                    per-connection, shared memory (default: iiop)
  --lookup hash|linear   how the small ORB finds operations (default: hash)
  --no-segments     time only whole cycles, and not their segments
  --alternate-segments   time segments in every other block of 64 cycles, so that a run says what that costs
  --processor N     use only this processor
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
            "--no-segments" => options.timing = Timing::Cycles,
            "--alternate-segments" => options.timing = Timing::Alternating,
            "--processor" => options.processor = Some(number(&argument, &value()?)?),
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
                    "buffered" => Sync::Buffered,
                    "transport" => Sync::Transport,
                    other => {
                        let text = format!("--sync is none, buffered or transport, not {other}");
                        return Err(text.into());
                    }
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
            "--transport" => {
                options.transport = match value()?.as_str() {
                    "iiop" => Transport::Iiop,
                    "uiop" => Transport::Uiop,
                    "shmiop" => Transport::Shmiop,
                    other => {
                        let text = format!("--transport is iiop, uiop or shmiop, not {other}");
                        return Err(text.into());
                    }
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
    check(&options)?;
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
