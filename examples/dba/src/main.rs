//! Graph coloring by nodes that only know their neighbors: the distributed breakout algorithm in processes.
//!
//! A registry knows the graph. Each node is a process, which announces itself to the registry and learns its neighbors from
//! it. Then they send each other values and improvements, over sockets or as one-way calls of an ORB, until the graph is
//! colored. `dba run GRAPH` does it all; `dba help` lists the commands. The book's page is `docs/src/dba.md`.
#![forbid(unsafe_code)]

mod arguments;
mod clock;
mod compare;
mod frame;
mod full;
mod group;
mod nano;
mod node;
mod node_call;
mod output;
mod raw;
mod registry;
mod report;
mod run;

use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::process::ExitCode;

use arguments::{Command, Options, USAGE};
use dba_algorithm::{Graph, MAX_TEXT, Simulation};

zorb::include_idl!("dba");

impl dba::Refused {
    /// As much of the reason as the IDL lets it have.
    fn because(reason: String) -> Self {
        Self { reason: reason.chars().take(128).collect() }
    }
}

/// What commands fail with: a message for the user.
type Failure = Box<dyn Error + Send + Sync>;

fn main() -> ExitCode {
    match arguments::parse(std::env::args().skip(1)).and_then(execute) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is::<output::Closed>() => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("dba: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn execute((command, options): (Command, Options)) -> Result<(), Failure> {
    match command {
        Command::Help => output::print(format_args!("{USAGE}"))?,
        Command::Graph(graph) => output::print(format_args!("{graph}"))?,
        Command::Simulate(path) => simulate(&read_graph(&path, &options)?, &options)?,
        Command::Compare(path) => compare::run(&read_graph(&path, &options)?, &options)?,
        Command::Registry(path) => run::registry(&read_graph(&path, &options)?, &options)?,
        Command::Run(path) => run::run(&read_graph(&path, &options)?, &options)?,
        Command::Node { id, registry } => node::run(id, &registry, &options)?,
    }
    Ok(())
}

/// Reads a graph file; the error says where it is wrong.
fn read_graph(path: &str, options: &Options) -> Result<Graph, Failure> {
    let mut text = String::new();
    let limit = MAX_TEXT as u64 + 1;
    let read = File::open(path).and_then(|file| file.take(limit).read_to_string(&mut text));
    read.map_err(|error| format!("{path}: {error}"))?;
    let mut graph: Graph = text.parse().map_err(|error| format!("{path}, {error}"))?;
    if let Some(colors) = options.colors {
        graph.set_colors(colors)?;
    }
    if options.terminates && graph.colors() == 1 && graph.edges().next().is_some() {
        let hint = "give --colors N, or --no-terminate to run so many --cycles all the same";
        return Err(format!("one color is not enough for neighbors: {hint}").into());
    }
    Ok(graph)
}

/// Runs all nodes in memory.
fn simulate(graph: &Graph, options: &Options) -> Result<(), Failure> {
    let mut simulation = Simulation::new(graph, options.settings(graph), 8);
    simulation.run()?;
    let mut text = String::new();
    for node in simulation.nodes() {
        let (id, color, cycles) = (node.id(), node.color(), node.cycles());
        let _ = writeln!(text, "node {id} color {color} cycles {cycles}");
    }
    let conflicts = graph.conflicts(&simulation.colors()).count();
    output::print(format_args!("{text}conflicts {conflicts}\n"))
}
