//! Type expressions.

use super::Resolver;
use super::scope::{ScopeId, Target};
use super::standard::On;
use crate::diagnostics::{Code, Diagnostic};
use crate::limits::MAX_ARRAY_ELEMENTS;
use crate::model::{ConstValue, DefId, DefinitionKind, MAX_FIXED_DIGITS, TemplateArgument, Type};
use crate::syntax::{Declarator, Expr, ScopedName, TypeExpr, TypeKind};

impl Resolver<'_> {
    /// Resolves the type of a value, which must be complete.
    pub(super) fn value_type(&mut self, ty: &TypeExpr, scope: ScopeId) -> Type {
        let resolved = self.any_type(ty, scope);
        if let Type::Named(id) = resolved
            && let Some(declared) = self.incomplete.get(&id).copied()
            && !matches!(
                self.model.definition(id).kind,
                DefinitionKind::Interface(_)
                    | DefinitionKind::Value(_)
                    | DefinitionKind::Component(_)
                    | DefinitionKind::Home(_)
                    | DefinitionKind::Event(_)
            )
        {
            let item = self.model.definition(id);
            let (word, name) = (item.kind.keyword(), item.name.clone());
            let message = format!("{word} `{name}` is incomplete here");
            self.sink.push(
                Diagnostic::new(Code::IncompleteType, ty.span, message)
                    .label(declared, "declared here")
                    .hint(format!("before its closing `}}` only `sequence<{name}>` can be used")),
            );
        }
        resolved
    }

    /// Resolves a type, complete or not. `void` is accepted: the parser allows it only as a result.
    pub(super) fn any_type(&mut self, ty: &TypeExpr, scope: ScopeId) -> Type {
        match &ty.kind {
            TypeKind::Basic(basic) => basic.clone(),
            TypeKind::Error => Type::Error,
            TypeKind::Annotated { annotations, ty } => {
                let ty = self.any_type(ty, scope);
                // The annotations are checked, but have no effect here.
                self.annotate(annotations, On::ELEMENT, Some(&ty), scope);
                ty
            }
            TypeKind::Fixed { digits, scale } => self.fixed_type(digits, scale, scope),
            // The value determines the type: see `Resolver::constant`.
            TypeKind::AnyFixed => Type::Fixed { digits: 31, scale: 31 },
            TypeKind::String { wide, bound } => {
                let bound = bound.as_ref().and_then(|bound| self.bound(bound, scope));
                if *wide { Type::WString { bound } } else { Type::String { bound } }
            }
            TypeKind::Sequence { element, bound } => {
                let element = Box::new(self.any_type(element, scope));
                let bound = bound.as_ref().and_then(|bound| self.bound(bound, scope));
                Type::Sequence { element, bound }
            }
            TypeKind::Map { key, value, bound } => {
                let span = key.span;
                let key = Box::new(self.value_type(key, scope));
                self.check_map_key(&key, span);
                let value = Box::new(self.any_type(value, scope));
                let bound = bound.as_ref().and_then(|bound| self.bound(bound, scope));
                Type::Map { key, value, bound }
            }
            TypeKind::Name(name) => self.named_type(name, scope),
            TypeKind::Defined(item) => self.defined_type(item, scope),
        }
    }

    /// `fixed<digits, scale>`
    fn fixed_type(&mut self, digits: &Expr, scale: &Expr, scope: ScopeId) -> Type {
        let mut number = |expr: &Expr, least: i128, most: i128, what: &str| {
            let value = self.evaluate_wide(expr, &Type::Long, scope);
            let ConstValue::Integer(value) = value else { return None };
            if (least..=most).contains(&value) {
                return Some(value);
            }
            let message = format!("a fixed type cannot have {value} digits{what}");
            let range = format!("the number must be between {least} and {most}");
            self.sink.push(Diagnostic::new(Code::BadFixed, expr.span, message).note(range));
            None
        };
        let most = i128::try_from(MAX_FIXED_DIGITS).unwrap_or(31);
        let digits = number(digits, 1, most, "");
        let scale = number(scale, 0, digits.unwrap_or(most), " after the decimal point");
        match (digits.map(u16::try_from), scale.map(i16::try_from)) {
            (Some(Ok(digits)), Some(Ok(scale))) => Type::Fixed { digits, scale },
            _ => Type::Error,
        }
    }

    fn named_type(&mut self, name: &ScopedName, scope: ScopeId) -> Type {
        // Older IDL files define types of their own with these names.
        if let ([part], false) = (name.parts.as_slice(), name.absolute)
            && let Some(ty) = sized_integer(&part.text)
            && !self.visible(&part.text, scope)
        {
            return ty;
        }
        let Some(target) = self.lookup(name, scope) else { return Type::Error };
        let written: Vec<&str> = name.parts.iter().map(|part| &*part.text).collect();
        let written = written.join("::");
        let (code, message) = match target {
            Target::Definition(id) => match &self.model.definition(id).kind {
                DefinitionKind::Module(_) => (Code::NotAType, "is a module, not a type"),
                DefinitionKind::Const(_) => (Code::NotAType, "is a constant, not a type"),
                DefinitionKind::Exception(_) => {
                    (Code::ExceptionAsType, "is an exception, not a type")
                }
                DefinitionKind::Annotation(_) => (Code::NotAType, "is an annotation, not a type"),
                DefinitionKind::TemplateModule(_) => {
                    (Code::NotAType, "is a template module, not a type")
                }
                DefinitionKind::Connector(_) => (Code::NotAType, "is a connector, not a type"),
                _ => return Type::Named(id),
            },
            Target::Enumerator { .. } => (Code::NotAType, "is an enumerator, not a type"),
            Target::Bit { .. } => (Code::NotAType, "is a bit, not a type"),
            Target::Export(_) => (Code::NotAType, "is an operation or attribute, not a type"),
            Target::Member | Target::State(_) => (Code::NotAType, "is a member, not a type"),
            Target::Initializer => (Code::NotAType, "is an initializer, not a type"),
            Target::TypeCode => return Type::TypeCode,
            Target::Port(_) => (Code::NotAType, "is a port, not a type"),
            Target::Argument(index) => match self.arguments.get(index) {
                Some(TemplateArgument::Type(ty)) => return ty.clone(),
                _ => (Code::NotAType, "is a constant, not a type"),
            },
        };
        let mut diagnostic = Diagnostic::new(code, name.span, format!("`{written}` {message}"));
        if let Some(span) = self.target_span(target) {
            diagnostic = diagnostic.label(span, "defined here");
        }
        if code == Code::ExceptionAsType {
            diagnostic = diagnostic.hint("exceptions can be used only in `raises (...)`");
        }
        self.sink.push(diagnostic);
        Type::Error
    }

    /// The type of a declarator: an array when it has dimensions.
    pub(super) fn declared_type(
        &mut self,
        ty: &Type,
        declarator: &Declarator,
        scope: ScopeId,
    ) -> Type {
        if declarator.dims.is_empty() {
            return ty.clone();
        }
        let mut dims = Vec::new();
        for dim in &declarator.dims {
            match self.bound(dim, scope) {
                Some(dim) => dims.push(dim),
                None => return Type::Error,
            }
        }
        let array = Type::Array { element: Box::new(ty.clone()), dims };
        if self.elements(&array) > MAX_ARRAY_ELEMENTS {
            let message =
                format!("`{}` has more than {MAX_ARRAY_ELEMENTS} elements", declarator.name.text);
            self.sink.push(
                Diagnostic::new(Code::ArrayTooLarge, declarator.name.span, message)
                    .hint("use a sequence for large or variable sizes"),
            );
            return Type::Error;
        }
        array
    }

    /// The number of elements of an array, nested arrays included.
    fn elements(&self, ty: &Type) -> u64 {
        let mut count = 1_u64;
        let mut ty = self.model.resolve(ty);
        while let Type::Array { element, dims } = ty {
            for dim in dims {
                count = count.saturating_mul(u64::from(*dim));
            }
            if count > MAX_ARRAY_ELEMENTS {
                return count;
            }
            ty = self.model.resolve(element);
        }
        count
    }

    /// Evaluates a bound of a string or sequence, or a dimension of an array.
    pub(super) fn bound(&mut self, value: &Expr, scope: ScopeId) -> Option<u32> {
        let ConstValue::Integer(number) = self.evaluate_wide(value, &Type::ULong, scope) else {
            return None;
        };
        let bound = u32::try_from(number).ok().filter(|bound| *bound > 0);
        if bound.is_none() {
            let message = format!("{number} is not a valid bound");
            self.sink.push(
                Diagnostic::new(Code::BadBound, value.span, message)
                    .hint("a bound must be between 1 and 4294967295"),
            );
        }
        bound
    }

    /// Resolves an exception in a `raises` clause.
    pub(super) fn exception_name(&mut self, name: &ScopedName, scope: ScopeId) -> Option<DefId> {
        let target = self.lookup(name, scope)?;
        if let Target::Definition(id) = target
            && matches!(
                self.model.definition(id).kind,
                DefinitionKind::Exception(_) | DefinitionKind::Native
            )
        {
            return Some(id);
        }
        let message = "only exceptions can be raised";
        let mut diagnostic = Diagnostic::new(Code::NotAnException, name.span, message);
        if let Some(span) = self.target_span(target) {
            diagnostic = diagnostic.label(span, "this is not an exception");
        }
        self.sink.push(diagnostic);
        None
    }
}

/// The explicitly sized integer types of IDL 4.
fn sized_integer(name: &str) -> Option<Type> {
    Some(match name {
        "int8" => Type::Int8,
        "uint8" => Type::UInt8,
        "int16" => Type::Short,
        "uint16" => Type::UShort,
        "int32" => Type::Long,
        "uint32" => Type::ULong,
        "int64" => Type::LongLong,
        "uint64" => Type::ULongLong,
        _ => return None,
    })
}
