//! Diagnostics as plain data.

use super::Diagnostic;
use crate::source::{SourceMap, Span};

/// A diagnostic with its spans resolved to positions, made of strings and numbers only: ready for any serializer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonDiagnostic {
    /// `E0401`
    pub code: String,
    /// `error` or `warning`
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// The labels; the first is the primary one (if the diagnostic has a span), the others are
    /// secondary.
    pub labels: Vec<JsonLabel>,
    /// How to fix it.
    pub hint: Option<String>,
}

/// A label with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonLabel {
    /// Whether this is the position of the diagnostic itself.
    pub primary: bool,
    /// The file's path.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column just past the end.
    pub end_column: u32,
    /// What the label points out; may be empty.
    pub message: String,
}

impl JsonDiagnostic {
    /// Resolves the spans of `diagnostic`.
    #[must_use]
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let primary = diagnostic.span.map(|span| label(span, true, &diagnostic.note, sources));
        let others = diagnostic.labels.iter();
        let others = others.map(|item| label(item.span, false, &item.message, sources));
        Self {
            code: diagnostic.code.to_string(),
            severity: diagnostic.severity.to_string(),
            message: diagnostic.message.clone(),
            labels: primary.into_iter().chain(others).collect(),
            hint: diagnostic.hint.clone(),
        }
    }
}

fn label(span: Span, primary: bool, message: &str, sources: &SourceMap) -> JsonLabel {
    let start = sources.location(span);
    let end = sources.location(span.after());
    JsonLabel {
        primary,
        file: start.path,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        message: message.to_owned(),
    }
}
