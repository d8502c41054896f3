//! Constants, and checks of values against types.

use super::Resolver;
use super::evaluate::Value;
use super::scope::ScopeId;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{Const, ConstValue, DefinitionKind, FixedValue, Type};
use crate::source::Span;
use crate::syntax::{Docs, Expr, ExprKind, Ident, TypeExpr, TypeKind};

impl Resolver<'_> {
    /// `const T NAME = value;`
    pub(super) fn constant(
        &mut self,
        written: &TypeExpr,
        name: &Ident,
        value: &Expr,
        docs: &Docs,
        scope: ScopeId,
    ) {
        let span = written.span;
        let mut ty = self.value_type(written, scope);
        if !self.is_constant_type(&ty) {
            let message = format!("a constant cannot be of type `{}`", self.model.type_name(&ty));
            self.sink.push(
                Diagnostic::new(Code::BadConstType, span, message)
                    .hint("use a number, character, string, boolean or enum type"),
            );
            ty = Type::Error;
        }
        let mut value = value;
        let literal;
        if matches!(written.kind, TypeKind::AnyFixed) {
            let fixed = match self.compute(value, &ty, scope) {
                Value::Fixed(fixed) => Some(fixed),
                Value::Float(number) => self.fixed_of_float(number, &ty, value.span),
                _ => None,
            };
            if let Some(fixed) = fixed {
                let scale = i16::try_from(fixed.scale()).unwrap_or(i16::MAX);
                ty = Type::Fixed { digits: fixed.digits(), scale };
                literal = Expr { kind: ExprKind::Fixed(fixed), span: value.span };
                value = &literal;
            }
        }
        let value = self.evaluate(value, &ty, scope);
        self.define(name, DefinitionKind::Const(Const { ty, value }), docs, scope);
    }

    /// Evaluates an expression as a value of `ty`.
    pub(super) fn evaluate(&mut self, expr: &Expr, ty: &Type, scope: ScopeId) -> ConstValue {
        let ty = self.model.resolve(ty).clone();
        let value = self.compute(expr, &ty, scope);
        self.fit(value, &ty, expr.span)
    }

    /// Evaluates an integer expression that may be out of the range of `ty`.
    pub(super) fn evaluate_wide(&mut self, expr: &Expr, ty: &Type, scope: ScopeId) -> ConstValue {
        match self.compute(expr, ty, scope) {
            Value::Integer(value) => ConstValue::Integer(value),
            other => self.fit(other, ty, expr.span),
        }
    }

    /// Converts a case label to a value of the discriminator's type.
    pub(super) fn fit_label(&mut self, value: Value, ty: &Type, span: Span) -> ConstValue {
        let name = self.model.type_name(ty);
        let message = match (&value, ty.integer_range()) {
            (Value::Integer(value), Some((least, greatest))) => {
                if (least..=greatest).contains(value) {
                    return ConstValue::Integer(*value);
                }
                format!("{value} is out of the range of {name}")
            }
            _ => match (ty, &value) {
                (_, Value::Error) => return ConstValue::Error,
                (Type::Boolean, Value::Boolean(value)) => return ConstValue::Boolean(*value),
                (Type::Char, Value::Char(value)) => return ConstValue::Char(*value),
                (Type::WChar, Value::WChar(value)) => return ConstValue::WChar(*value),
                (Type::Named(id), Value::Enumerator { enumeration, index })
                    if id == enumeration =>
                {
                    return ConstValue::Enumerator { enumeration: *enumeration, index: *index };
                }
                _ => format!("{} is not a value of type {name}", self.describe_value(&value)),
            },
        };
        let diagnostic = Diagnostic::new(Code::BadLabel, span, message);
        self.sink.push(diagnostic.note(format!("the union switches on {name}")));
        ConstValue::Error
    }

    /// The range of the values of a bitmask.
    fn bitmask_range(&self, ty: &Type) -> Option<(i128, i128)> {
        let Type::Named(id) = ty else { return None };
        match &self.model.definition(*id).kind {
            DefinitionKind::Bitmask(item) => Some((0, (1_i128 << item.bit_bound.min(64)) - 1)),
            _ => None,
        }
    }

    fn fit(&mut self, value: Value, ty: &Type, span: Span) -> ConstValue {
        let range = ty.integer_range().or_else(|| self.bitmask_range(ty));
        if let (Some((least, greatest)), Value::Integer(value)) = (range, &value) {
            if (least..=greatest).contains(value) {
                return ConstValue::Integer(*value);
            }
            let name = self.model.type_name(ty);
            let message = format!("{value} is out of the range of {name}");
            let diagnostic = Diagnostic::new(Code::OutOfRange, span, message)
                .note(format!("the range of {name} is {least} to {greatest}"));
            // A pattern of bits for a signed type, in two's complement.
            let is_pattern = least < 0 && (0..=greatest * 2 + 1).contains(value);
            if is_pattern && self.sink.push_tolerable(diagnostic.clone()) {
                return ConstValue::Integer(*value - (greatest * 2 + 2));
            }
            if !is_pattern {
                self.sink.push(diagnostic);
            }
            return ConstValue::Error;
        }
        match (ty, value) {
            (Type::Error, _) | (_, Value::Error) => ConstValue::Error,
            (Type::Fixed { digits, scale }, Value::Fixed(value)) => {
                self.fit_fixed(value, *digits, *scale, span)
            }
            (Type::Boolean, Value::Boolean(value)) => ConstValue::Boolean(value),
            (Type::Char, Value::Char(value)) => ConstValue::Char(value),
            (Type::WChar, Value::WChar(value)) => ConstValue::WChar(value),
            (Type::Float | Type::Double | Type::LongDouble, Value::Float(value)) => {
                self.fit_float(value, ty, span)
            }
            #[allow(clippy::cast_precision_loss, reason = "the constant has floating-point type")]
            (Type::Float | Type::Double | Type::LongDouble, Value::Integer(value)) => {
                self.fit_float(value as f64, ty, span)
            }
            (Type::String { bound }, Value::String(value)) => {
                self.check_length(value.chars().count(), *bound, span);
                ConstValue::String(value.to_string())
            }
            (Type::WString { bound }, Value::WString(value)) => {
                self.check_length(value.len(), *bound, span);
                ConstValue::WString(value.to_vec())
            }
            (Type::Named(id), Value::Enumerator { enumeration, index }) if *id == enumeration => {
                ConstValue::Enumerator { enumeration, index }
            }
            (Type::Fixed { digits, scale }, Value::Float(number)) => {
                match self.fixed_of_float(number, ty, span) {
                    Some(value) => self.fit_fixed(value, *digits, *scale, span),
                    None => ConstValue::Error,
                }
            }
            (_, value) => {
                let diagnostic = self.wrong_type(&value, ty, span);
                self.sink.push(diagnostic);
                ConstValue::Error
            }
        }
    }

    /// A floating-point number as a fixed-point one, where that is allowed.
    fn fixed_of_float(&mut self, number: f64, ty: &Type, span: Span) -> Option<FixedValue> {
        let diagnostic = self.wrong_type(&Value::Float(number), ty, span);
        let is_allowed = self.sink.push_tolerable(diagnostic);
        let value = FixedValue::parse(&number.abs().to_string()).filter(|_| is_allowed)?;
        Some(if number < 0.0 { value.negated() } else { value })
    }

    #[allow(clippy::cast_possible_truncation, reason = "the check detects the loss")]
    fn fit_float(&mut self, value: f64, ty: &Type, span: Span) -> ConstValue {
        let fitted = if *ty == Type::Float { f64::from(value as f32) } else { value };
        if fitted.is_finite() {
            return ConstValue::Float(fitted);
        }
        let name = self.model.type_name(ty);
        let message = format!("{value:e} is out of the range of {name}");
        self.sink.error(Code::OutOfRange, span, message);
        ConstValue::Error
    }

    /// Excess digits after the decimal point are truncated, as the standard requires.
    fn fit_fixed(&mut self, value: FixedValue, digits: u16, scale: i16, span: Span) -> ConstValue {
        let scale = u16::try_from(scale).unwrap_or(0);
        let fitted = value.truncate(scale);
        let before = fitted.digits().saturating_sub(fitted.scale());
        let zero_before = fitted.digits() == fitted.scale() || fitted == FixedValue::default();
        if zero_before || before <= digits.saturating_sub(scale) {
            return ConstValue::Fixed(fitted);
        }
        let message = format!("{value} is out of the range of fixed<{digits}, {scale}>");
        self.sink.error(Code::OutOfRange, span, message);
        ConstValue::Error
    }

    fn check_length(&mut self, length: usize, bound: Option<u32>, span: Span) {
        if let Some(bound) = bound
            && length > bound as usize
        {
            let message =
                format!("this string has {length} characters, but its type allows {bound}");
            self.sink.error(Code::StringTooLong, span, message);
        }
    }

    fn wrong_type(&self, value: &Value, ty: &Type, span: Span) -> Diagnostic {
        let name = self.model.type_name(ty);
        let message = format!("{} is not a value of type {name}", self.describe_value(value));
        let diagnostic = Diagnostic::new(Code::WrongValueType, span, message);
        match (ty, value) {
            (Type::Boolean, Value::Integer(_)) => diagnostic.hint("write `TRUE` or `FALSE`"),
            (Type::WChar, Value::Char(_)) | (Type::WString { .. }, Value::String(_)) => {
                diagnostic.hint("add the prefix `L`")
            }
            (Type::Char, Value::WChar(_)) | (Type::String { .. }, Value::WString(_)) => {
                diagnostic.hint("remove the prefix `L`")
            }
            (Type::Fixed { .. }, Value::Integer(_) | Value::Float(_)) => {
                diagnostic.hint("a fixed-point literal ends in `d`: `1.5d`")
            }
            (_, Value::Fixed(_)) => diagnostic.hint("remove the suffix `d`"),
            (Type::Char | Type::WChar, Value::String(_) | Value::WString(_)) => {
                diagnostic.hint("write a character in single quotes")
            }
            (Type::String { .. } | Type::WString { .. }, Value::Char(_) | Value::WChar(_)) => {
                diagnostic.hint("write a string in double quotes")
            }
            _ => diagnostic,
        }
    }

    pub(super) fn describe_value(&self, value: &Value) -> String {
        match value {
            Value::Integer(value) => format!("the integer {value}"),
            Value::Float(_) => "a floating-point number".into(),
            Value::Fixed(value) => format!("the fixed-point number {value}d"),
            Value::Boolean(_) => "a boolean".into(),
            Value::Char(_) => "a character".into(),
            Value::WChar(_) => "a wide character".into(),
            Value::String(_) => "a string".into(),
            Value::WString(_) => "a wide string".into(),
            Value::Enumerator { enumeration, .. } => {
                format!("an enumerator of `{}`", self.model.scoped_name(*enumeration))
            }
            Value::Error => "this".into(),
        }
    }
}

/// Converts a value without checking it against a type.
pub(super) fn into_model(value: Value) -> ConstValue {
    match value {
        Value::Integer(value) => ConstValue::Integer(value),
        Value::Float(value) => ConstValue::Float(value),
        Value::Fixed(value) => ConstValue::Fixed(value),
        Value::Boolean(value) => ConstValue::Boolean(value),
        Value::Char(value) => ConstValue::Char(value),
        Value::WChar(value) => ConstValue::WChar(value),
        Value::String(value) => ConstValue::String(value.to_string()),
        Value::WString(value) => ConstValue::WString(value.to_vec()),
        Value::Enumerator { enumeration, index } => ConstValue::Enumerator { enumeration, index },
        Value::Error => ConstValue::Error,
    }
}
