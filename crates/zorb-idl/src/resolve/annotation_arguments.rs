//! The arguments of annotations.

use super::Resolver;
use super::scope::ScopeId;
use super::standard::Kind;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{AnnotationMember, ConstValue, DefId, DefinitionKind, Type};
use crate::suggest::closest;
use crate::syntax::{AnnotationItem, Arguments, Expr, ExprKind, Ident};

/// A parameter of an annotation.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: ParameterKind,
    pub(super) default: Option<ConstValue>,
}

pub(super) enum ParameterKind {
    Standard(Kind),
    Declared(Type),
}

impl Resolver<'_> {
    /// Evaluates an argument: a constant of `ty`, or any constant if `ty` is `any`.
    pub(super) fn argument(&mut self, value: &Expr, ty: &Type, scope: ScopeId) -> ConstValue {
        if *self.model.resolve(ty) == Type::Any {
            let value = self.compute(value, &Type::LongLong, scope);
            return super::constants::into_model(value);
        }
        self.evaluate(value, ty, scope)
    }

    pub(super) fn declared_parameters(&self, id: DefId) -> Vec<Parameter> {
        let DefinitionKind::Annotation(item) = &self.model.definition(id).kind else {
            return Vec::new();
        };
        let parameter = |member: &AnnotationMember| Parameter {
            name: member.name.clone(),
            kind: ParameterKind::Declared(member.ty.clone()),
            default: member.default.clone(),
        };
        item.members.iter().map(parameter).collect()
    }

    pub(super) fn arguments(
        &mut self,
        item: &AnnotationItem,
        parameters: &[Parameter],
        ty: Option<&Type>,
        scope: ScopeId,
    ) -> Vec<(String, ConstValue)> {
        let mut given: Vec<(String, ConstValue)> = Vec::new();
        let single = match &item.arguments {
            Arguments::None => None,
            Arguments::One(value) => {
                let only = match parameters {
                    [only] => Some(only),
                    // The remaining parameters have defaults.
                    _ => parameters.iter().find(|it| it.default.is_none()),
                };
                if only.is_none() {
                    let message = "this annotation takes no arguments";
                    self.sink.error(Code::AnnotationArgument, value.span, message);
                }
                only.map(|only| (only, value))
            }
            Arguments::Named(list) => {
                for (name, value) in list {
                    let Some(parameter) = parameters.iter().find(|it| it.name == *name.text) else {
                        self.no_such_argument(name, parameters);
                        continue;
                    };
                    if given.iter().any(|(other, _)| *other == parameter.name) {
                        let message = format!("the argument `{}` is given twice", name.text);
                        self.sink.error(Code::AnnotationArgument, name.span, message);
                        continue;
                    }
                    let value = self.parameter_value(value, &parameter.kind, ty, scope);
                    given.push((parameter.name.clone(), value));
                }
                None
            }
        };
        if let Some((parameter, value)) = single {
            let value = self.parameter_value(value, &parameter.kind, ty, scope);
            given.push((parameter.name.clone(), value));
        }
        let mut all = Vec::new();
        for parameter in parameters {
            let value = given.iter().position(|(name, _)| *name == parameter.name);
            let value = value.map(|at| given.swap_remove(at).1).or(parameter.default.clone());
            match value {
                Some(value) => all.push((parameter.name.clone(), value)),
                None => {
                    let message = format!("missing argument `{}`", parameter.name);
                    self.sink.error(Code::AnnotationArgument, item.name.span, message);
                }
            }
        }
        all
    }

    pub(super) fn no_such_argument(&mut self, name: &Ident, parameters: &[Parameter]) {
        let message = format!("unknown argument `{}`", name.text);
        let mut diagnostic = Diagnostic::new(Code::AnnotationArgument, name.span, message);
        if let Some(near) = closest(&name.text, parameters.iter().map(|it| it.name.as_str())) {
            diagnostic = diagnostic.hint(format!("did you mean `{near}`?"));
        }
        self.sink.push(diagnostic);
    }

    pub(super) fn parameter_value(
        &mut self,
        value: &Expr,
        kind: &ParameterKind,
        ty: Option<&Type>,
        scope: ScopeId,
    ) -> ConstValue {
        let kind = match kind {
            ParameterKind::Declared(ty) => return self.argument(value, ty, scope),
            ParameterKind::Standard(kind) => *kind,
        };
        match kind {
            Kind::Boolean => self.evaluate(value, &Type::Boolean, scope),
            Kind::UShort => self.evaluate(value, &Type::UShort, scope),
            Kind::ULong => self.evaluate(value, &Type::ULong, scope),
            Kind::Text => self.evaluate(value, &Type::String { bound: None }, scope),
            Kind::Value | Kind::Number => self.value_argument(value, kind, ty, scope),
            Kind::Word(words) => {
                let word = match &value.kind {
                    ExprKind::Name(name) => name.parts.last().map(|part| &*part.text),
                    _ => None,
                };
                if let Some(word) = word.filter(|word| words.contains(word)) {
                    return ConstValue::String(word.to_owned());
                }
                let message = format!("expected one of {}", words.join(", "));
                self.sink.error(Code::AnnotationArgument, value.span, message);
                ConstValue::Error
            }
        }
    }

    /// An argument of the type of the annotated definition.
    pub(super) fn value_argument(
        &mut self,
        value: &Expr,
        kind: Kind,
        ty: Option<&Type>,
        scope: ScopeId,
    ) -> ConstValue {
        let Some(ty) = ty else { return ConstValue::Error };
        let resolved = self.model.resolve(ty);
        let number = resolved.is_integer()
            || resolved.is_floating()
            || matches!(resolved, Type::Fixed { .. } | Type::Error);
        if matches!(kind, Kind::Number) && !number || !self.is_constant_type(ty) {
            let name = self.model.type_name(ty);
            let message = format!("this annotation cannot be applied to type `{name}`");
            self.sink.error(Code::MisplacedAnnotation, value.span, message);
            return ConstValue::Error;
        }
        self.evaluate(value, ty, scope)
    }
}

/// The arguments of an unknown annotation that are plain literals.
pub(super) fn unchecked(arguments: &Arguments) -> Vec<(String, ConstValue)> {
    let plain = |value: &Expr| {
        Some(match &value.kind {
            ExprKind::Integer(value) => ConstValue::Integer(i128::from(*value)),
            ExprKind::Float(value) => ConstValue::Float(*value),
            ExprKind::Fixed(value) => ConstValue::Fixed(*value),
            ExprKind::Boolean(value) => ConstValue::Boolean(*value),
            ExprKind::Char(value) => ConstValue::Char(*value),
            ExprKind::WChar(value) => ConstValue::WChar(*value),
            ExprKind::String(value) => ConstValue::String(value.to_string()),
            ExprKind::WString(value) => ConstValue::WString(value.to_vec()),
            _ => return None,
        })
    };
    match arguments {
        Arguments::None => Vec::new(),
        Arguments::One(value) => {
            plain(value).map(|value| ("value".to_owned(), value)).into_iter().collect()
        }
        Arguments::Named(list) => list
            .iter()
            .filter_map(|(name, value)| Some((name.text.to_string(), plain(value)?)))
            .collect(),
    }
}
