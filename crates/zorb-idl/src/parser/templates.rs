//! Template modules.

use std::rc::Rc;

use super::{Parsed, Parser};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::syntax::{
    ActualItem, Docs, FormalItem, FormalKind, Ident, InstanceItem, Item, ScopedName, TemplateItem,
};

/// The maximum number of tokens searched for the end of a template's parameters.
const LONGEST: usize = 1_000;

impl Parser<'_> {
    /// Whether this `<` starts the formal parameters of a definition: its `>` is followed by `{`.
    fn at_formal_parameters(&self) -> bool {
        let mut open = 0_usize;
        let mut ahead = 0;
        loop {
            match self.kind_at(ahead) {
                TokenKind::Punct(Punct::Less) => open += 1,
                TokenKind::Punct(Punct::Greater) => open = open.saturating_sub(1),
                TokenKind::Punct(Punct::ShiftRight) => open = open.saturating_sub(2),
                TokenKind::End
                | TokenKind::Keyword(Keyword::Module)
                | TokenKind::Punct(Punct::Semicolon | Punct::OpenBrace) => return false,
                _ if ahead > LONGEST => return false,
                _ => {}
            }
            ahead += 1;
            if open == 0 {
                return matches!(self.kind_at(ahead), TokenKind::Punct(Punct::OpenBrace));
            }
        }
    }

    /// The parameters of a template module and what follows them. The name is already parsed.
    pub(super) fn template(
        &mut self,
        name: ScopedName,
        docs: Docs,
        items: &mut Vec<Item>,
    ) -> Parsed<()> {
        if !self.at_formal_parameters() {
            return self.instance(name, docs, items);
        }
        let [name] = name.parts.as_slice() else {
            return Err(self.unexpected("a simple module name before this"));
        };
        let name = name.clone();
        self.bump();
        let mut parameters = Vec::new();
        loop {
            self.angles += 1;
            let parameter = self.formal();
            self.angles = self.angles.saturating_sub(1);
            parameters.push(parameter?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.require(Punct::Greater)?;
        let mut inside = Vec::new();
        let before = self.pos;
        self.template_depth += 1;
        let outcome = self.module_body(&mut inside);
        self.template_depth -= 1;
        outcome?;
        let tokens = self.pos - before;
        let item = TemplateItem { name, parameters, items: inside, tokens, docs };
        items.push(Item::Template(Rc::new(item)));
        self.semicolon("a template module")
    }

    /// `typename T`, `interface I`, `sequence<T> S`, `const long N`
    fn formal(&mut self) -> Parsed<FormalItem> {
        let kind = match self.kind() {
            TokenKind::Ident(word) if &**word == "typename" => FormalKind::Type,
            TokenKind::Keyword(Keyword::Interface) => FormalKind::Interface,
            TokenKind::Keyword(Keyword::ValueType) => FormalKind::Value,
            TokenKind::Keyword(Keyword::EventType) => FormalKind::Event,
            TokenKind::Keyword(Keyword::Struct) => FormalKind::Struct,
            TokenKind::Keyword(Keyword::Union) => FormalKind::Union,
            TokenKind::Keyword(Keyword::Exception) => FormalKind::Exception,
            TokenKind::Keyword(Keyword::Enum) => FormalKind::Enum,
            TokenKind::Keyword(Keyword::Const) => {
                self.bump();
                let ty = self.type_spec(false)?;
                let name = self.ident("a parameter's name")?;
                return Ok(FormalItem { kind: FormalKind::Const(ty), name });
            }
            TokenKind::Keyword(Keyword::Sequence) => {
                let mut of = None;
                self.bump();
                if self.eat(Punct::Less) {
                    of = Some(self.ident("the name of an earlier parameter")?);
                    self.require(Punct::Greater)?;
                }
                let name = self.ident("a parameter's name")?;
                return Ok(FormalItem { kind: FormalKind::Sequence(of), name });
            }
            _ => return Err(self.unexpected("a template parameter such as `typename T`")),
        };
        self.bump();
        let name = self.ident("a parameter's name")?;
        Ok(FormalItem { kind, name })
    }

    /// `alias M<T> Name;`
    pub(super) fn alias(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let docs = self.docs();
        self.bump();
        let name = self.scoped_name("a template module")?;
        self.instance(name, docs, items)
    }

    /// `<Foo, 3> Name;`, after the template's name.
    fn instance(&mut self, template: ScopedName, docs: Docs, items: &mut Vec<Item>) -> Parsed<()> {
        self.require(Punct::Less)?;
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.actual()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.require(Punct::Greater)?;
        let name: Ident = self.ident("the new module's name")?;
        items.push(Item::Instance(InstanceItem { template, arguments, name, docs }));
        self.semicolon("a module")
    }

    fn actual(&mut self) -> Parsed<ActualItem> {
        self.angles += 1;
        let actual = match self.kind() {
            TokenKind::Keyword(Keyword::True | Keyword::False) => {
                self.expression().map(ActualItem::Value)
            }
            TokenKind::Keyword(_) => self.type_spec(false).map(ActualItem::Type),
            TokenKind::Ident(_) | TokenKind::Punct(Punct::Scope) if self.at_plain_name() => {
                self.scoped_name("an argument").map(ActualItem::Name)
            }
            TokenKind::Ident(word)
                if &**word == "map" && matches!(self.kind_at(1), TokenKind::Punct(Punct::Less)) =>
            {
                self.type_spec(false).map(ActualItem::Type)
            }
            _ => self.expression().map(ActualItem::Value),
        };
        self.angles = self.angles.saturating_sub(1);
        actual
    }

    /// Whether the current tokens are `A::B` followed by `,` or `>`.
    fn at_plain_name(&self) -> bool {
        let mut ahead = 0;
        while matches!(self.kind_at(ahead), TokenKind::Ident(_) | TokenKind::Punct(Punct::Scope)) {
            ahead += 1;
        }
        matches!(
            self.kind_at(ahead),
            TokenKind::Punct(Punct::Comma | Punct::Greater | Punct::ShiftRight)
        )
    }
}
