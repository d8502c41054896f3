//! Annotations and their declarations.

use super::{Parsed, Parser};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::syntax::{
    AnnotationItem, AnnotationMemberItem, AnnotationTypeItem, Arguments, Item, TypeExpr, TypeKind,
};

impl Parser<'_> {
    /// `@name` and `@name(...)`, any number.
    pub(super) fn annotations(&mut self) -> Parsed<Vec<AnnotationItem>> {
        let docs = self.docs();
        let mut list = Vec::new();
        while self.at(Punct::At) && !self.at_annotation_declaration() {
            self.bump();
            let name = match self.kind() {
                // `@default` and `@oneway` are keywords elsewhere.
                TokenKind::Keyword(word) => {
                    let ident =
                        crate::syntax::Ident { text: word.text().into(), span: self.span() };
                    self.bump();
                    let span = ident.span;
                    crate::syntax::ScopedName { absolute: false, parts: vec![ident], span }
                }
                _ => self.scoped_name("an annotation's name")?,
            };
            let arguments = if self.at(Punct::OpenParen) {
                let angles = std::mem::take(&mut self.angles);
                let arguments = self.nested(Self::annotation_arguments)?;
                self.angles = angles;
                arguments
            } else {
                Arguments::None
            };
            list.push(AnnotationItem { name, arguments });
        }
        if !list.is_empty() {
            self.annotated = (self.pos, docs);
        }
        Ok(list)
    }

    fn annotation_arguments(&mut self) -> Parsed<Arguments> {
        self.bump();
        if self.eat(Punct::CloseParen) {
            return Ok(Arguments::None);
        }
        let named = matches!(self.kind_at(1), TokenKind::Punct(Punct::Equals));
        if !named {
            let value = self.expression()?;
            self.require(Punct::CloseParen)?;
            return Ok(Arguments::One(value));
        }
        let mut arguments = Vec::new();
        loop {
            let name = self.ident("an argument's name")?;
            self.require(Punct::Equals)?;
            arguments.push((name, self.expression()?));
            if self.eat(Punct::CloseParen) {
                return Ok(Arguments::Named(arguments));
            }
            if !self.eat(Punct::Comma) {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }

    /// Whether the current tokens are `@annotation Name {`.
    fn at_annotation_declaration(&self) -> bool {
        let word = |ahead, text: &str| matches!(self.kind_at(ahead), TokenKind::Ident(found) if &**found == text);
        let named = matches!(self.kind_at(2), TokenKind::Ident(_) | TokenKind::Keyword(_));
        self.at(Punct::At)
            && word(1, "annotation")
            && named
            && matches!(self.kind_at(3), TokenKind::Punct(Punct::OpenBrace))
    }

    /// `@annotation Name { ... };`; returns whether there was one.
    pub(super) fn annotation_declaration(&mut self, items: &mut Vec<Item>) -> Parsed<bool> {
        if !self.at_annotation_declaration() {
            return Ok(false);
        }
        let docs = self.docs();
        self.bump();
        self.bump();
        let name = self.ident("the annotation's name")?;
        let (mut members, mut inside) = (Vec::new(), Vec::new());
        self.body("an annotation", |parser| {
            if matches!(
                parser.kind(),
                TokenKind::Keyword(Keyword::Enum | Keyword::Const | Keyword::Typedef)
            ) {
                return parser.common_definition(&mut inside).map(|_| ());
            }
            let span = parser.span();
            let ty = if parser.eat_keyword(Keyword::Any) {
                TypeExpr { kind: TypeKind::Basic(crate::model::Type::Any), span }
            } else {
                parser.type_spec(false)?
            };
            let name = parser.ident("a member's name")?;
            let mut default = None;
            if parser.eat_keyword(Keyword::Default) {
                default = Some(parser.expression()?);
            }
            members.push(AnnotationMemberItem { ty, name, default });
            parser.semicolon("a member")
        })?;
        items.push(Item::AnnotationType(AnnotationTypeItem { name, members, items: inside, docs }));
        self.semicolon("an annotation")?;
        Ok(true)
    }
}
