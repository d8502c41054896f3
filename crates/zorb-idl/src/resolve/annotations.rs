//! Resolution of annotations.

use std::collections::HashMap;

use super::Resolver;
use super::annotation_arguments::{Parameter, ParameterKind, unchecked};
use super::scope::{NameKind, ScopeId, Target};
use super::standard::{self, Default, Kind, On};
use crate::diagnostics::{Code, Diagnostic};
use crate::limits::MAX_ANNOTATION_MEMBERS;
use crate::model::{
    Annotation, AnnotationMember, AnnotationType, ConstValue, DefId, DefinitionKind, Type,
    find_annotation,
};
use crate::source::Span;
use crate::suggest::closest;
use crate::syntax::{AnnotationItem, AnnotationTypeItem, Ident, ScopedName};

impl Resolver<'_> {
    /// `@annotation name { ... };` In the scope its name starts with `@`: an annotation and a type
    /// may have the same name.
    pub(super) fn annotation_type(&mut self, item: &AnnotationTypeItem, scope: ScopeId) {
        let name = Ident { text: format!("@{}", item.name.text).into(), span: item.name.span };
        let kind = DefinitionKind::Annotation(AnnotationType::default());
        let (id, inside) = self.begin(&name, kind, &item.docs, scope);
        if let Some(definition) = self.model.definitions.get_mut(id.index()) {
            definition.name = item.name.text.to_string();
            if let Some(last) = definition.scoped_name.last_mut() {
                last.clone_from(&definition.name);
            }
        }
        item.items.iter().for_each(|item| self.item(item, inside));
        let mut members = Vec::new();
        if let Some(beyond) = item.members.get(MAX_ANNOTATION_MEMBERS) {
            let message = format!("an annotation has at most {MAX_ANNOTATION_MEMBERS} members");
            self.sink.error(Code::AnnotationTooLarge, beyond.name.span, message);
        }
        for member in item.members.iter().take(MAX_ANNOTATION_MEMBERS) {
            let ty = self.value_type(&member.ty, inside);
            let ty = self.annotation_member_type(ty, member.ty.span);
            let default = member.default.as_ref().map(|value| self.argument(value, &ty, inside));
            if self.declare(inside, &member.name, Target::Member, NameKind::Member) {
                let (name, span) = (member.name.text.to_string(), member.name.span);
                members.push(AnnotationMember { name, ty, default, span });
            }
        }
        self.finish(id);
        if let Some(definition) = self.model.definitions.get_mut(id.index())
            && let DefinitionKind::Annotation(item) = &mut definition.kind
        {
            item.members = members;
        }
    }

    fn annotation_member_type(&mut self, ty: Type, span: Span) -> Type {
        if matches!(self.model.resolve(&ty), Type::Any) || self.is_constant_type(&ty) {
            return ty;
        }
        let name = self.model.type_name(&ty);
        let message = format!("a member of an annotation cannot be of type `{name}`");
        self.sink.push(
            Diagnostic::new(Code::BadConstType, span, message)
                .hint("arguments are constants; use `any` for a constant of any type"),
        );
        Type::Error
    }

    /// Resolves the annotations of a definition of kind `on` whose values have type `ty`.
    pub(super) fn annotate(
        &mut self,
        items: &[AnnotationItem],
        on: On,
        ty: Option<&Type>,
        scope: ScopeId,
    ) -> Vec<Annotation> {
        let mut list: Vec<Annotation> = Vec::new();
        let mut seen: HashMap<String, Span> = HashMap::new();
        for item in items {
            let Some(annotation) = self.annotation(item, on, ty, scope) else { continue };
            let earlier = seen.insert(annotation.name.clone(), annotation.span);
            if let Some(first) = earlier.filter(|_| annotation.name != "verbatim") {
                let message = format!("`@{}` is applied twice", annotation.name);
                let diagnostic =
                    Diagnostic::new(Code::DuplicateAnnotation, item.name.span, message);
                self.sink.push(diagnostic.label(first, "first applied here"));
                continue;
            }
            list.push(annotation);
        }
        if !list.is_empty() {
            self.check_agreement(&list);
        }
        list
    }

    fn annotation(
        &mut self,
        item: &AnnotationItem,
        on: On,
        ty: Option<&Type>,
        scope: ScopeId,
    ) -> Option<Annotation> {
        let span = item.name.span;
        let written: Vec<&str> = item.name.parts.iter().map(|part| &*part.text).collect();
        let written = written.join("::");
        let mut annotation = Annotation {
            name: written.clone(),
            declaration: None,
            is_known: true,
            arguments: Vec::new(),
            span,
        };
        if let Some(id) = self.find_annotation_type(&item.name, scope)? {
            annotation.name = self.model.scoped_name(id);
            annotation.declaration = Some(id);
            let parameters = self.declared_parameters(id);
            annotation.arguments = self.arguments(item, &parameters, None, scope);
            return Some(annotation);
        }
        let Some(standard) = standard::find(&written) else {
            annotation.is_known = false;
            annotation.arguments = unchecked(&item.arguments);
            let message = format!("unknown annotation `@{written}`");
            let mut diagnostic = Diagnostic::new(Code::UnknownAnnotation, span, message);
            if let Some(near) = closest(&written, standard::names()) {
                diagnostic = diagnostic.hint(format!("did you mean `@{near}`?"));
            }
            self.sink.push(diagnostic);
            return Some(annotation);
        };
        if !on.is_in(standard.on) {
            let message = format!("`@{written}` cannot be applied to {}", on.words());
            let diagnostic = Diagnostic::new(Code::MisplacedAnnotation, span, message);
            if (standard.name, on) == ("optional", On::CASE) {
                let hint = "remove it: a case is present only if its label is chosen";
                self.sink.push_tolerable(diagnostic.hint(hint));
            } else {
                self.sink.push(diagnostic);
            }
            return None;
        }
        let parameter = |(name, kind, default): &(&str, Kind, Default)| Parameter {
            name: (*name).to_owned(),
            kind: ParameterKind::Standard(*kind),
            default: match default {
                Default::None => None,
                Default::True => Some(ConstValue::Boolean(true)),
                Default::Text(text) => Some(ConstValue::String((*text).to_owned())),
            },
        };
        let parameters: Vec<Parameter> = standard.parameters.iter().map(parameter).collect();
        annotation.arguments = self.arguments(item, &parameters, ty, scope);
        Some(annotation)
    }

    /// The declaration of an annotation; `Some(None)` when there is none, `None` after an error was
    /// reported.
    #[allow(clippy::option_option, reason = "reported failure and absence differ")]
    fn find_annotation_type(&mut self, name: &ScopedName, scope: ScopeId) -> Option<Option<DefId>> {
        let (last, outer) = name.parts.split_last()?;
        let text = format!("@{}", last.text);
        if outer.is_empty() && !name.absolute {
            let mut at = Some(scope);
            while let Some(id) = at {
                if let Some(entry) = self.entry(id, &text)
                    && let Target::Definition(id) = entry.target
                {
                    let defined = entry.ident.clone();
                    if *defined.text != *text {
                        let message =
                            format!("`{text}` is spelled `{}` in its definition", defined.text);
                        let diagnostic = Diagnostic::new(Code::CaseMismatch, last.span, message);
                        self.sink.push(diagnostic.label(defined.span, "defined here"));
                    }
                    return Some(Some(id));
                }
                at = self.scopes.get(id.0).and_then(|scope| scope.parent);
            }
            return Some(None);
        }
        let mut name = name.clone();
        if let Some(last) = name.parts.last_mut() {
            last.text = text.into();
        }
        match self.lookup(&name, scope)? {
            Target::Definition(id) => Some(Some(id)),
            _ => None,
        }
    }

    /// Checks that the annotations of one definition do not contradict each other.
    fn check_agreement(&mut self, list: &[Annotation]) {
        let on = |name: &str| {
            let found = find_annotation(list, name)?;
            (found.argument("value") != Some(&ConstValue::Boolean(false))).then_some(found)
        };
        let mut clashes = Vec::new();
        let kinds = ["extensibility", "final", "appendable", "mutable"];
        let kinds: Vec<&Annotation> = kinds.iter().filter_map(|name| on(name)).collect();
        if let [first, second, ..] = kinds.as_slice() {
            clashes.push((*first, *second));
        }
        for pair in [("key", "optional"), ("id", "hashid"), ("range", "min"), ("range", "max")] {
            if let (Some(first), Some(second)) = (on(pair.0), on(pair.1)) {
                clashes.push((first, second));
            }
        }
        for (a, b) in clashes {
            let (first, second) = if a.span < b.span { (a, b) } else { (b, a) };
            let message = format!("`@{}` contradicts `@{}`", second.name, first.name);
            self.sink.push(
                Diagnostic::new(Code::AnnotationConflict, second.span, message)
                    .label(first.span, "applied here"),
            );
        }
        let range = on("range");
        let bound = |side: &str| {
            range.and_then(|range| range.argument(side)).or_else(|| on(side)?.argument("value"))
        };
        let (least, greatest) = (bound("min"), bound("max"));
        let problem = if is_less(greatest, least) {
            Some("the minimum is greater than the maximum")
        } else {
            let default = on("default").and_then(|default| default.argument("value"));
            (is_less(default, least) || is_less(greatest, default))
                .then_some("the default is out of range")
        };
        if let (Some(problem), Some(last)) = (problem, list.last()) {
            self.sink.error(Code::AnnotationConflict, last.span, problem);
        }
    }
}

/// Whether both are numbers of the same kind, and the first is less.
fn is_less(left: Option<&ConstValue>, right: Option<&ConstValue>) -> bool {
    match (left, right) {
        (Some(ConstValue::Integer(left)), Some(ConstValue::Integer(right))) => left < right,
        (Some(ConstValue::Float(left)), Some(ConstValue::Float(right))) => left < right,
        (Some(ConstValue::Fixed(left)), Some(ConstValue::Fixed(right))) => {
            left.add(right.negated()).is_some_and(|difference| difference.unscaled() < 0)
        }
        _ => false,
    }
}
