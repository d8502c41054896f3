//! Diagnostics rendered as text.

use std::fmt::Write as _;

use super::Diagnostic;
use crate::limits::MAX_INCLUDE_DEPTH;
use crate::source::{SourceMap, Span};

/// The maximum width of a source line excerpt, in characters.
const MAX_SHOWN: usize = 140;
/// How much of a long line is shown before the span.
const LEAD: usize = 60;

/// Renders one diagnostic as text: severity, code and message; position; the source line with
/// carets; secondary labels; the hint. Ends with an empty line.
///
/// ```text
/// error[E0401]: `Colour` is not defined
///  --> shop.idl:3:5
///   |
/// 3 |     Colour paint;
///   |     ^^^^^^ not found in this scope
///   = hint: did you mean `Color`?
/// ```
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let mut out = String::new();
    let Diagnostic { severity, code, message, .. } = diagnostic;
    let _ = writeln!(out, "{severity}[{code}]: {}", visible(message));
    let spans = diagnostic.span.iter().chain(diagnostic.labels.iter().map(|label| &label.span));
    let width = spans.map(|span| sources.location(*span).line.to_string().len()).max();
    let width = width.unwrap_or(1);
    if let Some(span) = diagnostic.span {
        snippet(&mut out, sources, span, &diagnostic.note, "-->", '^', width);
        included(&mut out, sources, span, width);
    }
    for label in &diagnostic.labels {
        snippet(&mut out, sources, label.span, &label.message, ":::", '-', width);
    }
    if let Some(hint) = &diagnostic.hint {
        let _ = writeln!(out, "{:width$} = hint: {}", "", visible(hint));
    }
    out.push('\n');
    out
}

/// Position, source line and carets.
fn snippet(
    out: &mut String,
    sources: &SourceMap,
    span: Span,
    message: &str,
    arrow: &str,
    caret: char,
    width: usize,
) {
    let location = sources.location(span);
    let (line, column) = (location.line, location.column);
    let _ = writeln!(out, "{:width$}{arrow} {}:{line}:{column}", "", visible(&location.path));
    let file = sources.file(span.file);
    let text = file.line_text(file.line_index(span.start));
    let before = column as usize - 1;
    // Only the part of a long line around the span is shown.
    let skip = if before > MAX_SHOWN - LEAD / 2 { before - LEAD } else { 0 };
    let mut shown = String::new();
    let mut pad = 0;
    for (index, char) in text.chars().enumerate().skip(skip).take(MAX_SHOWN) {
        let cell = match char {
            '\t' => "    ".to_owned(),
            char if char.is_control() => '\u{fffd}'.to_string(),
            char => char.to_string(),
        };
        if index < before {
            pad += cell.chars().count();
        }
        shown.push_str(&cell);
    }
    let covered = sources.text(span).lines().next().unwrap_or("").chars().count();
    let carets = covered.clamp(1, MAX_SHOWN.saturating_sub(before - skip).max(1));
    let dots = if skip > 0 { "..." } else { "" };
    let _ = writeln!(out, "{:width$} |", "");
    let _ = writeln!(out, "{line:width$} | {dots}{}", shown.trim_end());
    let marks: String = std::iter::repeat_n(caret, carets).collect();
    let marks = format!("{:pad$}{marks} {}", "", visible(message), pad = pad + dots.len());
    let _ = writeln!(out, "{:width$} | {}", "", marks.trim_end());
}

/// The chain of includes that leads to the file of `span`.
fn included(out: &mut String, sources: &SourceMap, span: Span, width: usize) {
    let mut at = sources.file(span.file).included_at();
    for _ in 0..MAX_INCLUDE_DEPTH {
        let Some(span) = at else { return };
        let location = sources.location(span);
        let path = visible(&location.path);
        let _ = writeln!(out, "{:width$} = included from {path}:{}", "", location.line);
        at = sources.file(span.file).included_at();
    }
}

/// Replaces control characters: text from the input must not control the terminal.
fn visible(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}
