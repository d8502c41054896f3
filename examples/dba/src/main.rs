//! Graph colouring by nodes that only know their neighbors: the distributed breakout algorithm.
//!
//! `dba simulate GRAPH SEED` runs all nodes of a graph in memory, and prints their colors.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;

use dba_algorithm::{Graph, Settings, Simulation};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, path, seed] = arguments.as_slice() else {
        return Err("usage: dba simulate GRAPH SEED".into());
    };
    if command != "simulate" {
        return Err("usage: dba simulate GRAPH SEED".into());
    }
    let graph: Graph = std::fs::read_to_string(path)?.parse()?;
    let settings = Settings {
        colors: graph.colors(),
        max_distance: graph.diameter(),
        terminates: true,
        max_cycles: 100_000,
        seed: seed.parse()?,
    };
    let mut simulation = Simulation::new(&graph, settings, 8);
    simulation.run()?;
    for node in simulation.nodes() {
        println!("node {} color {} cycles {}", node.id(), node.color(), node.cycles());
    }
    println!("conflicts {}", graph.conflicts(&simulation.colors()).count());
    Ok(())
}
