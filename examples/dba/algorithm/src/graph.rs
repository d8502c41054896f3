//! Graphs: what they connect, their diameter, and whether a coloring is valid.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::message::NodeId;
use crate::node::MAX_COLORS;

/// The greatest number of nodes of a graph.
pub const MAX_NODES: u32 = 1024;

/// The greatest number of neighbors of a node.
pub const MAX_DEGREE: usize = 64;

/// An undirected graph, and the number of colors for its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// The neighbors of each node, in the order of their ids.
    neighbors: Vec<Vec<NodeId>>,
    colors: Option<u32>,
}

/// Why a graph cannot be so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// It would have no nodes, or more than [`MAX_NODES`].
    Size(u64),
    /// It has no such node.
    NoNode(NodeId),
    /// A node would be its own neighbor.
    Loop(NodeId),
    /// Both nodes are connected already.
    Twice(NodeId, NodeId),
    /// The node would have more than [`MAX_DEGREE`] neighbors.
    Degree(NodeId),
    /// There would be no colors, or more than [`MAX_COLORS`].
    Colors(u32),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(nodes) => write!(f, "{nodes} nodes: a graph has 1 to {MAX_NODES}"),
            Self::NoNode(id) => write!(f, "there is no node {id}: ids start at 0"),
            Self::Loop(id) => write!(f, "node {id} is connected with itself"),
            Self::Twice(a, b) => write!(f, "nodes {a} and {b} are connected twice"),
            Self::Degree(id) => write!(f, "node {id} has more than {MAX_DEGREE} neighbors"),
            Self::Colors(colors) => write!(f, "{colors} colors: a graph has 1 to {MAX_COLORS}"),
        }
    }
}

impl core::error::Error for GraphError {}

impl Graph {
    /// A graph of so many nodes without edges.
    ///
    /// # Errors
    /// [`GraphError::Size`].
    pub fn new(nodes: u32) -> Result<Self, GraphError> {
        if nodes == 0 || nodes > MAX_NODES {
            return Err(GraphError::Size(nodes.into()));
        }
        Ok(Self { neighbors: vec![Vec::new(); nodes as usize], colors: None })
    }

    /// Every node is connected with every other: K2, K4 and so on.
    ///
    /// # Errors
    /// [`GraphError::Size`], [`GraphError::Degree`].
    pub fn complete(nodes: u32) -> Result<Self, GraphError> {
        let mut graph = Self::new(nodes)?;
        for a in 0..nodes {
            for b in a + 1..nodes {
                graph.connect(a, b)?;
            }
        }
        Ok(graph)
    }

    /// A grid in which every node is connected with those beside, above and below it.
    ///
    /// # Errors
    /// [`GraphError::Size`].
    pub fn mesh(width: u32, height: u32) -> Result<Self, GraphError> {
        let size = u64::from(width) * u64::from(height);
        let mut graph = Self::new(u32::try_from(size).map_err(|_| GraphError::Size(size))?)?;
        for y in 0..height {
            for x in 0..width {
                let id = y * width + x;
                if x + 1 < width {
                    graph.connect(id, id + 1)?;
                }
                if y + 1 < height {
                    graph.connect(id, id + width)?;
                }
            }
        }
        Ok(graph)
    }

    /// Connects two nodes.
    ///
    /// # Errors
    /// If there is no such node, both are one, they are connected, or one has [`MAX_DEGREE`] neighbors.
    pub fn connect(&mut self, a: NodeId, b: NodeId) -> Result<(), GraphError> {
        let missing = [a, b].into_iter().find(|&id| id >= self.nodes());
        if let Some(id) = missing {
            return Err(GraphError::NoNode(id));
        }
        if a == b {
            return Err(GraphError::Loop(a));
        }
        if self.neighbors(a).contains(&b) {
            return Err(GraphError::Twice(a, b));
        }
        if let Some(id) = [a, b].into_iter().find(|&id| self.neighbors(id).len() >= MAX_DEGREE) {
            return Err(GraphError::Degree(id));
        }
        for (id, other) in [(a, b), (b, a)] {
            if let Some(neighbors) = self.neighbors.get_mut(id as usize) {
                let place = neighbors.partition_point(|&neighbor| neighbor < other);
                neighbors.insert(place, other);
            }
        }
        Ok(())
    }

