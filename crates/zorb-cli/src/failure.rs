//! Why a command did not do what it was asked.

use std::fmt;

/// Ends a command: the exit status and the story for standard error.
#[derive(Debug)]
pub(crate) struct Failure {
    status: u8,
    story: String,
    hint: Option<String>,
}

/// What a command comes to: its exit status, when it could do its work.
pub(crate) type Outcome = Result<u8, Failure>;

/// All went well.
pub(crate) const OK: u8 = 0;
/// What was asked about failed.
pub(crate) const FAILED: u8 = 1;
/// The question was wrong.
pub(crate) const USAGE: u8 = 2;

impl Failure {
    /// What was asked about failed.
    pub(crate) fn new(story: impl Into<String>) -> Self {
        Self { status: FAILED, story: story.into(), hint: None }
    }

    /// A signal ended the command; the status is the one that shells give.
    pub(crate) fn interrupted(signal: zorb_os::signal::Signal) -> Self {
        let status = u8::try_from(signal.exit_status()).unwrap_or(FAILED);
        Self { status, ..Self::new(format!("ended by {signal}")) }
    }

    /// The same failure, with advice.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same failure, as the fault of the question.
    pub(crate) fn into_usage(self) -> Self {
        Self { status: USAGE, ..self }
    }

    /// The same failure, as one of `step`.
    pub(crate) fn during(mut self, step: &str) -> Self {
        self.story = format!("{step}: {}", self.story);
        self
    }

    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        self.status
    }

    /// The advice, if there is any.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl From<zorb::Error> for Failure {
    fn from(error: zorb::Error) -> Self {
        let mut text = error.to_string();
        // The hint has a line of its own here, in another style.
        if let Some(end) = error.advice().and_then(|_| text.rfind("\n  hint: ")) {
            text.truncate(end);
        }
        let failure = Self::new(text);
        match error.advice() {
            Some(advice) => failure.hint(advice),
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
        let failure = Self::new(error.to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// The story, without the advice.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.story)
    }
}
