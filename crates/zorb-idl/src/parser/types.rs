//! Types.

use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::model::Type;
use crate::syntax::{Expr, TypeExpr, TypeKind};

impl Parser<'_> {
    /// A type. With `define`, a struct, union or enum may be defined inline.
    pub(super) fn type_spec(&mut self, define: bool) -> Parsed<TypeExpr> {
        let start = self.span();
        let kind = self.nested(|parser| parser.type_kind(define))?;
        Ok(TypeExpr { kind, span: start.to(self.previous()) })
    }

    fn type_kind(&mut self, define: bool) -> Parsed<TypeKind> {
        let span = self.span();
        let keyword = match self.kind() {
            TokenKind::Keyword(keyword) => *keyword,
            TokenKind::Ident(word)
                if &**word == "map" && matches!(self.kind_at(1), TokenKind::Punct(Punct::Less)) =>
            {
                return self.map();
            }
            TokenKind::Ident(_) | TokenKind::Punct(Punct::Scope) => {
                return Ok(TypeKind::Name(self.scoped_name("a type")?));
            }
            _ => return Err(self.unexpected("a type")),
        };
        if matches!(keyword, Keyword::Struct | Keyword::Union | Keyword::Enum) {
            return self.defined(keyword, define);
        }
        let basic = match keyword {
            Keyword::Boolean => Type::Boolean,
            Keyword::Octet => Type::Octet,
            Keyword::Char => Type::Char,
            Keyword::WChar => Type::WChar,
            Keyword::Short => Type::Short,
            Keyword::Float => Type::Float,
            Keyword::Double => Type::Double,
            Keyword::Any => Type::Any,
            Keyword::Object => Type::Object,
            Keyword::Void => {
                self.bump();
                let message = "`void` is not a value type";
                let found = Diagnostic::new(Code::VoidType, span, message);
                self.sink.push(found.note("only the result of an operation can be `void`"));
                return Ok(TypeKind::Error);
            }
            Keyword::ValueBase => Type::ValueBase,
            Keyword::Long => {
                self.bump();
                return Ok(TypeKind::Basic(if self.eat_keyword(Keyword::Long) {
                    Type::LongLong
                } else if self.eat_keyword(Keyword::Double) {
                    Type::LongDouble
                } else {
                    Type::Long
                }));
            }
            Keyword::Unsigned => {
                self.bump();
                if self.eat_keyword(Keyword::Short) {
                    return Ok(TypeKind::Basic(Type::UShort));
                }
                self.require_keyword_of("`short` or `long` after `unsigned`", Keyword::Long)?;
                let long_long = self.eat_keyword(Keyword::Long);
                return Ok(TypeKind::Basic(if long_long { Type::ULongLong } else { Type::ULong }));
            }
            Keyword::String | Keyword::WString => {
                self.bump();
                let wide = keyword == Keyword::WString;
                let mut bound = None;
                if self.eat(Punct::Less) {
                    bound = Some(Box::new(self.bound()?));
                    self.require(Punct::Greater)?;
                }
                return Ok(TypeKind::String { wide, bound });
            }
            Keyword::Sequence => return self.sequence(),
            Keyword::Fixed => return self.fixed(),
            _ => return Err(self.unexpected("a type")),
        };
        self.bump();
        Ok(TypeKind::Basic(basic))
    }

    fn require_keyword_of(&mut self, expected: &str, keyword: Keyword) -> Parsed<()> {
        if self.eat_keyword(keyword) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn defined(&mut self, keyword: Keyword, define: bool) -> Parsed<TypeKind> {
        let span = self.span();
        let item = match keyword {
            Keyword::Struct => self.structure()?,
            Keyword::Union => self.union()?,
            _ => self.enumeration()?,
        };
        if define {
            return Ok(TypeKind::Defined(Box::new(item)));
        }
        self.sink.push(
            Diagnostic::new(Code::InlineTypeDefinition, span, "a type cannot be defined here")
                .hint("define it separately and use its name"),
        );
        Ok(TypeKind::Error)
    }

    fn sequence(&mut self) -> Parsed<TypeKind> {
        self.bump();
        if !self.at(Punct::Less) {
            let found = self.unexpected_diagnostic("`<`");
            self.sink.push(found.hint("a sequence has an element type: `sequence<long>`"));
            return Err(super::Failed);
        }
        self.bump();
        self.angles += 1;
        let element = Box::new(self.element_type()?);
        self.angles = self.angles.saturating_sub(1);
        let mut bound = None;
        if self.eat(Punct::Comma) {
            bound = Some(Box::new(self.bound()?));
        }
        self.require(Punct::Greater)?;
        Ok(TypeKind::Sequence { element, bound })
    }

    /// An element type, with any annotations before it.
    pub(super) fn element_type(&mut self) -> Parsed<TypeExpr> {
        let span = self.span();
        let annotations = self.annotations()?;
        let ty = self.type_spec(false)?;
        if annotations.is_empty() {
            return Ok(ty);
        }
        let kind = TypeKind::Annotated { annotations, ty: Box::new(ty) };
        Ok(TypeExpr { kind, span: span.to(self.previous()) })
    }

    fn fixed(&mut self) -> Parsed<TypeKind> {
        self.bump();
        if !self.at(Punct::Less) {
            let found = self.unexpected_diagnostic("`<`");
            self.sink.push(found.hint("a fixed type has digits and a scale: `fixed<9, 2>`"));
            return Err(super::Failed);
        }
        self.bump();
        let digits = Box::new(self.bound()?);
        self.require(Punct::Comma)?;
        let scale = Box::new(self.bound()?);
        self.require(Punct::Greater)?;
        Ok(TypeKind::Fixed { digits, scale })
    }

    /// An expression between `<` and `>`. `>>` closes two open `<`.
    pub(super) fn bound(&mut self) -> Parsed<Expr> {
        self.angles += 1;
        let bound = self.expression();
        self.angles = self.angles.saturating_sub(1);
        bound
    }
}
