//! Converts preprocessing tokens to tokens of IDL.

mod keyword;
mod literal;
mod pp_token;
mod token;

use std::rc::Rc;

pub(crate) use keyword::{Keyword, Punct};
pub(crate) use pp_token::{PpKind, PpToken};
pub(crate) use token::{Token, TokenKind};

use self::literal::Pending;
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::limits::MAX_PASTED_BYTES;
use crate::source::{SourceMap, Span};

/// Collects tokens and concatenates adjacent string literals.
#[derive(Debug)]
pub(crate) struct Lexer {
    tokens: Vec<Token>,
    pending: Option<Pending>,
    last: Option<Span>,
    string_bytes_left: usize,
    annotation: Annotation,
}

/// Whether the next token is part of an annotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Annotation {
    #[default]
    Outside,
    /// After an `@` or a `::`.
    Name,
    Named,
    /// In this number of open parentheses.
    Arguments(u32),
}

impl Annotation {
    fn after(self, kind: &TokenKind) -> Self {
        match (self, kind) {
            (_, TokenKind::Punct(Punct::At)) => Self::Name,
            (Self::Name | Self::Named, TokenKind::Punct(Punct::Scope)) => Self::Name,
            (Self::Name, TokenKind::Ident(_) | TokenKind::Keyword(_)) => Self::Named,
            (Self::Named, TokenKind::Punct(Punct::OpenParen)) => Self::Arguments(1),
            (Self::Arguments(open), TokenKind::Punct(punct)) => match punct {
                Punct::OpenParen => Self::Arguments(open.saturating_add(1)),
                Punct::CloseParen if open > 1 => Self::Arguments(open - 1),
                Punct::CloseParen | Punct::Semicolon | Punct::OpenBrace => Self::Outside,
                _ => self,
            },
            (Self::Arguments(_), _) => self,
            _ => Self::Outside,
        }
    }
}

impl Default for Lexer {
    fn default() -> Self {
        Self {
            tokens: Vec::new(),
            pending: None,
            last: None,
            string_bytes_left: MAX_PASTED_BYTES,
            annotation: Annotation::Outside,
        }
    }
}

impl Lexer {
    /// The number of tokens, including a pending string literal.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len() + usize::from(self.pending.is_some())
    }

    /// The number of tokens, excluding a pending string literal.
    pub(crate) fn len_settled(&self) -> usize {
        self.len()
    }

    /// Adds a preprocessing token.
    pub(crate) fn push(&mut self, token: &PpToken, sources: &SourceMap, sink: &mut Sink) {
        self.last = Some(token.span);
        let kind = match token.kind {
            PpKind::Str | PpKind::WideStr => {
                self.string(token, sink);
                return;
            }
            PpKind::Ident => match self.boolean_argument(&token.text) {
                Some(keyword) => TokenKind::Keyword(keyword),
                None => ident(token, sources, sink),
            },
            PpKind::Number => literal::number(&token.text, token.span, sink),
            PpKind::Char | PpKind::WideChar => literal::character(&token.text, token.span, sink),
            PpKind::Punct => match Punct::from_text(&token.text) {
                Some(punct) => TokenKind::Punct(punct),
                None => return unexpected(token, sink),
            },
            PpKind::Other => return unexpected(token, sink),
        };
        self.settle();
        self.annotation = self.annotation.after(&kind);
        self.tokens.push(Token {
            kind,
            span: token.span,
            docs: token.docs.clone(),
            line_start: token.line_start,
        });
    }

    /// `true` or `false` as an argument of an annotation: published IDL has them in any case.
    fn boolean_argument(&self, text: &str) -> Option<Keyword> {
        if !matches!(self.annotation, Annotation::Arguments(_)) {
            return None;
        }
        [Keyword::True, Keyword::False]
            .into_iter()
            .find(|keyword| keyword.text().eq_ignore_ascii_case(text))
    }

    fn string(&mut self, token: &PpToken, sink: &mut Sink) {
        let wide = token.kind == PpKind::WideStr;
        match &self.pending {
            Some(pending) if pending.wide != wide => {
                let message = "a wide and a narrow string literal cannot be concatenated";
                sink.push(
                    Diagnostic::new(Code::MixedConcatenation, token.span, message)
                        .label(pending.span, "concatenated with this literal")
                        .hint("prefix both literals with `L`, or neither"),
                );
            }
            Some(_) => {}
            None => self.pending = Some(Pending::new(wide, token)),
        }
        let Some(left) = self.string_bytes_left.checked_sub(token.text.len()) else {
            sink.error(Code::SourceTooLarge, token.span, "string literals contain too much text");
            return;
        };
        self.string_bytes_left = left;
        if let Some(pending) = &mut self.pending {
            pending.add(&token.text, token.span, sink);
        }
    }

    fn settle(&mut self) {
        if let Some(pending) = self.pending.take() {
            self.tokens.push(pending.finish());
        }
    }

    /// All tokens, followed by an end token.
    pub(crate) fn finish(mut self) -> Vec<Token> {
        self.settle();
        let span = self.last.map_or(Span::new(crate::source::FileId(0), 0, 0), Span::after);
        self.tokens.push(Token { kind: TokenKind::End, span, docs: None, line_start: true });
        self.tokens
    }
}

fn ident(token: &PpToken, sources: &SourceMap, sink: &mut Sink) -> TokenKind {
    if let Some(strange) = token.text.chars().find(|char| !char.is_ascii()) {
        let message = format!("`{strange}` is not valid in an identifier");
        sink.push(
            Diagnostic::new(Code::UnexpectedCharacter, token.span, message)
                .hint("identifiers consist of ASCII letters, digits and underscores"),
        );
    }
    if let Some(escaped) = token.text.strip_prefix('_')
        && !escaped.is_empty()
    {
        return TokenKind::Ident(escaped.into());
    }
    if let Some(keyword) = Keyword::from_text(&token.text) {
        return TokenKind::Keyword(keyword);
    }
    if let Some(keyword) = Keyword::from_text_any_case(&token.text)
        && !sources.file(token.span.file).is_built_in()
    {
        let code = if keyword.is_new() { Code::NewKeywordCase } else { Code::KeywordCase };
        let message =
            format!("`{}` differs from the keyword `{}` only in case", token.text, keyword.text());
        sink.push(Diagnostic::new(code, token.span, message).hint(format!(
            "write `{}` for the keyword, or escape the identifier as `_{}`",
            keyword.text(),
            token.text
        )));
        // `TRUE` and `FALSE` cannot be identifiers: the keyword is meant.
        if matches!(keyword, Keyword::True | Keyword::False) {
            return TokenKind::Keyword(keyword);
        }
    }
    TokenKind::Ident(Rc::clone(&token.text))
}

fn unexpected(token: &PpToken, sink: &mut Sink) {
    let shown: String = token.text.chars().flat_map(char::escape_debug).collect();
    let message = format!("`{shown}` is not valid in IDL");
    let mut diagnostic = Diagnostic::new(Code::UnexpectedCharacter, token.span, message);
    if token.is_punct("#") {
        diagnostic = diagnostic.hint("a directive must be the first token on its line");
    }
    sink.push(diagnostic);
}
