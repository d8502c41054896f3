//! The origin of an option's value.

use std::fmt;

/// The origin of a value, in ascending precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The definition's default.
    Default,
    /// The program, by a method of the builder.
    Program,
    /// A key of a configuration file.
    File(String),
    /// An environment variable.
    Environment(String),
    /// A command-line argument.
    Argument(String),
    /// The program, by force (`OrbBuilder::force`).
    Forced,
}

impl Origin {
    /// Whether the operator has set it: by a file, the environment or an argument.
    pub fn is_operator(&self) -> bool {
        matches!(self, Self::File(_) | Self::Environment(_) | Self::Argument(_))
    }

    /// Whether it takes precedence over other parts of the program: it is the operator's, or forced.
    pub fn is_binding(&self) -> bool {
        self.is_operator() || *self == Self::Forced
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Program => f.write_str("program"),
            Self::File(path) => write!(f, "file {path}"),
            Self::Environment(variable) => write!(f, "environment {variable}"),
            Self::Argument(argument) => write!(f, "argument {argument}"),
            Self::Forced => f.write_str("program, forced"),
        }
    }
}

/// A value that has no effect, because an origin of higher precedence set the option too.
///
/// Recorded where the operator overrides the program, or the program forces a value on the operator; the
/// operator's own sources override each other silently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Override {
    /// The option's name.
    pub name: &'static str,
    /// The value that was overridden, as text.
    pub value: String,
    /// The origin of that value.
    pub origin: Origin,
    /// The origin of the value in force.
    pub by: Origin,
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, origin, by } = self;
        write!(f, "option {name}: {by} overrides {value:?} ({origin})")
    }
}
