//! Evaluation of constant expressions.

use std::rc::Rc;

use super::Resolver;
use super::scope::{ScopeId, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{ConstValue, DefId, DefinitionKind, FixedValue, TemplateArgument, Type};
use crate::source::Span;
use crate::syntax::{BinaryOp, Expr, ExprKind, ScopedName, UnaryOp};

/// An intermediate value, not yet checked against the type of the constant.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Integer(i128),
    Float(f64),
    Fixed(FixedValue),
    Boolean(bool),
    Char(char),
    WChar(u16),
    String(Rc<str>),
    WString(Rc<[u16]>),
    Enumerator {
        enumeration: DefId,
        index: u32,
    },
    /// An error that is already reported.
    Error,
}

/// Every intermediate integer must be in the range of `long long` or `unsigned long long`.
const LEAST: i128 = i64::MIN as i128;
const GREATEST: i128 = u64::MAX as i128;

impl Resolver<'_> {
    /// Evaluates an expression. `ty`, which is resolved, is the type of the constant: it determines
    /// the meaning of `~`. The parser bounds the depth of the expression.
    pub(super) fn compute(&mut self, expr: &Expr, ty: &Type, scope: ScopeId) -> Value {
        match &expr.kind {
            ExprKind::Integer(value) => Value::Integer(i128::from(*value)),
            ExprKind::Float(value) => Value::Float(*value),
            ExprKind::Boolean(value) => Value::Boolean(*value),
            ExprKind::Char(value) => Value::Char(*value),
            ExprKind::WChar(value) => Value::WChar(*value),
            ExprKind::String(value) => Value::String(Rc::clone(value)),
            ExprKind::WString(value) => Value::WString(Rc::clone(value)),
            ExprKind::Fixed(value) => Value::Fixed(*value),
            ExprKind::Name(name) => self.named_value(name, ty, scope),
            ExprKind::Unary(operators, operand) => {
                let mut value = self.compute(operand, ty, scope);
                for (operator, span) in operators.iter().rev() {
                    value = self.unary(*operator, value, ty, *span);
                }
                value
            }
            ExprKind::Chain(first, rest) => {
                let mut left = self.compute(first, ty, scope);
                for (operator, span, right) in rest {
                    let right_span = right.span;
                    let right = self.compute(right, ty, scope);
                    left = self.binary(*operator, left, right, *span, right_span);
                }
                left
            }
        }
    }

    fn named_value(&mut self, name: &ScopedName, ty: &Type, scope: ScopeId) -> Value {
        let Some(target) = self.lookup_constant(name, ty, scope) else { return Value::Error };
        match target {
            Target::Enumerator { enumeration, index } => Value::Enumerator { enumeration, index },
            Target::Bit { bitmask, index } => {
                let bits = match &self.model.definition(bitmask).kind {
                    DefinitionKind::Bitmask(item) => &item.bits[..],
                    _ => &[],
                };
                let position = bits.get(index as usize).map_or(0, |bit| u32::from(bit.position));
                Value::Integer(1_i128.checked_shl(position).unwrap_or(0))
            }
            Target::Definition(id) => match &self.model.definition(id).kind {
                DefinitionKind::Const(item) => {
                    // Each constant that refers to a long string gets a copy of it.
                    let size = match &item.value {
                        ConstValue::String(text) => text.len(),
                        ConstValue::WString(text) => 2 * text.len(),
                        _ => 0,
                    };
                    let Some(left) = self.names_left.checked_sub(size) else {
                        let message =
                            "the string constants of this compilation are too long in total";
                        self.sink.error(Code::SourceTooLarge, name.span, message);
                        return Value::Error;
                    };
                    self.names_left = left;
                    from_model(&item.value)
                }
                _ => self.not_a_constant(name, target),
            },
            Target::Argument(index) => match self.arguments.get(index) {
                Some(TemplateArgument::Value(value)) => from_model(value),
                _ => self.not_a_constant(name, target),
            },
            _ => self.not_a_constant(name, target),
        }
    }

    /// Like [`Resolver::lookup`], but with a better hint for an enumerator of another scope.
    fn lookup_constant(&mut self, name: &ScopedName, ty: &Type, scope: ScopeId) -> Option<Target> {
        if let (Type::Named(id), [part], false) = (ty, name.parts.as_slice(), name.absolute)
            && let Some(item) = self.model.enumeration(*id)
            && let Some(index) = item.enumerators.iter().position(|it| it.name == *part.text)
            && !self.visible(&part.text, scope)
        {
            let parent = self.model.definition(*id).parent;
            // The enumerators of an annotation are in scope where it is applied.
            let in_annotation = parent.is_some_and(|parent| {
                matches!(self.model.definition(parent).kind, DefinitionKind::Annotation(_))
            });
            if in_annotation {
                let index = u32::try_from(index).unwrap_or(u32::MAX);
                return Some(Target::Enumerator { enumeration: *id, index });
            }
            let outer = parent.map(|parent| self.model.scoped_name(parent)).unwrap_or_default();
            let message = format!("`{}` is not defined in this scope", part.text);
            self.sink.push(Diagnostic::new(Code::UnknownName, name.span, message).hint(format!(
                "enumerators belong to the scope of their enum: write `{outer}::{}`",
                part.text
            )));
            return None;
        }
        self.lookup(name, scope)
    }

    pub(super) fn visible(&self, name: &str, scope: ScopeId) -> bool {
        let mut at = Some(scope);
        while let Some(id) = at {
            let Some(scope) = self.scopes.get(id.0) else { return false };
            let inherited = scope.ancestors.iter().filter_map(|id| self.scope_of.get(id));
            if std::iter::once(&id).chain(inherited).any(|id| self.entry(*id, name).is_some()) {
                return true;
            }
            at = scope.parent;
        }
        false
    }

    fn not_a_constant(&mut self, name: &ScopedName, target: Target) -> Value {
        let written: Vec<&str> = name.parts.iter().map(|part| &*part.text).collect();
        let message = format!("`{}` is not a constant", written.join("::"));
        let mut diagnostic = Diagnostic::new(Code::NotAConstant, name.span, message);
        if let Some(span) = self.target_span(target) {
            diagnostic = diagnostic.label(span, "defined here");
        }
        self.sink.push(diagnostic);
        Value::Error
    }

    fn unary(&mut self, operator: UnaryOp, value: Value, ty: &Type, span: Span) -> Value {
        match (operator, value) {
            (_, Value::Error) => Value::Error,
            (UnaryOp::Minus, Value::Integer(value)) => self.step(value.checked_neg(), span),
            (UnaryOp::Plus, Value::Integer(value)) => Value::Integer(value),
            (UnaryOp::Not, Value::Integer(value)) => {
                // The complement in the width of the type.
                let unsigned = ty.integer_range().filter(|(least, _)| *least == 0);
                let value = match unsigned {
                    Some((_, greatest)) if value >= 0 => greatest.checked_sub(value),
                    _ => value.checked_add(1).and_then(i128::checked_neg),
                };
                self.step(value, span)
            }
            (UnaryOp::Minus, Value::Float(value)) => Value::Float(-value),
            (UnaryOp::Plus, Value::Float(value)) => Value::Float(value),
            (UnaryOp::Minus, Value::Fixed(value)) => Value::Fixed(value.negated()),
            (UnaryOp::Plus, Value::Fixed(value)) => Value::Fixed(value),
            (operator, value) => {
                let text = match operator {
                    UnaryOp::Minus => "-",
                    UnaryOp::Plus => "+",
                    UnaryOp::Not => "~",
                };
                self.wrong_operand(text, &value, span)
            }
        }
    }

    fn wrong_operand(&mut self, operator: &str, value: &Value, span: Span) -> Value {
        let message = format!("`{operator}` cannot be applied to {}", self.describe_value(value));
        self.sink.error(Code::WrongOperand, span, message);
        Value::Error
    }

    /// An intermediate integer, if it fits in 64 bits.
    fn step(&mut self, value: Option<i128>, span: Span) -> Value {
        match value {
            Some(value) if (LEAST..=GREATEST).contains(&value) => Value::Integer(value),
            _ => {
                let message = "the result of this operation does not fit in 64 bits";
                self.sink.error(Code::ConstOverflow, span, message);
                Value::Error
            }
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "the constant has floating-point type")]
    fn binary(
        &mut self,
        operator: BinaryOp,
        left: Value,
        right: Value,
        span: Span,
        right_span: Span,
    ) -> Value {
        match (left, right) {
            (Value::Error, _) | (_, Value::Error) => Value::Error,
            (Value::Integer(left), Value::Integer(right)) => {
                self.integers(operator, left, right, span, right_span)
            }
            (Value::Float(left), Value::Float(right)) => {
                self.floats(operator, left, right, span, right_span)
            }
            (Value::Float(left), Value::Integer(right)) => {
                self.floats(operator, left, right as f64, span, right_span)
            }
            (Value::Integer(left), Value::Float(right)) => {
                self.floats(operator, left as f64, right, span, right_span)
            }
            (Value::Fixed(left), Value::Fixed(right)) => {
                self.fixed(operator, left, right, span, right_span)
            }
            (Value::Integer(_) | Value::Float(_) | Value::Fixed(_), other) | (other, _) => {
                self.wrong_operand(operator.text(), &other, span)
            }
        }
    }

    fn integers(
        &mut self,
        operator: BinaryOp,
        left: i128,
        right: i128,
        span: Span,
        right_span: Span,
    ) -> Value {
        let value = match operator {
            BinaryOp::Or => Some(left | right),
            BinaryOp::Xor => Some(left ^ right),
            BinaryOp::And => Some(left & right),
            BinaryOp::Add => left.checked_add(right),
            BinaryOp::Subtract => left.checked_sub(right),
            BinaryOp::Multiply => left.checked_mul(right),
            BinaryOp::Divide | BinaryOp::Modulo if right == 0 => {
                self.sink.error(Code::DivisionByZero, right_span, "the divisor is zero");
                return Value::Error;
            }
            BinaryOp::Divide => left.checked_div(right),
            BinaryOp::Modulo => left.checked_rem(right),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let Some(by) = u32::try_from(right).ok().filter(|by| *by < 64) else {
                    let message = format!("shift count {right} is out of the range 0 to 63");
                    self.sink.error(Code::ShiftRange, right_span, message);
                    return Value::Error;
                };
                if operator == BinaryOp::ShiftRight {
                    Some(left >> by)
                } else {
                    // At most 64 bits shifted by at most 63 fit in 128 bits, except for the sign.
                    left.checked_mul(1_i128 << by)
                }
            }
        };
        self.step(value, span)
    }

    fn floats(
        &mut self,
        operator: BinaryOp,
        left: f64,
        right: f64,
        span: Span,
        right_span: Span,
    ) -> Value {
        let value = match operator {
            BinaryOp::Add => left + right,
            BinaryOp::Subtract => left - right,
            BinaryOp::Multiply => left * right,
            BinaryOp::Divide if right == 0.0 => {
                self.sink.error(Code::DivisionByZero, right_span, "the divisor is zero");
                return Value::Error;
            }
            BinaryOp::Divide => left / right,
            _ => return self.wrong_operand(operator.text(), &Value::Float(right), span),
        };
        if !value.is_finite() {
            let message = "the result of this operation is too large for any float type";
            self.sink.error(Code::ConstOverflow, span, message);
            return Value::Error;
        }
        Value::Float(value)
    }
}

