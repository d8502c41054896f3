//! The parser: recursive descent with error recovery, one function per production.
//!
//! A production that fails reports an error and returns [`Failed`]; the enclosing loop over items
//! or members skips to the probable start of the next one. Nothing is reported twice.

mod annotations;
mod bits;
mod components;
mod constructed;
mod definitions;
mod expressions;
mod interfaces;
mod names;
mod recovery;
mod templates;
mod types;
mod values;

use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::lexer::{Keyword, Punct, Token, TokenKind};
use crate::limits::MAX_NESTING;
use crate::preprocess::Event;
use crate::source::Span;
use crate::suggest::closest;
use crate::syntax::{Docs, Item, Tree};

/// The keywords of clauses that follow a declaration.
const CLAUSES: [&str; 7] =
    ["raises", "getraises", "setraises", "context", "supports", "manages", "primarykey"];

/// A production that failed and has reported why.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Parses the tokens of a compilation. The last token is [`TokenKind::End`].
pub(crate) fn parse(tokens: &[Token], events: &[Event], sink: &mut Sink) -> Tree {
    let mut parser = Parser {
        tokens,
        pos: 0,
        half_shift: false,
        angles: 0,
        annotated: (0, None),
        events: events.iter(),
        sink,
        depth: 0,
        unclosed: false,
        template_depth: 0,
    };
    let items = parser.file();
    Tree { items }
}

struct Parser<'a> {
    tokens: &'a [Token],
    pos: usize,
    /// Whether the first `>` of the `>>` at `pos` is consumed.
    half_shift: bool,
    /// The number of `<` open around the current token, not counting those outside parentheses.
    angles: usize,
    /// The position after annotations, and the documentation before them.
    annotated: (usize, Docs),
    events: std::slice::Iter<'a, Event>,
    sink: &'a mut Sink,
    depth: usize,
    /// The nesting depth of template modules.
    template_depth: usize,
    /// Whether the file ended inside braces, which is reported once.
    unclosed: bool,
}

const END: &TokenKind = &TokenKind::End;

