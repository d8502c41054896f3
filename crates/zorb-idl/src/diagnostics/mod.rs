//! The diagnostics of the compiler.

mod code;
mod json;
mod render;
mod sink;

pub use code::{Code, CodeInfo, Severity, explain};
pub use json::{JsonDiagnostic, JsonLabel};
pub use render::render;
pub(crate) use sink::Sink;

use crate::source::Span;

/// A diagnostic: an error or a warning about the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of diagnostic; look it up with [`explain`] or [`Code::info`].
    pub code: Code,
    /// The severity. After an error, no code may be generated.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop, naming the definitions involved.
    pub message: String,
    /// The primary span; none when there is none (such as for a file that cannot be read).
    pub span: Option<Span>,
    /// The text of the primary label, beside the carets; may be empty.
    pub note: String,
    /// Secondary labels.
    pub labels: Vec<Label>,
    /// How to fix it.
    pub hint: Option<String>,
}

/// A secondary label of a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The span it points to.
    pub span: Span,
    /// What it points out, for example "first defined here".
    pub message: String,
}

impl Diagnostic {
    /// Creates a diagnostic at a span, with the severity of its code.
    pub fn new(code: Code, span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.info().severity,
            message: message.into(),
            span: span.into(),
            note: String::new(),
            labels: Vec::new(),
            hint: None,
        }
    }

    /// Adds a secondary label.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds a hint that says how to fix the problem.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the text of the primary label.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}
