//! Errors of measurements.

use std::fmt;

/// A failed or stopped measurement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A failure with its reason.
    #[error("{0}")]
    Failed(String),
    /// The observer stopped the measurement.
    #[error("stopped")]
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

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<zorb::SystemException> for Error {
    fn from(exception: zorb::SystemException) -> Self {
        zorb::Error::from(exception).into()
    }
}

/// Errors of the ORB, with all of their causes.
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
    zorb::Error,
    zorb::CdrError,
    zorb::TypeCodeError,
    zorb::dynamic::CodecError,
    zorb::dynamic::DynAnyError,
    zorb::dynamic::RequestError,
    zorb::poa::PoaError
);
