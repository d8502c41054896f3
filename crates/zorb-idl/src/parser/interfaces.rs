//! Interfaces, operations and attributes.

use std::rc::Rc;

use super::{Failed, Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::model::{Direction, Type};
use crate::source::Span;
use crate::syntax::{
    AttributeItem, InterfaceItem, InterfaceKind, Item, OperationItem, ParamItem, TypeExpr, TypeKind,
};

impl Parser<'_> {
    /// `interface I : A, B { ... };` or `interface I;`
    pub(super) fn interface(&mut self, items: &mut Vec<Item>, kind: InterfaceKind) -> Parsed<()> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the interface's name")?;
        if self.eat(Punct::Semicolon) {
            items.push(Item::InterfaceForward(name, kind));
            return Ok(());
        }
        let mut bases = Vec::new();
        if self.eat(Punct::Colon) {
            bases = self.base_list("a base interface")?;
        }
        if !self.at(Punct::OpenBrace) {
            let expected = if bases.is_empty() { "`{`, `:` or `;`" } else { "`{`" };
            return Err(self.unexpected(expected));
        }
        let mut inside = Vec::new();
        self.body("an interface", |parser| {
            parser.take_events(&mut inside);
            if parser.at(Punct::CloseBrace) {
                return Ok(());
            }
            parser.export(&mut inside)
        })?;
        self.pos -= 1;
        self.take_events(&mut inside);
        self.pos += 1;
        items.push(Item::Interface(InterfaceItem { kind, name, bases, items: inside, docs }));
        self.semicolon("an interface")
    }

    /// A declaration inside an interface.
    pub(super) fn export(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if self.eat(Punct::Semicolon) {
            let span = self.previous();
            self.sink.push(
                Diagnostic::new(Code::UnexpectedToken, span, "unexpected `;`").hint("remove it"),
            );
            return Ok(());
        }
        self.annotated(items, Self::plain_export)
    }

    fn plain_export(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if self.common_definition(items)? {
            return Ok(());
        }
        match self.kind() {
            TokenKind::Keyword(Keyword::Attribute | Keyword::Readonly) => self.attribute(items),
            TokenKind::Keyword(Keyword::Native) => self.native(items),
            TokenKind::Keyword(Keyword::TypeId) => self.type_id(items),
            TokenKind::Keyword(Keyword::TypePrefix) => self.type_prefix(items),
            TokenKind::Keyword(
                word @ (Keyword::Module
                | Keyword::Interface
                | Keyword::Abstract
                | Keyword::Local
                | Keyword::Custom
                | Keyword::Component
                | Keyword::Home
                | Keyword::EventType
                | Keyword::ValueType),
            ) => {
                let hint = match word {
                    Keyword::Module => "move the module out of the interface",
                    Keyword::Interface | Keyword::Local => "move it out of this interface",
                    _ => "move it out of the interface",
                };
                let diagnostic =
                    self.unexpected_diagnostic("an operation, attribute or type").hint(hint);
                self.sink.push(diagnostic);
                // Skip its braces, so that its contents are not taken for ours.
                self.bump();
                self.skip_construct();
                Ok(())
            }
            _ => self.operation(items),
        }
    }

    fn operation(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        let oneway = self.eat_keyword(Keyword::Oneway);
        let result = if self.at_keyword(Keyword::Void) {
            let span = self.span();
            self.bump();
            TypeExpr { kind: TypeKind::Basic(Type::Void), span }
        } else {
            self.type_spec(false)?
        };
        let name = self.ident("the operation's name")?;
        if !self.at(Punct::OpenParen) {
            let mut diagnostic = self.unexpected_diagnostic("`(`");
            if self.at(Punct::Semicolon) {
                diagnostic = diagnostic.hint(
                    "an operation without parameters is written with `()`; an attribute starts \
                     with `attribute`",
                );
            }
            self.sink.push(diagnostic);
            return Err(Failed);
        }
        let params = self.params()?;
        let mut raises = Vec::new();
        if self.eat_keyword(Keyword::Raises) {
            raises = self.name_list("an exception's name")?;
        }
        let contexts =
            if self.at_keyword(Keyword::Context) { self.contexts()? } else { Vec::new() };
        items.push(Item::Operation(OperationItem {
            name,
            oneway,
            result,
            params,
            raises,
            contexts,
            docs,
        }));
        self.tolerable_semicolon("an operation")
    }

    /// `context ("A", "B.*")`
    fn contexts(&mut self) -> Parsed<Vec<(Rc<str>, Span)>> {
        self.bump();
        self.require(Punct::OpenParen)?;
        let mut names = Vec::new();
        loop {
            let TokenKind::Str(name) = self.kind().clone() else {
                return Err(self.unexpected("a property's name in quotes"));
            };
            names.push((name, self.span()));
            self.bump();
            if self.eat(Punct::CloseParen) {
                return Ok(names);
            }
            self.require(Punct::Comma)?;
        }
    }

    pub(super) fn params(&mut self) -> Parsed<Vec<ParamItem>> {
        self.require(Punct::OpenParen)?;
        let mut params = Vec::new();
        if self.eat(Punct::CloseParen) {
            return Ok(params);
        }
        if self.at_keyword(Keyword::Void)
            && matches!(self.kind_at(1), TokenKind::Punct(Punct::CloseParen))
        {
            let message = "`void` is not a parameter type";
            let found = Diagnostic::new(Code::VoidType, self.span(), message);
            self.sink.push(found.hint("write `()`"));
            self.bump();
            self.bump();
            return Ok(params);
        }
        loop {
            params.push(self.param()?);
            if self.eat(Punct::CloseParen) {
                return Ok(params);
            }
            if !self.eat(Punct::Comma) {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }

    fn param(&mut self) -> Parsed<ParamItem> {
        let mut annotations = self.annotations()?;
        let docs = self.docs();
        let direction = match self.kind() {
            TokenKind::Keyword(Keyword::In) => Some(Direction::In),
            TokenKind::Keyword(Keyword::Out) => Some(Direction::Out),
            TokenKind::Keyword(Keyword::InOut) => Some(Direction::InOut),
            _ => None,
        };
        if direction.is_some() {
            self.bump();
        } else if matches!(self.kind(), TokenKind::Ident(_) | TokenKind::Keyword(_))
            || self.at(Punct::Scope)
        {
            self.sink.push(
                Diagnostic::new(Code::MissingDirection, self.span(), "missing parameter direction")
                    .hint("write `in`, `out` or `inout` before its type"),
            );
        } else {
            return Err(self.unexpected("a parameter"));
        }
        annotations.extend(self.annotations()?);
        let ty = self.type_spec(false)?;
        let name = self.ident("the parameter's name")?;
        if self.at(Punct::OpenSquare) {
            let diagnostic = self
                .unexpected_diagnostic("`,` or `)`")
                .hint("define the array type with a typedef");
            self.sink.push(diagnostic);
            return Err(Failed);
        }
        Ok(ParamItem { annotations, direction: direction.unwrap_or(Direction::In), name, ty, docs })
    }

    pub(super) fn attribute(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        let readonly = self.eat_keyword(Keyword::Readonly);
        self.require_keyword(Keyword::Attribute)?;
        let ty = self.type_spec(false)?;
        let mut names = vec![self.ident("the attribute's name")?];
        while self.eat(Punct::Comma) {
            names.push(self.ident("an attribute's name")?);
        }
        let (mut get_raises, mut set_raises) = (Vec::new(), Vec::new());
        loop {
            let (word, hint) = match self.kind() {
                TokenKind::Keyword(Keyword::Raises) if readonly => (Keyword::Raises, None),
                TokenKind::Keyword(Keyword::Raises) => {
                    (Keyword::Raises, Some("use `getraises (...)`, `setraises (...)` or both"))
                }
                TokenKind::Keyword(Keyword::GetRaises) if readonly => {
                    (Keyword::GetRaises, Some("use `raises (...)` for a readonly attribute"))
                }
                TokenKind::Keyword(Keyword::GetRaises) => (Keyword::GetRaises, None),
                TokenKind::Keyword(Keyword::SetRaises) if readonly => {
                    (Keyword::SetRaises, Some("a readonly attribute cannot be set"))
                }
                TokenKind::Keyword(Keyword::SetRaises) => (Keyword::SetRaises, None),
                _ => break,
            };
            let span = self.span();
            self.bump();
            let list = self.name_list("an exception's name")?;
            let repeated = match word {
                Keyword::SetRaises => !set_raises.is_empty(),
                _ => !get_raises.is_empty(),
            };
            let several = (names.len() > 1).then_some("declare each attribute separately");
            let repeated = repeated.then_some("merge the exceptions into one list");
            if let Some(hint) = hint.or(several).or(repeated) {
                let message = format!("`{}` is not valid for this attribute", word.text());
                self.sink.push(Diagnostic::new(Code::AttributeRaises, span, message).hint(hint));
            }
            match word {
                Keyword::SetRaises => set_raises = list,
                _ => get_raises = list,
            }
        }
        items.push(Item::Attribute(AttributeItem {
            readonly,
            ty,
            names,
            get_raises,
            set_raises,
            docs,
        }));
        self.semicolon("an attribute")
    }
}
