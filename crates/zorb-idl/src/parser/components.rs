//! Components, homes, port types and connectors.

use super::{Failed, Parsed, Parser};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::syntax::{
    ComponentItem, HomeItem, Item, PortItem, PortItemKind, PortTypeItem, ScopedName,
};

impl Parser<'_> {
    /// `component C : B supports I { ... };` or `component C;`
    pub(super) fn component(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the component's name")?;
        if self.eat(Punct::Semicolon) {
            items.push(Item::ComponentForward(name));
            return Ok(());
        }
        let base = self.one_base("a base component")?;
        let mut supports = Vec::new();
        if self.eat_keyword(Keyword::Supports) {
            supports = self.base_list("a supported interface")?;
        }
        let inside = self.port_body("a component", true)?;
        let connector = false;
        items.push(Item::Component(ComponentItem {
            connector,
            name,
            base,
            supports,
            items: inside,
            docs,
        }));
        self.semicolon("a component")
    }

    /// `connector C : B { ... };`
    pub(super) fn connector(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the connector's name")?;
        let base = self.one_base("a base connector")?;
        let inside = self.port_body("a connector", false)?;
        let (connector, supports) = (true, Vec::new());
        items.push(Item::Component(ComponentItem {
            connector,
            name,
            base,
            supports,
            items: inside,
            docs,
        }));
        self.semicolon("a connector")
    }

    /// `porttype P { ... };`
    pub(super) fn port_type(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the port type's name")?;
        let inside = self.port_body("a port type", false)?;
        items.push(Item::PortType(PortTypeItem { name, items: inside, docs }));
        self.semicolon("a port type")
    }

    /// `: Base`
    fn one_base(&mut self, what: &str) -> Parsed<Option<ScopedName>> {
        if !self.eat(Punct::Colon) {
            return Ok(None);
        }
        let base = self.scoped_name(what)?;
        if self.at(Punct::Comma) {
            let found = self.unexpected_diagnostic("`{`");
            self.sink
                .push(found.hint("only one base is allowed; list interfaces after `supports`"));
            return Err(Failed);
        }
        Ok(Some(base))
    }

    fn port_body(&mut self, whole: &str, events: bool) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        self.body(whole, |parser| {
            parser.take_events(&mut items);
            if parser.at(Punct::CloseBrace) {
                return Ok(());
            }
            let one = if events { Self::any_port } else { Self::plain_port };
            parser.annotated(&mut items, one)
        })?;
        Ok(items)
    }

    fn any_port(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::Emits) => PortItemKind::Emits,
            TokenKind::Keyword(Keyword::Publishes) => PortItemKind::Publishes,
            TokenKind::Keyword(Keyword::Consumes) => PortItemKind::Consumes,
            _ => return self.plain_port(items),
        };
        self.bump();
        self.port(kind, items)
    }

    fn plain_port(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let word = |word: &str| {
            self.at_word(word)
                && matches!(self.kind_at(1), TokenKind::Ident(_) | TokenKind::Punct(Punct::Scope))
        };
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::Attribute | Keyword::Readonly) => {
                return self.attribute(items);
            }
            TokenKind::Keyword(Keyword::Provides) => PortItemKind::Provides,
            TokenKind::Keyword(Keyword::Uses) => {
                let multiple = matches!(self.kind_at(1), TokenKind::Keyword(Keyword::Multiple));
                if multiple {
                    self.bump();
                }
                PortItemKind::Uses { multiple }
            }
            TokenKind::Ident(_) if word("port") => PortItemKind::Extended { mirrored: false },
            TokenKind::Ident(_) if word("mirrorport") => PortItemKind::Extended { mirrored: true },
            _ => return Err(self.unexpected("a port or an attribute")),
        };
        self.bump();
        self.port(kind, items)
    }

    fn port(&mut self, kind: PortItemKind, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        let ty = self.type_spec(false)?;
        let name = self.ident("the port's name")?;
        items.push(Item::Port(PortItem { kind, ty, name, docs }));
        self.semicolon("a port")
    }

    /// `home H : B supports I manages C primarykey K { ... };`
    pub(super) fn home(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the home's name")?;
        let base = self.one_base("a base home")?;
        let mut supports = Vec::new();
        if self.eat_keyword(Keyword::Supports) {
            supports = self.base_list("a supported interface")?;
        }
        self.require_keyword(Keyword::Manages)?;
        let manages = self.scoped_name("a component")?;
        let mut primary_key = None;
        if self.eat_keyword(Keyword::PrimaryKey) {
            primary_key = Some(self.scoped_name("a valuetype")?);
        }
        let mut inside = Vec::new();
        self.body("a home", |parser| {
            parser.take_events(&mut inside);
            if parser.at(Punct::CloseBrace) {
                return Ok(());
            }
            match parser.kind() {
                TokenKind::Keyword(Keyword::Factory) => {
                    parser.annotated(&mut inside, Self::initializer)
                }
                TokenKind::Keyword(Keyword::Finder) => {
                    let mut found = Vec::new();
                    let outcome = parser.initializer(&mut found);
                    inside.extend(found.into_iter().map(|item| match item {
                        Item::Initializer(item) => Item::Finder(item),
                        other => other,
                    }));
                    outcome
                }
                _ => parser.export(&mut inside),
            }
        })?;
        items.push(Item::Home(HomeItem {
            name,
            base,
            supports,
            manages,
            primary_key,
            items: inside,
            docs,
        }));
        self.semicolon("a home")
    }
}
