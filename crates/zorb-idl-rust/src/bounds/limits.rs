//! The bounds of a request or reply, or why it has none.

/// What marshalling a request or reply takes at most.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarshalBounds {
    /// The least octets of its body, at the best alignment of its beginning.
    pub least_octets: u64,
    /// The most octets of its body, at the worst alignment of its beginning.
    pub most_octets: u64,
    /// The most elements: numbers, characters, booleans, enumerators, strings, lengths and discriminators. Compiled code
    /// performs an operation on each, unless it moves several at once.
    pub elements: u64,
    /// The most steps of the interpretive engine: uses of an entry of a table. Nothing if the operation has no tables.
    pub steps: Option<u64>,
}

/// Why a request or reply has no bounds: which type in it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unbounded {
    /// The parameter or member that has the type, if it is not the result.
    pub place: Option<String>,
    /// The type, and why it has no bound.
    pub reason: String,
}

impl std::fmt::Display for Unbounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Unbounded {}
