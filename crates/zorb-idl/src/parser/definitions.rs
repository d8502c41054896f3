//! Files, modules, typedefs and constants.

use super::{Failed, Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::syntax::{Expr, InterfaceKind, Item, TypeExpr, TypeKind};

impl Parser<'_> {
    /// Specification: definitions up to the end.
    pub(super) fn file(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            self.take_events(&mut items);
            if self.at_end() {
                return items;
            }
            if self.at(Punct::CloseBrace) {
                let diagnostic =
                    self.unexpected_diagnostic("a definition").hint("this `}` has no matching `{`");
                self.sink.push(diagnostic);
                self.bump();
                self.eat(Punct::Semicolon);
                continue;
            }
            let before = self.pos;
            if self.definition(&mut items).is_err() {
                self.recover(before);
            }
        }
    }

    /// One definition of a file or module.
    fn definition(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if self.eat(Punct::Semicolon) {
            let span = self.previous();
            self.sink.push(
                Diagnostic::new(Code::UnexpectedToken, span, "unexpected `;`").hint("remove it"),
            );
            return Ok(());
        }
        if self.annotation_declaration(items)? {
            return Ok(());
        }
        self.annotated(items, Self::plain_definition)
    }

    /// Annotations and the annotated construct.
    pub(super) fn annotated(
        &mut self,
        items: &mut Vec<Item>,
        one: fn(&mut Self, &mut Vec<Item>) -> Parsed<()>,
    ) -> Parsed<()> {
        let annotations = self.annotations()?;
        if annotations.is_empty() {
            return one(self, items);
        }
        let mut list = Vec::new();
        let outcome = one(self, &mut list);
        if let Some(item) = list.pop() {
            items.append(&mut list);
            items.push(Item::Annotated(annotations, Box::new(item)));
        }
        outcome
    }

    fn plain_definition(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if self.modified(items)? || self.common_definition(items)? {
            return Ok(());
        }
        match self.kind() {
            TokenKind::Keyword(Keyword::Module) => self.module(items),
            TokenKind::Keyword(Keyword::Interface) => self.interface(items, InterfaceKind::Plain),
            TokenKind::Keyword(Keyword::Component) => self.component(items),
            TokenKind::Keyword(Keyword::Home) => self.home(items),
            TokenKind::Ident(word)
                if &**word == "pseudo" && self.is_keyword_next(Keyword::Interface) =>
            {
                let found = self.unexpected_diagnostic("a definition");
                self.sink.push_tolerable(found.hint("pseudo-interfaces are `local` today"));
                self.bump();
                self.interface(items, InterfaceKind::Pseudo)
            }
            TokenKind::Ident(_) if self.at_definition_word("porttype") => self.port_type(items),
            TokenKind::Ident(_) if self.at_definition_word("connector") => self.connector(items),
            TokenKind::Ident(_) if self.template_depth > 0 && self.at_definition_word("alias") => {
                self.alias(items)
            }
            TokenKind::Keyword(Keyword::Native) => self.native(items),
            TokenKind::Keyword(Keyword::Import) => self.import(items),
            TokenKind::Keyword(Keyword::TypeId) => self.type_id(items),
            TokenKind::Keyword(Keyword::TypePrefix) => self.type_prefix(items),
            TokenKind::Keyword(
                Keyword::Oneway | Keyword::Attribute | Keyword::Readonly | Keyword::Void,
            ) => {
                let diagnostic = self
                    .unexpected_diagnostic("a definition")
                    .hint("declare operations and attributes inside an interface");
                self.sink.push(diagnostic);
                Err(Failed)
            }
            _ => {
                let diagnostic = self.unexpected_diagnostic("a definition").hint(
                    "a definition starts with `module`, `interface`, `struct`, `union`, `enum`, \
                     `exception`, `typedef` or `const`",
                );
                self.sink.push(diagnostic);
                Err(Failed)
            }
        }
    }

    /// A definition that both modules and interfaces may contain; returns whether there was one.
    pub(super) fn common_definition(&mut self, items: &mut Vec<Item>) -> Parsed<bool> {
        let item = match self.kind() {
            TokenKind::Keyword(Keyword::Struct) => self.structure()?,
            TokenKind::Keyword(Keyword::Union) => self.union()?,
            TokenKind::Keyword(Keyword::Enum) => self.enumeration()?,
            TokenKind::Keyword(Keyword::Exception) => self.exception()?,
            TokenKind::Keyword(Keyword::Typedef) => self.typedef()?,
            TokenKind::Keyword(Keyword::Const) => self.constant()?,
            _ => match self.idl4_definition()? {
                Some(item) => item,
                None => return Ok(false),
            },
        };
        let after = match &item {
            Item::Struct(_) | Item::StructForward(_) => "a struct",
            Item::Union(_) | Item::UnionForward(_) => "a union",
            Item::Enum(_) => "an enum",
            Item::Bitmask(_) => "a bitmask",
            Item::Bitset(_) => "a bitset",
            Item::Exception(_) => "an exception",
            Item::Typedef { .. } => "a typedef",
            _ => "a constant",
        };
        items.push(item);
        self.semicolon(after)?;
        Ok(true)
    }

    fn is_keyword_next(&self, keyword: Keyword) -> bool {
        matches!(self.kind_at(1), TokenKind::Keyword(next) if *next == keyword)
    }

    fn module(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        self.bump();
        if !matches!(self.kind_at(1), TokenKind::Punct(Punct::OpenBrace)) {
            let name = self.scoped_name("the module's name")?;
            if self.at(Punct::Less) {
                return self.template(name, docs, items);
            }
            return Err(self.unexpected("`{`"));
        }
        let name = self.ident("the module's name")?;
        let mut inside = Vec::new();
        self.module_body(&mut inside)?;
        items.push(Item::Module { name, items: inside, docs });
        self.semicolon("a module")
    }

    /// The body of a module.
    pub(super) fn module_body(&mut self, inside: &mut Vec<Item>) -> Parsed<()> {
        self.body("a module", |parser| {
            parser.take_events(inside);
            if parser.at(Punct::CloseBrace) {
                return Ok(());
            }
            parser.definition(inside)
        })?;
        // Pragmas directly before the closing brace; the brace is already consumed.
        self.pos -= 1;
        self.take_events(inside);
        self.pos += 1;
        Ok(())
    }

    pub(super) fn type_id(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let start = self.span();
        self.bump();
        let name = self.scoped_name("a name")?;
        let TokenKind::Str(id) = self.kind().clone() else {
            return Err(self.unexpected("a repository id in quotes"));
        };
        self.bump();
        items.push(Item::TypeId { name, id, span: start.to(self.previous()) });
        self.semicolon("typeid")
    }

    pub(super) fn type_prefix(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let start = self.span();
        self.bump();
        let name = self.scoped_name("a name")?;
        let TokenKind::Str(prefix) = self.kind().clone() else {
            return Err(self.unexpected("a prefix in quotes"));
        };
        self.bump();
        items.push(Item::TypePrefix { name, prefix, span: start.to(self.previous()) });
        self.tolerable_semicolon("typeprefix")
    }

    fn typedef(&mut self) -> Parsed<Item> {
        let docs = self.docs();
        self.bump();
        let ty = self.type_spec(true)?;
        let declarators = self.declarators()?;
        Ok(Item::Typedef { ty, declarators, docs })
    }

    /// A type; `fixed` has no parameters here, because the value determines its digits and scale.
    fn constant_type(&mut self) -> Parsed<TypeExpr> {
        let span = self.span();
        let alone = !matches!(self.kind_at(1), TokenKind::Punct(Punct::Less));
        if alone && self.eat_keyword(Keyword::Fixed) {
            return Ok(TypeExpr { kind: TypeKind::AnyFixed, span });
        }
        self.type_spec(false)
    }

    fn constant(&mut self) -> Parsed<Item> {
        let docs = self.docs();
        self.bump();
        let ty = self.constant_type()?;
        let name = self.ident("the constant's name")?;
        self.require(Punct::Equals)?;
        let value: Expr = self.expression()?;
        Ok(Item::Const { ty, name, value, docs })
    }
}
