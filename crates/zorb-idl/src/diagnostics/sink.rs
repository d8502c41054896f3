//! Collection of diagnostics.

use std::collections::HashSet;

use super::{Code, Diagnostic, Severity};
use crate::limits::{MAX_DIAGNOSTICS, MAX_MESSAGE};
use crate::source::{SourceMap, Span};

/// Collects the diagnostics of all phases: drops duplicates, enforces the limit, and sorts at the
/// end.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    /// The codes of tolerable faults that are warnings.
    allowed: Vec<Code>,
    items: Vec<Diagnostic>,
    seen: HashSet<(Code, Option<Span>)>,
    dropped: usize,
}

impl Sink {
    pub(crate) fn new(allowed: &[Code]) -> Self {
        Self { allowed: allowed.to_vec(), ..Self::default() }
    }

    /// Adds a diagnostic of a [tolerable](Code::TOLERABLE) fault: a warning if its code is allowed. Returns
    /// whether it is.
    pub(crate) fn push_tolerable(&mut self, mut diagnostic: Diagnostic) -> bool {
        let is_allowed = self.allowed.contains(&diagnostic.code);
        if is_allowed {
            diagnostic.severity = Severity::Warning;
        }
        self.push(diagnostic);
        is_allowed
    }

    /// Whether the limit is reached; a caller can then skip the search for a suggestion.
    pub(crate) fn is_full(&self) -> bool {
        self.items.len() >= MAX_DIAGNOSTICS
    }

    /// Adds a diagnostic, unless there is one with the same code at the same span.
    pub(crate) fn push(&mut self, mut diagnostic: Diagnostic) {
        let repeated = self.seen.contains(&(diagnostic.code, diagnostic.span));
        if repeated && diagnostic.span.is_some() {
            return;
        }
        if self.is_full() {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        self.seen.insert((diagnostic.code, diagnostic.span));
        cut(&mut diagnostic.message);
        cut(&mut diagnostic.note);
        diagnostic.labels.iter_mut().for_each(|label| cut(&mut label.message));
        diagnostic.hint.iter_mut().for_each(cut);
        self.items.push(diagnostic);
    }

    /// Adds a diagnostic that has only a code, a span and a message.
    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::new(code, span, message));
    }

    /// All diagnostics, sorted by position; those inside macro expansions point to the macro.
    pub(crate) fn finish(mut self, sources: &SourceMap) -> Vec<Diagnostic> {
        // The built-in files are valid; they may use constructs that are unsupported elsewhere.
        self.items
            .retain(|item| item.span.is_none_or(|span| !sources.file(span.file).is_built_in()));
        for item in &mut self.items {
            if let Some(expansion) = item.span.and_then(|span| sources.expansion(span)) {
                let message = format!("`{}` is a macro defined here", expansion.name);
                item.labels.push(super::Label { span: expansion.defined_at, message });
            }
        }
        self.items.sort_by_key(|item| item.span);
        if self.dropped > 0 {
            let message = format!("{} more diagnostics are not shown", self.dropped);
            let last = Diagnostic::new(Code::TooManyDiagnostics, None, message)
                .hint("fix the first errors: later ones are often caused by them");
            self.items.push(last);
        }
        self.items
    }
}

/// Truncates a text that quotes the input, which may contain very long names.
fn cut(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(MAX_MESSAGE) {
        text.truncate(at);
        text.push_str("...");
    }
}
