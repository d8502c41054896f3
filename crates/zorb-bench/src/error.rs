//! Errors of measurements.

use std::fmt;

/// A failed or stopped measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A failure with its reason.
    Failed(String),
    /// The observer stopped the measurement.
    Stopped,
}

/// The result of a step.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A failure with this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }

    /// The error as a failure of `step`.
    #[must_use]
    pub fn during(self, step: impl fmt::Display) -> Self {
        match self {
            Self::Failed(reason) => Self::Failed(format!("{step}: {reason}")),
            Self::Stopped => Self::Stopped,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(reason) => f.write_str(reason),
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<zorb::Error> for Error {
    fn from(error: zorb::Error) -> Self {
        Self::Failed(zorb::Report(&error).to_string())
    }
}

impl From<zorb::SystemException> for Error {
    fn from(exception: zorb::SystemException) -> Self {
        zorb::Error::from(exception).into()
    }
}

/// Errors of the dynamic engine, and of encoding.
macro_rules! failed {
    ($($error:ty),*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::Failed(zorb::Report(&error).to_string())
            }
        }
    )*};
}
failed!(
    zorb::CdrError,
    zorb::TypeCodeError,
    zorb::dynamic::CodecError,
    zorb::dynamic::DynAnyError,
    zorb::dynamic::RequestError
);

impl From<zorb::poa::PoaError> for Error {
    fn from(error: zorb::poa::PoaError) -> Self {
        Self::Failed(zorb::Report(&error).to_string())
    }
}
