//! What is recognised, refused and skipped.

use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::syntax::Item;

impl Parser<'_> {
    /// A construct that is not supported yet; false when there is none.
    pub(super) fn unsupported(&mut self, items: &mut Vec<Item>) -> Parsed<bool> {
        let start = self.span();
        let next = match self.kind_at(1) {
            TokenKind::Keyword(keyword) => Some(*keyword),
            _ => None,
        };
        let (code, words) = match self.kind() {
            TokenKind::Keyword(keyword) => match (keyword, next) {
                (Keyword::Abstract | Keyword::Custom, Some(Keyword::EventType)) => {
                    (Code::EventTypeUnsupported, 2)
                }
                (Keyword::EventType, _) => (Code::EventTypeUnsupported, 1),
                (Keyword::Component | Keyword::Home, _) => (Code::ComponentUnsupported, 1),
                _ => return Ok(false),
            },
            // IDL 4 words are ordinary names here, unless a name follows where none could.
            TokenKind::Ident(word)
                if matches!(self.kind_at(1), TokenKind::Ident(_))
                    && matches!(
                        self.kind_at(2),
                        TokenKind::Punct(Punct::OpenBrace | Punct::Colon)
                    ) =>
            {
                match &**word {
                    "porttype" | "connector" => (Code::ComponentUnsupported, 1),
                    _ => return Ok(false),
                }
            }
            _ => return Ok(false),
        };
        for _ in 0..words {
            self.bump();
        }
        let span = start.to(self.previous());
        let name = match self.kind() {
            TokenKind::Ident(text) => {
                Some(crate::syntax::Ident { text: text.clone(), span: self.span() })
            }
            _ => None,
        };
        let message = code.info().title;
        self.sink.push(Diagnostic::new(code, span, message));
        if let Some(name) = name {
            items.push(Item::Unsupported { name });
        }
        self.skip_construct();
        Ok(true)
    }

    /// Skips the rest of a construct: to its `;`, or over its braces and their `;`.
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