    /// Sets the number of colors.
    ///
    /// # Errors
    /// [`GraphError::Colors`].
    pub fn set_colors(&mut self, colors: u32) -> Result<(), GraphError> {
        if colors == 0 || colors > MAX_COLORS {
            return Err(GraphError::Colors(colors));
        }
        self.colors = Some(colors);
        Ok(())
    }

    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.neighbors.len() as u32
    }

    /// The neighbors of a node, in the order of their ids; none if there is no such node.
    #[must_use]
    pub fn neighbors(&self, id: NodeId) -> &[NodeId] {
        self.neighbors.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// All edges, with the lower id first.
    pub fn edges(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        (0..self.nodes()).flat_map(|a| {
            let later = self.neighbors(a).iter().filter(move |&&b| a < b);
            later.map(move |&b| (a, b))
        })
    }

    /// The number of colors: that of [`set_colors`](Self::set_colors), else the diameter, as in the literature, at least 1.
    #[must_use]
    pub fn colors(&self) -> u32 {
        self.colors.unwrap_or_else(|| self.diameter().clamp(1, MAX_COLORS))
    }

    /// The greatest distance of two nodes that are connected by others.
    #[must_use]
    pub fn diameter(&self) -> u32 {
        (0..self.nodes()).map(|id| self.eccentricity(id)).max().unwrap_or_default()
    }

    /// The greatest distance from a node.
    fn eccentricity(&self, from: NodeId) -> u32 {
        let mut distances = vec![None; self.neighbors.len()];
        let mut next = VecDeque::from([(from, 0)]);
        let mut greatest = 0;
        while let Some((id, distance)) = next.pop_front() {
            let Some(known @ None) = distances.get_mut(id as usize) else { continue };
            *known = Some(distance);
            greatest = distance;
            next.extend(self.neighbors(id).iter().map(|&neighbor| (neighbor, distance + 1)));
        }
        greatest
    }

    /// The edges whose nodes have the same color. `colors` has one for each node; the coloring is valid if there are none.
    pub fn conflicts(&self, colors: &[u32]) -> impl Iterator<Item = (NodeId, NodeId)> {
        let color = |id: NodeId| colors.get(id as usize);
        self.edges().filter(move |&(a, b)| color(a) == color(b))
    }
}

/// The text that [`FromStr`](core::str::FromStr) reads.
impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "nodes {}", self.nodes())?;
        if let Some(colors) = self.colors {
            writeln!(f, "colors {colors}")?;
        }
        self.edges().try_for_each(|(a, b)| writeln!(f, "edge {a} {b}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_graphs_have_their_sizes() {
        let mesh = Graph::mesh(10, 10).unwrap();
        assert_eq!((mesh.nodes(), mesh.edges().count()), (100, 180));
        assert_eq!((mesh.diameter(), mesh.colors()), (18, 18));
        for (nodes, edges) in [(2, 1), (4, 6)] {
            let complete = Graph::complete(nodes).unwrap();
            assert_eq!((complete.edges().count(), complete.colors()), (edges, 1));
        }
    }

    #[test]
    fn impossible_graphs_are_refused() {
        let mut graph = Graph::new(3).unwrap();
        graph.connect(1, 0).unwrap();
        assert_eq!(graph.connect(0, 1), Err(GraphError::Twice(0, 1)));
        assert_eq!(graph.connect(2, 2), Err(GraphError::Loop(2)));
        assert_eq!(graph.connect(0, 3), Err(GraphError::NoNode(3)));
        assert_eq!(graph.set_colors(0), Err(GraphError::Colors(0)));
        assert_eq!(Graph::new(0), Err(GraphError::Size(0)));
        assert_eq!(
            Graph::mesh(u32::MAX, u32::MAX),
            Err(GraphError::Size(u64::from(u32::MAX).pow(2)))
        );
        assert_eq!(Graph::complete(66), Err(GraphError::Degree(0)));
        assert_eq!(graph.neighbors(0), [1]);
    }

    #[test]
    fn equal_neighbors_conflict() {
        let path = Graph::mesh(3, 1).unwrap();
        assert_eq!(path.conflicts(&[1, 1, 0]).collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(path.conflicts(&[1, 0, 1]).count(), 0);
    }

    #[test]
    fn parts_without_a_connection_have_no_distance() {
        let mut graph = Graph::new(5).unwrap();
        graph.connect(0, 1).unwrap();
        graph.connect(3, 4).unwrap();
        assert_eq!(graph.diameter(), 1);
    }
}
