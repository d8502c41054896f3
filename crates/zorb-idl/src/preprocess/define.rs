//! `#define`, and the macros defined before the first line.

use std::rc::Rc;

use super::Preprocessor;
use super::macros::Macro;
use super::scan::Scanner;
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::lexer::{PpKind, PpToken};
use crate::source::Span;

impl Preprocessor<'_> {
    /// Defines the macros of the options and the predefined ones.
    pub(super) fn define_options(&mut self) {
        let own = ("__ZORB_IDL__".to_owned(), None);
        for (name, value) in self.options.defines.iter().chain([&own]) {
            // The text is scanned as a separate small file. Its spans are never used: tokens of a
            // macro's body get the span of the invocation.
            let text = value.as_deref().unwrap_or("1");
            let mut quiet = Sink::default();
            let file = crate::source::FileId(0);
            let mut scanner = Scanner::new(file, text.into());
            scanner.quiet = true;
            let body = std::iter::from_fn(|| scanner.next(&mut quiet)).collect();
            let name: Rc<str> = name.as_str().into();
            let item =
                Macro { name: Rc::clone(&name), params: None, variadic: false, body, span: None };
            self.macros.insert(name, Rc::new(item));
        }
    }

    /// Processes `#define`, after its keyword.
    pub(super) fn define(&mut self, at: Span, line: Vec<PpToken>) {
        let mut tokens = line.into_iter().peekable();
        let Some(name) = tokens.next().filter(|token| token.kind == PpKind::Ident) else {
            self.sink.push(
                Diagnostic::new(Code::BadDirective, at, "`#define` needs a macro name")
                    .hint("write `#define NAME replacement`"),
            );
            return;
        };
        if matches!(&*name.text, "defined" | "__FILE__" | "__LINE__") {
            let message = format!("`{}` is not a valid macro name", name.text);
            self.sink.error(Code::BadDirective, name.span, message);
            return;
        }
        let mut params = None;
        let mut variadic = false;
        if tokens.peek().is_some_and(|token| token.is_punct("(") && !token.space_before) {
            tokens.next();
            match parameters(&mut tokens) {
                Some((names, rest)) => {
                    params = Some(names);
                    variadic = rest;
                }
                None => {
                    self.sink.push(
                        Diagnostic::new(
                            Code::BadDirective,
                            name.span,
                            format!("the parameters of macro `{}` are malformed", name.text),
                        )
                        .hint("write `#define NAME(a, b) replacement`"),
                    );
                    return;
                }
            }
        }
        let body: Vec<PpToken> =
            tokens.map(|token| PpToken { docs: None, line_start: false, ..token }).collect();
        for end in [body.first(), body.last()].into_iter().flatten() {
            if end.is_punct("##") {
                let message = "`##` cannot be the first or last token of a macro body";
                self.sink.error(Code::BadPaste, end.span, message);
                return;
            }
        }
        if let Some(params) = &params {
            for pair in body.windows(2) {
                if let [hash, next] = pair
                    && hash.is_punct("#")
                    && !params.contains(&next.text)
                {
                    let message = "`#` must be followed by a parameter of the macro";
                    self.sink.error(Code::BadPaste, hash.span, message);
                    return;
                }
            }
        }
        let span = Some(name.span);
        let item = Macro { name: Rc::clone(&name.text), params, variadic, body, span };
        self.check_redefinition(&item, name.span);
        self.macros.insert(name.text, Rc::new(item));
    }

    fn check_redefinition(&mut self, item: &Macro, at: Span) {
        let Some(earlier) = self.macros.get(&item.name) else { return };
        if item.same(earlier) {
            return;
        }
        let message = format!("macro `{}` is redefined differently", item.name);
        let mut diagnostic = Diagnostic::new(Code::MacroRedefined, at, message)
            .hint(format!("if this is intended, write `#undef {}` first", item.name));
        if let Some(span) = earlier.span {
            diagnostic = diagnostic.label(span, "first defined here");
        }
        self.sink.push(diagnostic);
    }
}

/// Parses the parameter list after `(`; also returns whether it ends in `...`.
fn parameters(tokens: &mut impl Iterator<Item = PpToken>) -> Option<(Vec<Rc<str>>, bool)> {
    let mut names: Vec<Rc<str>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    loop {
        let token = tokens.next()?;
        if token.is_punct(")") && names.is_empty() {
            return Some((names, false));
        }
        if token.is_punct(".") {
            // The scanner delivers `...` as three dots.
            let dots = tokens.next()?.is_punct(".") && tokens.next()?.is_punct(".");
            let close = tokens.next()?.is_punct(")");
            names.push("__VA_ARGS__".into());
            return (dots && close).then_some((names, true));
        }
        if token.kind != PpKind::Ident || !seen.insert(Rc::clone(&token.text)) {
            return None;
        }
        names.push(token.text);
        let next = tokens.next()?;
        if next.is_punct(")") {
            return Some((names, false));
        }
        if !next.is_punct(",") {
            return None;
        }
    }
}
