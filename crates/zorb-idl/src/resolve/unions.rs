//! Unions.

use std::collections::HashMap;

use super::Resolver;
use super::scope::{NameKind, ScopeId, Target};
use super::standard::On;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{Case, ConstValue, DefinitionKind, Label, Type, Union};
use crate::source::Span;
use crate::syntax::{LabelItem, UnionItem};

/// A forward declaration of a union.
pub(super) fn forward() -> DefinitionKind {
    DefinitionKind::Union(Union { forward_only: true, ..empty() })
}

const fn empty() -> Union {
    Union {
        discriminator: Type::Error,
        discriminator_annotations: Vec::new(),
        cases: Vec::new(),
        children: Vec::new(),
        implicit_default: false,
        forward_only: false,
    }
}

/// The labels found so far.
#[derive(Default)]
struct Labels {
    values: HashMap<(u8, i128), Span>,
    default: Option<Span>,
    broken: bool,
}

impl Resolver<'_> {
    pub(super) fn union(&mut self, item: &UnionItem, scope: ScopeId) -> Type {
        let kind = DefinitionKind::Union(empty());
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let written = self.value_type(&item.discriminator, inside);
        let mut discriminator = self.model.resolve(&written).clone();
        let values = self.value_count(&discriminator);
        let mut labels = Labels::default();
        if values.is_none() {
            labels.broken = true;
            if discriminator != Type::Error {
                let name = self.model.type_name(&written);
                let message = format!("a union cannot switch on `{name}`");
                self.sink.push(
                    Diagnostic::new(Code::BadDiscriminator, item.discriminator.span, message)
                        .hint("use an integer, character, boolean or enum type"),
                );
            }
            discriminator = Type::Error;
        }
        let mut cases = Vec::new();
        for case in &item.cases {
            let mut resolved = Vec::new();
            for label in &case.labels {
                if let Some(label) = self.label(label, &discriminator, inside, &mut labels) {
                    resolved.push(label);
                }
            }
            let ty = self.value_type(&case.ty, inside);
            self.reject_native(&ty, case.ty.span);
            self.holds(id, &ty);
            let ty = self.declared_type(&ty, &case.declarator, inside);
            let annotations = self.annotate(&case.annotations, On::CASE, Some(&ty), inside);
            let name = &case.declarator.name;
            if self.declare(inside, name, Target::Member, NameKind::Member) {
                cases.push(Case {
                    labels: resolved,
                    name: name.text.to_string(),
                    ty,
                    annotations,
                    docs: case.docs.as_deref().map(str::to_owned),
                    span: name.span,
                });
            }
        }
        let written_annotations = self.annotate(
            &item.discriminator_annotations,
            On::DISCRIMINATOR,
            Some(&written),
            inside,
        );
        self.check_numbers("id", cases.iter().map(|case| &*case.annotations));
        self.finish(id);
        let covered = values.is_some_and(|values| labels.values.len() as u128 >= values);
        if let Some(span) = labels.default
            && covered
            && !labels.broken
        {
            let message = "this default case is unreachable: the labels cover every value";
            let diagnostic = Diagnostic::new(Code::NeedlessDefault, span, message);
            self.sink.push(diagnostic.hint("remove the default case, or one of the labels"));
        }
        if let Some(definition) = self.model.definitions.get_mut(id.index())
            && let DefinitionKind::Union(union) = &mut definition.kind
        {
            union.discriminator = if values.is_some() { written } else { Type::Error };
            union.discriminator_annotations = written_annotations;
            union.cases = cases;
            union.implicit_default = labels.default.is_none() && !covered;
        }
        Type::Named(id)
    }

    /// The number of values of a discriminator type; none when it is not a valid one.
    fn value_count(&self, ty: &Type) -> Option<u128> {
        if let Some((least, greatest)) = ty.integer_range() {
            return u128::try_from(greatest - least + 1).ok();
        }
        match ty {
            Type::Boolean => Some(2),
            Type::Char => Some(1 << 8),
            Type::WChar => Some(1 << 16),
            Type::Named(id) => {
                self.model.enumeration(*id).map(|item| item.enumerators.len() as u128)
            }
            _ => None,
        }
    }

    fn label(
        &mut self,
        label: &LabelItem,
        discriminator: &Type,
        inside: ScopeId,
        labels: &mut Labels,
    ) -> Option<Label> {
        let expr = match label {
            LabelItem::Default(span) => {
                if let Some(first) = labels.default {
                    let message = "duplicate `default` label";
                    let diagnostic = Diagnostic::new(Code::DuplicateLabel, *span, message);
                    self.sink.push(diagnostic.label(first, "first used here"));
                    return None;
                }
                labels.default = Some(*span);
                return Some(Label::Default);
            }
            LabelItem::Value(expr) => expr,
        };
        if *discriminator == Type::Error {
            return None;
        }
        let computed = self.compute(expr, discriminator, inside);
        let value = self.fit_label(computed, discriminator, expr.span);
        let key = match &value {
            ConstValue::Boolean(value) => (0, i128::from(*value)),
            ConstValue::Integer(value) => (1, *value),
            ConstValue::Char(value) => (2, i128::from(u32::from(*value))),
            ConstValue::WChar(value) => (3, i128::from(*value)),
            ConstValue::Enumerator { index, .. } => (4, i128::from(*index)),
            _ => {
                labels.broken = true;
                return None;
            }
        };
        if let Some(first) = labels.values.get(&key) {
            let message = format!("duplicate label {}", self.model.value_text(&value));
            let diagnostic = Diagnostic::new(Code::DuplicateLabel, expr.span, message);
            self.sink.push(diagnostic.label(*first, "first used here"));
            return None;
        }
        labels.values.insert(key, expr.span);
        Some(Label::Value(value))
    }
}
