//! Pragmas.

use std::rc::Rc;

use super::{EventKind, PragmaName, Preprocessor};
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{PpKind, PpToken};
use crate::source::Span;
use crate::suggest::closest;

impl Preprocessor<'_> {
    /// Processes `#pragma`, after its keyword.
    pub(super) fn pragma(&mut self, at: Span, line: &[PpToken]) {
        let Some((word, rest)) = line.split_first() else { return };
        let at = at.to(line.last().map_or(at, |token| token.span));
        let rest = match rest.split_last() {
            Some((last, before)) if last.is_punct(";") && word.text.as_ref() != "once" => {
                let diagnostic = Diagnostic::new(Code::BadPragma, last.span, "`;` after a pragma");
                self.sink.push_tolerable(diagnostic.hint("remove it"));
                before
            }
            _ => rest,
        };
        match &*word.text {
            "once" => {
                self.once.insert(at.file);
            }
            "prefix" => match rest {
                [text] if text.kind == PpKind::Str => {
                    let prefix = unquote(&text.text);
                    self.event(EventKind::Prefix(prefix), text.span);
                }
                _ => self.bad_pragma(at, "#pragma prefix \"example.com\""),
            },
            "ID" => match name_and_value(rest) {
                Some((name, value)) if value.kind == PpKind::Str => {
                    self.event(EventKind::Id(name, unquote(&value.text)), value.span);
                }
                _ => self.bad_pragma(at, "#pragma ID Module::Name \"IDL:Module/Name:1.0\""),
            },
            "version" => match name_and_value(rest) {
                Some((name, value)) if value.kind == PpKind::Number => {
                    self.event(EventKind::Version(name, value.text.to_string()), value.span);
                }
                _ => self.bad_pragma(at, "#pragma version Module::Name 1.2"),
            },
            other => {
                let message = format!("unknown pragma `{other}` is ignored");
                let mut diagnostic = Diagnostic::new(Code::UnknownPragma, at, message);
                let known = ["prefix", "ID", "version", "once"];
                if let Some(near) = closest(other, known.into_iter()) {
                    diagnostic = diagnostic.hint(format!("did you mean `{near}`?"));
                }
                self.sink.push(diagnostic);
            }
        }
    }

    fn bad_pragma(&mut self, at: Span, syntax: &str) {
        self.sink.push(
            Diagnostic::new(Code::BadPragma, at, "malformed pragma")
                .hint(format!("write `{syntax}`")),
        );
    }
}

fn unquote(text: &str) -> String {
    let text = text.strip_prefix('"').unwrap_or(text);
    text.strip_suffix('"').unwrap_or(text).to_owned()
}

/// `A::B value`
fn name_and_value(tokens: &[PpToken]) -> Option<(PragmaName, &PpToken)> {
    let (value, mut name) = tokens.split_last()?;
    let absolute = name.first().is_some_and(|token| token.is_punct("::"));
    if absolute {
        name = name.get(1..)?;
    }
    let span = name.first()?.span.to(name.last()?.span);
    let mut parts = Vec::new();
    for (index, token) in name.iter().enumerate() {
        if index % 2 == 1 {
            if !token.is_punct("::") {
                return None;
            }
            continue;
        }
        if token.kind != PpKind::Ident {
            return None;
        }
        parts.push(token.text.strip_prefix('_').map_or_else(|| Rc::clone(&token.text), Rc::from));
    }
    (name.len() % 2 == 1).then_some((PragmaName { absolute, parts, span }, value))
}
