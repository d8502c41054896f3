//! What the front end has to say about its input.

mod code;
mod json;
mod render;
mod sink;

pub use code::{Code, CodeInfo, Severity, explain};
pub use json::{JsonDiagnostic, JsonLabel};
pub use render::render;
pub(crate) use sink::Sink;

use crate::source::Span;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of finding; look it up with [`explain`] or [`Code::info`].
    pub code: Code,
    /// How bad: errors mean that no code may be generated.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop, naming the things involved.
    pub message: String,
    /// Where; none when it is about no place (such as a file that cannot be read).
    pub span: Option<Span>,
    /// A few words that go beside the carets; may be empty.
    pub note: String,
    /// Other places that matter, each with a few words.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// A secondary place of a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// Why it matters, for example "first defined here".
    pub message: String,
}

impl Diagnostic {
    /// A finding about a place. Its severity is the code's.
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

    /// Adds a place that matters as well.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Puts a few words beside the carets.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}
