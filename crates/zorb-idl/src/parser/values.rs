//! Valuetypes, native types and imports.

use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::model::{Direction, Visibility};
use crate::syntax::{InitializerItem, InterfaceKind, Item, MemberItem, ScopedName, ValueItem};

impl Parser<'_> {
    /// A construct that starts with `abstract`, `custom`, `local` or `valuetype`; returns whether
    /// there was one.
    pub(super) fn modified(&mut self, items: &mut Vec<Item>) -> Parsed<bool> {
        let TokenKind::Keyword(word) = self.kind() else { return Ok(false) };
        match word {
            Keyword::ValueType | Keyword::EventType => self.value(items, false, false)?,
            Keyword::Local => {
                self.bump();
                if !self.at_keyword(Keyword::Interface) {
                    return Err(self.unexpected("`interface` after `local`"));
                }
                self.interface(items, InterfaceKind::Local)?;
            }
            Keyword::Custom => {
                self.bump();
                if !self.at_keyword(Keyword::ValueType) && !self.at_keyword(Keyword::EventType) {
                    return Err(self.unexpected("`valuetype` or `eventtype` after `custom`"));
                }
                self.value(items, false, true)?;
            }
            Keyword::Abstract => {
                self.bump();
                match self.kind() {
                    TokenKind::Keyword(Keyword::Interface) => {
                        self.interface(items, InterfaceKind::Abstract)?;
                    }
                    TokenKind::Keyword(Keyword::ValueType | Keyword::EventType) => {
                        self.value(items, true, false)?;
                    }
                    _ => {
                        return Err(self.unexpected(
                            "`interface`, `valuetype` or `eventtype` after `abstract`",
                        ));
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `valuetype V ...`, a box or a forward declaration.
    fn value(&mut self, items: &mut Vec<Item>, is_abstract: bool, is_custom: bool) -> Parsed<()> {
        let docs = self.docs();
        let is_event = self.at_keyword(Keyword::EventType);
        self.bump();
        let name = self.ident("the valuetype's name")?;
        if self.at(Punct::Semicolon) && !is_custom {
            items.push(Item::ValueForward { name, is_event, is_abstract });
            return self.semicolon("a valuetype");
        }
        let plain = !is_abstract && !is_custom && !is_event;
        let opens = self.at(Punct::Colon)
            || self.at(Punct::OpenBrace)
            || self.at_keyword(Keyword::Supports);
        if !opens && plain {
            let ty = self.type_spec(true)?;
            items.push(Item::ValueBox { name, ty, docs });
            return self.semicolon("a value box");
        }
        if !opens {
            return Err(self.unexpected("`{`, `:` or `supports`"));
        }
        let mut item = ValueItem {
            name,
            is_event,
            is_abstract,
            is_custom,
            truncatable: None,
            bases: Vec::new(),
            supports: Vec::new(),
            items: Vec::new(),
            docs,
        };
        self.value_header(&mut item)?;
        self.body("a valuetype", |parser| {
            parser.take_events(&mut item.items);
            if parser.at(Punct::CloseBrace) {
                return Ok(());
            }
            parser.value_element(&mut item.items)
        })?;
        self.pos -= 1;
        self.take_events(&mut item.items);
        self.pos += 1;
        items.push(Item::Value(item));
        self.semicolon("a valuetype")
    }

    /// `: truncatable A, B supports I, J`
    fn value_header(&mut self, item: &mut ValueItem) -> Parsed<()> {
        if self.eat(Punct::Colon) {
            if self.at_keyword(Keyword::Truncatable) {
                item.truncatable = Some(self.span());
                self.bump();
            }
            item.bases = self.base_list("a base valuetype")?;
        }
        if self.eat_keyword(Keyword::Supports) {
            item.supports = self.base_list("a supported interface")?;
        }
        Ok(())
    }

    /// `A, B, C`
    pub(super) fn base_list(&mut self, what: &str) -> Parsed<Vec<ScopedName>> {
        let mut names = vec![self.scoped_name(what)?];
        while self.eat(Punct::Comma) {
            names.push(self.scoped_name(what)?);
        }
        Ok(names)
    }

    /// A declaration inside a valuetype.
    fn value_element(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.annotated(items, Self::plain_value_element)
    }

    fn plain_value_element(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        let visibility = match self.kind() {
            TokenKind::Keyword(Keyword::Public) => Visibility::Public,
            TokenKind::Keyword(Keyword::Private) => Visibility::Private,
            TokenKind::Keyword(Keyword::Factory) => return self.initializer(items),
            _ => return self.export(items),
        };
        self.bump();
        let ty = self.type_spec(true)?;
        let declarators = self.declarators()?;
        let member = MemberItem { ty, declarators, annotations: Vec::new(), docs };
        items.push(Item::State { visibility, member });
        self.semicolon("a member")
    }

    /// `factory create(in long x) raises (E);`
    pub(super) fn initializer(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the initializer's name")?;
        if !self.at(Punct::OpenParen) {
            return Err(self.unexpected("`(`"));
        }
        let params = self.params()?;
        for param in &params {
            if param.direction != Direction::In {
                let message = format!("`{}` is not an `in` parameter", param.name.text);
                self.sink.push(
                    Diagnostic::new(Code::InitializerParameter, param.name.span, message)
                        .hint("an initializer returns only the new value"),
                );
            }
        }
        let mut raises = Vec::new();
        if self.eat_keyword(Keyword::Raises) {
            raises = self.name_list("an exception's name")?;
        }
        items.push(Item::Initializer(InitializerItem { name, params, raises, docs }));
        self.semicolon("an initializer")
    }

    /// `native N;`
    pub(super) fn native(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the native type's name")?;
        items.push(Item::Native(name, docs));
        self.semicolon("a native type")
    }

    /// `import A::B;` or `import "IDL:A/B:1.0";`
    pub(super) fn import(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        if let TokenKind::Str(id) = self.kind().clone() {
            items.push(Item::ImportId(id, self.span()));
            self.bump();
        } else {
            items.push(Item::Import(self.scoped_name("a scope's name, or its id in quotes")?));
        }
        self.semicolon("import")
    }
}
