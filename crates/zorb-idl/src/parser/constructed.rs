//! Structs, exceptions, unions and enums.

use super::{Failed, Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::syntax::{
    CaseItem, Declarator, EnumItem, EnumeratorItem, Item, LabelItem, MemberItem, StructItem,
    UnionItem,
};

impl Parser<'_> {
    /// `struct S { ... }` or `struct S`, up to the semicolon.
    pub(super) fn structure(&mut self) -> Parsed<Item> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the struct's name")?;
        let base =
            if self.eat(Punct::Colon) { Some(self.scoped_name("a base struct")?) } else { None };
        if !self.at(Punct::OpenBrace) && base.is_none() {
            return self.forward(Item::StructForward(name), "struct");
        }
        let mut members = Vec::new();
        self.body("a struct", |parser| parser.member(&mut members))?;
        Ok(Item::Struct(StructItem { name, base, members, docs }))
    }

    pub(super) fn exception(&mut self) -> Parsed<Item> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the exception's name")?;
        let mut members = Vec::new();
        self.body("an exception", |parser| parser.member(&mut members))?;
        Ok(Item::Exception(StructItem { name, base: None, members, docs }))
    }

    pub(super) fn forward(&mut self, item: Item, keyword: &str) -> Parsed<Item> {
        if self.at(Punct::Semicolon) {
            return Ok(item);
        }
        let mut diagnostic = self.unexpected_diagnostic("`{` or `;`");
        if matches!(self.kind(), TokenKind::Ident(_)) {
            let hint = format!("to use a type, write its name without `{keyword}`");
            diagnostic = diagnostic.hint(hint);
        } else if self.at(Punct::Colon) {
            diagnostic = diagnostic.hint(format!("a {keyword} cannot inherit"));
        }
        self.sink.push(diagnostic);
        Err(Failed)
    }

    pub(super) fn member(&mut self, members: &mut Vec<MemberItem>) -> Parsed<()> {
        let annotations = self.annotations()?;
        let docs = self.docs();
        let ty = self.type_spec(true)?;
        let declarators = self.declarators()?;
        members.push(MemberItem { ty, declarators, annotations, docs });
        self.semicolon("a member")
    }

    pub(super) fn declarators(&mut self) -> Parsed<Vec<Declarator>> {
        let mut declarators = vec![self.declarator()?];
        while self.eat(Punct::Comma) {
            declarators.push(self.declarator()?);
        }
        Ok(declarators)
    }

    pub(super) fn declarator(&mut self) -> Parsed<Declarator> {
        let name = self.ident("a name")?;
        let mut dims = Vec::new();
        while self.eat(Punct::OpenSquare) {
            let angles = std::mem::take(&mut self.angles);
            dims.push(self.expression()?);
            self.angles = angles;
            self.require(Punct::CloseSquare)?;
        }
        Ok(Declarator { name, dims })
    }

    /// `union U switch (T) { ... }` or `union U`, up to the semicolon.
    pub(super) fn union(&mut self) -> Parsed<Item> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the union's name")?;
        if !self.at_keyword(Keyword::Switch) {
            if self.at(Punct::OpenBrace) {
                return Err(self.unexpected("`switch (type)`"));
            }
            return self.forward(Item::UnionForward(name), "union");
        }
        self.bump();
        self.require(Punct::OpenParen)?;
        let discriminator_annotations = self.annotations()?;
        let discriminator = self.type_spec(true)?;
        self.require(Punct::CloseParen)?;
        let mut cases = Vec::new();
        let before = self.pos;
        self.body("a union", |parser| parser.case(&mut cases))?;
        if cases.is_empty() && self.pos - before <= 2 {
            let message = "a union needs at least one case";
            self.sink.error(Code::EmptyDefinition, name.span, message);
        }
        Ok(Item::Union(UnionItem { name, discriminator, discriminator_annotations, cases, docs }))
    }

    fn case(&mut self, cases: &mut Vec<CaseItem>) -> Parsed<()> {
        let mut annotations = self.annotations()?;
        let docs = self.docs();
        let mut labels = Vec::new();
        loop {
            if self.at_keyword(Keyword::Default) {
                labels.push(LabelItem::Default(self.span()));
                self.bump();
            } else if self.eat_keyword(Keyword::Case) {
                labels.push(LabelItem::Value(self.expression()?));
            } else {
                break;
            }
            self.require(Punct::Colon)?;
        }
        if labels.is_empty() {
            return Err(self.unexpected("`case` or `default`"));
        }
        annotations.extend(self.annotations()?);
        let docs = self.docs().or(docs);
        let ty = self.type_spec(true)?;
        let declarator = self.declarator()?;
        if self.at(Punct::Comma) {
            let diagnostic = self
                .unexpected_diagnostic("`;`")
                .hint("a case has one member: write a case for each");
            self.sink.push(diagnostic);
            return Err(Failed);
        }
        cases.push(CaseItem { labels, ty, declarator, annotations, docs });
        self.semicolon("a case")
    }

    /// `enum E { ... }`, up to the semicolon.
    pub(super) fn enumeration(&mut self) -> Parsed<Item> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the enum's name")?;
        if self.at(Punct::Semicolon) {
            let diagnostic =
                self.unexpected_diagnostic("`{`").hint("an enum has no forward declaration");
            self.sink.push(diagnostic);
            return Err(Failed);
        }
        let before = self.pos;
        let enumerators = self.enumerators("an enum", "an enumerator's name")?;
        if enumerators.is_empty() && self.pos - before <= 2 {
            self.sink.error(
                Code::EmptyDefinition,
                name.span,
                "an enum needs at least one enumerator",
            );
        }
        Ok(Item::Enum(EnumItem { name, enumerators, docs }))
    }

    /// The enumerators or bits in braces of an enum or bitmask.
    pub(super) fn enumerators(&mut self, whole: &str, what: &str) -> Parsed<Vec<EnumeratorItem>> {
        let mut enumerators = Vec::new();
        self.body(whole, |parser| {
            let annotations = parser.annotations()?;
            let docs = parser.docs();
            let name = parser.ident(what)?;
            enumerators.push(EnumeratorItem { name, docs, annotations });
            if parser.at(Punct::CloseBrace) {
                return Ok(());
            }
            if parser.at(Punct::Equals) {
                let diagnostic = parser
                    .unexpected_diagnostic("`,` or `}`")
                    .hint("values count from 0; set one with `@value(n)` or `@position(n)`");
                parser.sink.push(diagnostic);
                parser.skip_to_comma();
            } else if !parser.at(Punct::Comma) {
                let failed = parser.unexpected("`,` or `}`");
                if !matches!(parser.kind(), TokenKind::Ident(_)) {
                    return Err(failed);
                }
                return Ok(());
            }
            let comma = parser.span();
            if parser.eat(Punct::Comma) && parser.at(Punct::CloseBrace) {
                let message = format!("expected {what} after `,`");
                let found = Diagnostic::new(Code::UnexpectedToken, comma, message);
                parser.sink.push(found.hint("remove the comma"));
            }
            Ok(())
        })?;
        Ok(enumerators)
    }

    fn skip_to_comma(&mut self) {
        while !matches!(
            self.kind(),
            TokenKind::End | TokenKind::Punct(Punct::Comma | Punct::CloseBrace | Punct::Semicolon)
        ) {
            self.bump();
        }
    }
}
