//! What is wrong with a value in JSON, and where.

use std::fmt;

/// Some JSON is no value of the type that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    path: String,
    message: String,
}

impl JsonError {
    pub(super) fn new(path: &Path<'_>, message: impl Into<String>) -> Self {
        Self { path: path.to_string(), message: message.into() }
    }

    /// Where: `$` is the value, `$.accounts[3].owner` a part of it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong there.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl std::error::Error for JsonError {}

/// A place in a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path<'a> {
    Root,
    Member(&'a Self, &'a str),
    Element(&'a Self, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("$"),
            Self::Member(parent, name) => write!(f, "{parent}.{name}"),
            Self::Element(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
