//! Identifiers, scoped names and lists of them.

use super::{Failed, Parsed, Parser};
use crate::lexer::{Punct, TokenKind};
use crate::syntax::{Ident, ScopedName};

impl Parser<'_> {
    /// An identifier in a definition.
    pub(super) fn ident(&mut self, what: &str) -> Parsed<Ident> {
        match self.kind() {
            TokenKind::Ident(text) => {
                let ident = Ident { text: text.clone(), span: self.span() };
                self.bump();
                Ok(ident)
            }
            TokenKind::Keyword(keyword) => {
                let text = keyword.text();
                let is_scoped =
                    matches!(self.previous_kind(), Some(TokenKind::Punct(Punct::Scope)));
                let hint = match is_scoped {
                    true => format!("write `{text}` without a scope, or `_{text}` for a name"),
                    false => format!("write `_{text}` to use the word as a name"),
                };
                let diagnostic = self.unexpected_diagnostic(what).note("a keyword").hint(hint);
                self.sink.push(diagnostic);
                // A keyword where an identifier is expected is taken as the identifier, unless the
                // identifier seems to be missing.
                let next = self.kind_at(1);
                let name_follows = matches!(
                    next,
                    TokenKind::Punct(
                        Punct::Semicolon
                            | Punct::Comma
                            | Punct::OpenBrace
                            | Punct::OpenParen
                            | Punct::CloseParen
                            | Punct::CloseBrace
                            | Punct::Equals
                            | Punct::OpenSquare
                            | Punct::Colon
                    )
                );
                if !name_follows {
                    return Err(Failed);
                }
                let ident = Ident { text: text.into(), span: self.span() };
                self.bump();
                Ok(ident)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// `A::B` or `::A::B`
    pub(super) fn scoped_name(&mut self, what: &str) -> Parsed<ScopedName> {
        let start = self.span();
        let absolute = self.eat(Punct::Scope);
        let mut parts = vec![self.ident(what)?];
        while self.eat(Punct::Scope) {
            parts.push(self.ident("a name after `::`")?);
        }
        Ok(ScopedName { absolute, parts, span: start.to(self.previous()) })
    }

    /// `A, B, C` in parentheses.
    pub(super) fn name_list(&mut self, what: &str) -> Parsed<Vec<ScopedName>> {
        self.require(Punct::OpenParen)?;
        let mut names = vec![self.scoped_name(what)?];
        while self.eat(Punct::Comma) {
            names.push(self.scoped_name(what)?);
        }
        self.require(Punct::CloseParen)?;
        Ok(names)
    }
}