impl Resolver<'_> {
    fn fixed(
        &mut self,
        operator: BinaryOp,
        left: FixedValue,
        right: FixedValue,
        span: Span,
        right_span: Span,
    ) -> Value {
        let value = match operator {
            BinaryOp::Add => left.add(right),
            BinaryOp::Subtract => left.add(right.negated()),
            BinaryOp::Multiply => left.multiply(right),
            BinaryOp::Divide if right == FixedValue::default() => {
                self.sink.error(Code::DivisionByZero, right_span, "the divisor is zero");
                return Value::Error;
            }
            BinaryOp::Divide => left.divide(right),
            _ => return self.wrong_operand(operator.text(), &Value::Fixed(right), span),
        };
        value.map_or_else(
            || {
                let message = "the result of this operation has more than 31 digits";
                self.sink.error(Code::ConstOverflow, span, message);
                Value::Error
            },
            Value::Fixed,
        )
    }
}

fn from_model(value: &ConstValue) -> Value {
    match value {
        ConstValue::Boolean(value) => Value::Boolean(*value),
        ConstValue::Integer(value) => Value::Integer(*value),
        ConstValue::Float(value) => Value::Float(*value),
        ConstValue::Fixed(value) => Value::Fixed(*value),
        ConstValue::Char(value) => Value::Char(*value),
        ConstValue::WChar(value) => Value::WChar(*value),
        ConstValue::String(value) => Value::String(value.as_str().into()),
        ConstValue::WString(value) => Value::WString(value.as_slice().into()),
        ConstValue::Enumerator { enumeration, index } => {
            Value::Enumerator { enumeration: *enumeration, index: *index }
        }
        ConstValue::Error => Value::Error,
    }
}
