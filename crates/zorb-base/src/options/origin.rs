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

/// A value that has no effect, because an origin of higher precedence set the option to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Override {
    /// The option's name.
    pub name: &'static str,
    /// The unit of both values; empty if they have none.
    pub unit: &'static str,
    /// The value that was overridden, as text.
    pub value: String,
    /// The origin of that value.
    pub origin: Origin,
    /// The value in force, as text.
    pub effective: String,
    /// The origin of the value in force.
    pub by: Origin,
}

impl Override {
    /// The value that was overridden, with its unit and origin: `7000 ms (program)`.
    pub fn overridden_value(&self) -> impl fmt::Display + '_ {
        WithUnit(&self.value, self.unit, &self.origin)
    }
}

struct WithUnit<'a>(&'a str, &'a str, &'a Origin);

impl fmt::Display for WithUnit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1) {
            ("", _) => f.write_str("none")?,
            (value, "") => f.write_str(value)?,
            (value, unit) => write!(f, "{value} {unit}")?,
        }
        write!(f, " ({})", self.2)
    }
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let effective = WithUnit(&self.effective, self.unit, &self.by);
        write!(f, "option {} = {effective} overrides {}", self.name, self.overridden_value())
    }
}
