//! Files, modules, structs, unions, enums, exceptions, typedefs and constants.

use super::{Failed, Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::syntax::{
    CaseItem, Declarator, EnumItem, EnumeratorItem, Expr, InterfaceKind, Item, LabelItem,
    MemberItem, StructItem, TypeExpr, TypeKind, UnionItem,
};

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

    fn exception(&mut self) -> Parsed<Item> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the exception's name")?;
        let mut members = Vec::new();
        self.body("an exception", |parser| parser.member(&mut members))?;
        Ok(Item::Exception(StructItem { name, base: None, members, docs }))
    }

    fn forward(&mut self, item: Item, keyword: &str) -> Parsed<Item> {
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

    fn member(&mut self, members: &mut Vec<MemberItem>) -> Parsed<()> {
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

    fn declarator(&mut self) -> Parsed<Declarator> {
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
