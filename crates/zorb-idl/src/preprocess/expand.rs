//! Macro expansion.
//!
//! An expansion is a frame of tokens that are read before the rest of the file. While the frame of
//! a macro is open, its name is not expanded; an occurrence of the name in it is painted and never
//! expanded later. Every token that an expansion creates or moves is charged to a budget, so that
//! expansion always terminates.

use std::rc::Rc;

use super::Preprocessor;
use super::frame::TokenFrame;
use super::macros::Macro;
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{PpKind, PpToken};
use crate::source::Span;

/// The input of an invocation.
struct Input<'f> {
    frames: &'f mut Vec<TokenFrame>,
    /// Whether to continue in the file when the frames are exhausted.
    file: bool,
}

impl Preprocessor<'_> {
    /// Expands `token` if it is a macro that can be expanded here. Returns whether it was consumed.
    pub(super) fn try_expand(&mut self, token: &PpToken) -> bool {
        if token.kind != PpKind::Ident {
            return false;
        }
        let mut frames = std::mem::take(&mut self.frames);
        let done = self.expand_in(token, &mut Input { frames: &mut frames, file: true }, 0);
        self.frames = frames;
        done.unwrap_or_else(|painted| {
            self.emit(&painted);
            true
        })
    }

    /// Expands `tokens` in isolation.
    pub(super) fn expand_all(&mut self, tokens: Vec<PpToken>, depth: usize) -> Vec<PpToken> {
        let mut frames = vec![TokenFrame { tokens: tokens.into_iter(), name: None }];
        let mut out = Vec::new();
        while let Some(frame) = frames.last_mut() {
            let Some(token) = frame.next() else {
                frames.pop();
                continue;
            };
            match self.expand_in(&token, &mut Input { frames: &mut frames, file: false }, depth) {
                Ok(true) => {}
                Ok(false) => out.push(token),
                Err(painted) => out.push(painted),
            }
        }
        out
    }

    /// Tries to expand `token`: `Ok(true)` when a frame was pushed instead, `Err` with the painted
    /// token when its macro is already being expanded.
    fn expand_in(
        &mut self,
        token: &PpToken,
        input: &mut Input<'_>,
        depth: usize,
    ) -> Result<bool, PpToken> {
        if token.kind != PpKind::Ident || token.painted {
            return Ok(false);
        }
        if matches!(&*token.text, "__FILE__" | "__LINE__") {
            let replacement = self.location_macro(token);
            input.frames.push(TokenFrame { tokens: vec![replacement].into_iter(), name: None });
            return Ok(true);
        }
        let Some(item) = self.macros.get(&token.text).map(Rc::clone) else { return Ok(false) };
        if input.frames.iter().any(|frame| frame.name.as_ref() == Some(&token.text)) {
            return Err(PpToken { painted: true, ..token.clone() });
        }
        let mut body = if item.params.is_some() {
            if !self.next_is_open(input) {
                return Ok(false);
            }
            let Some(arguments) = self.arguments(token, &item, input) else { return Ok(true) };
            self.substitute(&item, arguments, token, depth)
        } else {
            self.substitute(&item, Vec::new(), token, depth)
        };
        if !self.spend(body.len() + 1, token.span) {
            return Ok(true);
        }
        if let Some(defined_at) = item.span {
            self.sources.record_expansion(token.span, &item.name, defined_at);
        }
        if let Some(first) = body.first_mut() {
            first.docs.clone_from(&token.docs);
            first.space_before = token.space_before;
        }
        input
            .frames
            .push(TokenFrame { tokens: body.into_iter(), name: Some(Rc::clone(&item.name)) });
        Ok(true)
    }

    fn location_macro(&self, token: &PpToken) -> PpToken {
        let location = self.sources.location(token.span);
        let (kind, text) = if &*token.text == "__LINE__" {
            (PpKind::Number, location.line.to_string())
        } else {
            (PpKind::Str, format!("\"{}\"", location.path.replace('\\', "\\\\")))
        };
        PpToken { kind, text: text.into(), ..token.clone() }
    }

    /// Charges `count` tokens to the budget.
    pub(super) fn spend(&mut self, count: usize, span: Span) -> bool {
        if let Some(left) = self.expansion_left.checked_sub(count) {
            self.expansion_left = left;
            return true;
        }
        self.expansion_too_large(span);
        false
    }

    pub(super) fn expansion_too_large(&mut self, span: Span) {
        self.sink.error(
            Code::ExpansionTooLarge,
            span,
            "macro expansion produces too much text; compilation stops here",
        );
        self.expansion_left = 0;
        self.stopped = true;
    }

    /// Whether the next token is `(`.
    fn next_is_open(&mut self, input: &mut Input<'_>) -> bool {
        for frame in input.frames.iter().rev() {
            if let Some(token) = frame.peek() {
                return token.is_punct("(");
            }
        }
        if !input.file {
            return false;
        }
        let token = self.next_file_token();
        let open = token.as_ref().is_some_and(|token| token.is_punct("("));
        if let Some(frame) = self.files.last_mut() {
            frame.peeked = token;
        }
        open
    }

    /// Reads the arguments of an invocation; the next token is known to be `(`.
    fn arguments(
        &mut self,
        name: &PpToken,
        item: &Macro,
        input: &mut Input<'_>,
    ) -> Option<Vec<Vec<PpToken>>> {
        let params = item.params.as_ref().map_or(0, Vec::len);
        let mut arguments = vec![Vec::new()];
        let mut nesting = 0_usize;
        loop {
            let Some(token) = self.argument_token(input) else {
                let message = format!("missing `)` after the arguments of macro `{}`", item.name);
                self.bad_arguments(item, name.span, message);
                return None;
            };
            if !self.spend(1, name.span) {
                return None;
            }
            if token.is_punct("(") {
                nesting += 1;
                if nesting == 1 {
                    continue;
                }
            } else if token.is_punct(")") {
                nesting -= 1;
                if nesting == 0 {
                    break;
                }
            }
            let rest = item.variadic && arguments.len() >= params;
            if nesting == 1 && token.is_punct(",") && !rest {
                arguments.push(Vec::new());
            } else if let Some(last) = arguments.last_mut() {
                last.push(PpToken { line_start: false, ..token });
            }
        }
        if params == 0 && arguments.first().is_some_and(Vec::is_empty) && arguments.len() == 1 {
            arguments.clear();
        }
        if item.variadic && arguments.len() + 1 == params {
            arguments.push(Vec::new());
        }
        if arguments.len() != params {
            let message = format!(
                "macro `{}` takes {params} argument{}, not {}",
                item.name,
                if params == 1 { "" } else { "s" },
                arguments.len()
            );
            self.bad_arguments(item, name.span, message);
            return None;
        }
        Some(arguments)
    }

    fn bad_arguments(&mut self, item: &Macro, span: Span, message: String) {
        let mut diagnostic = Diagnostic::new(Code::MacroArguments, span, message);
        if let Some(span) = item.span {
            diagnostic = diagnostic.label(span, "the macro is defined here");
        }
        self.sink.push(diagnostic);
    }

    fn argument_token(&mut self, input: &mut Input<'_>) -> Option<PpToken> {
        while let Some(frame) = input.frames.last_mut() {
            if let Some(token) = frame.next() {
                return Some(token);
            }
            input.frames.pop();
        }
        if !input.file {
            return None;
        }
        let token = self.next_file_token()?;
        if token.line_start && token.is_punct("#") {
            // A directive ends the invocation with an error and is then processed.
            if let Some(frame) = self.files.last_mut() {
                frame.peeked = Some(token);
            }
            return None;
        }
        Some(token)
    }

    pub(super) fn spend_bytes(&mut self, count: usize, span: Span) -> bool {
        if let Some(left) = self.pasted_left.checked_sub(count) {
            self.pasted_left = left;
            return true;
        }
        self.expansion_too_large(span);
        false
    }
}
