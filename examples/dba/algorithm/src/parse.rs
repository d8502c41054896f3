//! The text of a graph.

use core::fmt;
use core::str::FromStr;

use crate::graph::{Graph, GraphError};

/// The greatest length of a graph's text, in octets.
pub const MAX_TEXT: usize = 1 << 20;

/// What is wrong with the text of a graph, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The text is longer than [`MAX_TEXT`].
    TooLong,
    /// The first word is none of `nodes`, `colors` and `edge`.
    Unknown,
    /// `nodes` is missing before it.
    NoNodes,
    /// A line of this kind is there already.
    Again,
    /// The line has too few or too many numbers: it needs so many.
    Count(usize),
    /// A word is not a number of 32 bits.
    Number,
    /// The graph cannot be so.
    Graph(GraphError),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match self.problem {
            Problem::TooLong => write!(f, "the graph has more than {MAX_TEXT} octets"),
            Problem::Unknown => f.write_str("a line begins with `nodes`, `colors` or `edge`"),
            Problem::NoNodes => f.write_str("the number of nodes comes first: `nodes 4`"),
            Problem::Again => f.write_str("there is such a line before"),
            Problem::Count(1) => f.write_str("one number is expected"),
            Problem::Count(count) => write!(f, "{count} numbers are expected"),
            Problem::Number => f.write_str("a word is not a number"),
            Problem::Graph(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for ParseError {}

/// Reads a graph: a line `nodes N`, then `edge A B` for each edge, and `colors N` if it is not the diameter. `#` starts a
/// comment.
impl FromStr for Graph {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let end = text.lines().count().max(1);
        if text.len() > MAX_TEXT {
            return Err(ParseError { line: end, problem: Problem::TooLong });
        }
        let (mut graph, mut has_colors) = (None, false);
        for (line, content) in (1..).zip(text.lines()) {
            read_line(content, &mut graph, &mut has_colors)
                .map_err(|problem| ParseError { line, problem })?;
        }
        graph.ok_or(ParseError { line: end, problem: Problem::NoNodes })
    }
}

fn read_line(
    content: &str,
    graph: &mut Option<Graph>,
    has_colors: &mut bool,
) -> Result<(), Problem> {
    let content = content.split('#').next().unwrap_or_default();
    let mut words = content.split_ascii_whitespace();
    let Some(kind) = words.next() else { return Ok(()) };
    match (kind, graph) {
        ("nodes", Some(_)) => Err(Problem::Again),
        ("nodes", graph) => {
            let [nodes] = numbers(words)?;
            *graph = Some(Graph::new(nodes).map_err(Problem::Graph)?);
            Ok(())
        }
        ("colors" | "edge", None) => Err(Problem::NoNodes),
        ("colors", _) if *has_colors => Err(Problem::Again),
        ("colors", Some(graph)) => {
            let [colors] = numbers(words)?;
            *has_colors = true;
            graph.set_colors(colors).map_err(Problem::Graph)
        }
        ("edge", Some(graph)) => {
            let [a, b] = numbers(words)?;
            graph.connect(a, b).map_err(Problem::Graph)
        }
        _ => Err(Problem::Unknown),
    }
}

/// Exactly `N` numbers.
fn numbers<'t, const N: usize>(
    mut words: impl Iterator<Item = &'t str>,
) -> Result<[u32; N], Problem> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        let word = words.next().ok_or(Problem::Count(N))?;
        *number = word.parse().map_err(|_| Problem::Number)?;
    }
    if words.next().is_some() { Err(Problem::Count(N)) } else { Ok(numbers) }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn texts_are_read_as_they_are_written() {
        let mut graph = Graph::mesh(4, 3).unwrap();
        for _ in 0..2 {
            assert_eq!(graph.to_string().parse(), Ok(graph.clone()));
            graph.set_colors(3).unwrap();
        }
        let text = "# a path\nnodes 3 # three\n\n  edge 1 0\r\nedge 2 1\n";
        assert_eq!(text.parse(), Ok(Graph::mesh(3, 1).unwrap()));
    }

    #[test]
    fn errors_name_the_line_and_what_is_expected() {
        let twice = "line 3: nodes 1 and 0 are connected twice";
        for (text, message) in [
            ("", "line 1: the number of nodes comes first: `nodes 4`"),
            ("# nothing\n\n", "line 2: the number of nodes comes first: `nodes 4`"),
            ("edge 0 1", "line 1: the number of nodes comes first: `nodes 4`"),
            ("nodes 2\nnodes 2", "line 2: there is such a line before"),
            ("nodes 2\ncolors 1\ncolors 1", "line 3: there is such a line before"),
            ("nodes", "line 1: one number is expected"),
            ("nodes 2\nedge 0 1 2", "line 2: 2 numbers are expected"),
            ("nodes -2", "line 1: a word is not a number"),
            ("nodes 4294967296", "line 1: a word is not a number"),
            ("nodes 1025", "line 1: 1025 nodes: a graph has 1 to 1024"),
            ("nodes 2\ncolors 4097", "line 2: 4097 colors: a graph has 1 to 4096"),
            ("nodes 2\nedge 0 1\nedge 1 0", twice),
            ("nodes 2\nedges 0 1", "line 2: a line begins with `nodes`, `colors` or `edge`"),
        ] {
            assert_eq!(text.parse::<Graph>().unwrap_err().to_string(), message, "{text:?}");
        }
    }

    #[test]
    fn a_text_is_bounded() {
        let text = "\n".repeat(MAX_TEXT + 1);
        let expected = ParseError { line: MAX_TEXT + 1, problem: Problem::TooLong };
        assert_eq!(text.parse::<Graph>(), Err(expected));
    }
}
