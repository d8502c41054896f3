//! Continuing behind an error.

use super::Parser;
use crate::lexer::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// Skips to the probable start of the next item or member: past the next `;` on this level,
    /// before the `}` that ends it, or before a keyword that starts a definition. `before` is the
    /// start of the failed item.
    pub(super) fn recover(&mut self, before: usize) {
        self.angles = 0;
        let mut open = 0_usize;
        while !self.at_end() {
            match self.kind() {
                TokenKind::Punct(Punct::OpenBrace) => open += 1,
                TokenKind::Punct(Punct::CloseBrace) if open == 0 => return,
                TokenKind::Punct(Punct::CloseBrace) => {
                    open -= 1;
                    if open == 0 {
                        self.bump();
                        self.eat(Punct::Semicolon);
                        return;
                    }
                }
                TokenKind::Punct(Punct::Semicolon) if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::Keyword(keyword)
                    if open == 0 && self.pos > before && starts_definition(*keyword) =>
                {
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips the rest of a construct: to its `;`, or past its braces and their `;`.
    pub(super) fn skip_construct(&mut self) {
        let mut open = 0_usize;
        while !self.at_end() {
            let (before, at_open) = (open, self.at(Punct::OpenBrace));
            if at_open {
                open += 1;
            } else if self.at(Punct::CloseBrace) {
                if open == 0 {
                    return;
                }
                open -= 1;
            } else if open == 0 && self.eat(Punct::Semicolon) {
                return;
            }
            self.bump();
            if before == 1 && open == 0 {
                self.eat(Punct::Semicolon);
                return;
            }
        }
    }
}

const fn starts_definition(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Module
            | Keyword::Interface
            | Keyword::Struct
            | Keyword::Union
            | Keyword::Enum
            | Keyword::Exception
            | Keyword::Typedef
            | Keyword::Const
            | Keyword::ValueType
            | Keyword::EventType
            | Keyword::Component
            | Keyword::Home
            | Keyword::Provides
            | Keyword::Uses
            | Keyword::Emits
            | Keyword::Publishes
            | Keyword::Consumes
            | Keyword::Finder
            | Keyword::Public
            | Keyword::Private
            | Keyword::Factory
            | Keyword::Attribute
            | Keyword::Readonly
            | Keyword::Oneway
            | Keyword::Case
            | Keyword::Default
    )
}
