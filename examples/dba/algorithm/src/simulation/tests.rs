use alloc::vec;

use super::*;
use crate::graph::Graph;

fn settings(graph: &Graph, seed: u64) -> Settings {
    Settings {
        colors: graph.colors(),
        max_distance: graph.diameter(),
        terminates: true,
        max_cycles: 2_000,
        seed,
    }
}

#[test]
fn the_mesh_gets_a_valid_coloring_from_every_seed() {
    let mesh = Graph::mesh(10, 10).unwrap();
    for seed in 1..=100 {
        let mut simulation = Simulation::new(&mesh, settings(&mesh, seed), 5);
        let outcomes = simulation.run().unwrap();
        assert_eq!(outcomes, [Outcome::Solved; 100], "seed {seed}");
        assert_eq!(mesh.conflicts(&simulation.colors()).next(), None, "seed {seed}");
    }
}

#[test]
fn few_colors_are_enough() {
    let mut mesh = Graph::mesh(6, 6).unwrap();
    mesh.set_colors(3).unwrap();
    for seed in 1..=20 {
        let mut simulation = Simulation::new(&mesh, settings(&mesh, seed), 3);
        assert_eq!(simulation.run().unwrap(), [Outcome::Solved; 36], "seed {seed}");
        assert_eq!(mesh.conflicts(&simulation.colors()).next(), None, "seed {seed}");
    }
}

#[test]
fn complete_graphs_with_one_color_run_on() {
    for nodes in [2, 4] {
        let graph = Graph::complete(nodes).unwrap();
        for terminates in [true, false] {
            let settings = Settings { terminates, max_cycles: 50, ..settings(&graph, 7) };
            let mut simulation = Simulation::new(&graph, settings, 4);
            let expected = vec![Outcome::CycleLimit; nodes as usize];
            assert_eq!(simulation.run().unwrap(), expected);
            assert!(simulation.nodes().iter().all(|node| node.cycles() == 50));
            // Two messages to each neighbor in each cycle.
            let edges = u64::from(nodes * (nodes - 1));
            assert_eq!(simulation.messages(), edges * 2 * 50);
            // Nobody ever gains: the weight of every conflict grows in every cycle.
            let weights = simulation.nodes().iter().flat_map(Node::weights);
            assert!(weights.map(|(_, weight)| weight).all(|weight| weight == 51));
        }
    }
}

#[test]
fn neighbors_never_change_in_the_same_cycle() {
    let mut graph = Graph::complete(5).unwrap();
    graph.set_colors(4).unwrap();
    let mut mesh = Graph::mesh(5, 5).unwrap();
    mesh.set_colors(2).unwrap();
    for graph in [graph, mesh] {
        let mut changes = 0;
        for seed in 0..20 {
            let settings = Settings { max_cycles: 60, ..settings(&graph, seed) };
            let mut simulation = Simulation::new(&graph, settings, 6);
            let mut values = vec![vec![None; 61]; graph.nodes() as usize];
            while let Some((from, _, message)) = simulation.deliver().unwrap() {
                if let Message::Value { cycle, color } = message {
                    values[from as usize][cycle as usize] = Some(color);
                }
            }
            let has_changed = |id: NodeId, cycle: usize| {
                let values = &values[id as usize];
                matches!((values[cycle], values[cycle + 1]), (Some(a), Some(b)) if a != b)
            };
            for cycle in 0..60 {
                for (a, b) in graph.edges() {
                    let both = [has_changed(a, cycle), has_changed(b, cycle)];
                    assert_ne!(both, [true; 2], "{a} and {b}, cycle {cycle}, seed {seed}");
                    changes += both.iter().filter(|&&one| one).count();
                }
            }
        }
        assert_ne!(changes, 0);
    }
}

#[test]
fn without_termination_a_solved_graph_runs_to_the_limit() {
    let mesh = Graph::mesh(3, 3).unwrap();
    let settings = Settings { terminates: false, max_cycles: 40, ..settings(&mesh, 1) };
    let mut simulation = Simulation::new(&mesh, settings, 2);
    assert_eq!(simulation.run().unwrap(), [Outcome::CycleLimit; 9]);
    assert_eq!(mesh.conflicts(&simulation.colors()).next(), None);
}

#[test]
fn parts_and_single_nodes_end_too() {
    let mut graph = Graph::new(4).unwrap();
    graph.connect(1, 2).unwrap();
    graph.set_colors(2).unwrap();
    let mut simulation = Simulation::new(&graph, settings(&graph, 3), 2);
    assert_eq!(simulation.run().unwrap(), [Outcome::Solved; 4]);
    assert_eq!(graph.conflicts(&simulation.colors()).next(), None);
}

#[test]
fn a_seed_determines_the_run() {
    let mesh = Graph::mesh(5, 5).unwrap();
    let run = |seed| {
        let mut simulation = Simulation::new(&mesh, settings(&mesh, seed), 9);
        simulation.run().unwrap();
        (simulation.colors(), simulation.messages())
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).0, run(6).0);
}
