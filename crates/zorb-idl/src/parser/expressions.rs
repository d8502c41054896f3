//! Constant expressions.

use super::{Parsed, Parser};
use crate::lexer::{Keyword, Punct, TokenKind};
use crate::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};

/// The binary operators, by increasing precedence.
const LEVELS: [&[(Punct, BinaryOp)]; 6] = [
    &[(Punct::Or, BinaryOp::Or)],
    &[(Punct::Xor, BinaryOp::Xor)],
    &[(Punct::And, BinaryOp::And)],
    &[(Punct::ShiftLeft, BinaryOp::ShiftLeft), (Punct::ShiftRight, BinaryOp::ShiftRight)],
    &[(Punct::Plus, BinaryOp::Add), (Punct::Minus, BinaryOp::Subtract)],
    &[
        (Punct::Times, BinaryOp::Multiply),
        (Punct::Divide, BinaryOp::Divide),
        (Punct::Modulo, BinaryOp::Modulo),
    ],
];

impl Parser<'_> {
    /// A constant expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.chain(0))
    }

    /// Operands joined by operators of one precedence level.
    fn chain(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let first = self.chain(level + 1)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(operators) {
            let span = self.span();
            self.bump();
            rest.push((operator, span, self.chain(level + 1)?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        let span = first.span.to(self.previous());
        Ok(Expr { kind: ExprKind::Chain(Box::new(first), rest), span })
    }

    fn operator(&self, operators: &[(Punct, BinaryOp)]) -> Option<BinaryOp> {
        let TokenKind::Punct(punct) = self.kind() else { return None };
        if *punct == Punct::ShiftRight && (self.half_shift || self.angles >= 2) {
            return None;
        }
        operators.iter().find(|(text, _)| text == punct).map(|(_, operator)| *operator)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut operators = Vec::new();
        loop {
            let operator = match self.kind() {
                TokenKind::Punct(Punct::Minus) => UnaryOp::Minus,
                TokenKind::Punct(Punct::Plus) => UnaryOp::Plus,
                TokenKind::Punct(Punct::Not) => UnaryOp::Not,
                _ => break,
            };
            operators.push((operator, self.span()));
            self.bump();
        }
        let operand = self.primary()?;
        if operators.is_empty() {
            return Ok(operand);
        }
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Unary(operators, Box::new(operand)), span })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.kind() {
            TokenKind::Integer(value) => ExprKind::Integer(*value),
            TokenKind::Float(value) => ExprKind::Float(*value),
            TokenKind::Fixed(value) => ExprKind::Fixed(*value),
            TokenKind::Char(value) => ExprKind::Char(*value),
            TokenKind::WChar(value) => ExprKind::WChar(*value),
            TokenKind::Str(value) => ExprKind::String(value.clone()),
            TokenKind::WStr(value) => ExprKind::WString(value.clone()),
            TokenKind::Keyword(Keyword::True) => ExprKind::Boolean(true),
            TokenKind::Keyword(Keyword::False) => ExprKind::Boolean(false),
            TokenKind::Ident(_) | TokenKind::Punct(Punct::Scope) => {
                let name = self.scoped_name("a constant")?;
                let span = name.span;
                return Ok(Expr { kind: ExprKind::Name(name), span });
            }
            TokenKind::Punct(Punct::OpenParen) => {
                self.bump();
                // Inside parentheses, `>>` is a shift again.
                let angles = std::mem::take(&mut self.angles);
                let mut inner = self.expression()?;
                self.angles = angles;
                self.require(Punct::CloseParen)?;
                inner.span = span.to(self.previous());
                return Ok(inner);
            }
            _ => return Err(self.unexpected("a constant expression")),
        };
        self.bump();
        Ok(Expr { kind, span })
    }
}
