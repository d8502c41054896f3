//! What is wrong with a value in JSON, and where.

use std::fmt;

/// Some JSON is no value of the type that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The steps from the value to its part.
    path: String,
    message: String,
}

impl JsonError {
    /// What is wrong with a value as a whole.
    #[cold]
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    /// The same error, of the value that has the one in question as this member.
    pub(super) fn in_member(mut self, name: &str) -> Self {
        self.path = format!(".{name}{}", self.path);
        self
    }

    /// The same error, of the value that has the one in question as this element.
    pub(super) fn in_element(mut self, index: usize) -> Self {
        self.path = format!("[{index}]{}", self.path);
        self
    }

    /// Where: `$` is the value, `$.accounts[3].owner` a part of it.
    pub fn path(&self) -> String {
        format!("${}", self.path)
    }

    /// What is wrong there.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}: {}", self.path, self.message)
    }
}

impl std::error::Error for JsonError {}