impl Parser<'_> {
    fn kind(&self) -> &TokenKind {
        self.tokens.get(self.pos).map_or(END, |token| &token.kind)
    }

    fn kind_at(&self, ahead: usize) -> &TokenKind {
        self.tokens.get(self.pos + ahead).map_or(END, |token| &token.kind)
    }

    fn previous_kind(&self) -> Option<&TokenKind> {
        Some(&self.tokens.get(self.pos.checked_sub(1)?)?.kind)
    }

    /// The span of the current token.
    fn span(&self) -> Span {
        let token = self.tokens.get(self.pos).or_else(|| self.tokens.last());
        let zero = Span::new(crate::source::FileId(0), 0, 0);
        let span = token.map_or(zero, |token| token.span);
        if self.half_shift && span.end - span.start == 2 {
            return Span { start: span.start + 1, ..span };
        }
        span
    }

    /// The span of the token before the current one.
    fn previous(&self) -> Span {
        if self.half_shift {
            let span = self.tokens.get(self.pos).map_or_else(|| self.span(), |token| token.span);
            return if span.end - span.start == 2 {
                Span { end: span.start + 1, ..span }
            } else {
                span
            };
        }
        let before = self.pos.checked_sub(1).and_then(|pos| self.tokens.get(pos));
        before.map_or_else(|| self.span(), |token| token.span)
    }

    /// The documentation of the next definition: the comment above it or above its annotations.
    fn docs(&self) -> Docs {
        let docs = self.tokens.get(self.pos).and_then(|token| token.docs.clone());
        let (end, before) = &self.annotated;
        docs.or_else(|| before.clone().filter(|_| *end == self.pos))
    }

    fn at_end(&self) -> bool {
        matches!(self.kind(), TokenKind::End)
    }

    fn bump(&mut self) {
        self.half_shift = false;
        if !self.at_end() {
            self.pos += 1;
        }
    }

    fn at(&self, punct: Punct) -> bool {
        match self.kind() {
            TokenKind::Punct(Punct::ShiftRight) if punct == Punct::Greater => true,
            TokenKind::Punct(found) => *found == punct && !self.half_shift,
            _ => false,
        }
    }

    fn eat(&mut self, punct: Punct) -> bool {
        if !self.at(punct) {
            return false;
        }
        let shift = matches!(self.kind(), TokenKind::Punct(Punct::ShiftRight));
        if punct == Punct::Greater && shift && !self.half_shift {
            self.half_shift = true;
        } else {
            self.bump();
        }
        true
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        matches!(self.kind(), TokenKind::Keyword(found) if *found == keyword)
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.bump();
        }
        found
    }

    fn require(&mut self, punct: Punct) -> Parsed<()> {
        if self.eat(punct) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{}`", punct.text())))
    }

    fn require_keyword(&mut self, keyword: Keyword) -> Parsed<()> {
        if self.eat_keyword(keyword) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{}`", keyword.text())))
    }

    /// Reports that `expected` was expected instead of the current token.
    fn unexpected(&mut self, expected: &str) -> Failed {
        let diagnostic = self.unexpected_diagnostic(expected);
        self.sink.push(diagnostic);
        Failed
    }

    fn unexpected_diagnostic(&self, expected: &str) -> Diagnostic {
        let found = self.describe();
        let message = format!("expected {expected}, found {found}");
        let diagnostic = Diagnostic::new(Code::UnexpectedToken, self.span(), message);
        match self.kind() {
            // A clause after an operation, attribute or interface.
            TokenKind::Ident(name) => match closest(name, CLAUSES.into_iter()) {
                Some(clause) => diagnostic.hint(format!("did you mean `{clause}`?")),
                None => diagnostic,
            },
            _ => diagnostic,
        }
    }

    /// Describes the current token in messages.
    fn describe(&self) -> String {
        match self.kind() {
            TokenKind::Ident(name) => format!("`{name}`"),
            TokenKind::Keyword(keyword) => format!("`{}`", keyword.text()),
            TokenKind::Punct(_) if self.half_shift => "`>`".into(),
            TokenKind::Punct(punct) => format!("`{}`", punct.text()),
            TokenKind::Integer(_) | TokenKind::Float(_) | TokenKind::Fixed(_) => "a number".into(),
            TokenKind::Char(_) | TokenKind::WChar(_) => "a character".into(),
            TokenKind::Str(_) | TokenKind::WStr(_) => "a string".into(),
            TokenKind::End => "the end of the file".into(),
        }
    }

    /// The semicolon after a definition. When it is missing and the next construct seems to start,
    /// parsing continues as if it were present.
    fn semicolon(&mut self, after: &str) -> Parsed<()> {
        if let Some(missing) = self.missing_semicolon(after)? {
            self.sink.push(missing);
        }
        Ok(())
    }

    /// As [`Parser::semicolon`], where a missing one is a tolerable fault.
    fn tolerable_semicolon(&mut self, after: &str) -> Parsed<()> {
        if let Some(missing) = self.missing_semicolon(after)? {
            self.sink.push_tolerable(missing);
        }
        Ok(())
    }

    fn missing_semicolon(&mut self, after: &str) -> Parsed<Option<Diagnostic>> {
        if self.eat(Punct::Semicolon) || (self.unclosed && self.at_end()) {
            return Ok(None);
        }
        let line_start = self.tokens.get(self.pos).is_none_or(|token| token.line_start);
        let starts = matches!(
            self.kind(),
            TokenKind::Keyword(_) | TokenKind::End | TokenKind::Punct(Punct::CloseBrace)
        );
        if !(line_start || starts) {
            return Err(self.unexpected("`;`"));
        }
        let message = format!("missing `;` after {after}");
        let missing = Diagnostic::new(Code::MissingSemicolon, self.previous().after(), message);
        Ok(Some(missing.hint("add `;` here")))
    }

    /// Runs `inside` one nesting level deeper, or reports that the nesting is too deep.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            let message = format!("this nests more than {MAX_NESTING} levels deep");
            self.sink.error(Code::NestingTooDeep, self.span(), message);
            return Err(Failed);
        }
        self.depth += 1;
        let outcome = inside(self);
        self.depth -= 1;
        outcome
    }

    /// A body in braces: calls `one` for each item until `}`, and recovers from errors.
    fn body(&mut self, what: &str, mut one: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        let open = self.span();
        // A `>>` in here does not close a `<` opened outside.
        let angles = std::mem::take(&mut self.angles);
        let outcome = self.nested(|parser| {
            parser.require(Punct::OpenBrace)?;
            while !parser.at(Punct::CloseBrace) {
                if parser.at_end() {
                    parser.unclosed = true;
                    parser.sink.push(
                        Diagnostic::new(
                            Code::UnclosedBracket,
                            parser.span(),
                            format!("the file ends inside {what}"),
                        )
                        .label(open, "unclosed `{`")
                        .hint("add `};` at its end"),
                    );
                    return Ok(());
                }
                let before = parser.pos;
                if one(parser).is_err() {
                    parser.recover(before);
                }
            }
            parser.bump();
            Ok(())
        });
        self.angles = angles;
        outcome
    }

    /// Adds the pragmas that precede the current token.
    fn take_events(&mut self, items: &mut Vec<Item>) {
        while let Some(event) = self.events.as_slice().first()
            && event.at <= self.pos
        {
            items.push(Item::Event(event.clone()));
            self.events.next();
        }
    }
}
