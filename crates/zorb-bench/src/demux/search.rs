//! The ways to search, and what for.

use std::fmt;
use std::str::FromStr;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The object, by its key.
    Object,
    /// The operation, by its name.
    Operation,
    /// Both, one after the other; or both at once where they are not layers.
    Request,
}

/// A way to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// From the front, one after the other.
    Linear,
    /// In a sorted list, by halves.
    Binary,
    /// In the hash map of the standard library.
    Hash,
    /// Zorb's: the object by active demultiplexing, the operation by perfect hashing.
    Zorb,
    /// One index for object and operation together, which both sides have agreed on before.
    Delayered,
}

impl Layer {
    /// All there are.
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
    /// All there are, those for the same layer side by side.
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

    /// Whether it looks for that: keys have no order to search by, and a table without layers has no
    /// object without an operation.
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
