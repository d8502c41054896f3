//! The algorithms, and what they look up.

use std::fmt;
use std::str::FromStr;

/// What is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The object, by its key.
    Object,
    /// The operation, by its name.
    Operation,
    /// Both: one after the other, or both at once without layers.
    Request,
}

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Linear search.
    Linear,
    /// Binary search in a sorted list.
    Binary,
    /// The hash map of the standard library.
    Hash,
    /// Zorb's: active demultiplexing for objects, perfect hashing for operations.
    Zorb,
    /// One index for object and operation together, which both sides have agreed on.
    Delayered,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 3] = [Self::Object, Self::Operation, Self::Request];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Operation => "operation",
            Self::Request => "request",
        }
    }
}

impl Search {
    /// All algorithms; those for the same layer are adjacent.
    pub const ALL: [Self; 5] =
        [Self::Binary, Self::Linear, Self::Hash, Self::Zorb, Self::Delayered];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Binary => "binary",
            Self::Hash => "hash",
            Self::Zorb => "zorb",
            Self::Delayered => "de-layered",
        }
    }

    /// Whether it supports the layer: keys are not sorted, and a table without layers has no objects
    /// without operations.
    #[must_use]
    pub const fn has(self, layer: Layer) -> bool {
        match self {
            Self::Linear | Self::Hash | Self::Zorb => true,
            Self::Binary => matches!(layer, Layer::Operation),
            Self::Delayered => matches!(layer, Layer::Request),
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Layer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|layer| layer.name() == text);
        found.ok_or_else(|| format!("there is no layer {text:?}"))
    }
}

impl FromStr for Search {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|search| search.name() == text);
        found.ok_or_else(|| format!("there is no search {text:?}"))
    }
}
