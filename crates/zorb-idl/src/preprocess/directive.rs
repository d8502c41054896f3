//! Preprocessor directives.

use std::rc::Rc;

use super::Preprocessor;
use super::condition::evaluate;
use super::frame::Conditional;
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{PpKind, PpToken};
use crate::limits::MAX_CONDITIONAL_DEPTH;
use crate::source::Span;
use crate::suggest::closest;

const KNOWN: [&str; 13] = [
    "include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "pragma",
    "error", "warning", "line",
];

impl Preprocessor<'_> {
    /// Processes a directive, after its `#`.
    pub(super) fn directive(&mut self, hash: Span) {
        let Some(frame) = self.files.last_mut() else { return };
        let skipping = frame.skipping();
        let Some(name) = frame.scanner.next_in_line(self.sink) else { return };
        let at = hash.to(name.span);
        match &*name.text {
            "if" | "ifdef" | "ifndef" => self.open_conditional(&name, at),
            "elif" => self.elif(at),
            "else" => self.else_directive(at),
            "endif" => {
                let _ = frame.scanner.rest_of_line(self.sink);
                if frame.conditionals.pop().is_none() {
                    self.stray(at, "#endif");
                }
            }
            _ if skipping => {
                let _ = frame.scanner.rest_of_line(self.sink);
            }
            "include" => self.include(at),
            "define" => {
                let line = self.line_tokens();
                self.define(at, line);
            }
            "undef" => {
                let line = self.line_tokens();
                match line.first().filter(|token| token.kind == PpKind::Ident) {
                    Some(token) => {
                        self.macros.remove(&token.text);
                    }
                    None => {
                        self.sink.error(Code::BadDirective, at, "`#undef` needs a macro name");
                    }
                }
            }
            "pragma" => {
                let line = self.line_tokens();
                self.pragma(at, &line);
            }
            word @ ("error" | "warning") => {
                let code =
                    if word == "error" { Code::ErrorDirective } else { Code::WarningDirective };
                let text = frame.scanner.raw_rest_of_line();
                let message = if text.is_empty() { format!("#{word}") } else { text };
                self.sink.error(code, at, message);
            }
            "line" => {
                let line = self.line_tokens();
                let line = self.expand_all(line, 0);
                self.line_directive(at, &line);
            }
            _ if name.kind == PpKind::Number => {
                let mut line = vec![name];
                line.extend(self.line_tokens());
                self.line_directive(at, &line);
            }
            _ => {
                let _ = frame.scanner.rest_of_line(self.sink);
                let message = format!("unknown directive `#{}`", name.text);
                let mut diagnostic = Diagnostic::new(Code::UnknownDirective, at, message);
                if let Some(near) = closest(&name.text, KNOWN.into_iter()) {
                    diagnostic = diagnostic.hint(format!("did you mean `#{near}`?"));
                }
                self.sink.push(diagnostic);
            }
        }
    }

    pub(super) fn line_tokens(&mut self) -> Vec<PpToken> {
        let Some(frame) = self.files.last_mut() else { return Vec::new() };
        frame.scanner.rest_of_line(self.sink)
    }

    fn stray(&mut self, at: Span, what: &str) {
        let message = format!("`{what}` has no matching `#if`");
        self.sink.error(Code::StrayConditional, at, message);
    }

    fn open_conditional(&mut self, name: &PpToken, at: Span) {
        let line = self.line_tokens();
        let Some(frame) = self.files.last() else { return };
        if frame.conditionals.len() >= MAX_CONDITIONAL_DEPTH {
            self.sink.error(Code::StrayConditional, at, "conditionals nest too deep");
            self.stopped = true;
            return;
        }
        let skipping = frame.skipping();
        let chosen = !skipping
            && match &*name.text {
                "if" => self.condition(at, line),
                word => match line.first().filter(|token| token.kind == PpKind::Ident) {
                    Some(token) => self.is_defined(&token.text) == (word == "ifdef"),
                    None => {
                        let message = format!("`#{word}` needs a macro name");
                        self.sink.error(Code::BadDirective, at, message);
                        false
                    }
                },
            };
        if let Some(frame) = self.files.last_mut() {
            frame.conditionals.push(Conditional {
                span: at,
                active: chosen,
                decided: chosen || skipping,
                seen_else: false,
            });
        }
    }

    fn elif(&mut self, at: Span) {
        let line = self.line_tokens();
        let Some(open) = self.files.last_mut().and_then(|frame| frame.conditionals.last_mut())
        else {
            self.stray(at, "#elif");
            return;
        };
        if open.seen_else {
            self.sink.push(
                Diagnostic::new(Code::StrayConditional, at, "`#elif` after `#else`")
                    .label(open.span, "the conditional starts here"),
            );
            return;
        }
        if open.decided {
            open.active = false;
            return;
        }
        let chosen = self.condition(at, line);
        if let Some(open) = self.files.last_mut().and_then(|frame| frame.conditionals.last_mut()) {
            open.active = chosen;
            open.decided = chosen;
        }
    }

    fn else_directive(&mut self, at: Span) {
        let _ = self.line_tokens();
        let Some(open) = self.files.last_mut().and_then(|frame| frame.conditionals.last_mut())
        else {
            self.stray(at, "#else");
            return;
        };
        if open.seen_else {
            self.sink.push(
                Diagnostic::new(Code::StrayConditional, at, "a second `#else`")
                    .label(open.span, "the conditional starts here"),
            );
        }
        open.seen_else = true;
        open.active = !open.decided;
        open.decided = true;
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name) || matches!(name, "__FILE__" | "__LINE__")
    }

    /// Evaluates a condition; on an error, reports it and returns false.
    fn condition(&mut self, at: Span, line: Vec<PpToken>) -> bool {
        let replaced = self.replace_defined(line);
        let outcome = replaced.and_then(|line| evaluate(&self.expand_all(line, 0)));
        outcome.unwrap_or_else(|(span, message)| {
            self.sink.error(Code::BadCondition, span.unwrap_or(at), message);
            false
        })
    }

    /// Replaces `defined NAME` and `defined(NAME)` by 1 or 0.
    fn replace_defined(
        &self,
        line: Vec<PpToken>,
    ) -> Result<Vec<PpToken>, super::condition::Problem> {
        let mut out = Vec::with_capacity(line.len());
        let mut tokens = line.into_iter();
        while let Some(token) = tokens.next() {
            if !token.is_ident("defined") {
                out.push(token);
                continue;
            }
            let mut name = tokens.next();
            let bracket = name.as_ref().is_some_and(|token| token.is_punct("("));
            if bracket {
                name = tokens.next();
            }
            let name = name.filter(|name| name.kind == PpKind::Ident);
            let closed = !bracket || tokens.next().is_some_and(|token| token.is_punct(")"));
            let Some(name) = name.filter(|_| closed) else {
                return Err((Some(token.span), "`defined` needs a macro name".into()));
            };
            let text: Rc<str> = if self.is_defined(&name.text) { "1" } else { "0" }.into();
            out.push(PpToken { kind: PpKind::Number, text, ..token });
        }
        Ok(out)
    }

    /// `#line 12 "file"` or `# 12 "file" flags`.
    fn line_directive(&mut self, at: Span, line: &[PpToken]) {
        let number = line.first().and_then(|token| token.text.parse().ok());
        let name = line.get(1).filter(|token| token.kind == PpKind::Str);
        let Some(number) = number.filter(|_| line.len() == 1 || name.is_some()) else {
            self.sink.push(
                Diagnostic::new(Code::BadDirective, at, "`#line` is malformed")
                    .hint("write `#line 12` or `#line 12 \"file.idl\"`"),
            );
            return;
        };
        let name = name.map(|token| token.text.trim_matches('"').to_owned());
        self.sources.mark_line(at.file, at.start, number, name);
    }
}
