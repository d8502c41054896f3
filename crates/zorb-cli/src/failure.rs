//! Failures of commands.

use std::fmt;

/// A failed command: the exit status and the message for standard error.
#[derive(Debug)]
pub(crate) struct Failure {
    status: u8,
    message: String,
    hint: Option<String>,
}

/// The result of a command: its exit status, or a failure.
pub(crate) type Outcome = Result<u8, Failure>;

/// Exit status: success.
pub(crate) const OK: u8 = 0;
/// Exit status: the command failed.
pub(crate) const FAILED: u8 = 1;
/// Exit status: the command line is wrong.
pub(crate) const USAGE: u8 = 2;

impl Failure {
    /// Creates a failure with status [`FAILED`].
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { status: FAILED, message: message.into(), hint: None }
    }

    /// Termination by a signal, with the exit status that shells use.
    pub(crate) fn interrupted(signal: zorb_os::signal::Signal) -> Self {
        let status = u8::try_from(signal.exit_status()).unwrap_or(FAILED);
        Self { status, ..Self::new(format!("ended by {signal}")) }
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Changes the status to [`USAGE`].
    pub(crate) fn into_usage(self) -> Self {
        Self { status: USAGE, ..self }
    }

    /// Prefixes the message with the failed step.
    pub(crate) fn during(mut self, step: &str) -> Self {
        self.message = format!("{step}: {}", self.message);
        self
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        self.status
    }

    /// The hint, if any.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl From<zorb::Error> for Failure {
    fn from(error: zorb::Error) -> Self {
        let failure = Self::new(zorb::Report(&error).to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<zorb_bench::Error> for Failure {
    fn from(error: zorb_bench::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<zorb_bridge::BridgeError> for Failure {
    fn from(error: zorb_bridge::BridgeError) -> Self {
        let failure = Self::new(zorb::Report(&error).to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<zorb_store::StoreError> for Failure {
    fn from(error: zorb_store::StoreError) -> Self {
        let failure = Self::new(zorb::Report(&error).to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint.to_owned()),
            None => failure,
        }
    }
}

/// The message, without the hint.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
