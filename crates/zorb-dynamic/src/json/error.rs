//! Errors of JSON values.

use std::fmt;

/// JSON is not a value of the expected type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The steps from the value to its part.
    path: String,
    message: String,
}

impl JsonError {
    /// An error of a whole value.
    #[cold]
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    /// The same error in this member of a value.
    pub(super) fn in_member(mut self, name: &str) -> Self {
        self.path = format!(".{name}{}", self.path);
        self
    }

    /// The same error in this element of a value.
    pub(super) fn in_element(mut self, index: usize) -> Self {
        self.path = format!("[{index}]{}", self.path);
        self
    }

    /// The path of the invalid part: `$` is the value, `$.accounts[3].owner` a part of it.
    pub fn path(&self) -> String {
        format!("${}", self.path)
    }

    /// The reason.
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
